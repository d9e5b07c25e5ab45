//! What was counted, as lists and tables show it.

use std::collections::HashMap;
use std::sync::LazyLock;

use domain::Quantity;
use domain::counting::{Blindness, CountRecord, RecordStatus, SessionStatus};
use domain::key::{
    CountAssignmentKey, CountRecordKey, CountSessionKey, MovementKey, PositionKey, ProductKey, SerialKey, UserKey,
};
use domain::product::TraceabilityLevel;

use crate::columns::Record;
use crate::row::{FromRow, Row, row_struct};
use crate::sql::{Page, Paged, Query, sql};
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// A record with what its product and position are called.
#[derive(Debug, Clone)]
pub struct RecordView {
    pub record: CountRecord,
    pub product_key: ProductKey,
    pub product_code: String,
    pub product_description: Option<String>,
    pub unit: String,
    pub traceability_level: Option<TraceabilityLevel>,
    pub cost_average: Option<Quantity>,
    pub position_code: String,
    pub position_deleted: bool,
    pub session_status: SessionStatus,
    /// What the session asks for.
    pub blind: Blindness,
}

impl FromRow for RecordView {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            record: CountRecord::from_row(row)?,
            product_key: row.column()?,
            product_code: row.column()?,
            product_description: row.column()?,
            unit: row.column()?,
            traceability_level: row.column()?,
            cost_average: row.column()?,
            position_code: row.column()?,
            position_deleted: row.column()?,
            session_status: row.column()?,
            blind: Blindness { quantities: row.column()?, serials: row.column()? },
        })
    }
}

const NAMES: &str = "product.key, product.code, product.description, product.unit, product.traceability_level,
    product.cost_average, position.code, position.deleted, count_session.status, count_session.blind_quantities,
    count_session.blind_serials";

/// By position and product, each by its code.
const BY_CODES: &str = "position.code_folded, position.code, product.code_folded, product.code, count_record.key";

/// Which records are wanted; each condition that is given narrows them.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub session_key: Option<CountSessionKey>,
    pub user_key: Option<UserKey>,
    pub assignment_key: Option<CountAssignmentKey>,
    pub product_key: Option<ProductKey>,
    pub position_key: Option<PositionKey>,
    pub without_started: bool,
    /// Confirmed ones neither.
    pub without_completed: bool,
    pub without_discarded: bool,
}

/// Up to so many records of a session are sorted. More are found position by position, in the order of the list.
const FEW: i64 = 5_000;

impl Wanted {
    fn statuses(&self) -> Vec<String> {
        let wanted = |status: &&RecordStatus| match status {
            RecordStatus::Started => !self.without_started,
            RecordStatus::Completed | RecordStatus::Confirmed => !self.without_completed,
            RecordStatus::Discarded => !self.without_discarded,
        };
        RecordStatus::ALL.iter().filter(wanted).map(|status| status.name().to_owned()).collect()
    }

    /// Whether little enough is wanted to begin with the records themselves.
    async fn is_narrow(&self, tx: &mut Tx) -> Result<bool> {
        if self.assignment_key.is_some() || self.product_key.is_some() || self.position_key.is_some() {
            return Ok(true);
        }
        let Some(session) = self.session_key else { return Ok(false) };
        let sql = sql!("select count(*) from (select 1 from count_record where session_key = $1 limit $2) as few");
        Ok(tx.one::<i64>(sql, &params![session, FEW + 1]).await? <= FEW)
    }

    fn select(&self, columns: &str, tables: &str) -> Query {
        let query = joined(columns, tables)
            .filter_if("count_record.session_key = {}", self.session_key)
            .filter_if("count_record.user_key = {}", self.user_key.as_ref())
            .filter_if(
                "count_record.assignment_key = {} and count_record.assignment_key is not null",
                self.assignment_key,
            )
            .filter_if(
                "count_record.product_id = (select named.id from product as named where named.key = {})",
                self.product_key.as_ref(),
            )
            .filter_if("count_record.position_key = {}", self.position_key.as_ref());
        let statuses = self.statuses();
        match statuses.len() == RecordStatus::ALL.len() {
            true => query,
            false => query.filter("count_record.status {in {}}", statuses),
        }
    }
}

/// Tables in the order in which they are read.
const RECORDS_FIRST: &str = "count_record cross join position cross join product cross join count_session";
const POSITIONS_FIRST: &str = "position cross join count_record cross join product cross join count_session";

fn joined(columns: &str, tables: &str) -> Query {
    Query::new(&format!("select {columns} from {tables}"))
        .only("position.key = count_record.position_key")
        .only("product.id = count_record.product_id")
        .only("count_session.key = count_record.session_key")
}

const KEY: &str = "count_record.key";
static VIEW: LazyLock<String> = LazyLock::new(|| format!("{}, {NAMES}", CountRecord::list()));

/// By position and product, each by its code. Finds the keys of a page first: only what is on the page is read as a whole.
pub async fn list(tx: &mut Tx, wanted: &Wanted, page: &Page) -> Result<Paged<RecordView>> {
    let tables = if wanted.is_narrow(tx).await? { RECORDS_FIRST } else { POSITIONS_FIRST };
    let found: Paged<CountRecordKey> = wanted.select(KEY, tables).page(tx, BY_CODES, page).await?;
    Ok(Paged { rows: in_order(tx, &found.rows).await?, total: found.total })
}

async fn in_order(tx: &mut Tx, keys: &[CountRecordKey]) -> Result<Vec<RecordView>> {
    let keys = keys.iter().map(|key| key.0).collect();
    joined(&VIEW, RECORDS_FIRST).in_order(tx, KEY, keys, |view: &RecordView| view.record.key.0).await
}

/// So many records are read as a whole at once.
const WHOLE_AT_ONCE: usize = 100;

/// Hands over all of them, one at a time, in the same order. Few are sorted by their keys; of many, the engines sort those of one
/// position after the other.
pub async fn each<E: From<StoreError>>(
    tx: &mut Tx,
    wanted: &Wanted,
    mut take: impl FnMut(RecordView) -> Result<(), E>,
) -> Result<(), E> {
    if !wanted.is_narrow(tx).await? {
        let (sql, params) = wanted.select(&VIEW, POSITIONS_FIRST).ordered(BY_CODES);
        return tx.each(sql, &params, |row| take(RecordView::from_row(row)?)).await;
    }
    let keys: Vec<CountRecordKey> = wanted.select(KEY, RECORDS_FIRST).all(tx, BY_CODES).await?;
    for some in keys.chunks(WHOLE_AT_ONCE) {
        in_order(tx, some).await?.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}

/// A page of a session with many records: a test looks whether the engines read it position by position.
pub fn first_page(session: CountSessionKey) -> (String, Vec<crate::Value>) {
    let wanted = Wanted { session_key: Some(session), ..Wanted::default() };
    let (sql, params) = wanted.select(KEY, POSITIONS_FIRST).ordered(BY_CODES);
    (format!("{} limit 500", sql.0), params)
}

row_struct! {
    /// A serial that stock had, or that was counted.
    pub struct SerialOfRecord {
        pub record_key: CountRecordKey,
        pub serial_key: SerialKey,
        pub serial_code: Option<String>,
        pub in_system: bool,
        pub counted: bool,
    }
}

/// So many records are asked for at once.
const AT_ONCE: usize = 5_000;

/// The serials of these records, by code, those without one last.
pub async fn serials_of(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<CountRecordKey, Vec<SerialOfRecord>>> {
    let mut found: HashMap<CountRecordKey, Vec<SerialOfRecord>> = HashMap::new();
    for some in keys.chunks(AT_ONCE) {
        let sql = sql!(
            "select count_serial.record_key, count_serial.serial_key, serial.code, count_serial.in_system,
                    count_serial.counted
             from count_serial
             left join serial on serial.key = count_serial.serial_key
             where count_serial.record_key {in $1}
             order by serial.code is null, serial.searched, serial.code, count_serial.serial_key"
        );
        for serial in tx.all::<SerialOfRecord>(sql, &params![some.to_vec()]).await? {
            found.entry(serial.record_key).or_default().push(serial);
        }
    }
    Ok(found)
}

/// The movements that have corrected stock by these records.
pub async fn movements_of(tx: &mut Tx, keys: &[i64]) -> Result<HashMap<CountRecordKey, Vec<MovementKey>>> {
    let mut found: HashMap<CountRecordKey, Vec<MovementKey>> = HashMap::new();
    for some in keys.chunks(AT_ONCE) {
        let sql = sql!(
            "select count_record_key, key
             from movement
             where count_record_key {in $1} and count_record_key is not null
             order by key"
        );
        for (record, movement) in tx.all::<(CountRecordKey, MovementKey)>(sql, &params![some.to_vec()]).await? {
            found.entry(record).or_default().push(movement);
        }
    }
    Ok(found)
}
