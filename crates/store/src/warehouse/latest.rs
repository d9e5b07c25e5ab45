//! What was moved last.

use domain::Timestamp;
use domain::key::{PositionKey, ProductKey, UserKey};
use domain::warehouse::movement::MovementType;

use super::movement_views::LATEST_FIRST;
use crate::Result;
use crate::row::FromColumn;
use crate::sql::{Query, Sql};
use crate::tx::Tx;

/// Whose movements, and of which type, are looked at for what was moved last.
#[derive(Debug, Clone, Default)]
pub struct Recent {
    pub user_key: Option<UserKey>,
    pub kind: Option<MovementType>,
}

/// So many completed movements are looked at.
const LOOKED_AT: usize = 5_000;
/// So many are looked at first: most pages are full by then.
const FIRST_LOOKED_AT: usize = 500;

impl Recent {
    pub(super) fn query(&self, column: &str) -> Query {
        Query::new(&format!("select {column} as id, movement.end_at as moved from movement"))
            .only("movement.status = 'completed'")
            .filter_if("movement.user_key = {}", self.user_key.as_ref())
            .filter_if("movement.type = {}", self.kind)
    }

    /// What the latest completed movements name in a column, the latest first, each once; the first `few`, if not all are wanted.
    /// `{found}` in the text is their place: its rows have an `id` and when it `moved`.
    async fn of<T: FromColumn>(&self, tx: &mut Tx, column: &str, text: &str, few: Option<usize>) -> Result<Vec<T>> {
        if let Some(few) = few {
            let found: Vec<(T, Timestamp)> = self.among(tx, column, text, FIRST_LOOKED_AT).await?;
            // Movements that were not looked at may have ended with the last of these.
            let last = found.last().map(|(_, moved)| *moved);
            let certain = found.iter().filter(|(_, moved)| Some(*moved) > last).count();
            if certain >= few {
                return Ok(found.into_iter().take(few).map(|(found, _)| found).collect());
            }
        }
        let found: Vec<(T, Timestamp)> = self.among(tx, column, text, LOOKED_AT).await?;
        Ok(found.into_iter().map(|(found, _)| found).collect())
    }

    /// The same among so many movements, with when each was moved.
    async fn among<T: FromColumn>(
        &self,
        tx: &mut Tx,
        column: &str,
        text: &str,
        movements: usize,
    ) -> Result<Vec<(T, Timestamp)>> {
        let (latest, params) = self.query(column).ordered(&LATEST_FIRST);
        let found = format!("({} limit {movements}) as found", latest.0);
        tx.all_once(Sql::raw(text.replace("{found}", &found)), &params).await
    }
}

/// The live positions of the latest movements: those they came from, or those they went to; the first `few`, if not all are wanted.
pub async fn positions(tx: &mut Tx, recent: &Recent, from: bool, few: Option<usize>) -> Result<Vec<PositionKey>> {
    // All of them begin, or end, beyond the positions that are shown.
    let none = |kind: MovementType| if from { kind.brings_in() } else { kind.takes_out() };
    if recent.kind.is_some_and(none) {
        return Ok(Vec::new());
    }
    let column = if from { "movement.from_key" } else { "movement.to_key" };
    let text = "select position.key, max(found.moved)
                from {found}
                join position on position.key = found.id
                where not position.deleted and position.key not in ('OUT', 'NULL')
                group by position.key
                order by max(found.moved) desc, position.key";
    recent.of(tx, column, text, few).await
}

/// The active products of the latest movements; the first `few`, if not all are wanted.
pub async fn products(tx: &mut Tx, recent: &Recent, few: Option<usize>) -> Result<Vec<ProductKey>> {
    let text = "select product.key, max(found.moved)
                from {found}
                join product on product.id = found.id
                where product.active and not product.trash
                group by product.id, product.key
                order by max(found.moved) desc, product.key";
    recent.of(tx, "movement.product_id", text, few).await
}
