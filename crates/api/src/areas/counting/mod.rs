//! Counting what lies in positions: sessions, who counts what, what was counted, and stock as it was.

mod assignment;
mod place;
mod record;
mod session;
mod snapshot;

use domain::counting::CountSession;
use domain::rule::counting::CountException;

use crate::error::ApiError;
use crate::operation::{Operation, Tag};

const TAG: Tag = Tag::Counting;

pub fn operations() -> Vec<Operation> {
    [session::operations(), assignment::operations(), record::operations(), place::operations(), snapshot::operations()]
        .into_iter()
        .flatten()
        .collect()
}

const NO_SESSION: &str = "No such counting session.";

/// A session in this state can't do that.
fn wrong_state(session: &CountSession, message: &'static str) -> ApiError {
    ApiError::rule(&CountException::session_is(session), message)
}

fn yes() -> bool {
    true
}
