use domain::counting::RecordStatus;
use domain::key::CountRecordKey;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use store::counting::{marks, records};

use crate::Result;
use crate::act::Act;
use crate::effects::counting::finding::{record, record_must_be};
use crate::effects::counting::refusing::session_is;
use crate::effects::counting::rights::APPLY;
use crate::effects::counting::telling::{concerns, of_record};
use crate::effects::warehouse::hold_positions;
use crate::effects::warehouse::naming::product_of;
use crate::event::made::counting::CountRejected;
use crate::event::{ClientEvent, Lockable, Locks, Outcome};
use crate::postable::Postable;

/// What was counted is wrong: it corrects nothing. Positions that the session was done with because of it are open again.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountDiscarded {
    /// The record of the count.
    count_key: CountRecordKey,
}

impl Postable for CountDiscarded {
    const TYPE: ClientEvent = ClientEvent::CountDiscarded;
    const SCOPE: Option<Scope> = Some(APPLY);
    const LOCKS: Locks = &[("count_key", Lockable::CountRecord)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let (session, record) = record(act, self.count_key).await?;
        let product = product_of(act, record.product_id).await?;
        act.concern(concerns(&product.key)).await?;
        record_must_be(&record, RecordStatus::Completed)?;
        if session.status.is_over() {
            return Err(session_is(&session));
        }
        let place = std::slice::from_ref(&record.position_key);
        hold_positions(act, place).await?;
        records::discard(act.tx, &[record.key.0], act.at).await?;
        let withdrawn_position_keys = marks::withdraw(act.tx, session.key, place).await?;
        act.note(&CountRejected {
            count_session_key: session.key,
            product_key: product.key.clone(),
            position_key: record.position_key.clone(),
            withdrawn_position_keys,
        })?;
        Ok(of_record(&record))
    }
}
