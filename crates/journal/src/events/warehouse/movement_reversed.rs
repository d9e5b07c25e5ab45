use domain::Quantity;
use domain::key::{MovementKey, PositionKey};
use domain::rule::warehouse::NotMoved;
use domain::scope::Scope;
use domain::warehouse::INSIDE;
use domain::warehouse::movement::MovementType;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::warehouse::movements;

use crate::act::Act;
use crate::effects::warehouse::drafting::Reasons;
use crate::effects::warehouse::moving::By;
use crate::effects::warehouse::naming::about;
use crate::effects::warehouse::reversing::{Reversal, lock_its_list, plan_again, reverse};
use crate::effects::warehouse::rights::ADJUST;
use crate::effects::warehouse::{hold_positions, telling};
use crate::event::made::warehouse::MovementTakenBack;
use crate::event::{ClientEvent, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// A movement that was carried out is taken back, or a part of it: stock changes the other way round. What was in a list that is not
/// closed is planned again.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MovementReversed {
    /// The movement.
    original_movement_key: MovementKey,
    /// How much of it; all of it when left out.
    quantity_to_revert: Option<Quantity>,
    /// Why; the site may ask for it.
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

impl Postable for MovementReversed {
    const TYPE: ClientEvent = ClientEvent::MovementReversed;
    const SCOPE: Option<Scope> = Some(ADJUST);
    const LOCKS: Locks = &[];
    const MOVES_STOCK: bool = true;
    const NAMES_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] = &["MOVEMENT_PLANNED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let key = self.original_movement_key;
        let original = movements::find(act.tx, key).await?;
        let original = original.ok_or_else(|| Error::missing("original_movement_key", key))?;
        if Reasons::load(act).await?.lacks(MovementType::Reversal, self.reason.as_deref()) {
            return Err(about(act, &original).await?.refused(NotMoved::ReasonMissing));
        }
        let inside = PositionKey::trusted(INSIDE);
        hold_positions(act, &[original.from_key.clone(), original.to_key.clone(), inside]).await?;
        let list = lock_its_list(act, &original).await?;
        let Reversal { moved, quantity } =
            reverse(act, &original, self.quantity_to_revert, self.reason, By::Client).await?;
        act.concern(telling::concerns(&moved.movement, Some(&moved.product_key))).await?;
        let planned_movement_key = match list {
            Some(list) => plan_again(act, list, &original, quantity).await?,
            None => None,
        };
        let (movement_key, stock_changes) = (moved.movement.key, moved.changes);
        act.note(&MovementTakenBack { movement_key, planned_movement_key, stock_changes })?;
        Ok(Outcome(vec![
            ("movement_key", OutcomeMember::Json(json!(movement_key))),
            ("original_movement_key", OutcomeMember::Json(json!(key))),
            ("planned_movement_key", OutcomeMember::Json(json!(planned_movement_key))),
        ]))
    }
}
