//! What an event's answer shows: records as they are after it, read in its own transaction.

use std::borrow::Cow;

use domain::Timestamp;
use domain::key::{BatchKey, EntityKey, JobKey, WorkOrderKey};
use journal::{Collection, Outcome, Shown};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use store::Tx;

use crate::Result;
use crate::areas::production;
use crate::error::ApiError;

/// Members that are written already.
pub(super) struct Members(Vec<(&'static str, Box<RawValue>)>);

impl Members {
    /// About how large they are.
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

pub(super) async fn shown(tx: &mut Tx, Outcome(members): Outcome, now: Timestamp) -> Result<Members> {
    let mut all = Vec::with_capacity(members.len());
    for (name, member) in members {
        let value = match member {
            Shown::Record(_, None) => written(&()),
            Shown::Record(collection, Some(key)) => record(tx, collection, key, now).await,
            Shown::Json(value) => written(&value),
        };
        all.push((name, value?));
    }
    Ok(Members(all))
}

/// A record as it is in this transaction.
async fn record(
    tx: &mut Tx,
    collection: Collection,
    EntityKey(key): EntityKey,
    now: Timestamp,
) -> Result<Box<RawValue>> {
    match collection {
        Collection::Batch => written(&production::batch_record(tx, BatchKey(key)).await?),
        Collection::Job => written(&production::job_record(tx, JobKey(key), now).await?),
        Collection::WorkOrder => written(&production::order_read(tx, WorkOrderKey(key), now).await?),
    }
}

fn written(value: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(value).map_err(|error| ApiError::internal(&format!("an answer can't be written: {error}"), None))
}
