use domain::journal::Concerns;
use domain::key::MovementListKey;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::Result;
use crate::act::Act;
use crate::effects::warehouse::listing::close;
use crate::effects::warehouse::rights::LISTS;
use crate::event::made::warehouse::ListEnded;
use crate::event::{ClientEvent, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;

/// A list of movements is closed: what was not carried out is canceled. Stock stays as it is.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct WarehouseListClosed {
    /// The list.
    movement_list_key: MovementListKey,
}

impl Postable for WarehouseListClosed {
    const TYPE: ClientEvent = ClientEvent::WarehouseListClosed;
    const SCOPE: Option<Scope> = Some(LISTS);
    const LOCKS: Locks = &[];
    const MOVES_STOCK: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let canceled = close(act, self.movement_list_key).await?;
        act.note(&ListEnded { canceled })?;
        Ok(Outcome(vec![
            ("movement_list_key", OutcomeMember::Json(json!(self.movement_list_key))),
            ("canceled", OutcomeMember::Json(json!(canceled))),
        ]))
    }
}
