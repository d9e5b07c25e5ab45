use std::collections::HashMap;

use domain::counting::{Blindness, RecordStatus};
use domain::key::CountRecordKey;
use domain::{Quantity, Total};
use schemars::JsonSchema;
use serde::Deserialize;
use sheet::Cell;
use store::Tx;
use store::counting::sessions;
use store::counting::views::{self, RecordView, SerialOfRecord, Wanted};

use super::import::{NAMES, STATUS, USER};
use super::may_apply;
use super::read::Filters;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::export::{self, Exported, Exporter, Format, SheetWriter};
use crate::input::Query;

#[derive(Deserialize, JsonSchema)]
pub(super) struct CountExport {
    /// The format of the file.
    #[serde(default)]
    format: Format,
    #[serde(flatten)]
    filters: Filters,
}

pub(super) async fn run(cx: Cx, Query(query): Query<CountExport>) -> Result<Exported> {
    let counts = Counts { wanted: query.filters.wanted(), sees_all: may_apply(&cx) };
    export::run(&cx, counts, query.format).await
}

/// What stock said.
const SYSTEM_NAMES: [&str; 2] = ["system_qt", "delta"];
const OTHER_NAMES: [&str; 3] = [STATUS, USER, "counted_at"];

struct Counts {
    wanted: Wanted,
    sees_all: bool,
}

impl Counts {
    /// Whether the caller can't see what stock said in any row: those of one session, which is blind.
    async fn hides_quantities(&self, tx: &mut Tx) -> Result<bool> {
        let session = match self.wanted.session_key {
            Some(key) => sessions::find(tx, key).await?,
            None => None,
        };
        Ok(session.is_some_and(|session| Blindness::of(&session, self.sees_all).quantities))
    }

    /// The units of records of traced products.
    async fn units(&self, tx: &mut Tx) -> Result<HashMap<CountRecordKey, Vec<SerialOfRecord>>> {
        let mut traced = Vec::new();
        views::each(tx, &self.wanted, |view| {
            if view.traceability_level.is_some() {
                traced.push(view.record.key.0);
            }
            Ok::<_, ApiError>(())
        })
        .await?;
        Ok(views::serials_of(tx, &traced).await?)
    }
}

impl Exporter for Counts {
    const NAME: &'static str = "counts";

    async fn columns(&self, tx: &mut Tx) -> Result<Vec<String>> {
        let system = if self.hides_quantities(tx).await? { &[][..] } else { &SYSTEM_NAMES[..] };
        let names = NAMES.iter().chain(system).chain(&OTHER_NAMES);
        Ok(names.map(|name| (*name).to_owned()).collect())
    }

    async fn rows(&self, tx: &mut Tx, sheet: &mut SheetWriter) -> Result<()> {
        let hidden = self.hides_quantities(tx).await?;
        let units = self.units(tx).await?;
        views::each(tx, &self.wanted, |view| {
            let blind = view.blind.within(view.session_status, self.sees_all);
            let units = units.get(&view.record.key).map_or(&[][..], Vec::as_slice);
            lines(&view, units, blind).iter().try_for_each(|line| sheet.row(&cells(&view, line, hidden)))
        })
        .await
    }
}

/// A row of the table. What the caller can't see is none.
#[derive(Debug, PartialEq, Eq)]
struct Line<'a> {
    serial_code: Option<&'a str>,
    counted: Option<Quantity>,
    system: Option<Quantity>,
}

/// The rows of a record: one for each unit, and one for what has none.
fn lines<'a>(view: &RecordView, units: &'a [SerialOfRecord], blind: Blindness) -> Vec<Line<'a>> {
    let record = &view.record;
    let is_open = record.status == RecordStatus::Started;
    let shown = units.iter().filter(|unit| if blind.serials { unit.counted } else { unit.counted || unit.in_system });
    let number = |is: bool| Quantity::units(usize::from(is));
    let mut lines: Vec<Line<'a>> = shown
        .map(|unit| Line {
            serial_code: unit.serial_code.as_deref(),
            counted: (!is_open).then_some(number(unit.counted)),
            system: (!blind.serials).then_some(number(unit.in_system)),
        })
        .collect();
    let units_of = |is: fn(&SerialOfRecord) -> bool| Quantity::units(units.iter().filter(|unit| is(unit)).count());
    let counted = record.counted_qt.map(|counted| counted - units_of(|unit| unit.counted));
    let system = record.system_qt - units_of(|unit| unit.in_system);
    // Which units stock had must not be told by what is left of the quantity.
    let system = if blind.serials && !units.is_empty() { record.system_qt } else { system };
    let something_left = system != Quantity::ZERO || counted.is_some_and(|counted| counted != Quantity::ZERO);
    if lines.is_empty() || (!blind.serials && something_left) {
        lines.push(Line { serial_code: None, counted, system: (!blind.quantities).then_some(system) });
    }
    lines
}

fn cells<'a>(view: &'a RecordView, line: &Line<'a>, hidden: bool) -> Vec<Cell<'a>> {
    let record = &view.record;
    let mut cells = vec![
        Cell::text(view.position_code.as_str()),
        Cell::text(view.product_code.as_str()),
        Cell::maybe(line.counted, Cell::number),
        Cell::maybe(line.serial_code, Cell::text),
    ];
    if !hidden {
        let delta = line.counted.zip(line.system);
        let delta = delta.and_then(|(counted, system)| (Total::from(counted) - Total::from(system)).quantity());
        cells.extend([Cell::maybe(line.system, Cell::number), Cell::maybe(delta, Cell::number)]);
    }
    cells.extend([
        Cell::text(record.status.name()),
        Cell::text(record.user_key.as_str()),
        Cell::maybe(record.counted_at, |time| Cell::text(time.to_string())),
    ]);
    cells
}
