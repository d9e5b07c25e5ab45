//! What batches take from stock and put there, and how that is taken back.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::bom_line::ConsumptionOptions;
use domain::config::CONSUMPTION_POSITION;
use domain::key::{BatchKey, LinkKey, MovementKey, PositionKey, ProductId, ProductKey, SerialKey};
use domain::production::OrderLine;
use domain::rule::Refused;
use domain::serial::{Link, Parent};
use domain::warehouse::movement::{MovementType, opposite, size};
use domain::warehouse::stock::Pair;
use domain::warehouse::{INSIDE, taken};
use domain::{Quantity, Total};
use schemars::JsonSchema;
use serde::Deserialize;
use store::administration::config;
use store::product::products::{self, Product};
use store::production::batches::Batch;
use store::production::{batch_units, order_boms};
use store::serial::{links, serials};
use store::warehouse::movements::{self, Movement};
use store::warehouse::{positions, stock};

use super::bench::Bench;
use super::creation::output_position;
use super::units::completing::UnitKeys;
use super::units::ids;
use crate::act::Act;
use crate::effects::serial::linking::hold_genealogy;
use crate::effects::serial::stock::{Whereabouts, is_kept, lock_stock_of, movements_of, put_back};
use crate::effects::warehouse::{Cause, NewMovement, complete_by_server};
use crate::{Error, Result};

/// Where a component was taken from.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Consumption")]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    /// The component.
    pub(crate) component_key: ProductKey,
    /// The position it was taken from.
    pub(crate) position_key: PositionKey,
}

/// What a batch that is completed takes from stock, and what it puts there. All of it is held.
#[derive(Debug, Default)]
pub(crate) struct Supply {
    needs: Vec<Need>,
    parts: Vec<Part>,
    output: Option<Output>,
    /// What lay there when it was held, without serials.
    stock: HashMap<Pair, Total>,
}

/// A product, as stock and as movements name it.
#[derive(Debug, Clone)]
struct ProductName {
    id: ProductId,
    key: ProductKey,
}

impl ProductName {
    fn of(product: &Product) -> Self {
        Self { id: product.id, key: product.key.clone() }
    }

    fn at(&self, position: &PositionKey) -> Pair {
        Pair { product_id: self.id, position_key: position.clone() }
    }
}

/// A component without serials.
#[derive(Debug)]
struct Need {
    product: ProductName,
    quantity: Quantity,
    position: PositionKey,
    may_go_below_zero: bool,
    options: ConsumptionOptions,
}

/// A serial that was linked to the batch or to one of its units.
#[derive(Debug)]
struct Part {
    link: LinkKey,
    product: ProductName,
    serial: SerialKey,
    position: PositionKey,
}

/// What passed in the last phase.
#[derive(Debug)]
struct Output {
    product: ProductName,
    position: PositionKey,
    quantity: Quantity,
    /// Each by itself, if the order's units are traced.
    units: Option<Vec<SerialKey>>,
}

impl Supply {
    /// Finds what a batch moves, and holds it: positions, then serials, then stock. Codes are drawn behind that.
    pub(crate) async fn hold(
        act: &mut Act<'_>,
        bench: &Bench,
        batch: &Batch,
        passed: Quantity,
        sources: &[Source],
        units: &UnitKeys,
    ) -> Result<Self> {
        if !is_kept(act).await? {
            return Ok(Self::default());
        }
        let order = &bench.floor.work.order;
        let mut lines: Vec<OrderLine> =
            order_boms::of_order(act.tx, order.key).await?.into_iter().map(|kept| kept.line).collect();
        lines.retain(|line| line.phase_key == batch.phase_key);
        must_fit(act, &lines, sources).await?;
        let puts_out = bench.is_last_phase() && passed > Quantity::ZERO;
        let mut keys: BTreeSet<String> = lines.iter().map(|line| line.component_key.to_string()).collect();
        keys.extend(puts_out.then(|| order.product_key.to_string()));
        if keys.is_empty() {
            return Ok(Self::default());
        }
        let managed = managed(act, keys).await?;
        let traced = |line: &&OrderLine| {
            managed.get(&line.component_key).is_some_and(|product| product.data.traceability_level.is_some())
        };
        let (with_serials, without): (Vec<&OrderLine>, Vec<&OrderLine>) =
            lines.iter().filter(|line| managed.contains_key(&line.component_key)).partition(traced);
        let (linked_to, mut places) = (order.is_traced().then_some(units), Whereabouts::default());
        let mut supply = Self {
            needs: needs(act, batch, &without, &managed, sources).await?,
            parts: parts(act, batch, linked_to, &with_serials, &managed, &mut places).await?,
            output: None,
            stock: HashMap::new(),
        };
        if let Some(product) = managed.get(&order.product_key).filter(|_| puts_out) {
            let position = match &order.output_position_key {
                Some(position) => position.clone(),
                None => output_position(act.tx, product).await?,
            };
            let passed_units = || units.all.iter().copied().filter(|unit| !units.scrapped.contains(unit)).collect();
            let units = order.is_traced().then(passed_units);
            supply.output = Some(Output { product: ProductName::of(product), position, quantity: passed, units });
        }
        supply.hold_all(act, units, places).await?;
        Ok(supply)
    }

    async fn hold_all(&mut self, act: &mut Act<'_>, units: &UnitKeys, mut places: Whereabouts) -> Result<()> {
        self.positions().for_each(|position| places.add(position.clone()));
        places.hold(act).await?;
        let pairs = self.pairs();
        if pairs.is_empty() {
            return Ok(());
        }
        let serials = self.parts.iter().map(|part| part.serial).chain(units.all.iter().copied());
        let serials: BTreeSet<i64> = serials.map(|key| key.0).collect();
        if !serials.is_empty() {
            serials::lock_keys(act.tx, &serials.into_iter().collect::<Vec<_>>()).await?;
            places.must_be_right(act).await?;
        }
        for row in stock::lock(act.tx, &pairs).await?.rows {
            let there = self.stock.entry(row.pair()).or_default();
            *there = *there + Total::from(row.quantity);
        }
        Ok(())
    }

    fn positions(&self) -> impl Iterator<Item = &PositionKey> {
        let needs = self.needs.iter().map(|need| &need.position);
        let parts = self.parts.iter().map(|part| &part.position);
        needs.chain(parts).chain(self.output.iter().map(|output| &output.position))
    }

    fn pairs(&self) -> BTreeSet<Pair> {
        let needs = self.needs.iter().map(|need| need.product.at(&need.position));
        let parts = self.parts.iter().map(|part| part.product.at(&part.position));
        needs.chain(parts).chain(self.output.iter().map(|output| output.product.at(&output.position))).collect()
    }

    /// Step 5: takes the components of the phase from stock, and puts what passed in the last phase there.
    pub(crate) async fn carry_out(self, act: &mut Act<'_>, batch: &Batch) -> Result<()> {
        let mut movements = self.consumed_lines(batch);
        let lines = movements.len();
        let part = |part: &Part| NewMovement {
            serial_key: Some(part.serial),
            ..consumption(batch, &part.product.key, part.position.clone(), Quantity::ONE)
        };
        movements.extend(self.parts.iter().map(part));
        if let Some(output) = &self.output {
            movements.extend(output.movements(batch));
        }
        let made = complete_by_server(act, movements).await?;
        let of_parts: Vec<(LinkKey, MovementKey)> =
            self.parts.iter().map(|part| part.link).zip(made.into_iter().skip(lines)).collect();
        Ok(links::set_movements(act.tx, &of_parts).await?)
    }

    fn consumed_lines(&self, batch: &Batch) -> Vec<NewMovement> {
        let mut movements = Vec::with_capacity(self.needs.len());
        // What earlier lines take from the same stock.
        let mut before: HashMap<Pair, Total> = HashMap::new();
        for need in &self.needs {
            let pair = need.product.at(&need.position);
            let there = self.stock.get(&pair).copied().unwrap_or_default();
            let earlier = before.entry(pair).or_default();
            let mut quantity = need.quantity;
            if need.options.minimum_quantity_if_negative && !need.may_go_below_zero {
                quantity = taken(quantity, (there - *earlier).capped(), false, &need.options);
            }
            *earlier = *earlier + Total::from(quantity);
            if quantity > Quantity::ZERO {
                movements.push(consumption(batch, &need.product.key, need.position.clone(), quantity));
            }
        }
        movements
    }
}

impl Output {
    fn movements(&self, batch: &Batch) -> Vec<NewMovement> {
        let of = |quantity| production(batch, &self.product.key, self.position.clone(), quantity);
        match &self.units {
            None => vec![of(self.quantity)],
            Some(units) => {
                units.iter().map(|unit| NewMovement { serial_key: Some(*unit), ..of(Quantity::ONE) }).collect()
            }
        }
    }
}

fn consumption(batch: &Batch, product: &ProductKey, from: PositionKey, quantity: Quantity) -> NewMovement {
    movement(batch, MovementType::Consumption, product, from, quantity)
}

fn production(batch: &Batch, product: &ProductKey, to: PositionKey, quantity: Quantity) -> NewMovement {
    movement(batch, MovementType::Production, product, to, quantity)
}

fn movement(
    batch: &Batch,
    kind: MovementType,
    product: &ProductKey,
    position_key: PositionKey,
    quantity: Quantity,
) -> NewMovement {
    let cause = Cause {
        work_order_key: Some(batch.work_order_key),
        job_key: Some(batch.job_key),
        batch_key: Some(batch.key),
        completes: true,
    };
    NewMovement { kind, product_key: product.clone(), serial_key: None, position_key, quantity, cause, reason: None }
}

/// Checks that positions are named for components of the phase only, each once, and not for those that come from a fixed one.
async fn must_fit(act: &mut Act<'_>, lines: &[OrderLine], sources: &[Source]) -> Result<()> {
    let mut named = HashSet::with_capacity(sources.len());
    for source in sources {
        let mut of_component = lines.iter().filter(|line| line.component_key == source.component_key).peekable();
        if of_component.peek().is_none() {
            return Err(refused("is not a component of this phase", source));
        }
        if of_component.any(|line| line.consumption_options.consumption_position_mandatory) {
            return Err(refused("comes from its mandatory position only", source));
        }
        if !named.insert(&source.component_key) {
            return Err(refused("is named twice in consumption", source));
        }
    }
    let wanted: Vec<String> = sources.iter().map(|source| source.position_key.to_string()).collect();
    must_exist(act, "position_key", &wanted).await
}

fn refused(why: &str, source: &Source) -> Error {
    Refused::value(format!("{} {why}.", source.component_key)).into()
}

/// Checks that these positions are there.
async fn must_exist(act: &mut Act<'_>, field: &str, keys: &[String]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let there = positions::which_exist(act.tx, keys).await?;
    match keys.iter().find(|key| !there.iter().any(|known| known.as_str() == key.as_str())) {
        Some(missing) => Err(Error::missing(field, missing)),
        None => Ok(()),
    }
}

/// Those of these products of which stock is kept.
async fn managed(act: &mut Act<'_>, keys: BTreeSet<String>) -> Result<HashMap<ProductKey, Product>> {
    let keys: Vec<String> = keys.into_iter().collect();
    let found = products::find_all(act.tx, &keys).await?.into_iter();
    let found = found.filter(|product| product.data.manage_inventory);
    Ok(found.map(|product| (product.key.clone(), product)).collect())
}

/// What lines without serials need, and where it comes from.
async fn needs(
    act: &mut Act<'_>,
    batch: &Batch,
    lines: &[&OrderLine],
    products: &HashMap<ProductKey, Product>,
    sources: &[Source],
) -> Result<Vec<Need>> {
    let mut configured = None;
    let mut needs = Vec::with_capacity(lines.len());
    for line in lines {
        let Some(product) = products.get(&line.component_key) else { continue };
        let quantity = line.qt.times(batch.qt_total).ok_or_else(|| Refused::value(TOO_MUCH))?;
        if quantity == Quantity::ZERO {
            continue;
        }
        let sent = sources.iter().find(|source| source.component_key == line.component_key);
        let named = sent
            .map(|source| &source.position_key)
            .or(line.consumption_options.consumption_position_key.as_ref())
            .or(product.data.default_consumption_position_key.as_ref());
        let position = match (named, configured.clone()) {
            (Some(position), _) => position.clone(),
            (None, Some(known)) => known,
            (None, None) => configured.insert(default_source(act).await?).clone(),
        };
        needs.push(Need {
            product: ProductName::of(product),
            quantity,
            position,
            may_go_below_zero: product.data.allow_negative_inventory,
            options: line.consumption_options.clone(),
        });
    }
    Ok(needs)
}

const TOO_MUCH: &str = "The batch needs more of a component than the largest quantity.";

/// Where components come from that no line, product or event says anything about.
async fn default_source(act: &mut Act<'_>) -> Result<PositionKey> {
    let entry = config::get(act.tx, CONSUMPTION_POSITION).await?;
    let position = entry.as_ref().and_then(|entry| entry.as_str()).unwrap_or(INSIDE).to_owned();
    must_exist(act, CONSUMPTION_POSITION, std::slice::from_ref(&position)).await?;
    Ok(PositionKey::trusted(position))
}

/// The serials of these lines that were linked to the batch or to its units, and that no link has taken out of stock yet. Nobody else
/// changes links until the transaction ends.
async fn parts(
    act: &mut Act<'_>,
    batch: &Batch,
    units: Option<&UnitKeys>,
    lines: &[&OrderLine],
    products: &HashMap<ProductKey, Product>,
    places: &mut Whereabouts,
) -> Result<Vec<Part>> {
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    hold_genealogy(act).await?;
    let mut linked: Vec<Link> = match units {
        Some(units) => links::active_below_all(act.tx, &ids(&units.all)).await?,
        None => links::active_below(act.tx, Parent::Batch(batch.key)).await?,
    };
    let line_of = |link: &Link| lines.iter().find(|line| line.component_key == link.component_key);
    let is_of_phase = |link: &Link| link.phase_key.is_none_or(|phase| phase == batch.phase_key);
    linked.retain(|link| link.movement_key.is_none() && is_of_phase(link) && line_of(link).is_some());
    let keys: Vec<i64> = linked.iter().map(|link| link.child_key.0).collect();
    places.of_parts(act, &keys).await?;
    let part = |link: &Link| {
        let options = &line_of(link)?.consumption_options;
        let fixed = options.consumption_position_key.as_ref().filter(|_| options.consumption_position_mandatory);
        // One that lies nowhere is refused, wherever it is taken from.
        let position = fixed.or(places.position_of(link.child_key)).cloned();
        Some(Part {
            link: link.key,
            product: ProductName::of(products.get(&link.component_key)?),
            serial: link.child_key,
            position: position.unwrap_or_else(|| PositionKey::trusted(INSIDE)),
        })
    };
    Ok(linked.iter().filter_map(part).collect())
}

/// Holds what a correction of these batches takes back: the movements of their completion, and those of links that end with them.
pub(crate) async fn hold_made(act: &mut Act<'_>, bench: &Bench, batches: &[BatchKey]) -> Result<()> {
    if batches.is_empty() {
        return Ok(());
    }
    let keys: Vec<i64> = batches.iter().map(|key| key.0).collect();
    let traced = bench.floor.work.order.is_traced();
    let mut ending = Vec::new();
    if traced || !links::active_of_batches(act.tx, &keys).await?.is_empty() {
        hold_genealogy(act).await?;
        ending = links::active_of_batches(act.tx, &keys).await?;
    }
    let (mut places, mut concerned, mut back) = (Whereabouts::default(), BTreeSet::new(), Vec::new());
    for batch in batches {
        let made: Vec<Movement> = Made::by(act, *batch).await?.movements().cloned().collect();
        concerned.extend(made.iter().filter_map(|movement| movement.serial_key));
        places.of_movements(&made);
        back.extend(made);
        if traced {
            let units = batch_units::of_batch(act.tx, *batch).await?;
            ending.extend(links::active_below_all(act.tx, &ids(&units)).await?);
            concerned.extend(units);
        }
    }
    concerned.extend(ending.iter().map(|link| link.child_key));
    back.extend(places.of_taken(act, &movements_of(&ending)).await?);
    places.hold(act).await?;
    if !concerned.is_empty() {
        serials::lock_keys(act.tx, &concerned.iter().map(|key| key.0).collect::<Vec<_>>()).await?;
    }
    lock_stock_of(act, &back).await
}

/// What the completion of a batch moved, and nobody has taken back since.
#[derive(Debug, Default)]
struct Made {
    whole: Vec<Movement>,
    /// Those of which a part was reversed, each with what is left of it. They can't be reversed again.
    parts: Vec<(Movement, Quantity)>,
}

impl Made {
    async fn by(act: &mut Act<'_>, batch: BatchKey) -> Result<Self> {
        let mut made = Self::default();
        for movement in movements::of_batch(act.tx, batch).await? {
            let Some(inverse) = movement.inverse_movement_key else {
                made.whole.push(movement);
                continue;
            };
            let Some(inverse) = movements::find(act.tx, inverse).await? else { continue };
            let left = movement.qt_confirmed - size(inverse.qt_confirmed);
            if left > Quantity::ZERO {
                made.parts.push((movement, left));
            }
        }
        Ok(made)
    }

    fn movements(&self) -> impl Iterator<Item = &Movement> {
        self.whole.iter().chain(self.parts.iter().map(|(movement, _)| movement))
    }

    /// Takes it back, the last first.
    async fn take_back(&self, act: &mut Act<'_>) -> Result<()> {
        let keys: Vec<MovementKey> = self.whole.iter().rev().map(|movement| movement.key).collect();
        put_back(act, &keys).await?;
        for (movement, left) in &self.parts {
            adjust(act, movement, *left).await?;
        }
        Ok(())
    }
}

/// Takes what is left of a movement out of where it came to, or puts it back where it was taken.
async fn adjust(act: &mut Act<'_>, movement: &Movement, left: Quantity) -> Result<()> {
    let Some(product) = movement.product_id else { return Ok(()) };
    let product = products::by_ids(act.tx, &[product.0]).await?.pop();
    let product = product.ok_or_else(|| Error::broken("the product of a movement is not there"))?;
    let (position_key, quantity) = if movement.kind == MovementType::Production {
        (movement.to_key.clone(), opposite(left))
    } else {
        let live = !positions::which_exist(act.tx, &[movement.from_key.to_string()]).await?.is_empty();
        (if live { movement.from_key.clone() } else { PositionKey::trusted(INSIDE) }, left)
    };
    let rest = NewMovement {
        kind: MovementType::Adjustment,
        product_key: product.key,
        serial_key: None,
        position_key,
        quantity,
        cause: Cause { batch_key: movement.batch_key, ..Cause::default() },
        reason: Some(format!("The rest of movement {}, taken back with its batch", movement.key)),
    };
    complete_by_server(act, vec![rest]).await.map(|_| ())
}

/// Takes back what the completion of a batch moved.
pub(crate) async fn take_back(act: &mut Act<'_>, batch: BatchKey) -> Result<()> {
    Made::by(act, batch).await?.take_back(act).await
}

/// A part of a batch is taken back, and another batch takes its place with the rest: what the rest moved is moved anew, at the same
/// positions. Only the difference has to be in stock. Serials stay with what they were built into.
pub(crate) async fn take_back_part(act: &mut Act<'_>, bench: &Bench, batch: &Batch, rest: &Batch) -> Result<()> {
    let mut made = Made::by(act, batch.key).await?;
    made.whole.retain(|movement| movement.serial_key.is_none());
    let moved: BTreeSet<i64> = made.movements().filter_map(|movement| Some(movement.product_id?.0)).collect();
    if moved.is_empty() {
        return Ok(());
    }
    let products = products::by_ids(act.tx, &moved.into_iter().collect::<Vec<_>>()).await?;
    let key_of = |old: &Movement| {
        let product = products.iter().find(|product| Some(product.id) == old.product_id)?;
        Some(&product.key)
    };
    let (produced, consumed): (Vec<&Movement>, Vec<&Movement>) =
        made.movements().partition(|movement| movement.kind == MovementType::Production);
    if rest.qt_pass > Quantity::ZERO {
        let anew = |old: &&Movement| Some(production(rest, key_of(old)?, old.to_key.clone(), rest.qt_pass));
        complete_by_server(act, produced.iter().filter_map(anew).collect()).await?;
    }
    made.take_back(act).await?;
    let lines = order_boms::of_order(act.tx, bench.job().work_order_key).await?;
    let per_unit = |old: &Movement| {
        let of_phase = lines.iter().map(|kept| &kept.line).filter(|line| line.phase_key == batch.phase_key);
        let mut of_component = of_phase.filter(|line| Some(&line.component_key) == key_of(old));
        of_component.find(|line| line.qt.times(batch.qt_total) == Some(old.qt_confirmed)).map(|line| line.qt)
    };
    let from: Vec<String> = consumed.iter().map(|old| old.from_key.to_string()).collect();
    let live: HashSet<PositionKey> = positions::which_exist(act.tx, &from).await?.into_iter().collect();
    let anew = |old: &&Movement| {
        let much = match per_unit(old) {
            Some(qt) => qt.times(rest.qt_total),
            // The lines have changed since, or stock was short.
            None => old.qt_confirmed.share(rest.qt_total, batch.qt_total),
        };
        let much = much.filter(|much| *much > Quantity::ZERO)?;
        // What came back from a position that is gone lies in the warehouse itself.
        let from = live.get(&old.from_key).cloned().unwrap_or_else(|| PositionKey::trusted(INSIDE));
        Some(consumption(rest, key_of(old)?, from, much))
    };
    complete_by_server(act, consumed.iter().filter_map(anew).collect()).await.map(|_| ())
}
