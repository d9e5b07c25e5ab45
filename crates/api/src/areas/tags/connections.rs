use domain::ErrorData;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use domain::collection::Collection;
use domain::key::{KEY_PATTERN, TagKey, record_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
#[schemars(rename = "TagConnections")]
pub(super) struct Links(#[schemars(length(max = 10_000))] Vec<Link>);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TagConnection")]
struct Link {
    #[serde(rename = "type")]
    action: LinkAction,
    tag_key: TagKey,
    context: Context,
    #[schemars(regex(pattern = KEY_PATTERN))]
    context_key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TagConnectionChange")]
enum LinkAction {
    Add,
    Remove,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TagConnectionsUpdated")]
pub(super) struct Counts {
    added: usize,
    removed: usize,
}

pub(super) async fn update(cx: Cx, Json(Links(links)): Json<Links>) -> Result<Done<Envelope<Counts>>> {
    let pairs = |action: LinkAction| -> Vec<tags::Link> {
        let wanted = links.iter().filter(|link| link.action == action);
        let pair = |link: &Link| {
            (link.tag_key.clone(), Tagged { collection: link.context.collection(), key: link.context_key.clone() })
        };
        wanted.map(pair).collect()
    };
    let (added, removed) = (pairs(LinkAction::Add), pairs(LinkAction::Remove));
    cx.change("update tag links", async move |tx: &mut Tx| {
        all_there(tx, &added).await?;
        let counts = Counts { added: tags::connect(tx, &added).await?, removed: tags::disconnect(tx, &removed).await? };
        envelope("Links updated.", counts)
    })
    .await
}

/// 404 with everything that is missing, both tags and records.
async fn all_there(tx: &mut Tx, added: &[tags::Link]) -> Result<()> {
    let wanted: BTreeSet<String> = added.iter().map(|(tag, _)| tag.to_string()).collect();
    let wanted: Vec<String> = wanted.into_iter().collect();
    let known: HashSet<String> = tags::lock_known(tx, &wanted).await?.iter().map(ToString::to_string).collect();
    let mut missing: Vec<String> =
        wanted.iter().filter(|key| !known.contains(*key)).map(|key| record_id(Collection::Tag, key)).collect();
    let mut records: BTreeMap<Collection, BTreeSet<String>> = BTreeMap::new();
    for (_, on) in added {
        records.entry(on.collection).or_default().insert(on.key.clone());
    }
    let mut known: HashMap<Collection, HashSet<String>> = HashMap::new();
    for collection in entities::HELD_IN_ORDER {
        if let Some(keys) = records.get(&collection) {
            let keys: Vec<String> = keys.iter().cloned().collect();
            known.insert(collection, entities::hold_all(tx, collection, &keys).await?.into_iter().collect());
        }
    }
    for (collection, keys) in records {
        let known = known.remove(&collection).unwrap_or_default();
        missing.extend(keys.iter().filter(|key| !known.contains(*key)).map(|key| record_id(collection, key)));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let data = ErrorData { missing: Some(missing), ..ErrorData::default() };
    Err(ApiError::not_found_with("Some tags or records were not found.", &data))
}
