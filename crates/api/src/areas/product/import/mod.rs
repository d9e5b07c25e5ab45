//! Products from tables: what each row becomes, and how all of them are written.

mod cells;
mod known;
mod tags;

use std::collections::{HashMap, HashSet};

use domain::form::FieldKind;
use domain::key::{FieldKey, ProductId, ProductKey, id_to_text};
use domain::product::{Metadata, ProductData};
use domain::text::fold;
use schemars::JsonSchema;
use serde::Serialize;
use store::product::products::{self, Product};
use store::{Constraint, StoreError, Tx};

use self::cells::Cells;
use self::known::{KnownRecords, Lookup};
use self::tags::{are_same, read_tags, write_tags};
use super::columns::{
    CLEARS, CODE, CONSUMPTION_POSITION, COUNTER, FIELDS, META, NAMES, PRODUCTION_POSITION, TAGS, read_value, show_value,
};
use crate::Result;
use crate::cx::Cx;
use crate::import::{self, Columns, Faults, Form, Import, Imported, Importer, Modes, Row, RowFaults};
use crate::input::Upload;

pub(super) async fn run(cx: Cx, upload: Upload<Form<Products>>) -> Result<Imported<Products>> {
    import::run(cx, Products, upload).await
}

pub(super) struct Products;

/// What happens to the rows.
#[derive(Default)]
pub(super) struct Plan {
    products: Vec<Product>,
    /// Which products get which tags, by name, in place of those they have.
    tags: Vec<(ProductKey, Vec<String>)>,
    actions: Vec<PlannedRow>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProductImportAction")]
struct PlannedRow {
    /// Counting the header as 1.
    row: u32,
    code: String,
    action: RowAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ProductImportOutcome")]
enum RowAction {
    Create,
    Update,
    /// It changes nothing.
    Skip,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductImportCounts")]
pub(super) struct Counts {
    rows_created: usize,
    rows_updated: usize,
    rows_skipped: usize,
    /// What happens to the first 1,000 rows.
    rows: Vec<PlannedRow>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProductsImported")]
pub(super) struct ImportedProducts {
    rows_total: usize,
    rows_created: usize,
    rows_updated: usize,
    rows_skipped: usize,
}

const SHOWN: usize = 1_000;
const CREATE: &str = "create";
const UPDATE: &str = "update";

impl Importer for Products {
    type Row = Cells;
    type Plan = Plan;
    type Counts = Counts;
    type Detail = ImportedProducts;

    const TARGET: &'static str = "product";
    const COLUMNS: Columns = Columns { required: &[CODE], optional: &NAMES, prefixes: &[META] };
    const MODES: Modes = Modes { names: &["upsert", CREATE, UPDATE], default: Some("upsert") };

    fn read(&self, row: &Row<'_>, faults: &mut RowFaults<'_>) -> Cells {
        let code = row.code(CODE);
        match code.chars().count() {
            0 => faults.add(CODE, row.get(CODE), "A product needs a code."),
            129.. => faults.add(CODE, code, "Must have at most 128 characters."),
            _ => {}
        }
        let mut scratch = ProductData::new(String::new());
        let mut cells = Cells::new(code);
        for (column, name) in NAMES.into_iter().enumerate().filter(|(_, name)| *name != CODE) {
            let cell = row.get(name);
            if cell.is_empty() {
                continue;
            }
            let field = FIELDS.iter().find(|field| field.name == name);
            let read = match field {
                Some(field) if cell != CLEARS => (field.set)(&mut scratch, Some(cell)),
                None if name == TAGS => read_tags(cell).map(|_| ()),
                _ => Ok(()),
            };
            match read {
                Ok(()) => cells.put(column, cell),
                Err(why) => faults.add(name, cell, why),
            }
        }
        for (place, (_, cell)) in row.prefixed(META).enumerate().filter(|(_, (_, cell))| !cell.is_empty()) {
            cells.put(NAMES.len() + place, cell);
        }
        cells
    }

    async fn lock(&self, tx: &mut Tx, import: &Import<Cells>) -> Result<()> {
        Ok(products::lock_codes(tx, &codes(import)).await?)
    }

    async fn plan(&self, tx: &mut Tx, import: &Import<Cells>, faults: &mut Faults) -> Result<Plan> {
        let known = KnownRecords::load(tx, import).await?;
        let (mut plan, mut seen) = (Plan::default(), HashSet::new());
        for (row, cells) in &import.rows {
            let mut faults = faults.of_row(*row);
            let repeated = !cells.code.is_empty() && !seen.insert(cells.code.as_str());
            let before = known.products.get(&cells.code);
            match (import.mode.as_str(), before) {
                _ if repeated => faults.add(CODE, &cells.code, "Another row has this code."),
                (CREATE, Some(_)) => faults.add(CODE, &cells.code, "There is a product with this code."),
                (UPDATE, None) if !cells.code.is_empty() => {
                    faults.add(CODE, &cells.code, "There is no product with this code.");
                }
                _ => {}
            }
            plan.add(import, *row, cells, before, &known, &mut faults)?;
        }
        Ok(plan)
    }

    fn counts(&self, plan: &Plan) -> Counts {
        Counts {
            rows_created: plan.count(RowAction::Create),
            rows_updated: plan.count(RowAction::Update),
            rows_skipped: plan.count(RowAction::Skip),
            rows: plan.actions.iter().take(SHOWN).cloned().collect(),
        }
    }

    async fn write(&self, tx: &mut Tx, import: &Import<Cells>, plan: Plan) -> Result<ImportedProducts> {
        products::save(tx, &plan.products).await.map_err(again)?;
        write_tags(tx, &import.cx, &plan.tags).await?;
        Ok(ImportedProducts {
            rows_total: import.rows.len(),
            rows_created: plan.count(RowAction::Create),
            rows_updated: plan.count(RowAction::Update),
            rows_skipped: plan.count(RowAction::Skip),
        })
    }
}

/// A code was taken since the rows were checked: checks them once more.
fn again(error: StoreError) -> StoreError {
    match error.constraint() {
        Some(Constraint::ProductCodeTaken) => error.run_again(),
        _ => error,
    }
}

fn codes(import: &Import<Cells>) -> Vec<String> {
    import.rows.iter().map(|(_, cells)| cells.code.clone()).collect()
}

impl Plan {
    fn count(&self, what: RowAction) -> usize {
        self.actions.iter().filter(|action| action.action == what).count()
    }

    fn add(
        &mut self,
        import: &Import<Cells>,
        row: u32,
        cells: &Cells,
        before: Option<&Product>,
        known: &KnownRecords,
        faults: &mut RowFaults<'_>,
    ) -> Result<()> {
        let mut product = match before {
            Some(product) => product.clone(),
            None => new_product(&import.cx, &cells.code)?,
        };
        apply(&mut product.data, cells, known, faults);
        let tags = cells.get(TAGS).and_then(|cell| {
            let shown = known.tag_names.get(product.key.as_str()).map_or("", String::as_str);
            // Faults were reported when the row was read.
            let wanted = read_tags(cell).unwrap_or_default();
            (cell != shown && !are_same(&wanted, shown)).then_some(wanted)
        });
        let changed = before.is_none_or(|before| before.data != product.data);
        let action = match before {
            None => RowAction::Create,
            Some(_) if changed || tags.is_some() => RowAction::Update,
            Some(_) => RowAction::Skip,
        };
        if let Some(tags) = tags {
            self.tags.push((product.key.clone(), tags));
        }
        if action != RowAction::Skip {
            if before.is_some() {
                product.rev += 1;
                product.updated = import.cx.now();
            }
            self.products.push(product);
        }
        self.actions.push(PlannedRow { row, code: cells.code.clone(), action });
        Ok(())
    }
}

fn new_product(cx: &Cx, code: &str) -> Result<Product> {
    let (id, now) = (cx.new_id()?, cx.now());
    Ok(Product {
        id: ProductId(id),
        key: ProductKey::trusted(id_to_text(id)),
        rev: 1,
        data: ProductData::new(code.to_owned()),
        trash: false,
        created: now,
        updated: now,
        bom_version: 0,
        img_name: None,
    })
}

/// Applies the cells of a row to a product.
fn apply(data: &mut ProductData, cells: &Cells, known: &KnownRecords, faults: &mut RowFaults<'_>) {
    for column in FIELDS {
        if let Some(cell) = cells.get(column.name)
            && !(column.show)(data).is(cell)
        {
            // Faults were reported when the row was read.
            let _ = (column.set)(data, (cell != CLEARS).then_some(cell));
        }
    }
    refer(&mut data.counter_key, COUNTER, "counter", cells, &known.counters, faults);
    let positions = &known.positions;
    refer(&mut data.default_production_position_key, PRODUCTION_POSITION, "position", cells, positions, faults);
    refer(&mut data.default_consumption_position_key, CONSUMPTION_POSITION, "position", cells, positions, faults);
    for (place, cell) in cells.custom() {
        match known.fields.get(place) {
            Some((_, Some((field, kind)))) => set_value(&mut data.metadata, field, *kind, cell, faults),
            Some((name, None)) => faults.add(format!("{META}{name}"), cell, "There is no such custom field."),
            None => {}
        }
    }
}

fn refer<K: Clone + ToString>(
    place: &mut Option<K>,
    column: &'static str,
    what: &str,
    cells: &Cells,
    known: &HashMap<String, Lookup<K>>,
    faults: &mut RowFaults<'_>,
) {
    let Some(cell) = cells.get(column) else { return };
    if place.as_ref().is_some_and(|key| key.to_string() == cell) {
        return;
    }
    if cell == CLEARS {
        *place = None;
        return;
    }
    match known.get(cell).or_else(|| known.get(&fold(cell))) {
        Some(Lookup::One(key)) => *place = Some(key.clone()),
        Some(Lookup::Several) => faults.add(column, cell, format!("More than one {what} has this name: use its key.")),
        None => faults.add(column, cell, format!("There is no such {what}.")),
    }
}

fn set_value(all: &mut Vec<Metadata>, field: &FieldKey, kind: FieldKind, cell: &str, faults: &mut RowFaults<'_>) {
    let place = all.iter().position(|entry| entry.custom_field_key == *field);
    if place.is_some_and(|place| show_value(&all[place].value).is(cell)) {
        return;
    }
    if cell == CLEARS {
        all.retain(|entry| entry.custom_field_key != *field);
        return;
    }
    match (read_value(kind, cell), place) {
        (Ok(value), Some(place)) => all[place].value = value,
        (Ok(value), None) => {
            all.push(Metadata { custom_field_key: field.clone(), value, label: None, hint: None });
        }
        (Err(why), _) => faults.add(format!("{META}{field}"), cell, why),
    }
}
