use std::collections::BTreeSet;

use domain::counting::{Content, CountSession, MarkStatus, SessionStatus};
use domain::journal::Concerns;
use domain::key::{CountRecordKey, PositionKey, ProductId};
use domain::rule::counting::{CountException, NotCounted};
use domain::warehouse::stock::Pair;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::counting::marks::{self, CountMark};
use store::counting::{at_position, pairs, records};

use crate::Result;
use crate::act::Act;
use crate::effects::counting::completing::{NewCount, complete};
use crate::effects::counting::finding::{countable, must_be, session_named};
use crate::effects::counting::naming::{SESSION_LOCKS, SessionName};
use crate::effects::counting::refusing::{marked, refuse};
use crate::effects::counting::system::{System, lock_system};
use crate::effects::counting::telling::outcome;
use crate::effects::warehouse::naming::product_of;
use crate::event::made::counting::EmptyCounted;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;

/// Nothing lies directly at a position: of every product that stock has there, nothing was counted. What the same user has
/// counted there before, in this session, is discarded.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PositionConfirmedEmpty {
    #[serde(flatten)]
    session: SessionName,
    /// The position.
    position_key: PositionKey,
    /// A remark.
    #[schemars(length(max = 2000))]
    notes: Option<String>,
}

impl Postable for PositionConfirmedEmpty {
    const TYPE: ClientEvent = ClientEvent::PositionConfirmedEmpty;
    const LOCKS: Locks = SESSION_LOCKS;
    const MOVES_STOCK: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        act.concern(Concerns::default()).await?;
        let session = session_named(act, self.session).await?;
        must_be(&session, SessionStatus::Started)?;
        let position = countable(act, &self.position_key).await?;
        must_have_no_open_children(act, &session, &position.key).await?;
        let system = lock_free(act, &position.key).await?;
        let counts = nothing(act, &session, &system)?;
        let keys: Vec<CountRecordKey> = counts.iter().map(|count| count.record.key).collect();
        self.mark(act, &session).await?;
        let mut completed = complete(act, &session, counts).await?;
        let parent: Vec<PositionKey> = position.parent_key.into_iter().collect();
        completed.extend(marks::settle(act.tx, session.key, &parent, act.at).await?);
        act.note(&EmptyCounted {
            count_session_key: session.key,
            count_record_keys: keys.clone(),
            completed_position_keys: completed,
        })?;
        Ok(outcome([("position_key", json!(position.key)), ("count_record_keys", json!(keys))]))
    }
}

impl PositionConfirmedEmpty {
    /// Marks the position, and discards what the user has counted there so far.
    async fn mark(self, act: &mut Act<'_>, session: &CountSession) -> Result<()> {
        let user = act.author.user_key.clone();
        let earlier = at_position::counted_by(act.tx, session.key, &self.position_key, &user).await?;
        let earlier = at(&self.position_key, earlier);
        records::discard_earlier(act.tx, session.key, &earlier, &user, act.at).await?;
        let mark = CountMark {
            session_key: session.key,
            position_key: self.position_key,
            status: MarkStatus::Empty,
            completed_at: act.at,
            user_key: Some(user),
            notes: self.notes,
        };
        Ok(marks::put(act.tx, &mark).await?)
    }
}

async fn must_have_no_open_children(act: &mut Act<'_>, session: &CountSession, position: &PositionKey) -> Result<()> {
    let position_keys = marks::open_children(act.tx, session.key, position).await?;
    if position_keys.is_empty() {
        return Ok(());
    }
    let position_key = Some(position.clone());
    Err(refuse(CountException { position_key, position_keys, ..CountException::of(NotCounted::ChildrenOpen) }))
}

/// Locks what lies directly at a position, where nobody counts or corrects anything.
async fn lock_free(act: &mut Act<'_>, position: &PositionKey) -> Result<System> {
    let mut wanted = at(position, pairs::products_at(act.tx, position).await?);
    wanted.extend(at(position, at_position::marked(act.tx, position).await?));
    let system = lock_system(act, &wanted, []).await?;
    for pair in &wanted {
        if let Some(mark) = system.marks.get(pair) {
            let product = product_of(act, pair.product_id).await?;
            return Err(marked(&product.key, position, mark));
        }
    }
    Ok(system)
}

/// Products at a position.
fn at(position: &PositionKey, products: Vec<ProductId>) -> BTreeSet<Pair> {
    products.into_iter().map(|product_id| Pair { product_id, position_key: position.clone() }).collect()
}

/// Of everything that stock has there, nothing was counted.
fn nothing(act: &Act<'_>, session: &CountSession, system: &System) -> Result<Vec<NewCount>> {
    let mut there: Vec<_> = system.stock.iter().filter(|(_, stock)| stock.content != Content::default()).collect();
    there.sort_by_key(|(pair, _)| *pair);
    there.into_iter().map(|(pair, stock)| NewCount::at_once(act, session, pair, stock, Content::default())).collect()
}
