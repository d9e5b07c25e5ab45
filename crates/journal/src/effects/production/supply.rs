//! What batches take from stock and put there.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::bom_line::ConsumptionOptions;
use domain::config::CONSUMPTION_POSITION;
use domain::key::{LinkKey, MovementKey, PositionKey, ProductId, ProductKey, SerialKey};
use domain::production::OrderLine;
use domain::rule::Refused;
use domain::serial::{Link, Parent};
use domain::warehouse::movement::MovementType;
use domain::warehouse::stock::Pair;
use domain::warehouse::{INSIDE, taken};
use domain::{Quantity, Total};
use store::administration::config;
use store::product::products::{self, Product};
use store::production::batches::Batch;
use store::production::order_boms;
use store::serial::{links, serials};
use store::warehouse::{positions, stock};

use super::bench::Bench;
use super::creation::output_position;
use super::result::{Source, UnitKeys};
use super::units::ids;
use crate::act::Act;
use crate::effects::serial::linking::hold_genealogy;
use crate::effects::serial::stock::{Whereabouts, is_kept};
use crate::effects::warehouse::{Cause, NewMovement, complete_by_server};
use crate::{Error, Result};

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

pub(super) fn consumption(batch: &Batch, product: &ProductKey, from: PositionKey, quantity: Quantity) -> NewMovement {
    movement(batch, MovementType::Consumption, product, from, quantity)
}

pub(super) fn production(batch: &Batch, product: &ProductKey, to: PositionKey, quantity: Quantity) -> NewMovement {
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
        let of_component = || lines.iter().filter(|line| line.component_key == source.component_key);
        let Some(line) = of_component().next() else {
            let key = &source.component_key;
            return Err(Refused::value(format!("The product {key} is not a component of this phase.")).into());
        };
        let code = &line.component_code;
        if of_component().any(|line| line.consumption_options.consumption_position_mandatory) {
            let why = format!("{code} comes from its mandatory position only: leave it out of `consumption`.");
            return Err(Refused::value(why).into());
        }
        if !named.insert(&source.component_key) {
            return Err(Refused::value(format!("{code} is named twice in `consumption`.")).into());
        }
    }
    let wanted: Vec<String> = sources.iter().map(|source| source.position_key.to_string()).collect();
    must_exist(act, "position_key", &wanted).await
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
