//! Counts from tables: what each row says, and what becomes of all of them.

mod known;

use std::collections::{BTreeMap, BTreeSet};

use domain::counting::{Content, ImportMode, RecordStatus, SessionStatus};
use domain::key::{CountSessionKey, NOBODY, SerialKey, id_from_text};
use domain::serial::code_of;
use domain::text::fold;
use domain::warehouse::stock::Pair;
use domain::{Quantity, Total};
use futures_util::future::BoxFuture;
use journal::events::counting::{CountImport, import_counts};
use schemars::JsonSchema;
use serde::Serialize;
use store::counting::{records, sessions};
use store::{Lock, Tx};

use self::known::{Counted, KnownRecords, Seen};
use crate::Result;
use crate::areas::counting::session::not_found;
use crate::areas::counting::wrong_state;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::import::{self, Columns, Faults, Form, Import, Imported, Importer, Modes, Row, RowFaults};
use crate::input::Upload;

pub(super) async fn run(cx: Cx, upload: Upload<Form<Counts>>) -> Result<Imported<Counts>> {
    import::run(cx, Counts, upload).await
}

pub(super) struct Counts;

const POSITION: &str = "position_code";
const PRODUCT: &str = "product_code";
const COUNTED: &str = "counted_qt";
const SERIAL: &str = "serial_code";
/// The state of the record that an exported row is of.
pub(super) const STATUS: &str = "status";
/// Who has counted what an exported row says.
pub(super) const USER: &str = "user_key";

/// The columns, in the order of the table.
pub(super) const NAMES: [&str; 4] = [POSITION, PRODUCT, COUNTED, SERIAL];

const UPDATE: &str = ImportMode::Update.name();
const REPLACE: &str = ImportMode::Replace.name();

/// The field that names the session.
const SESSION: &str = "count_session_key";

/// A row, as far as it can be understood by itself. Cells that are empty or faulty are none.
pub(super) struct Line {
    position: Option<String>,
    /// Codes of positions ignore case.
    folded: String,
    product: Option<String>,
    counted: Option<Quantity>,
    serial: Option<String>,
    /// The serial as the row names it; empty if it names none.
    serial_sent: String,
    /// Who has counted it; empty if the file does not say.
    user: String,
    /// An exported row of a count that was discarded or had not ended: nobody wants it.
    left_out: bool,
}

impl Line {
    fn left_out() -> Self {
        Self {
            position: None,
            folded: String::new(),
            product: None,
            counted: None,
            serial: None,
            serial_sent: String::new(),
            user: String::new(),
            left_out: true,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountImportCounts")]
pub(super) struct Planned {
    /// How many products at positions the file has.
    records_to_add: usize,
    records_to_discard: usize,
    import_mode: ImportMode,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CountsImported")]
pub(super) struct ImportedCounts {
    /// For people.
    message: String,
    rows_total: usize,
    /// How many records were made.
    rows_added: u64,
    /// How many records were discarded.
    rows_discarded: u64,
    /// What people should look at.
    warnings: Vec<String>,
}

/// What happens to the session.
pub(super) struct Plan {
    session_key: CountSessionKey,
    mode: ImportMode,
    counts: BTreeMap<Pair, Content>,
    discarded: usize,
}

impl Importer for Counts {
    type Row = Line;
    type Plan = Plan;
    type Counts = Planned;
    type Detail = ImportedCounts;

    const TARGET: &'static str = "count";
    const COLUMNS: Columns =
        Columns { required: &[POSITION, PRODUCT, COUNTED], optional: &[SERIAL, STATUS, USER], prefixes: &[] };
    const MODES: Modes = Modes { names: &[UPDATE, REPLACE], default: None };
    const FIELDS: &'static [&'static str] = &[SESSION];

    fn read(&self, row: &Row<'_>, faults: &mut RowFaults<'_>) -> Line {
        let status = RecordStatus::parse(row.get(STATUS).trim());
        if matches!(status, Some(RecordStatus::Started | RecordStatus::Discarded)) {
            return Line::left_out();
        }
        let named = |column| Some(row.get(column).trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        let (position, product) = (named(POSITION), named(PRODUCT));
        if position.is_none() {
            faults.add(POSITION, row.get(POSITION), "Say where it was counted.");
        }
        if product.is_none() {
            faults.add(PRODUCT, row.get(PRODUCT), "Say what was counted.");
        }
        let sent = row.get(SERIAL).trim();
        let serial = code_of(sent);
        if serial.is_none() && !sent.is_empty() {
            faults.add(SERIAL, sent, "A code has 1 to 128 characters, without control characters.");
        }
        Line {
            folded: position.as_deref().map(fold).unwrap_or_default(),
            position,
            product,
            counted: counted(row, faults),
            serial,
            serial_sent: sent.to_owned(),
            user: row.get(USER).trim().to_owned(),
            left_out: false,
        }
    }

    async fn lock(&self, tx: &mut Tx, import: &Import<Line>) -> Result<()> {
        tx.lock_shared(Lock::Gate).await?;
        sessions::lock(tx, session_key(import)).await?;
        // Positions stay while the rows are checked and written.
        Ok(tx.lock_shared_in_turn(Lock::Positions).await?)
    }

    async fn plan(&self, tx: &mut Tx, import: &Import<Line>, faults: &mut Faults) -> Result<Plan> {
        let session = sessions::find(tx, session_key(import)).await?.ok_or_else(not_found)?;
        if session.status != SessionStatus::Completed {
            return Err(wrong_state(&session, "Counts can be imported only into a completed session."));
        }
        let known = KnownRecords::load(tx, import).await?;
        let counts = counts(import, &known, faults);
        let mode = if import.mode == REPLACE { ImportMode::Replace } else { ImportMode::Update };
        let live = records::live_of_session(tx, session.key).await?;
        let replaced = live.iter().filter(|record| mode == ImportMode::Replace || counts.contains_key(&record.pair()));
        Ok(Plan { discarded: replaced.count(), session_key: session.key, mode, counts })
    }

    fn counts(&self, plan: &Plan) -> Planned {
        Planned { records_to_add: plan.counts.len(), records_to_discard: plan.discarded, import_mode: plan.mode }
    }

    async fn write(&self, tx: &mut Tx, import: &Import<Line>, plan: Plan) -> Result<ImportedCounts> {
        write_in_tx(tx, import, plan).await
    }
}

fn session_key(import: &Import<Line>) -> CountSessionKey {
    let sent = import.fields.get(SESSION).and_then(|key| id_from_text(key));
    CountSessionKey(sent.unwrap_or(NOBODY))
}

/// How much was counted.
fn counted(row: &Row<'_>, faults: &mut RowFaults<'_>) -> Option<Quantity> {
    let cell = row.get(COUNTED);
    if cell.trim().is_empty() {
        faults.add(COUNTED, cell, "Say how much was counted.");
        return None;
    }
    let counted = row.quantity(COUNTED, faults)?;
    if counted.is_negative() {
        faults.add(COUNTED, cell, "Must not be negative.");
        return None;
    }
    Some(counted)
}

/// What was counted of each product at each position; the faults of rows are told.
fn counts(import: &Import<Line>, known: &KnownRecords, faults: &mut Faults) -> BTreeMap<Pair, Content> {
    let mut sums: BTreeMap<Pair, (Total, BTreeSet<SerialKey>)> = BTreeMap::new();
    let mut seen = Seen::default();
    for (row, line) in import.rows.iter().filter(|(_, line)| !line.left_out) {
        let mut faults = faults.of_row(*row);
        let Some(Counted { pair, quantity, serial }) = known.counted(line, &mut seen, &mut faults) else { continue };
        if !seen.is_by(&pair, &line.user) {
            faults.add(
                USER,
                line.user.as_str(),
                "Somebody else has counted the product at the position: leave one of them out.",
            );
            continue;
        }
        let (sum, serials) = sums.entry(pair).or_default();
        *sum = *sum + Total::from(quantity);
        serials.extend(serial.filter(|_| quantity != Quantity::ZERO));
        if sum.quantity().is_none() {
            faults.add(COUNTED, quantity.to_string(), "The rows of the product at the position add up to too much.");
        }
    }
    sums.into_iter().map(|(pair, (sum, serials))| (pair, Content::of(sum.capped(), serials))).collect()
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn write_in_tx<'a>(tx: &'a mut Tx, import: &'a Import<Line>, plan: Plan) -> BoxFuture<'a, Result<ImportedCounts>> {
    Box::pin(async move {
        let rows_total = import.rows.len();
        let new = CountImport {
            session_key: plan.session_key,
            mode: plan.mode,
            filename: import.filename.clone(),
            rows_total: rows_total as u64,
            counted: plan.counts,
        };
        let left_out = import.rows.iter().filter(|(_, line)| line.left_out).count();
        let mut act = import.cx.act(tx, import.cx.now()).await?;
        let done = import_counts(&mut act, new).await?;
        act.store().await?;
        Ok(ImportedCounts {
            message: format!("Counts added: {}. Counts discarded: {}.", done.added, done.discarded),
            rows_total,
            rows_added: done.added,
            rows_discarded: done.discarded,
            warnings: warnings(left_out),
        })
    })
}

fn warnings(left_out: usize) -> Vec<String> {
    if left_out == 0 {
        return Vec::new();
    }
    vec![format!("Rows of counts that were discarded or had not ended were left out: {left_out}.")]
}
