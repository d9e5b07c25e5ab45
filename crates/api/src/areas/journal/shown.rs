//! What an event's answer shows: records as they are after it, read in its own transaction.

use std::borrow::Cow;

use domain::Timestamp;
use journal::{Outcome, OutcomeMember};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use store::Tx;

use crate::Result;
use crate::areas::production;
use crate::error::ApiError;

/// Members that are already serialised.
pub(super) struct Members(Vec<(&'static str, Box<RawValue>)>);

impl Members {
    /// Their approximate size.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + value.get().len()).sum()
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl JsonSchema for Members {
    fn schema_name() -> Cow<'static, str> {
        "EventOutcome".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }
}

/// Reads the members of an answer, as they are in this transaction.
pub(super) async fn shown(tx: &mut Tx, Outcome(members): Outcome, now: Timestamp) -> Result<Members> {
    let mut all = Vec::with_capacity(members.len());
    for (name, member) in members {
        let value = match member {
            OutcomeMember::Batch(None) => written(&()),
            OutcomeMember::Batch(Some(key)) => written(&production::batch_record(tx, key).await?),
            OutcomeMember::Job(key) => written(&production::job_record(tx, key, now).await?),
            OutcomeMember::WorkOrder(key) => written(&production::order_read(tx, key, now).await?),
            OutcomeMember::Json(value) => written(&value),
        };
        all.push((name, value?));
    }
    Ok(Members(all))
}

fn written(value: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(value).map_err(|error| ApiError::internal(&format!("an answer can't be written: {error}"), None))
}
