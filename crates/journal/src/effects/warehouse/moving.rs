//! Carrying movements out: what they do to stock.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::key::{CountSessionKey, PositionKey, ProductKey, SerialKey, StockKey};
use domain::rule::Refused;
use domain::rule::warehouse::NotMoved;
use domain::warehouse::movement::{MovementType, is_beyond, opposite, shifts};
use domain::warehouse::stock::{Mark, Refusal, Sheet, Shift, Stock};
use domain::{Quantity, Total};
use store::product::products::Product;
use store::serial::serials;
use store::warehouse::links;
use store::warehouse::movements::Movement;
use store::warehouse::stock::{self, Locked, Pair};

use super::drafting::{Draft, must_be_possible};
use super::places::Places;
use super::units::Units;
use crate::act::Act;
use crate::event::made::warehouse::InventoryChanged;
use crate::{Error, Result};

/// On whose behalf something is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// A client asks for it: serials that come in have to be fit for it.
    Client,
    /// Another event leads to it.
    Server,
    /// A counting session corrects stock: what it has locked is open to it, and serials that come in have to be fit for it.
    Count(CountSessionKey),
}

/// A movement that was carried out, with what it did to stock.
#[derive(Debug)]
pub(crate) struct Moved {
    pub(crate) movement: Movement,
    pub(crate) product_key: ProductKey,
    pub(crate) changes: Vec<InventoryChanged>,
}

/// Changes stock as movements say, one after the other, and stores what it has become; the movements themselves are for the caller to
/// store. Their positions are held and their serials locked. What is wrong with one is told with its place.
pub(crate) async fn carry_out(
    act: &mut Act<'_>,
    drafts: Vec<Result<Draft>>,
    places: &Places,
    units: &Units,
    by: By,
) -> Result<Vec<Moved>, (usize, Error)> {
    let whole = |error: Error| (0, error);
    let named = Named::by(drafts.iter().filter_map(|draft| draft.as_ref().ok()), places);
    let mut bench = Bench::open(act, named, units, by).await.map_err(whole)?;
    let mut moved = Vec::with_capacity(drafts.len());
    for (place, draft) in drafts.into_iter().enumerate() {
        let done = bench.carry_out(act, draft, places).await;
        moved.push(done.map_err(|error| (place, error))?);
    }
    bench.store(act).await.map_err(whole)?;
    Ok(moved)
}

/// The same with groups of movements: each is carried out as a whole or not at all, and one that is refused hinders no other.
pub(crate) async fn carry_out_each(
    act: &mut Act<'_>,
    groups: Vec<Result<Vec<Draft>>>,
    places: &Places,
    units: &Units,
    by: By,
) -> Result<Vec<Result<Vec<Moved>, Box<Refused>>>> {
    let named = Named::by(groups.iter().filter_map(|group| group.as_ref().ok()).flatten(), places);
    let mut bench = Bench::open(act, named, units, by).await?;
    let mut done = Vec::with_capacity(groups.len());
    for group in groups {
        let moved = match group {
            Ok(drafts) => bench.carry_out_together(act, drafts, places).await,
            Err(error) => Err(error),
        };
        done.push(match moved {
            Ok(moved) => Ok(moved),
            Err(Error::Refused(refused)) => Err(refused),
            Err(error) => return Err(error),
        });
    }
    bench.store(act).await?;
    Ok(done)
}

/// Locks pairs, and finds what lies there. A bulk remembers what it has locked.
async fn lock(act: &mut Act<'_>, pairs: BTreeSet<Pair>) -> Result<Locked> {
    let Some(kept) = &mut act.stock else { return Ok(stock::lock(act.tx, &pairs).await?) };
    let unknown = kept.unknown(&pairs);
    if !unknown.is_empty() {
        let locked = stock::lock(act.tx, &unknown).await?;
        kept.add(unknown, locked);
    }
    Ok(kept.of(&pairs))
}

/// Stores the stock that a bulk has in memory.
pub(crate) async fn store_kept(act: &mut Act<'_>) -> Result<()> {
    let Some(kept) = &mut act.stock else { return Ok(()) };
    Ok(stock::rewrite(act.tx, &kept.rewrite()).await?)
}

/// What movements name: those with a position that is not there are refused later.
#[derive(Debug, Default)]
struct Named {
    pairs: BTreeSet<Pair>,
    serials: BTreeSet<i64>,
}

impl Named {
    fn by<'d>(drafts: impl Iterator<Item = &'d Draft>, places: &Places) -> Self {
        let mut named = Self::default();
        for draft in drafts {
            for position in [&draft.movement.from_key, &draft.movement.to_key] {
                if !is_beyond(position) && places.is_live(position) {
                    named.pairs.insert(pair(&draft.product, position));
                }
            }
            named.serials.extend(draft.movement.serial_key.map(|key| key.0));
        }
        named
    }
}

/// Stock under change.
struct Bench {
    sheet: Sheet,
    /// The pairs whose marks do not matter.
    open: HashSet<Pair>,
    /// Serials that can't come into stock.
    blocked: HashSet<SerialKey>,
    /// Whether something may be consumed from a position, as far as it was asked.
    consumption: HashMap<PositionKey, bool>,
}

/// What to do where stock that is taken, put or adjusted has another owner.
fn of_another(kind: MovementType, quantity: Quantity) -> &'static str {
    match kind {
        MovementType::Reversal => {
            "What lies there has another owner by now, so the movement can't be taken back: adjust stock instead."
        }
        _ if kind == MovementType::Adjustment || quantity.is_negative() => {
            "What lies there has another owner than `owned` says: leave it out, or send the other value."
        }
        _ => "What lies there has another owner: use another position, or move it away first.",
    }
}

fn pair(product: &Product, position: &PositionKey) -> Pair {
    Pair { product_id: product.id, position_key: position.clone() }
}

impl Bench {
    /// Locks and loads the stock of movements.
    async fn open(act: &mut Act<'_>, named: Named, units: &Units, by: By) -> Result<Self> {
        let keys: Vec<i64> = named.serials.into_iter().collect();
        let Locked { marks, mut rows } = lock(act, named.pairs).await?;
        rows.extend(stock::of_serials(act.tx, &keys).await?);
        let mut blocked = HashSet::new();
        if by != By::Server && !keys.is_empty() {
            blocked = serials::used(act.tx, &keys).await?;
            let unfit = units
                .values()
                .filter(|serial| serial.deleted.is_some() || serial.scrapped.is_some() || serial.released.is_none());
            blocked.extend(unfit.map(|serial| serial.key));
        }
        let open = match by {
            By::Count(session) => {
                let own = marks.iter().filter(|(_, mark)| **mark == Mark::Locked(session));
                own.map(|(pair, _)| pair.clone()).collect()
            }
            By::Client | By::Server => HashSet::new(),
        };
        Ok(Self { sheet: Sheet::new(rows, marks), open, blocked, consumption: HashMap::new() })
    }

    /// Stores what stock has become, or has the bulk keep it.
    async fn store(self, act: &mut Act<'_>) -> Result<()> {
        let mut rewrite = self.sheet.rewrite();
        if let Some(kept) = &mut act.stock {
            rewrite = kept.take(rewrite);
        }
        Ok(stock::rewrite(act.tx, &rewrite).await?)
    }

    /// Carries movements out that belong together: one that is refused takes those before it back.
    async fn carry_out_together(
        &mut self,
        act: &mut Act<'_>,
        drafts: Vec<Draft>,
        places: &Places,
    ) -> Result<Vec<Moved>> {
        let mut moved: Vec<Moved> = Vec::with_capacity(drafts.len());
        for mut draft in drafts {
            // What only lies elsewhere is still whose it was.
            if let Some(before) = moved.last() {
                (draft.movement.owned, draft.movement.owner_open) = (before.movement.owned, false);
            }
            match self.carry_out(act, Ok(draft), places).await {
                Ok(done) => moved.push(done),
                Err(error) => {
                    for done in moved.iter().rev() {
                        self.take_back(act, done)?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(moved)
    }

    /// Stock is again as it was before the last movement.
    fn take_back(&mut self, act: &Act<'_>, moved: &Moved) -> Result<()> {
        let Movement { product_id: Some(product_id), serial_key, owned, .. } = moved.movement else { return Ok(()) };
        for change in moved.changes.iter().rev() {
            let shift = Shift {
                pair: Pair { product_id, position_key: change.position_key.clone() },
                serial_key,
                quantity: opposite(change.quantity_change),
                owned,
                may_lack: true,
                despite_marks: true,
            };
            let fresh = StockKey(act.new_id()?);
            let back = self.sheet.shift(&shift, fresh);
            back.map_err(|refusal| Error::broken(&format!("a movement can't be taken back: {refusal:?}")))?;
        }
        Ok(())
    }

    async fn carry_out(&mut self, act: &mut Act<'_>, draft: Result<Draft>, places: &Places) -> Result<Moved> {
        let mut draft = draft?;
        places.must_be_usable(&draft.movement)?;
        self.must_allow_consumption(act, &draft).await?;
        if draft.movement.kind != MovementType::Reversal {
            must_be_possible(&draft)?;
            self.must_have_its_form(&draft)?;
        }
        self.settle_owner(&mut draft);
        let mut changes = Vec::with_capacity(2);
        for (position, quantity) in
            shifts(&draft.movement.from_key, &draft.movement.to_key, draft.movement.qt_confirmed)
        {
            self.must_be_fit(&draft, &position, quantity)?;
            let pair = pair(&draft.product, &position);
            let shift = Shift {
                despite_marks: self.open.contains(&pair),
                pair,
                serial_key: draft.movement.serial_key,
                quantity,
                owned: draft.movement.owned,
                may_lack: draft.product.data.allow_negative_inventory
                    && !draft.is_traced()
                    && draft.movement.serial_key.is_none(),
            };
            let fresh = StockKey(act.new_id()?);
            self.sheet.shift(&shift, fresh).map_err(|refusal| {
                let about = draft.about().at(&position);
                match refusal {
                    Refusal::OwnerMismatch => {
                        about.refused_as(NotMoved::OwnerMismatch, of_another(draft.movement.kind, quantity))
                    }
                    other => about.refused_by(other),
                }
            })?;
            changes.push(InventoryChanged {
                position_key: position,
                product_key: draft.product.key.clone(),
                serial_key: draft.movement.serial_key,
                quantity_change: quantity,
            });
        }
        let Draft { movement, product, .. } = draft;
        Ok(Moved { movement, product_key: product.key.clone(), changes })
    }

    async fn must_allow_consumption(&mut self, act: &mut Act<'_>, draft: &Draft) -> Result<()> {
        let from = &draft.movement.from_key;
        if draft.movement.kind != MovementType::Consumption {
            return Ok(());
        }
        let allowed = match self.consumption.get(from) {
            Some(allowed) => *allowed,
            None => {
                let allowed = links::allows_consumption(act.tx, from).await?;
                *self.consumption.entry(from.clone()).or_insert(allowed)
            }
        };
        if allowed { Ok(()) } else { Err(draft.about().at(from).refused(NotMoved::ConsumptionNotAllowed)) }
    }

    /// Whose it is: where nobody says, it belongs to whom the stock belongs that is taken or adjusted.
    fn settle_owner(&self, draft: &mut Draft) {
        let Movement { serial_key, owner_open, .. } = draft.movement;
        if !owner_open {
            return;
        }
        let row = self.sheet.taken_from(&pair(&draft.product, &draft.movement.from_key), serial_key);
        draft.movement.owned = row.is_none_or(|row| row.owned);
        draft.movement.owner_open = false;
    }

    /// What leaves in an old form has to be there in that form; what is below zero can come back to zero.
    fn must_have_its_form(&self, draft: &Draft) -> Result<()> {
        let serial = draft.movement.serial_key;
        if serial.is_some() == draft.is_traced() {
            return Ok(());
        }
        let row = self.sheet.taken_from(&pair(&draft.product, &draft.movement.from_key), serial);
        let rule = if draft.is_traced() { NotMoved::SerialRequired } else { NotMoved::SerialNotAllowed };
        let fits = |row: &Stock| {
            let after = Total::from(row.quantity) + Total::from(draft.movement.qt_confirmed);
            draft.movement.qt_confirmed.is_negative() || after <= Total::from(Quantity::ZERO)
        };
        if row.is_some_and(fits) { Ok(()) } else { Err(draft.about().at(&draft.movement.from_key).refused(rule)) }
    }

    /// A serial that comes into stock has to be fit for it, if that is asked.
    fn must_be_fit(&self, draft: &Draft, position: &PositionKey, quantity: Quantity) -> Result<()> {
        let Some(serial) = draft.movement.serial_key else { return Ok(()) };
        let comes_in = !quantity.is_negative()
            && (draft.movement.from_key == draft.movement.to_key || is_beyond(&draft.movement.from_key));
        if comes_in && self.blocked.contains(&serial) && self.sheet.of_serial(serial).is_none() {
            return Err(draft.about().at(position).refused(NotMoved::SerialBlocked));
        }
        Ok(())
    }
}
