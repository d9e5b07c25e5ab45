//! Records that many rows of an answer show.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::Result;

/// For `#[serde(serialize_with = …)]`: written in each row, in memory once.
pub(super) fn shared<T: Serialize, S: Serializer>(shared: &Option<Arc<T>>, to: S) -> Result<S::Ok, S::Error> {
    shared.as_deref().serialize(to)
}
