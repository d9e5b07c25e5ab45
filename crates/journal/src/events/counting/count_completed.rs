use std::collections::BTreeSet;

use domain::Quantity;
use domain::counting::{CountRecord, RecordStatus, counted};
use domain::key::{CountRecordKey, SerialKey};
use domain::rule::counting::{CountException, NotCounted};
use domain::serial::MOST_SERIALS;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::counting::{marks, serials};
use store::product::products::Product;
use store::warehouse::stock;

use crate::act::Act;
use crate::effects::counting::completing::{NewCount, complete};
use crate::effects::counting::finding::{must_have_begun, record, record_must_be};
use crate::effects::counting::refusing::refuse;
use crate::effects::counting::rights::must_be_own;
use crate::effects::counting::system::lock_serials;
use crate::effects::counting::telling::{concerns, outcome};
use crate::effects::warehouse::hold_positions;
use crate::effects::warehouse::naming::product_of;
use crate::event::made::counting::CountEnded;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// A count ends: this is what lies there. What the same user has counted there before, in this session, is discarded. Whoever may
/// apply counts can end those of others.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountCompleted {
    /// The record of the count.
    count_key: CountRecordKey,
    /// How much there is; of a product whose units are traced, the number of serials, or left out.
    #[schemars(range(min = 0))]
    count_qt: Option<Quantity>,
    /// The serials that are there, if units of the product are traced: all of them, also none.
    #[schemars(length(max = MOST_SERIALS))]
    count_serial_keys: Option<Vec<SerialKey>>,
    /// A remark.
    #[schemars(length(max = 2000))]
    notes: Option<String>,
}

impl Postable for CountCompleted {
    const TYPE: ClientEvent = ClientEvent::CountCompleted;
    const LOCKS: Locks = &[("count_key", Lockable::CountRecord), ("count_serial_keys", Lockable::Unit)];
    const MOVES_STOCK: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (session, record) = record(act, self.count_key).await?;
        let product = product_of(act, record.product_id).await?;
        act.concern(concerns(&product.key)).await?;
        record_must_be(&record, RecordStatus::Started)?;
        must_be_own(act, &record)?;
        must_have_begun(act, record.started_at)?;
        let (key, place) = (record.key, record.position_key.clone());
        let count = self.count(act, record, &product).await?;
        let completed = complete(act, &session, vec![count]).await?;
        let done = completed.contains(&place) || marks::find(act.tx, session.key, &place).await?.is_some();
        act.note(&CountEnded {
            count_session_key: session.key,
            product_key: product.key.clone(),
            position_key: place,
            completed_position_keys: completed,
        })?;
        Ok(outcome([("count_record_key", json!(key)), ("position_completed", json!(done))]))
    }
}

impl CountCompleted {
    /// What was counted; its serials and its pair are locked.
    async fn count(self, act: &mut Act<'_>, record: CountRecord, product: &Product) -> Result<NewCount> {
        let traced = product.data.traceability_level.is_some();
        let (whole, counted) = counted(traced, self.count_qt, self.count_serial_keys)
            .map_err(|(rule, serial)| not_counted(product, &record, rule, serial))?;
        hold_positions(act, std::slice::from_ref(&record.position_key)).await?;
        let noted = serials::of_records(act.tx, &[record.key.0]).await?.remove(&record.key).unwrap_or_default();
        let in_system: BTreeSet<SerialKey> = noted.iter().map(|serial| serial.serial_key).collect();
        let locked = lock_serials(act, &in_system.union(&counted).copied().collect()).await?;
        let is_known = |serial: &SerialKey| {
            locked.get(serial).is_some_and(|serial| serial.product_id == product.id && serial.deleted.is_none())
        };
        if let Some(unknown) = counted.iter().copied().find(|serial| !is_known(serial)) {
            return Err(not_counted(product, &record, NotCounted::SerialUnknown, Some(unknown)));
        }
        stock::lock(act.tx, &BTreeSet::from([record.pair()])).await?;
        let record = CountRecord {
            status: RecordStatus::Completed,
            counted_qt: Some(whole),
            counted_at: Some(act.at),
            notes: self.notes.or(record.notes),
            ..record
        };
        Ok(NewCount { record, begun: true, in_system, counted })
    }
}

fn not_counted(product: &Product, record: &CountRecord, rule: NotCounted, serial_key: Option<SerialKey>) -> Error {
    refuse(CountException {
        product_key: Some(product.key.clone()),
        position_key: Some(record.position_key.clone()),
        serial_key,
        ..CountException::of(rule)
    })
}
