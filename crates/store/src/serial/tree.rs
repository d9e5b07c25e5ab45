//! What a serial consists of, and what it is part of.

use std::sync::LazyLock;

use domain::key::{LinkKey, ProductId, ProductKey, SerialKey, UserKey, WorkOrderKey};
use domain::serial::{Link, Parent, SerialState, Standing};
use domain::{Quantity, Timestamp};

use super::serials::IN_STOCK;
use crate::columns::Record;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Sql, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

/// The links from a serial up to the unit that nothing contains, nearest first: those that are active, or those that held at a
/// moment.
pub async fn above(tx: &mut Tx, key: SerialKey, as_of: Option<Timestamp>) -> Result<Vec<Link>> {
    let (text, mut params) = (&ABOVE[usize::from(as_of.is_some())], vec![Value::from(key)]);
    params.extend(as_of.map(Value::from));
    tx.all(Sql::from_literal(text.as_str()), &params).await
}

static ABOVE: LazyLock<[String; 2]> = LazyLock::new(|| [above_over("not {}.replaced"), above_over(HELD_THEN)]);

/// The statements that follow links to any depth: a test looks at how the engines carry them out.
pub fn deep_statements() -> impl Iterator<Item = &'static str> {
    ABOVE.iter().chain(BELOW.iter()).chain(BELOW_BATCH.iter()).map(String::as_str)
}

/// Begun and not ended at the moment of the second parameter, which no temporary link is; `{}` is the name of the table.
const HELD_THEN: &str = "{}.linked <= $2 and ({}.unlinked is null or {}.unlinked > $2)";

/// The statement over the links that fulfil a condition. SQLite takes the tables of a cross join in this order; else it would read all
/// links, once it knows how many there are.
fn above_over(condition: &str) -> String {
    format!(
        "with recursive up (link_key, id, level) as (
             select serial_link.key, serial_link.parent_key, cast(1 as {{int}})
             from serial_link
             where serial_link.child_key = $1 and {}
             union all
             select next.key, next.parent_key, up.level + 1
             from {{along up serial_link child_key}}
             where {}
         )
         select {} from up cross join serial_link where serial_link.key = up.link_key order by up.level",
        condition.replace("{}", "serial_link"),
        condition.replace("{}", "next"),
        Link::list()
    )
}

row_struct! {
    /// A link of a tree, with the serial it leads to.
    pub struct TreeRow {
        /// None: the batch at the top.
        pub parent_key: Option<SerialKey>,
        pub key: LinkKey,
        /// None: temporary.
        pub linked: Option<Timestamp>,
        pub unlinked: Option<Timestamp>,
        pub reason: Option<String>,
        pub child_key: SerialKey,
        pub code: Option<String>,
        pub product_id: ProductId,
        pub wo_key: Option<WorkOrderKey>,
        pub deleted: Option<Timestamp>,
        pub scrapped: Option<Timestamp>,
        pub released: Option<Timestamp>,
        /// Whether an active link leads to it today.
        pub used: bool,
        /// Whether it lies in the own warehouse; not told of what is used.
        pub in_stock: bool,
    }
}

impl TreeRow {
    pub fn state(&self) -> SerialState {
        let standing = Standing { used: self.used, in_stock: self.in_stock };
        SerialState::of(self.deleted, self.scrapped, self.released, self.code.is_some(), standing)
    }

    pub fn confirmed(&self) -> bool {
        self.linked.is_some()
    }

    pub fn replaced(&self) -> bool {
        self.unlinked.is_some()
    }

    /// Whether what is below it belongs to the tree.
    pub fn is_open(&self) -> bool {
        self.confirmed() && !self.replaced()
    }
}

/// All links below a serial or a batch, level by level, those of one parent side by side. Of replaced and temporary ones nothing
/// that is below them. With a moment, those that held then, as if they still did.
///
/// Each level is a statement of its own: a recursive one would look up every link twice, and keep a queue of its own.
pub async fn below(tx: &mut Tx, parent: Parent, as_of: Option<Timestamp>) -> Result<Vec<TreeRow>> {
    descend(tx, parent, as_of, TreeRow::is_open).await
}

/// All links below a serial, with what is below temporary ones too.
pub async fn below_active(tx: &mut Tx, key: SerialKey) -> Result<Vec<TreeRow>> {
    descend(tx, Parent::Serial(key), None, |row| !row.replaced()).await
}

async fn descend(
    tx: &mut Tx,
    parent: Parent,
    as_of: Option<Timestamp>,
    leads_on: fn(&TreeRow) -> bool,
) -> Result<Vec<TreeRow>> {
    let then = usize::from(as_of.is_some());
    let mut rows = match parent {
        Parent::Serial(key) => of_parents(tx, &BELOW[then], &[key.0], as_of).await?,
        Parent::Batch(key) => of_parents(tx, &BELOW_BATCH[then], &[key.0], as_of).await?,
    };
    let mut level = 0;
    while level < rows.len() {
        let mut parents: Vec<i64> =
            rows[level..].iter().filter(|row| leads_on(row)).map(|row| row.child_key.0).collect();
        parents.sort_unstable();
        level = rows.len();
        for some in parents.chunks(PARENTS) {
            rows.extend(of_parents(tx, &BELOW[then], some, as_of).await?);
        }
    }
    Ok(rows)
}

/// How many parents one statement asks for.
const PARENTS: usize = 5_000;

/// The links that start at these serials or batches, by parent.
async fn of_parents(
    tx: &mut Tx,
    text: &'static str,
    parents: &[i64],
    as_of: Option<Timestamp>,
) -> Result<Vec<TreeRow>> {
    let mut params = vec![Value::from(parents.to_vec())];
    params.extend(as_of.map(Value::from));
    let mut rows: Vec<TreeRow> = tx.all(Sql::from_literal(text), &params).await?;
    if as_of.is_some() {
        for row in &mut rows {
            (row.unlinked, row.reason) = (None, None);
        }
    }
    if !rows.is_sorted_by_key(|row| row.parent_key) {
        rows.sort_by_key(|row| row.parent_key);
    }
    Ok(rows)
}

/// The links of today, and those that held at a moment.
static BELOW: LazyLock<[String; 2]> =
    LazyLock::new(|| ["true", HELD_THEN].map(|condition| below_of("parent_key", condition)));
static BELOW_BATCH: LazyLock<[String; 2]> =
    LazyLock::new(|| ["true", HELD_THEN].map(|condition| below_of("parent_batch_key", condition)));

fn below_of(parent: &str, condition: &str) -> String {
    format!(
        "select {}
         from {{of-any serial_link {parent} $1}}
         cross join serial
         where serial_link.{parent} is not null and {} and serial.key = serial_link.child_key",
        *ROW,
        condition.replace("{}", "serial_link"),
    )
}

/// What a [`TreeRow`] is read from. Of most links, the index by parent has all that is asked for.
static ROW: LazyLock<String> = LazyLock::new(|| {
    format!(
        "serial_link.parent_key, serial_link.key, serial_link.linked, serial_link.unlinked,
         case when serial_link.unlinked is not null
              then (select same.reason from serial_link as same where same.key = serial_link.key) end,
         serial_link.child_key, serial.code, serial.product_id, serial.wo_key, serial.deleted, serial.scrapped,
         serial.released,
         case when serial_link.unlinked is not null
              then exists (select 1 from serial_link as other where other.child_key = serial.key and not other.replaced)
              else true end,
         case when serial_link.unlinked is not null then {IN_STOCK} else false end"
    )
});

/// A direct child, and who linked it.
#[derive(Debug, Clone)]
pub struct Child {
    pub row: TreeRow,
    pub linked_by: Option<UserKey>,
}

impl FromRow for Child {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { row: TreeRow::from_row(row)?, linked_by: row.column()? })
    }
}

/// All links that start at a serial, replaced and temporary ones too, with the serials they lead to.
pub async fn children(tx: &mut Tx, key: SerialKey) -> Result<Vec<Child>> {
    static SELECT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "select {}, serial_link.linked_by
             from serial_link
             join serial on serial.key = serial_link.child_key
             where serial_link.parent_key = $1 and serial_link.parent_key is not null",
            *ROW
        )
    });
    tx.all(Sql::from_literal(SELECT.as_str()), &params![key]).await
}

row_struct! {
    /// A line of a product's present bill of materials.
    pub struct NeedRow {
        pub product_id: ProductId,
        pub component_key: ProductKey,
        pub code: String,
        pub description: Option<String>,
        pub quantity: Quantity,
        /// Whether units of the component are traced.
        pub traced: bool,
    }
}

/// The lines of the present bills of materials of these products.
pub async fn needs_of_products(tx: &mut Tx, products: &[i64]) -> Result<Vec<NeedRow>> {
    if products.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(
        sql!(
            "select bom_line.product_id, component.key, component.code, component.description, bom_line.qt,
                    component.traceability_level is not null
             from bom_line
             join product as component on component.id = bom_line.component_id
             where bom_line.product_id {in $1}"
        ),
        &params![products.to_vec()],
    )
    .await
}
