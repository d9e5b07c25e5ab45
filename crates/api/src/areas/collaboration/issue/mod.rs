//! Issues: what is wrong with what is made, and what it concerns.

mod data;
mod links;
mod read;
mod wire;

pub(super) use wire::{IssueRecord, records};

use domain::collection::Collection;
use domain::key::IssueKey;
use schemars::JsonSchema;
use serde::Deserialize;

use super::TAG;
use crate::error::ApiError;
use crate::operation::{Operation, get};
use crate::scope;

#[derive(Deserialize, JsonSchema)]
struct IssuePath {
    /// The key of an issue.
    issue_key: IssueKey,
}

fn not_found() -> ApiError {
    ApiError::missing(Collection::Issue)
}

pub(super) fn operations() -> Vec<Operation> {
    let read = scope!("collaboration:issue:read");
    vec![
        get("search_issues", "/issue", TAG, "Search issues", read::search)
            .scope(read)
            .describe(
                "Lists issues with what they are about and the form of their type, the newest first unless you say otherwise. All \
                 filters combine; a repeated one means any of its values. Of the flags `issue_open` and `issue_closed`, and of \
                 `issue_critical` and `issue_non_critical`, true asks for these alone, and false for all but these. Issues are \
                 created, changed, closed, reopened and deleted by events.",
            ),
        get("get_issue", "/issue/{issue_key}", TAG, "Read an issue", read::one)
            .scope(read)
            .describe("Returns an issue with the first record of each kind that it is about, as a whole.")
            .error(404, "No such issue."),
    ]
}
