//! Stock as it was, or as it would be with what was counted.

use domain::collection::Collection;
use domain::counting::{ScopeType, Snapshot, SnapshotType};
use domain::key::{CountSessionKey, PositionKey, ProductKey, SerialKey, SnapshotKey, UserKey, record_id, revision};
use domain::text::hex;
use domain::{Quantity, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::Tx;
use store::counting::snapshots::{self, SnapshotItem};

use super::TAG;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Path};
use crate::operation::{Operation, get};
use crate::reply::Counted;
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("get_snapshot", "/inventory/snapshot/{snapshot_key}", TAG, "Read a snapshot of stock", one)
            .scope(scope!("inventory:count:apply"))
            .describe(
                "Returns stock as it was when a counting session started (`baseline_snapshot_key` of the session) or when it was \
                 applied (`post_adjustment_snapshot_key`), or as it would be with what was counted (`post_count_snapshot_key`): the \
                 targets of the session or, without targets, the whole of the own warehouse. Items are by the codes of position and \
                 product; paging is for them.",
            )
            .error(404, "No such snapshot."),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct SnapshotPath {
    /// The key of a snapshot.
    snapshot_key: SnapshotKey,
}

/// A snapshot with what it shows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SnapshotFull")]
struct Full {
    snapshot: SnapshotRecord,
    items: Vec<Item>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Snapshot")]
struct SnapshotRecord {
    _id: String,
    _key: SnapshotKey,
    _rev: String,
    snapshot_type: SnapshotType,
    source: Source,
    inventory_count_session_key: CountSessionKey,
    /// When it was taken.
    timestamp: Timestamp,
    scope_type: ScopeType,
    /// The keys of the positions or products that it shows; empty if it shows everything.
    target_keys: Vec<String>,
    created_by: UserKey,
}

/// What a snapshot belongs to.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SnapshotSource")]
enum Source {
    CountSession,
}

/// What lay at a position of one product.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SnapshotItem")]
struct Item {
    _id: String,
    _key: String,
    _rev: String,
    /// The `_id` of the product.
    _from: String,
    /// The `_id` of the position.
    _to: String,
    inventory_snapshot_key: SnapshotKey,
    product_key: ProductKey,
    product_code: String,
    position_key: PositionKey,
    position_code: String,
    /// Units included.
    quantity: Quantity,
    value: Option<Quantity>,
    /// The units, if they are traced.
    serial_keys: Vec<SerialKey>,
}

async fn one(cx: Cx, Path(path): Path<SnapshotPath>, Paging(page): Paging<1000>) -> Result<Counted<Full>> {
    let key = path.snapshot_key;
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = snapshots::find(tx, key).await?;
            let snapshot = found.ok_or_else(|| ApiError::missing(Collection::Snapshot))?;
            let items = snapshots::items(tx, key, &page).await?;
            let value = Full {
                snapshot: record(snapshot),
                items: items.rows.into_iter().map(|found| item(key, found)).collect(),
            };
            Ok::<_, ApiError>(Counted { value, total: items.total })
        })
        .await
}

fn record(snapshot: Snapshot) -> SnapshotRecord {
    SnapshotRecord {
        _id: record_id(Collection::Snapshot, snapshot.key),
        _key: snapshot.key,
        _rev: revision(snapshot.rev),
        snapshot_type: snapshot.kind,
        source: Source::CountSession,
        inventory_count_session_key: snapshot.session_key,
        timestamp: snapshot.taken,
        scope_type: snapshot.scope_type,
        target_keys: serde_json::from_value(snapshot.target_keys).unwrap_or_default(),
        created_by: snapshot.created_by,
    }
}

fn item(snapshot: SnapshotKey, item: SnapshotItem) -> Item {
    let key = item_key(snapshot, &item.product_key, &item.position_key);
    Item {
        _id: record_id(Collection::SnapshotItem, &key),
        _key: key,
        _rev: revision(1),
        _from: record_id(Collection::Product, &item.product_key),
        _to: record_id(Collection::Position, &item.position_key),
        inventory_snapshot_key: snapshot,
        product_key: item.product_key,
        product_code: item.product_code,
        position_key: item.position_key,
        position_code: item.position_code,
        quantity: item.quantity,
        value: None,
        serial_keys: item.serial_keys,
    }
}

/// Items are not stored one by one, so their key is made from what they are about: the same each time.
fn item_key(snapshot: SnapshotKey, product: &ProductKey, position: &PositionKey) -> String {
    hex(&Sha256::digest(format!("{snapshot}/{product}/{position}"))[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_keys_of_their_own() {
        let key = |product, position| {
            item_key(SnapshotKey(7), &ProductKey::trusted(product), &PositionKey::trusted(position))
        };
        assert_eq!(key("a", "b"), key("a", "b"));
        assert_ne!(key("a", "b"), key("b", "a"));
        assert_eq!(key("a", "b").len(), 16);
    }
}
