use std::collections::BTreeSet;
use std::sync::Arc;

use domain::counting::{AssignmentStatus, CountAssignment, CountRecord, CountSession, SessionStatus};
use domain::fault::Faults;
use domain::key::{
    CountAssignmentKey, CountRecordKey, ID_PATTERN, NOBODY, PositionKey, ProductKey, SerialKey, StockKey, made_at,
};
use domain::rule::Refused;
use domain::rule::counting::NotCounted;
use domain::serial::MOST_SERIALS;
use domain::warehouse::stock::Pair;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::counting::pairs::{self, StockOf};
use store::counting::serials::{self, CountSerial};
use store::counting::{assignments, records};
use store::product::products::Product;
use store::warehouse::links;
use store::warehouse::stock::{self, Locked};

use crate::act::Act;
use crate::effects::counting::completing::new_record;
use crate::effects::counting::finding::{assignment_of, countable, must_be, must_be_for_author, session_named};
use crate::effects::counting::naming::{SESSION_LOCKS, SessionName};
use crate::effects::counting::refusing::{assignment_is, marked, refused_at};
use crate::effects::counting::system::system_values;
use crate::effects::counting::telling::{concerns, of_record};
use crate::effects::warehouse::naming::{Products, product_of};
use crate::effects::warehouse::places::missing;
use crate::event::made::counting::CountBegun;
use crate::event::{ClientEvent, Locks, Outcome};
use crate::postable::Postable;
use crate::{Error, Result};

/// Somebody counts a product at a position: all that lies there. Nothing moves there until the count is completed or canceled.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountStarted {
    #[serde(flatten)]
    session: SessionName,
    /// The assignment that is worked on; without it anything can be counted.
    assignment_key: Option<CountAssignmentKey>,
    /// Rows of stock, all of the same product at the same position; or `product_key` and `position_key`.
    #[schemars(length(min = 1, max = MOST_SERIALS))]
    inventory_keys: Option<Vec<StockKey>>,
    /// The product.
    product_key: Option<ProductKey>,
    /// The position.
    position_key: Option<PositionKey>,
    /// A key for the record, in the form of the service's own, as if made now or before; the service makes one when it is left
    /// out.
    #[schemars(regex(pattern = ID_PATTERN))]
    count_key: Option<CountRecordKey>,
}

impl Postable for CountStarted {
    const TYPE: ClientEvent = ClientEvent::CountStarted;
    const LOCKS: Locks = SESSION_LOCKS;
    const MOVES_STOCK: bool = true;

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let session = session_named(act, self.session).await?;
        let (product, position_key) = self.named(act).await?;
        act.concern(concerns(&product.key)).await?;
        must_be(&session, SessionStatus::Started)?;
        let key = self.record_key(act).await?;
        let assignment = self.assignment(act, &session).await?;
        countable(act, &position_key).await?;
        if let Some(assignment) = &assignment {
            must_cover(act, assignment, &product, &position_key).await?;
        }
        let pair = Pair { product_id: product.id, position_key };
        let stock = self.freeze(act, &product, &pair, key).await?;
        let assignment_key = assignment.as_ref().map(|assignment| assignment.key);
        let record =
            CountRecord { assignment_key, started_at: Some(act.at), ..new_record(act, &session, &pair, &stock, key) };
        store(act, &record, &stock).await?;
        if let Some(assignment) = assignment {
            begin(act, assignment).await?;
        }
        act.note(&CountBegun {
            count_record_key: record.key,
            count_session_key: session.key,
            product_key: product.key.clone(),
            position_key: pair.position_key,
        })?;
        Ok(of_record(&record))
    }
}

impl CountStarted {
    /// The product and the position that are named, by themselves or by what lies there.
    async fn named(&self, act: &mut Act<'_>) -> Result<(Arc<Product>, PositionKey)> {
        let Some(keys) = &self.inventory_keys else {
            let product_key = self.product_key.as_ref().ok_or_else(|| missing("product_key"))?;
            let position_key = self.position_key.clone().ok_or_else(|| missing("position_key"))?;
            let products = Products::load(act, [(Some(product_key), None)].into_iter()).await?;
            return Ok((products.named(Some(product_key), None)?, position_key));
        };
        if self.product_key.is_some() || self.position_key.is_some() {
            return Err(Refused::value("Send either inventory_keys, or product_key and position_key.").into());
        }
        let numbers: Vec<i64> = keys.iter().map(|key| key.0).collect();
        let mut pairs = pairs::of_stock(act.tx, &numbers).await?;
        let pair = pairs.pop_first().ok_or_else(|| unknown(keys.first()))?;
        if !pairs.is_empty() {
            return Err(Refused::value("inventory_keys are of one product at one position.").into());
        }
        let product = product_of(act, pair.product_id).await?;
        Ok((product, pair.position_key))
    }

    /// The key of the record: the one that is wished, or a new one.
    async fn record_key(&self, act: &mut Act<'_>) -> Result<CountRecordKey> {
        let Some(key) = self.count_key else { return Ok(CountRecordKey(act.new_id()?)) };
        // The service makes its own from the time: nobody takes those that are to come.
        if made_at(key.0) > act.now {
            let mut faults = Faults::at("body");
            let why = "Must not be later than now: keys begin with the time they are made at.";
            faults.within("count_key", |faults| faults.add("value_error", why, &json!(key)));
            return Err(Error::Invalid(faults.into_vec()));
        }
        if records::find(act.tx, key).await?.is_some() {
            return Err(Error::KeyTaken("count_key"));
        }
        Ok(key)
    }

    /// The assignment that is worked on, if one is named. It is open, and the user's or nobody's.
    async fn assignment(&self, act: &mut Act<'_>, session: &CountSession) -> Result<Option<CountAssignment>> {
        let Some(key) = self.assignment_key else { return Ok(None) };
        let found = assignment_of(act, session, key).await?;
        if !found.status.is_open() {
            return Err(assignment_is(&found));
        }
        must_be_for_author(act, &found)?;
        Ok(Some(found))
    }

    /// Locks a pair that nobody counts or corrects, and marks it. Returns what stock says of it.
    async fn freeze(
        &self,
        act: &mut Act<'_>,
        product: &Product,
        pair: &Pair,
        record: CountRecordKey,
    ) -> Result<StockOf> {
        let wanted = BTreeSet::from([pair.clone()]);
        let locked = stock::lock(act.tx, &wanted).await?;
        if let Some(mark) = locked.marks.get(pair) {
            return Err(marked(&product.key, &pair.position_key, mark));
        }
        let stock = system_values(act, &wanted).await?.remove(pair).unwrap_or_default();
        self.must_lie_there(act, locked, &stock).await?;
        pairs::set_counting(act.tx, pair, record).await?;
        Ok(stock)
    }

    /// Checks that all rows that are named lie at the pair.
    async fn must_lie_there(&self, act: &mut Act<'_>, locked: Locked, stock: &StockOf) -> Result<()> {
        let Some(keys) = &self.inventory_keys else { return Ok(()) };
        let serials: Vec<i64> = stock.content.serials.iter().map(|SerialKey(key)| *key).collect();
        let mut there: BTreeSet<StockKey> = locked.rows.iter().map(|row| row.key).collect();
        there.extend(stock::of_serials(act.tx, &serials).await?.iter().map(|row| row.key));
        match keys.iter().find(|key| !there.contains(*key)) {
            Some(gone) => Err(unknown(Some(gone))),
            None => Ok(()),
        }
    }
}

fn unknown(key: Option<&StockKey>) -> Error {
    Error::missing("inventory_keys", key.copied().unwrap_or(StockKey(NOBODY)))
}

/// Checks that an assignment covers the product at the position.
async fn must_cover(
    act: &mut Act<'_>,
    assignment: &CountAssignment,
    product: &Product,
    position: &PositionKey,
) -> Result<()> {
    let mut ways = links::paths(act.tx, &[position.to_string()]).await?;
    let way: Vec<PositionKey> = ways.remove(position).into_iter().flatten().map(|step| step.key).collect();
    if assignment.covers(product.id, &way) {
        return Ok(());
    }
    Err(refused_at(&product.key, position, NotCounted::NotInAssignment))
}

/// Stores the record, with the serials that stock has there.
async fn store(act: &mut Act<'_>, record: &CountRecord, stock: &StockOf) -> Result<()> {
    records::insert_all(act.tx, std::slice::from_ref(record)).await?;
    let serial = |serial: &SerialKey| CountSerial {
        record_key: record.key,
        serial_key: *serial,
        in_system: true,
        counted: false,
        moves: None,
    };
    let rows: Vec<CountSerial> = stock.content.serials.iter().map(serial).collect();
    Ok(serials::save_all(act.tx, &rows).await?)
}

/// An assignment starts with its first count.
async fn begin(act: &mut Act<'_>, mut assignment: CountAssignment) -> Result<()> {
    if assignment.status != AssignmentStatus::Planned {
        return Ok(());
    }
    (assignment.status, assignment.started) = (AssignmentStatus::Started, Some(act.at));
    Ok(assignments::save(act.tx, &mut assignment).await?)
}
