//! What a recall reads: suspects, everything above them, and where that is.

use std::sync::LazyLock;

use domain::Timestamp;
use domain::key::{BatchKey, IdSet, MovementKey, PositionKey, ProductId, ProductKey, SerialKey, WorkOrderKey};
use domain::search::Pattern;
use domain::serial::{Parent, SerialState, Standing};
use domain::trace::Hop;

use super::search::with_code;
use super::serials::INSIDE;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Query, Sql, sql};
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// Which serials are suspects: those that fit everything that is given.
#[derive(Debug, Clone, Default)]
pub struct Suspected {
    pub product_key: Option<ProductKey>,
    pub code: Option<Pattern>,
    /// The order that makes them.
    pub wo_key: Option<WorkOrderKey>,
    /// The batch that works or worked on them, or contains them.
    pub batch_key: Option<BatchKey>,
    /// Whether what the batch contained once counts as well.
    pub ended_too: bool,
}

impl Suspected {
    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.product_key.is_none() && self.code.is_none() && self.wo_key.is_none() && self.batch_key.is_none()
    }
}

const OF_BATCH: &str = "serial.key in (
    select batch_serial.serial_key from batch_serial where batch_serial.batch_key = {}
    union
    select serial_link.child_key
    from serial_link
    where serial_link.parent_batch_key = {} and serial_link.parent_batch_key is not null and not serial_link.replaced)";

const EVER_OF_BATCH: &str = "serial.key in (
    select batch_serial.serial_key from batch_serial where batch_serial.batch_key = {}
    union
    select serial_link.child_key
    from serial_link
    where serial_link.parent_batch_key = {} and serial_link.parent_batch_key is not null)";

/// The live serials that are suspects, in no order: sorting them here would tempt an engine to read all serials by key.
pub async fn suspects(tx: &mut Tx, wanted: &Suspected) -> Result<Vec<SerialKey>> {
    let mut query = Query::new("select serial.key from serial").only("serial.deleted is null");
    if let Some(pattern) = &wanted.code {
        query = with_code(query.only("serial.code is not null"), pattern);
    }
    let of_batch = if wanted.ended_too { EVER_OF_BATCH } else { OF_BATCH };
    query = query
        .filter_if("serial.product_id = (select id from product where key = {})", wanted.product_key.as_ref())
        .filter_if("serial.wo_key = {} and serial.wo_key is not null", wanted.wo_key)
        .filter_if(of_batch, wanted.batch_key);
    let (sql, params) = query.parts();
    tx.all_once(sql, &params).await
}

impl FromRow for Hop {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let child = row.column()?;
        let serial = row.column::<Option<SerialKey>>()?.map(Parent::Serial);
        let parent = row.column::<Option<BatchKey>>()?.map(Parent::Batch).or(serial);
        let parent = parent.ok_or_else(|| StoreError::Stored("a link has no parent".to_owned()))?;
        Ok(Self { parent, child, linked: row.column()?, unlinked: row.column()? })
    }
}

/// How many serials one statement asks for.
const AT_ONCE: usize = 5_000;
/// What a link, and the unit above it, take until the answer, wherever they are kept.
const LINK_BYTES: usize = 400;

/// All links above these serials, up to the outermost units: those that have not ended, or all that there ever were.
///
/// Reads less of each than [`super::trace::above`]: there may be a hundred thousand suspects.
pub async fn above(tx: &mut Tx, serials: &[SerialKey], ended_too: bool) -> Result<Vec<Hop>> {
    let mut hops: Vec<Hop> = Vec::new();
    let mut known: IdSet<i64> = serials.iter().map(|key| key.0).collect();
    let mut level: Vec<i64> = known.iter().copied().collect();
    while !level.is_empty() {
        level.sort_unstable();
        let below = hops.len();
        for some in level.chunks(AT_ONCE) {
            let found: Vec<Hop> =
                tx.all(Sql::from_literal(ABOVE[usize::from(ended_too)]), &params![some.to_vec()]).await?;
            tx.take_memory(found.len() * LINK_BYTES)?;
            hops.extend(found);
        }
        let parents = hops[below..].iter().filter_map(|hop| match hop.parent {
            Parent::Serial(key) => Some(key.0),
            Parent::Batch(_) => None,
        });
        level = parents.filter(|key| known.insert(*key)).collect();
    }
    Ok(hops)
}

/// The statements of [`above`]: a test looks at how the engines carry them out.
pub fn statements() -> impl Iterator<Item = &'static str> {
    ABOVE.into_iter()
}

/// Links that have not ended, and all links.
const ABOVE: [&str; 2] = [
    "select serial_link.child_key, serial_link.parent_key, serial_link.parent_batch_key, serial_link.linked,
            serial_link.unlinked
     from {of-any serial_link child_key $1}
     where not serial_link.replaced",
    "select serial_link.child_key, serial_link.parent_key, serial_link.parent_batch_key, serial_link.linked,
            serial_link.unlinked
     from {of-any serial_link child_key $1}",
];

row_struct! {
    /// What a serial is listed by.
    pub struct Listed {
        pub key: SerialKey,
        pub product_id: ProductId,
        pub code: Option<String>,
        /// The folded code.
        pub searched: String,
    }
}

/// Those of these serials that were not deleted.
pub async fn listed(tx: &mut Tx, keys: &[i64]) -> Result<Vec<Listed>> {
    let sql = sql!(
        "select serial.key, serial.product_id, serial.code, serial.searched
         from serial
         where serial.key {in $1} and serial.deleted is null"
    );
    tx.all(sql, &params![keys.to_vec()]).await
}

row_struct! {
    /// What a recall shows of a serial.
    pub struct SerialRow {
        pub key: SerialKey,
        pub code: Option<String>,
        pub product_id: ProductId,
        pub deleted: Option<Timestamp>,
        pub scrapped: Option<Timestamp>,
        pub released: Option<Timestamp>,
        pub wo_key: Option<WorkOrderKey>,
        pub wo_code: Option<String>,
        pub project_code: Option<String>,
        /// It lies in the own warehouse.
        pub in_stock: bool,
        /// The position that holds it, in the own warehouse or outside.
        pub position_key: Option<PositionKey>,
        pub position_code: Option<String>,
        /// The last completed movement that was not taken back, nor takes another back.
        pub movement_key: Option<MovementKey>,
    }
}

impl SerialRow {
    /// `used` says whether an active link leads to it, as [`above`] tells.
    pub fn state(&self, used: bool) -> SerialState {
        let standing = Standing { used, in_stock: self.in_stock };
        SerialState::of(self.deleted, self.scrapped, self.released, self.code.is_some(), standing)
    }
}

/// These serials, deleted ones too.
pub async fn serials(tx: &mut Tx, keys: &[i64]) -> Result<Vec<SerialRow>> {
    static SELECT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "select serial.key, serial.code, serial.product_id, serial.deleted, serial.scrapped, serial.released,
                    serial.wo_key, work_order.wo_code, work_order.project_code,
                    case when stock.position_key is not null then {INSIDE} else false end,
                    stock.position_key, position.code, {LAST_MOVEMENT}
             from serial
             left join work_order on work_order.key = serial.wo_key
             left join stock on stock.serial_key = serial.key and stock.serial_key is not null
             left join position on position.key = stock.position_key
             where serial.key {{in $1}}"
        )
    });
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(Sql::from_literal(SELECT.as_str()), &params![keys.to_vec()]).await
}

const LAST_MOVEMENT: &str = "(
    select movement.key
    from movement
    where movement.serial_key = serial.key and movement.serial_key is not null and movement.status = 'completed'
    and movement.type <> 'reversal' and movement.inverse_movement_key is null
    order by movement.end_at desc, movement.start_at desc, movement.key desc
    limit 1
)";

row_struct! {
    /// What a recall shows of a batch.
    pub struct BatchRow {
        pub key: BatchKey,
        pub product_id: ProductId,
        pub wo_key: WorkOrderKey,
        pub wo_code: String,
        pub project_code: Option<String>,
    }
}

pub async fn batches(tx: &mut Tx, keys: &[i64]) -> Result<Vec<BatchRow>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sql = sql!(
        "select batch.key, work_order.product_id, work_order.key, work_order.wo_code, work_order.project_code
         from batch
         join work_order on work_order.key = batch.work_order_key
         where batch.key {in $1}"
    );
    tx.all(sql, &params![keys.to_vec()]).await
}
