//! Links from a set of serials, one level up or down: what trace and recall walk along. What a trace shows of the units and batches
//! that it finds.

use std::collections::HashMap;
use std::sync::LazyLock;

use domain::Timestamp;
use domain::key::{BatchKey, LinkKey, ProductId, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::serial::{Parent, SerialState, Standing};

use super::serials::{IN_STOCK, USED};
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, StoreError, params};

/// A link between two nodes of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceLink {
    pub key: LinkKey,
    pub parent: Parent,
    pub child_key: SerialKey,
    pub component_key: ProductKey,
    pub confirmed: bool,
    pub replaced: bool,
    /// None: temporary.
    pub linked: Option<Timestamp>,
    pub linked_by: Option<UserKey>,
    pub unlinked: Option<Timestamp>,
    pub reason: Option<String>,
}

impl FromRow for TraceLink {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let key = row.column()?;
        let parent = row.column::<Option<SerialKey>>()?.map(Parent::Serial);
        let parent = row.column::<Option<_>>()?.map(Parent::Batch).or(parent);
        Ok(Self {
            key,
            parent: parent.ok_or_else(|| StoreError::Stored("a link has no parent".to_owned()))?,
            child_key: row.column()?,
            component_key: row.column()?,
            confirmed: row.column()?,
            replaced: row.column()?,
            linked: row.column()?,
            linked_by: row.column()?,
            unlinked: row.column()?,
            reason: row.column()?,
        })
    }
}

/// Which links count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that have not ended, temporary ones too.
    Active,
    /// Those that held at this moment, shown as if they still did.
    AsOf(Timestamp),
    /// All that there are, temporary ones too.
    Ever,
}

impl Which {
    fn place(self) -> usize {
        match self {
            Which::Active => 0,
            Which::AsOf(_) => 1,
            Which::Ever => 2,
        }
    }
}

/// The links whose child is one of these serials, by child.
pub async fn above(tx: &mut Tx, children: &[i64], which: Which) -> Result<Vec<TraceLink>> {
    let mut links = read(tx, &ABOVE[which.place()], children, which, None).await?;
    links.sort_unstable_by_key(|link| (link.child_key, link.key));
    Ok(links)
}

/// The links whose parent is one of these serials, by parent.
pub async fn below(tx: &mut Tx, parents: &[i64], which: Which) -> Result<Vec<TraceLink>> {
    let mut links = read(tx, &BELOW[which.place()], parents, which, None).await?;
    links.sort_unstable_by_key(|link| (serial_of(link.parent), link.key));
    Ok(links)
}

/// The same, but no more of them than so many: those of the first parents, with the first children. Of [`Which::Ever`] all, since
/// several may lead to one child.
pub async fn below_at_most(tx: &mut Tx, parents: &[i64], which: Which, most: usize) -> Result<Vec<TraceLink>> {
    let Some(text) = BELOW_AT_MOST.get(which.place()) else { return below(tx, parents, which).await };
    let mut parents = parents.to_vec();
    parents.sort_unstable();
    let mut links = read(tx, text, &parents, which, Some(most)).await?;
    links.sort_unstable_by_key(|link| (serial_of(link.parent), link.key));
    Ok(links)
}

fn serial_of(parent: Parent) -> Option<SerialKey> {
    match parent {
        Parent::Serial(key) => Some(key),
        Parent::Batch(_) => None,
    }
}

/// How many serials one statement asks for.
const KEYS: usize = 5_000;

async fn read(
    tx: &mut Tx,
    text: &'static str,
    keys: &[i64],
    which: Which,
    most: Option<usize>,
) -> Result<Vec<TraceLink>> {
    let mut links: Vec<TraceLink> = Vec::new();
    for some in keys.chunks(KEYS) {
        let left = most.map(|most| most.saturating_sub(links.len()) as i64);
        if left == Some(0) {
            break;
        }
        let mut params = vec![Value::from(some.to_vec())];
        if let Which::AsOf(moment) = which {
            params.push(Value::from(moment));
        }
        params.extend(left.map(Value::from));
        links.extend(tx.all::<TraceLink>(Sql::from_literal(text), &params).await?);
    }
    if let Which::AsOf(_) = which {
        for link in &mut links {
            (link.replaced, link.unlinked, link.reason) = (false, None, None);
        }
    }
    Ok(links)
}

/// The statements of a walk, and those of the units it finds: a test looks at how the engines carry them out.
pub fn statements() -> impl Iterator<Item = &'static str> {
    let walked = ABOVE.iter().chain(BELOW.iter()).chain(BELOW_AT_MOST.iter());
    walked.map(String::as_str).chain([UNITS, STANDINGS.as_str()])
}

/// In the order of [`Which::place`].
static ABOVE: LazyLock<[String; 3]> = LazyLock::new(|| CONDITIONS.map(|condition| links_of("child_key", condition)));
static BELOW: LazyLock<[String; 3]> = LazyLock::new(|| CONDITIONS.map(|condition| links_of("parent_key", condition)));
static BELOW_AT_MOST: LazyLock<[String; 2]> = LazyLock::new(|| {
    [(0, "$2"), (1, "$3")].map(|(place, most)| {
        let order = "serial_link.parent_key, serial_link.child_key";
        format!("{}\norder by {order}\nlimit {most}", BELOW[place])
    })
});

/// No temporary link held at any moment of the past.
const CONDITIONS: [&str; 3] = [
    "not serial_link.replaced",
    "serial_link.linked <= $2 and (serial_link.unlinked is null or serial_link.unlinked > $2)",
    "true",
];

fn links_of(end: &str, condition: &str) -> String {
    format!(
        "select serial_link.key, serial_link.parent_key, serial_link.parent_batch_key, serial_link.child_key,
                serial_link.component_key, serial_link.confirmed, serial_link.replaced, serial_link.linked,
                serial_link.linked_by, serial_link.unlinked, serial_link.reason
         from {{of-any serial_link {end} $1}}
         where serial_link.{end} is not null and {condition}"
    )
}

row_struct! {
    /// What a trace shows of a serial.
    pub struct TraceUnit {
        pub key: SerialKey,
        pub code: Option<String>,
        pub product_id: ProductId,
        pub wo_key: Option<WorkOrderKey>,
        pub deleted: Option<Timestamp>,
        pub scrapped: Option<Timestamp>,
        pub released: Option<Timestamp>,
    }
}

impl TraceUnit {
    pub fn state(&self, standing: Standing) -> SerialState {
        SerialState::of(self.deleted, self.scrapped, self.released, self.code.is_some(), standing)
    }
}

const UNITS: &str =
    "select serial.key, serial.code, serial.product_id, serial.wo_key, serial.deleted, serial.scrapped, serial.released
     from {of-any serial key $1}";
static STANDINGS: LazyLock<String> =
    LazyLock::new(|| format!("select serial.key, {USED}, {IN_STOCK} from {{of-any serial key $1}}"));

/// Those of these serials that there are; deleted ones too.
pub async fn units(tx: &mut Tx, keys: &[i64]) -> Result<Vec<TraceUnit>> {
    of_serials(tx, UNITS, keys).await
}

/// Whether these serials are used today, or lie in the own warehouse.
pub async fn standings(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<SerialKey, Standing>> {
    let rows: Vec<(SerialKey, bool, bool)> = of_serials(tx, &STANDINGS, keys).await?;
    Ok(rows.into_iter().map(|(key, used, in_stock)| (key, Standing { used, in_stock })).collect())
}

async fn of_serials<T: FromRow>(tx: &mut Tx, text: &'static str, keys: &[i64]) -> Result<Vec<T>> {
    let mut rows = Vec::with_capacity(keys.len());
    for some in keys.chunks(KEYS) {
        rows.extend(tx.all::<T>(Sql::from_literal(text), &params![some.to_vec()]).await?);
    }
    Ok(rows)
}

row_struct! {
    /// What a trace shows of a batch.
    pub struct TraceBatch {
        pub key: BatchKey,
        pub wo_key: WorkOrderKey,
        /// What the order makes.
        pub product_id: ProductId,
    }
}

/// Those of these batches that there are.
pub async fn batches(tx: &mut Tx, keys: &[i64]) -> Result<Vec<TraceBatch>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sql = sql!(
        "select batch.key, batch.work_order_key, work_order.product_id
         from batch
         join work_order on work_order.key = batch.work_order_key
         where batch.key {in $1}"
    );
    tx.all(sql, &params![keys.to_vec()]).await
}
