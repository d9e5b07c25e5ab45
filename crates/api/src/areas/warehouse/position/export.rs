use schemars::JsonSchema;
use serde::Deserialize;
use sheet::Cell;
use store::Tx;
use store::warehouse::positions::{self, TableRow, Wanted};

use super::import::NAMES;
use super::read::Filters;
use crate::Result;
use crate::cx::Cx;
use crate::export::{self, Exported, Exporter, Format, SheetWriter};
use crate::input::Query;

#[derive(Deserialize, JsonSchema)]
pub(super) struct PositionExport {
    /// The format of the file.
    #[serde(default)]
    format: Format,
    #[serde(flatten)]
    filters: Filters,
}

pub(super) async fn run(cx: Cx, Query(query): Query<PositionExport>) -> Result<Exported> {
    export::run(&cx, Positions(query.filters.wanted()), query.format).await
}

struct Positions(Wanted);

impl Exporter for Positions {
    const NAME: &'static str = "positions";

    async fn columns(&self, _: &mut Tx) -> Result<Vec<String>> {
        Ok(NAMES.iter().map(|name| (*name).to_owned()).collect())
    }

    async fn rows(&self, tx: &mut Tx, sheet: &mut SheetWriter) -> Result<()> {
        positions::each(tx, &self.0, |row| sheet.row(&cells(row))).await
    }
}

/// In the order of [`NAMES`].
fn cells(row: &TableRow) -> [Cell<'_>; NAMES.len()] {
    [
        Cell::text(row.code.as_str()),
        Cell::maybe(row.parent_code.as_deref(), Cell::text),
        Cell::Boolean(row.owned),
        Cell::Boolean(row.available),
        Cell::Boolean(row.fixed),
        Cell::Boolean(row.disposable),
        Cell::maybe(row.allow_consumption, Cell::Boolean),
    ]
}
