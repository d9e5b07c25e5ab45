//! Tags, and the records they are attached to.

mod connections;
mod tag;

pub(crate) use tag::{TagRecord, record as tag_record};

use domain::collection::Collection;
use domain::key::TagKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{LARGE_BODY, Operation, delete, get, patch, post};
use crate::{operation, scope};

const AREA: operation::Tag = operation::Tag::Administration;

#[derive(Deserialize, JsonSchema)]
struct TagPath {
    /// The key of a tag.
    tag_key: TagKey,
}

/// The kind of record that a tag is attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TagContext")]
enum Context {
    Product,
    Serial,
    WorkOrder,
    Position,
}

impl Context {
    fn collection(self) -> Collection {
        match self {
            Context::Product => Collection::Product,
            Context::Serial => Collection::Serial,
            Context::WorkOrder => Collection::WorkOrder,
            Context::Position => Collection::Position,
        }
    }
}

pub fn operations() -> Vec<Operation> {
    vec![
        get("list_tags", "/tag", AREA, "List tags", tag::list)
            .scope(scope!("config:tag:read"))
            .describe("Lists all tags by name or, with `context` and `context_key`, those of one record."),
        post("create_tag", "/tag", AREA, "Create a tag", tag::create)
            .scope(scope!("config:tag:write"))
            .describe("Several tags may have the same name.")
            .error(409, "The key is taken."),
        patch("update_tag", "/tag/{tag_key}", AREA, "Change a tag", tag::change)
            .scope(scope!("config:tag:write"))
            .describe("Changes the members that are sent. Null clears description and color.")
            .error(404, "No such tag.")
            .error(412, "`If-Match` names another revision."),
        delete("delete_tag", "/tag/{tag_key}", AREA, "Delete a tag", tag::remove)
            .scope(scope!("config:tag:write"))
            .describe("Deletes the tag and removes it from all records.")
            .error(404, "No such tag.")
            .error(412, "`If-Match` names another revision."),
        post(
            "update_tag_connections",
            "/tag/update-connections",
            AREA,
            "Add tags to records or remove them",
            connections::update,
        )
        .scope(scope!("config:tag:write"))
        .body_limit(LARGE_BODY)
        .describe(
            "Makes all changes, or none. Links are added before others are removed. Adding a link that exists, or \
             removing one that does not, has no effect.",
        )
        .error(404, "A link to be added names a tag or record that does not exist; `missing` lists them."),
    ]
}
