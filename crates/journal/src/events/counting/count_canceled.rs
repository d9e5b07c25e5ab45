use std::collections::BTreeSet;

use domain::counting::RecordStatus;
use domain::key::{CountRecordKey, NOBODY, StockKey};
use domain::serial::MOST_SERIALS;
use schemars::JsonSchema;
use serde::Deserialize;
use store::counting::{pairs, records};
use store::warehouse::stock;

use crate::act::Act;
use crate::effects::counting::finding::{record, record_must_be};
use crate::effects::counting::rights::must_be_own;
use crate::effects::counting::telling::{concerns, of_record};
use crate::effects::warehouse::hold_positions;
use crate::effects::warehouse::naming::product_of;
use crate::event::made::counting::CountGivenUp;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// A count is given up: its record is deleted. Whoever may apply counts can give up those of others.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountCanceled {
    /// The record of the count.
    count_key: CountRecordKey,
    /// Rows of the stock that was to be counted; they have to agree with the record.
    #[schemars(length(max = MOST_SERIALS))]
    inventory_keys: Option<Vec<StockKey>>,
}

impl Postable for CountCanceled {
    const TYPE: ClientEvent = ClientEvent::CountCanceled;
    const LOCKS: Locks = &[("count_key", Lockable::CountRecord)];
    const MOVES_STOCK: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (_, record) = record(act, self.count_key).await?;
        let product = product_of(act, record.product_id).await?;
        act.concern(concerns(&product.key)).await?;
        record_must_be(&record, RecordStatus::Started)?;
        must_be_own(act, &record)?;
        let pair = record.pair();
        if let Some(keys) = self.inventory_keys.as_deref().filter(|keys| !keys.is_empty()) {
            let numbers: Vec<i64> = keys.iter().map(|key| key.0).collect();
            let named = pairs::of_stock(act.tx, &numbers).await?;
            let key = keys.first().copied().unwrap_or(StockKey(NOBODY));
            if named.is_empty() {
                return Err(Error::missing("inventory_keys", key));
            }
            if named.iter().any(|named| *named != pair) {
                return Err(Error::mismatch("inventory_keys", key, None));
            }
        }
        hold_positions(act, std::slice::from_ref(&pair.position_key)).await?;
        stock::lock(act.tx, &BTreeSet::from([pair.clone()])).await?;
        pairs::free(act.tx, &pair, None).await?;
        records::remove(act.tx, record.key).await?;
        act.note(&CountGivenUp {
            count_session_key: record.session_key,
            product_key: product.key.clone(),
            position_key: pair.position_key,
        })?;
        Ok(of_record(&record))
    }
}
