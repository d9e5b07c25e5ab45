use std::collections::BTreeSet;

use domain::key::{KEY_PATTERN, TagKey, record_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::tags::{self, Tagged};
use store::{Tx, entities};

use super::Context;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

/// Up to 10,000 links.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Links(#[schemars(length(max = 10_000))] Vec<Link>);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Link {
    #[serde(rename = "type")]
    what: What,
    tag_key: TagKey,
    context: Context,
    #[schemars(regex(pattern = KEY_PATTERN))]
    context_key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum What {
    Add,
    Remove,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Counts {
    added: usize,
    removed: usize,
}

type Pair = (TagKey, Tagged);

pub(super) async fn update(cx: Cx, Json(Links(links)): Json<Links>) -> Result<Done<Envelope<Counts>>> {
    let pairs = |what: What| -> Vec<Pair> {
        let wanted = links.iter().filter(|link| link.what == what);
        let pair = |link: &Link| {
            (link.tag_key.clone(), Tagged { collection: link.context.collection(), key: link.context_key.clone() })
        };
        wanted.map(pair).collect()
    };
    let (added, removed) = (pairs(What::Add), pairs(What::Remove));
    cx.change("update tag links", async move |tx: &mut Tx| {
        all_there(tx, &added).await?;
        let mut counts = Counts { added: 0, removed: 0 };
        for (tag, on) in &added {
            counts.added += usize::from(tags::connect(tx, tag, on).await?);
        }
        for (tag, from) in &removed {
            counts.removed += usize::from(tags::disconnect(tx, tag, from).await?);
        }
        envelope("Links updated.", counts)
    })
    .await
}

/// 404 with everything that is missing, tags and records alike.
async fn all_there(tx: &mut Tx, added: &[Pair]) -> Result<()> {
    let wanted: BTreeSet<String> = added.iter().map(|(tag, _)| tag.to_string()).collect();
    let wanted: Vec<String> = wanted.into_iter().collect();
    let known = tags::lock_known(tx, &wanted).await?;
    let mut missing: Vec<String> = wanted
        .iter()
        .filter(|key| !known.iter().any(|known| known.as_str() == key.as_str()))
        .map(|key| record_id("Tag", key))
        .collect();
    let records: BTreeSet<(&str, &str)> = added.iter().map(|(_, on)| (on.collection, on.key.as_str())).collect();
    for (collection, key) in records {
        if !entities::hold(tx, collection, key).await? {
            missing.push(record_id(collection, key));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(ApiError::not_found_with("Some tags or records were not found.", json!({ "missing": missing })))
}
