//! Stock against the completed movements, and against what must hold for every row of it.

use domain::key::{PositionKey, ProductKey, SerialKey};
use domain::warehouse::StockProblem;
use domain::{Quantity, Total};

use crate::row::{FromRow, Row, row_struct};
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::Value;
use crate::{Result, params};

/// What was compared, and what was found.
#[derive(Debug, Clone)]
pub struct Compared {
    pub stock_rows: i64,
    /// Completed ones.
    pub movements: i64,
    pub differences: Vec<Difference>,
    pub problems: Vec<Problem>,
}

impl Compared {
    pub fn is_right(&self) -> bool {
        self.differences.is_empty() && self.problems.is_empty()
    }
}

/// Where stock is not what the movements say.
#[derive(Debug, Clone)]
pub struct Difference {
    pub product_key: ProductKey,
    pub product_code: String,
    pub position_key: PositionKey,
    pub position_code: String,
    pub serial_key: Option<SerialKey>,
    /// None: more than a quantity can be.
    pub stock_quantity: Option<Quantity>,
    pub journal_quantity: Option<Quantity>,
}

impl FromRow for Difference {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            product_key: row.column()?,
            product_code: row.column()?,
            position_key: row.column()?,
            position_code: row.column()?,
            serial_key: row.column()?,
            stock_quantity: Total::from_millionths(row.sum()?).quantity(),
            journal_quantity: Total::from_millionths(row.sum()?).quantity(),
        })
    }
}

row_struct! {
    /// What is wrong with a row of stock, or with the marks of a product at a position.
    pub struct Problem {
        pub kind: StockProblem,
        pub product_key: ProductKey,
        pub position_key: PositionKey,
        pub serial_key: Option<SerialKey>,
    }
}

/// Compares all stock, or that of one product. The caller's transaction has to see one moment of both.
pub async fn compare(tx: &mut Tx, product: Option<&ProductKey>) -> Result<Compared> {
    let (of_product, params): (&str, Vec<Value>) = match product {
        Some(key) => (OF_PRODUCT, params![key].to_vec()),
        None => ("true", Vec::new()),
    };
    let statement = |text: &str| Sql::raw(text.replace("{of_product}", of_product));
    let mut counted: Vec<(i64, i64)> = tx.all_once(statement(COUNTS), &params).await?;
    let (stock_rows, movements) = counted.pop().unwrap_or_default();
    Ok(Compared {
        stock_rows,
        movements,
        differences: tx.all_once(statement(DIFFERENCES), &params).await?,
        problems: tx.all_once(statement(PROBLEMS), &params).await?,
    })
}

const OF_PRODUCT: &str = "product_id = (select product.id from product where product.key = $1)";

const COUNTS: &str = "select (select count(*) from stock where {of_product}),
        (select count(*) from movement where status = 'completed' and {of_product})";

/// Sums of many large quantities would not fit a column: millions of millionths, and what is left, are summed apart. The sums of what
/// stock and movements differ by tell whether there is a difference at all.
const DIFFERENCES: &str = "select product.key, product.code, position.key, position.code, compared.serial_key,
        compared.stock_millions, compared.stock_rest, compared.moved_millions, compared.moved_rest
    from (
        select entry.product_id, entry.position_key, entry.serial_key,
               cast(sum(entry.held / 1000000) as {int}) as stock_millions,
               cast(sum(entry.held % 1000000) as {int}) as stock_rest,
               cast(sum(entry.moved / 1000000) as {int}) as moved_millions,
               cast(sum(entry.moved % 1000000) as {int}) as moved_rest,
               cast(sum((entry.held - entry.moved) / 1000000) as {int}) as millions,
               cast(sum((entry.held - entry.moved) % 1000000) as {int}) as rest
        from (
            select product_id, position_key, serial_key, quantity as held, cast(0 as {int}) as moved
            from stock
            where {of_product}
            union all
            select product_id, from_key, serial_key, cast(0 as {int}), -qt_confirmed
            from movement
            where status = 'completed' and from_key <> to_key and from_key not in ('OUT', 'NULL')
            and product_id is not null and {of_product}
            union all
            select product_id, to_key, serial_key, cast(0 as {int}), qt_confirmed
            from movement
            where status = 'completed' and to_key not in ('OUT', 'NULL')
            and product_id is not null and {of_product}
        ) as entry
        group by entry.product_id, entry.position_key, entry.serial_key
    ) as compared
    join product on product.id = compared.product_id
    join position on position.key = compared.position_key
    where compared.rest % 1000000 <> 0 or compared.millions <> -(compared.rest / 1000000)
    order by product.code_folded, product.code, product.key, position.code_folded, position.code, position.key,
             compared.serial_key is null, compared.serial_key";

/// A mark is stale if nobody counts there, or if the session corrects nothing any more.
const PROBLEMS: &str = "select found.kind, product.key, found.position_key, found.serial_key
    from (
        select 1 as place, 'serial_in_two_positions' as kind, product_id, position_key, serial_key
        from stock
        where serial_key in (
            select serial_key from stock where serial_key is not null group by serial_key having count(*) > 1
        )
        and {of_product}
        union all
        select 2, 'serial_quantity', product_id, position_key, serial_key
        from stock
        where serial_key is not null and quantity <> 1000000 and {of_product}
        union all
        select 3, 'negative', product_id, position_key, serial_key
        from stock
        where quantity < 0 and not negative_allowed and {of_product}
        union all
        select 4, 'bad_position', product_id, position_key, serial_key
        from stock
        where position_key in (select position.key from position where position.deleted or position.key in ('OUT', 'NULL'))
        and {of_product}
        union all
        select 5, 'stale_flag', product_id, position_key, cast(null as {int})
        from stock_pair
        where (
            counting and not exists (
                select 1
                from count_record
                where count_record.product_id = stock_pair.product_id
                and count_record.position_key = stock_pair.position_key
                and count_record.status = 'started'
            )
            or locked and not exists (
                select 1
                from count_session
                where count_session.key = stock_pair.locked_by and count_session.status = 'processing'
            )
        )
        and {of_product}
    ) as found
    join product on product.id = found.product_id
    order by found.place, product.code_folded, product.code, product.key, found.position_key, found.serial_key is null,
             found.serial_key";
