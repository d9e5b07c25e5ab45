//! Stock as it was, or as it would be with the corrections of a session.

use std::collections::HashMap;

use domain::Quantity;
use domain::collection::Collection;
use domain::counting::{AssignmentStatus, CountType, ScopeType, Snapshot, SnapshotType};
use domain::key::{CountSessionKey, PositionKey, ProductId, ProductKey, SerialKey, SnapshotKey};
use domain::warehouse::INSIDE;
use domain::warehouse::stock::Pair;

use super::assignments;
use crate::columns::{self, Record, columns};
use crate::row::row_struct;
use crate::sql::{Page, Paged, Query, Sql, sql};
use crate::tx::Tx;
use crate::value::Value;
use crate::warehouse::stock::rows_of;
use crate::{Result, params};

columns! {
    Snapshot in snapshot {
        key,
        rev,
        kind as type,
        session_key,
        taken,
        scope_type,
        target_keys,
        created_by,
    }
}

/// What a snapshot shows, besides everything that the session has counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub kind: ScopeType,
    /// Of the positions or products.
    pub target_keys: Vec<String>,
    /// Positions that are shown with everything below them.
    roots: Vec<String>,
    /// Positions that are shown without it.
    exact: Vec<String>,
    /// Only these products, in the own warehouse.
    products: Vec<i64>,
}

/// The scope of a session: its targets, or the own warehouse if it has none.
pub async fn scope_of(tx: &mut Tx, session: CountSessionKey) -> Result<Scope> {
    let mut targets = assignments::views_of_session(tx, session).await?;
    targets.sort_by(|one, other| one.target_key.cmp(&other.target_key));
    let kind = match targets.first().map(|target| target.target_type) {
        None => ScopeType::Full,
        Some(CountType::Position) => ScopeType::Positions,
        Some(CountType::Product) => ScopeType::Products,
    };
    let mut scope = Scope { kind, target_keys: Vec::new(), roots: Vec::new(), exact: Vec::new(), products: Vec::new() };
    match kind {
        ScopeType::Full => scope.roots.push(INSIDE.to_owned()),
        ScopeType::Products => {
            scope.roots.push(INSIDE.to_owned());
            let ids = assignments::of_session(tx, session).await?;
            let open = ids.iter().filter(|target| target.status != AssignmentStatus::Canceled);
            scope.products = open.filter_map(|target| target.product_id).map(|id| id.0).collect();
        }
        ScopeType::Positions => {
            for target in &targets {
                let keys = if target.include_children { &mut scope.roots } else { &mut scope.exact };
                keys.push(target.target_key.clone());
            }
        }
    }
    scope.target_keys = targets.into_iter().map(|target| target.target_key).collect();
    scope.target_keys.dedup();
    Ok(scope)
}

/// Takes a snapshot of stock: as it is, or with the corrections of the session, of which each pair has the newest.
pub async fn take(tx: &mut Tx, snapshot: &Snapshot, scope: &Scope) -> Result<()> {
    tx.changed(Collection::Snapshot, snapshot.key);
    columns::insert(tx, snapshot).await?;
    let (more, targets) = match scope.kind {
        ScopeType::Products => (OF_PRODUCTS, Value::from(scope.products.clone())),
        ScopeType::Full | ScopeType::Positions => (AT_POSITIONS, Value::from(scope.exact.clone())),
    };
    let params: [Value; 4] = [snapshot.key.into(), snapshot.session_key.into(), scope.roots.clone().into(), targets];
    let statement = |text: &str| {
        let text = text.replace("{within}", WITHIN).replace("{more}", more).replace("{differing}", DIFFERING);
        Sql::raw(text.replace("{newest}", NEWEST))
    };
    match snapshot.kind {
        SnapshotType::Actual => {
            tx.run(statement(ACTUAL), &params).await?;
        }
        SnapshotType::Virtual => {
            tx.run(statement(CORRECTED), &params).await?;
            tx.run(statement(STAYING), &params).await?;
            tx.run(statement(FOUND), &params[..2]).await?;
        }
    }
    Ok(())
}

/// Whether a row of stock is in the scope, or was counted. The scope is what is at or below some positions, and `{more}`.
const WITHIN: &str = "(
        stock.position_key in (
            with recursive inside (id) as (
                select position.key from position where position.key {in $3}
                union
                select next.child_key from {along inside position_link parent_key}
            )
            select inside.id from inside
        )
        {more}
        or exists (
            select 1
            from count_record
            where count_record.session_key = $2
            and count_record.position_key = stock.position_key
            and count_record.product_id = stock.product_id
            and count_record.status in ('completed', 'confirmed')
        )
    )";
/// What else is in the scope: what lies at these positions themselves.
const AT_POSITIONS: &str = "or stock.position_key {in $4}";
/// What narrows the scope: only these products.
const OF_PRODUCTS: &str = "and stock.product_id {in $4}";

const ACTUAL: &str = "insert into snapshot_row (snapshot_key, position_key, product_id, serial_key, quantity)
    select cast($1 as {int}), stock.position_key, stock.product_id, coalesce(stock.serial_key, -1), stock.quantity
    from stock
    where {within}";

/// The newest record of each pair.
const NEWEST: &str = "newest as (
        select live.key, live.position_key, live.product_id, live.system_qt, live.counted_qt
        from (
            select count_record.key, count_record.position_key, count_record.product_id, count_record.system_qt,
                   count_record.counted_qt,
                   row_number() over (
                       partition by count_record.position_key, count_record.product_id
                       order by count_record.system_at desc, count_record.key desc
                   ) as place
            from count_record
            where count_record.session_key = $2 and count_record.status in ('completed', 'confirmed')
        ) as live
        where live.place = 1
    )";
/// The serials in which these differ from what stock said, and that have not moved since.
const DIFFERING: &str = "differing as (
        select newest.position_key, newest.product_id, count_serial.serial_key, count_serial.counted
        from newest
        cross join count_serial
        where count_serial.record_key = newest.key and count_serial.in_system <> count_serial.counted
        and coalesce(count_serial.moves, 0) >= (
            select count(*)
            from movement
            where movement.serial_key = count_serial.serial_key and movement.serial_key is not null
            and movement.status = 'completed'
            and (movement.count_session_key is null or movement.count_session_key <> $2)
        )
    )";

/// What has no serial, corrected.
const CORRECTED: &str = "with {newest}
    insert into snapshot_row (snapshot_key, position_key, product_id, serial_key, quantity)
    select cast($1 as {int}), part.position_key, part.product_id, -1, cast(sum(part.quantity) as {int})
    from (
        select stock.position_key, stock.product_id, stock.quantity
        from stock
        where stock.serial_key is null and {within}
        union all
        select newest.position_key, newest.product_id,
               newest.counted_qt - newest.system_qt
               - 1000000 * (
                   select count(*) from count_serial where count_serial.record_key = newest.key and count_serial.counted
               )
               + 1000000 * (
                   select count(*) from count_serial where count_serial.record_key = newest.key and count_serial.in_system
               )
        from newest
    ) as part
    group by part.position_key, part.product_id
    having sum(part.quantity) <> 0";

/// Serials that stay where they are: those that were not missed there, nor found elsewhere.
const STAYING: &str = "with {newest}, {differing}
    insert into snapshot_row (snapshot_key, position_key, product_id, serial_key, quantity)
    select cast($1 as {int}), stock.position_key, stock.product_id, stock.serial_key, stock.quantity
    from stock
    left join differing on differing.serial_key = stock.serial_key
         and (
             differing.counted
             or (differing.position_key = stock.position_key and differing.product_id = stock.product_id)
         )
    where stock.serial_key is not null and differing.serial_key is null and {within}";

const FOUND: &str = "with {newest}, {differing}
    insert into snapshot_row (snapshot_key, position_key, product_id, serial_key, quantity)
    select cast($1 as {int}), differing.position_key, differing.product_id, differing.serial_key, 1000000
    from differing
    where differing.counted";

pub async fn find(tx: &mut Tx, key: SnapshotKey) -> Result<Option<Snapshot>> {
    Snapshot::select().filter("snapshot.key = {}", key).maybe(tx).await
}

/// Removes a snapshot that another takes the place of.
pub async fn remove(tx: &mut Tx, key: SnapshotKey) -> Result<()> {
    tx.changed(Collection::Snapshot, key);
    tx.run(sql!("delete from snapshot_row where snapshot_key = $1"), &params![key]).await?;
    tx.run(sql!("delete from snapshot where key = $1"), &params![key]).await.map(|_| ())
}

row_struct! {
    pub struct ItemRow {
        pub product_id: ProductId,
        pub product_key: ProductKey,
        pub product_code: String,
        pub position_key: PositionKey,
        pub position_code: String,
        pub quantity: Quantity,
    }
}

/// What a snapshot shows of a product at a position.
#[derive(Debug, Clone)]
pub struct SnapshotItem {
    pub product_key: ProductKey,
    pub product_code: String,
    pub position_key: PositionKey,
    pub position_code: String,
    /// Serials included.
    pub quantity: Quantity,
    pub serial_keys: Vec<SerialKey>,
}

/// By position and product, each by its code.
pub async fn items(tx: &mut Tx, key: SnapshotKey, page: &Page) -> Result<Paged<SnapshotItem>> {
    let found: Paged<ItemRow> = Query::new(
        "select snapshot_row.product_id, product.key, product.code, position.key, position.code,
                cast(sum(snapshot_row.quantity) as {int})
         from snapshot_row
         join position on position.key = snapshot_row.position_key
         join product on product.id = snapshot_row.product_id",
    )
    .filter("snapshot_row.snapshot_key = {}", key)
    .grouped(
        "snapshot_row.product_id, product.code_folded, product.code, product.key, position.code_folded, position.code,
         position.key",
    )
    .page(tx, "position.code_folded, position.code, position.key, product.code_folded, product.code, product.key", page)
    .await?;
    let mut serials = serials_of(tx, key, &found.rows).await?;
    let item = |row: ItemRow| {
        let ItemRow { product_id, product_key, product_code, position_key, position_code, quantity } = row;
        let pair = Pair { product_id, position_key: position_key.clone() };
        let serial_keys = serials.remove(&pair).unwrap_or_default();
        SnapshotItem { product_key, product_code, position_key, position_code, quantity, serial_keys }
    };
    Ok(Paged { rows: found.rows.into_iter().map(item).collect(), total: found.total })
}

async fn serials_of(tx: &mut Tx, key: SnapshotKey, items: &[ItemRow]) -> Result<HashMap<Pair, Vec<SerialKey>>> {
    let pair = |row: &ItemRow| Pair { product_id: row.product_id, position_key: row.position_key.clone() };
    let pairs: Vec<Pair> = items.iter().map(pair).collect();
    let sql = sql!(
        "select snapshot_row.product_id, snapshot_row.position_key, snapshot_row.serial_key
         from {rows $2 product_id position_key}
         cross join snapshot_row
         where snapshot_row.snapshot_key = $1
         and snapshot_row.position_key = listed.position_key
         and snapshot_row.product_id = cast(listed.product_id as {int})
         and snapshot_row.serial_key >= 0
         order by snapshot_row.serial_key"
    );
    let rows = rows_of(&pairs.iter().collect::<Vec<_>>());
    let mut serials: HashMap<Pair, Vec<SerialKey>> = HashMap::new();
    for (product_id, position_key, serial) in
        tx.all::<(ProductId, PositionKey, SerialKey)>(sql, &params![key, &rows]).await?
    {
        serials.entry(Pair { product_id, position_key }).or_default().push(serial);
    }
    Ok(serials)
}
