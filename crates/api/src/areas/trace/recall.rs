//! Recalls: which units hold suspects, and where they are.

use std::collections::HashSet;

use domain::ErrorData;
use domain::fault::Faults;
use domain::key::{BatchKey, IdMap, IdSet, NOBODY, ProductId, ProductKey, SerialKey, WorkOrderKey, id_from_text};
use domain::search::Pattern;
use domain::serial::Parent;
use domain::text::fold;
use domain::trace::{Recall, Recalled};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use sheet::FileKind;
use store::product::products::{self, Name};
use store::production::{batches, work_orders};
use store::serial::recall::{self, Suspected};
use store::serial::serials;
use store::{Page, Presence, Tx};

use super::recalled::{COLUMNS, Details, RecalledUnit};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::export::{ListOrTable, SheetWriter, TableRow, wants_table};
use crate::input::{Json, Query};
use crate::reply::{Listed, RowWriter};

pub(super) const DESCRIPTION: &str = "Lists the suspects and every serial or batch that contains one at any depth, each once, with \
     the outermost unit that it is in today and where that is. Suspects are those in `serial_key`, and those that fit all of \
     `product_key`, `code`, `work_order_key` and `batch_key` that are sent; at least one of these five is needed. Sorted by the codes of \
     product and serial; batches come behind the serials of their product. `Accept: text/csv` returns the same rows as a table: all of \
     them unless `limit` is sent.";

pub(super) const UNKNOWN: &str = "A serial in `serial_key`, the product, the work order or the batch does not exist, or a serial was \
     deleted; `unknown` has their keys.";

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "RecallRows")]
enum Rows {
    /// Only units that no other unit of the recall contains.
    #[default]
    Roots,
    /// Every unit on the way too.
    All,
}

/// Which serials are suspects, and which of the units that contain them to return.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecallSearch")]
pub(super) struct RecallSearch {
    /// Suspects by key.
    #[serde(default)]
    #[schemars(with = "Vec<SerialKey>", length(max = 100_000))]
    serial_key: Vec<String>,
    /// Suspects are serials of this product.
    product_key: Option<ProductKey>,
    /// Suspects are serials with such a code: a wildcard pattern, in which `*` is any run of characters and `?` one character.
    /// Without a `*` at its beginning or end it matches anywhere in the code.
    code: Option<String>,
    /// Suspects are serials that this order makes.
    #[schemars(with = "Option<WorkOrderKey>")]
    work_order_key: Option<String>,
    /// Suspects are serials that this batch works or worked on, and those that it contains; with `include_replaced`, those that it
    /// once contained too.
    #[schemars(with = "Option<BatchKey>")]
    batch_key: Option<String>,
    /// Whether to return only outermost units, or every unit on the way too.
    #[serde(default)]
    rows: Rows,
    /// Whether units count that once contained a suspect. What contained one another at different times only does not count.
    #[serde(default)]
    include_replaced: bool,
    /// Maximum number of rows: 200 when left out; of a table, all of them.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<i64>,
    /// Number of rows to skip.
    #[serde(default)]
    #[schemars(range(min = 0))]
    offset: i64,
    /// Adds the header `X-Total-Count`: the number of rows without paging.
    #[serde(default)]
    count: bool,
}

const USUAL_LIMIT: i64 = 200;

/// A recall as it is carried out.
struct Wanted {
    named: Vec<String>,
    /// As they were sent.
    order: Option<String>,
    batch: Option<String>,
    suspected: Suspected,
    rows: Rows,
    page: Page,
    as_table: bool,
}

impl RecallSearch {
    /// `place` is where it was sent.
    fn wanted(self, place: &str, as_table: bool) -> Result<Wanted> {
        let usual = if as_table { i64::MAX } else { USUAL_LIMIT };
        let page = Page { limit: self.limit.unwrap_or(usual), offset: self.offset, count: self.count };
        let suspected = Suspected {
            product_key: self.product_key,
            code: self.code.filter(|text| !text.is_empty()).map(|text| Pattern::wildcard(&text)),
            wo_key: self.work_order_key.as_deref().map(|text| WorkOrderKey(id_from_text(text).unwrap_or(NOBODY))),
            batch_key: self.batch_key.as_deref().map(|text| BatchKey(id_from_text(text).unwrap_or(NOBODY))),
            ended_too: self.include_replaced,
        };
        let mut faults = Faults::at(place);
        if self.serial_key.is_empty() && suspected.is_empty() {
            let why = "Say which serials are suspects: serial_key, product_key, code, work_order_key or batch_key.";
            faults.add("value_error", why, &Value::Null);
        }
        ApiError::check(faults)?;
        let (named, order, batch) = (self.serial_key, self.work_order_key, self.batch_key);
        Ok(Wanted { named, order, batch, suspected, rows: self.rows, page, as_table })
    }
}

pub(super) async fn by_query(cx: Cx, Query(search): Query<RecallSearch>) -> Result<ListOrTable<RecalledUnit<'static>>> {
    let wanted = search.wanted("query", wants_table(&cx))?;
    recalled(&cx, wanted).await
}

pub(super) async fn by_body(cx: Cx, Json(search): Json<RecallSearch>) -> Result<ListOrTable<RecalledUnit<'static>>> {
    let wanted = search.wanted("body", wants_table(&cx))?;
    recalled(&cx, wanted).await
}

async fn recalled(cx: &Cx, wanted: Wanted) -> Result<ListOrTable<RecalledUnit<'static>>> {
    let client = Presence::asking_now().unwrap_or_default();
    cx.read_apart(async move |tx: &mut Tx| found(tx, &client, &wanted).await).await
}

/// What takes memory until the answer, besides what a statement has just read: a suspect, a line of the list, and each suspect that a
/// row shows.
const SUSPECT_BYTES: usize = 500;
const LINE_BYTES: usize = 300;
const VIA_BYTES: usize = 8;
/// How many suspects a row shows.
const SHOWN: usize = 100;
/// How many units are read, and how many rows are put together, at once.
const AT_ONCE: usize = 5_000;
/// How many rows are shown at most, but for a table.
const MOST_ROWS: i64 = 10_000;
const ROWS_AT_ONCE: usize = 1_000;

async fn found(tx: &mut Tx, client: &Presence, wanted: &Wanted) -> Result<ListOrTable<RecalledUnit<'static>>> {
    let suspects = suspects(tx, wanted).await?;
    let hops = recall::above(tx, &suspects, wanted.suspected.ended_too).await?;
    client.must_wait()?;
    let recall = Recall::new(&suspects, &hops, || client.must_wait())?;
    let used: IdSet<SerialKey> = hops.iter().filter(|hop| hop.unlinked.is_none()).map(|hop| hop.child).collect();
    drop((suspects, hops));
    let mut names = Names::default();
    let units: Vec<Recalled> = recall.units().filter(|unit| unit.is_root || wanted.rows == Rows::All).collect();
    // If all of them are shown, what a row needs has what it is sorted by.
    let mut details = Details::new(&used);
    let all_shown = wanted.page.offset == 0 && units.len() as i64 <= wanted.page.limit.min(MOST_ROWS);
    if all_shown {
        tx.take_memory(units.len() * LINE_BYTES)?;
        details.load(tx, &mut names, &units).await?;
        tx.take_memory(details.weight())?;
    }
    let mut lines = if all_shown { details.lines(units) } else { lines(tx, &mut names, units).await? };
    names.sort(&mut lines);
    client.must_wait()?;
    let total = wanted.page.count.then_some(lines.len() as i64);
    let lines = Listed::page(lines, &Page { count: false, ..wanted.page }).rows;
    // To find the first ones takes three times as many.
    let shown = |line: &Line| 3 * VIA_BYTES + (3 * SHOWN).min(line.unit.via_count as usize) * VIA_BYTES;
    tx.take_memory(lines.iter().map(shown).sum())?;
    let via = recall.via(lines.iter().map(|line| &line.unit), SHOWN, || client.must_wait())?;
    let mut via = via.into_iter();
    drop(recall);

    let mut rows = RowWriter::new(lines.len());
    let mut sheet = if wanted.as_table { Some(SheetWriter::new(FileKind::Csv)?) } else { None };
    if let Some(sheet) = &mut sheet {
        sheet.header(COLUMNS.iter().copied())?;
    }
    for some in lines.chunks(ROWS_AT_ONCE) {
        client.must_wait()?;
        let units: Vec<Recalled> = some.iter().map(|line| line.unit).collect();
        if !all_shown {
            details = Details::new(&used);
            details.load(tx, &mut names, &units).await?;
        }
        for unit in &units {
            let row = details.row(&names, unit, via.next().unwrap_or_default())?;
            match &mut sheet {
                Some(sheet) => sheet.row(&row.cells())?,
                None => {
                    tx.take_memory(row.weight())?;
                    rows.row(&row)?;
                }
            }
        }
    }
    Ok(match sheet {
        Some(sheet) => ListOrTable::Table(sheet.finish("recall")?, total),
        None => ListOrTable::Written(rows, total),
    })
}

/// The suspects, by key; refused if something is named that there is not, since a recall must not say "nothing" of that.
async fn suspects(tx: &mut Tx, wanted: &Wanted) -> Result<Vec<SerialKey>> {
    let keys: Vec<i64> = wanted.named.iter().filter_map(|text| id_from_text(text)).collect();
    let live = if keys.is_empty() { HashSet::new() } else { serials::live(tx, &keys).await? };
    let mut seen = HashSet::new();
    let mut unknown = Vec::new();
    for text in &wanted.named {
        let is_live = id_from_text(text).is_some_and(|key| live.contains(&SerialKey(key)));
        if !is_live && seen.insert(text.as_str()) {
            unknown.push(text.clone());
        }
    }
    let mut missing = Vec::new();
    if !unknown.is_empty() {
        missing.push("serials");
    }
    if let Some(key) = &wanted.suspected.product_key
        && products::find(tx, key).await?.is_none()
    {
        missing.push("product");
        unknown.push(key.to_string());
    }
    if let (Some(key), Some(sent)) = (wanted.suspected.wo_key, &wanted.order)
        && work_orders::find(tx, key).await?.is_none()
    {
        missing.push("work order");
        unknown.push(sent.clone());
    }
    if let (Some(key), Some(sent)) = (wanted.suspected.batch_key, &wanted.batch)
        && batches::find(tx, key).await?.is_none()
    {
        missing.push("batch");
        unknown.push(sent.clone());
    }
    if !unknown.is_empty() {
        let message = format!("Not found: {}.", missing.join(", "));
        let data = ErrorData { unknown: Some(unknown), ..ErrorData::default() };
        return Err(ApiError::not_found_with(&message, &data));
    }
    let mut suspects: Vec<SerialKey> = live.into_iter().collect();
    if !wanted.suspected.is_empty() {
        suspects.extend(recall::suspects(tx, &wanted.suspected).await?);
    }
    suspects.sort_unstable();
    suspects.dedup();
    tx.take_memory(suspects.len() * SUSPECT_BYTES)?;
    Ok(suspects)
}

/// A unit in the list, with what it is sorted by.
pub(super) struct Line {
    pub unit: Recalled,
    pub product_id: ProductId,
    /// The place of the product's code among all, once they are sorted.
    pub rank: usize,
    pub code: Option<String>,
    /// The folded code.
    pub searched: String,
    pub key: i64,
}

impl Line {
    fn place(&self) -> (usize, bool, &str, Option<&str>, i64) {
        (self.rank, self.code.is_none(), self.searched.as_str(), self.code.as_deref(), self.key)
    }
}

/// The units that were not deleted, in no order.
async fn lines(tx: &mut Tx, names: &mut Names, units: Vec<Recalled>) -> Result<Vec<Line>> {
    let (mut serials, mut batches) = (IdMap::default(), IdMap::default());
    for unit in units {
        match unit.unit {
            Parent::Serial(key) => serials.insert(key.0, unit),
            Parent::Batch(key) => batches.insert(key.0, unit),
        };
    }
    let mut lines = Vec::with_capacity(serials.len() + batches.len());
    for some in sorted(&serials).chunks(AT_ONCE) {
        let found = recall::listed(tx, some).await?;
        tx.take_memory(found.iter().map(|row| LINE_BYTES + 2 * row.searched.len()).sum())?;
        lines.extend(found.into_iter().filter_map(|row| {
            let unit = serials.remove(&row.key.0)?;
            let (code, searched) = (row.code, row.searched);
            Some(Line { unit, product_id: row.product_id, rank: 0, code, searched, key: row.key.0 })
        }));
    }
    for some in sorted(&batches).chunks(AT_ONCE) {
        let found = recall::batches(tx, some).await?;
        tx.take_memory(found.len() * LINE_BYTES)?;
        lines.extend(found.into_iter().filter_map(|row| {
            let unit = batches.remove(&row.key.0)?;
            let (code, searched) = (None, String::new());
            Some(Line { unit, product_id: row.product_id, rank: 0, code, searched, key: row.key.0 })
        }));
    }
    names.load(tx, lines.iter().map(|line| line.product_id)).await?;
    Ok(lines)
}

fn sorted(units: &IdMap<i64, Recalled>) -> Vec<i64> {
    let mut keys: Vec<i64> = units.keys().copied().collect();
    keys.sort_unstable();
    keys
}

/// The products that rows show.
#[derive(Default)]
pub(super) struct Names(IdMap<ProductId, Name>);

impl Names {
    pub(super) async fn load(&mut self, tx: &mut Tx, ids: impl Iterator<Item = ProductId>) -> Result<()> {
        let mut ids: Vec<i64> = ids.filter(|id| !self.0.contains_key(id)).map(|id| id.0).collect();
        ids.sort_unstable();
        ids.dedup();
        for some in ids.chunks(AT_ONCE) {
            let found = products::names_by_id(tx, some).await?;
            let weight = |name: &Name| LINE_BYTES + name.code.len() + name.description.as_deref().map_or(0, str::len);
            tx.take_memory(found.iter().map(weight).sum())?;
            self.0.extend(found.into_iter().map(|name| (name.id, name)));
        }
        Ok(())
    }

    pub(super) fn of(&self, id: ProductId) -> Result<&Name> {
        self.0.get(&id).ok_or_else(|| ApiError::internal("a unit without its product", None))
    }

    /// Sorts by the codes of product and serial; what has none comes last.
    fn sort(&self, lines: &mut [Line]) {
        let ranks = self.ranks();
        for line in lines.iter_mut() {
            line.rank = ranks.get(&line.product_id).copied().unwrap_or_default();
        }
        lines.sort_unstable_by(|one, other| one.place().cmp(&other.place()));
    }

    /// The places of all codes among each other: the same for products with the same code.
    fn ranks(&self) -> IdMap<ProductId, usize> {
        let mut codes: Vec<(String, &str, ProductId)> =
            self.0.values().map(|name| (fold(&name.code), name.code.as_str(), name.id)).collect();
        codes.sort_unstable();
        let same = codes.chunk_by(|one, next| one.1 == next.1);
        same.enumerate().flat_map(|(rank, codes)| codes.iter().map(move |code| (code.2, rank))).collect()
    }
}
