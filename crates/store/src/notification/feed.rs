use domain::journal::Concerns;
use domain::key::EventKey;
use domain::notification::{Gathering, Happened, MOST_SINGLE, Portion, Told};

use crate::row::{FromRow, Row, row_struct};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, StoreError, params};

/// So many events are read at a time.
pub const PAGE: usize = 256;

/// In the order of the statements below.
impl FromRow for Happened {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            seq: row.column()?,
            key: row.column()?,
            event_type: row.column()?,
            user_key: row.column()?,
            timestamp: row.column()?,
            event_group: row.column()?,
            concerns: Concerns {
                job_key: row.column()?,
                phase_key: None,
                batch_key: row.column()?,
                work_order_key: row.column()?,
                product_key: row.column()?,
                serial_key: row.column()?,
                issue_key: row.column()?,
                task_key: row.column()?,
                movement_key: row.column()?,
            },
            payload: row.column()?,
        })
    }
}

row_struct! {
    /// Where the journal ends.
    pub struct End {
        /// The number of the last event that is stored; 0 before the first.
        pub seq: i64,
        /// The last block of the chain that has removed events; 0 before the first.
        pub removal: i64,
    }
}

/// One single statement.
pub async fn end(tx: &mut Tx) -> Result<End> {
    let sql = sql!(
        "select coalesce((select seq from journal_head), 0),
                coalesce(
                    (select removed_in from sealed_event where removed_in is not null order by removed_in desc limit 1),
                    0
                )"
    );
    tx.one(sql, &[]).await
}

/// Where to read from.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// What comes after this number is read.
    pub seq: i64,
    /// An event that could be read before.
    pub newest: i64,
    /// Whether it may be in the middle of a group that a client knows the beginning of.
    pub resumed: bool,
}

/// What is told of the next events, up to the end of a group; nothing is kept of them but messages.
pub async fn after(tx: &mut Tx, start: Start) -> Result<Portion<Told>> {
    let Start { seq, newest, resumed } = start;
    let mut reading = Reading::new(seq, resumed && next_is_bulk(tx, seq).await?);
    tx.each(
        sql!(
            "select seq, key, event_type, user_key, timestamp, event_group, job_key, batch_key, work_order_key, product_key,
                    serial_key, issue_key, task_key, movement_key, coalesce(shown, payload)
             from event
             where seq > $1
             order by seq
             limit $2"
        ),
        &params![seq, PAGE as i64],
        |row| reading.add(&Happened::from_row(row)?),
    )
    .await?;
    while let Some((group, last)) = reading.unfinished() {
        let before = reading.rows;
        tx.each(
            sql!(
                "select seq, key, event_type, user_key, timestamp, event_group, job_key, batch_key, work_order_key,
                        product_key, serial_key, issue_key, task_key, movement_key, coalesce(shown, payload)
                 from event
                 where event_group = $1 and seq > $2
                 order by seq
                 limit $3"
            ),
            &params![group, last, PAGE as i64],
            |row| reading.add(&Happened::from_row(row)?),
        )
        .await?;
        if reading.rows - before < PAGE {
            reading.end_group();
        }
    }
    Ok(reading.finish(newest))
}

/// Whether the next event belongs to a bulk.
async fn next_is_bulk(tx: &mut Tx, seq: i64) -> Result<bool> {
    let events: i64 = tx
        .one(
            sql!(
                "select count(*)
                 from (
                     select seq
                     from event
                     where event_group = (select event_group from event where seq > $1 order by seq limit 1)
                     limit $2
                 ) as beginning"
            ),
            &params![seq, MOST_SINGLE as i64 + 1],
        )
        .await?;
    Ok(events > MOST_SINGLE as i64)
}

/// Events on their way to messages.
struct Reading {
    portion: Portion<Told>,
    current: Option<Gathering>,
    rows: usize,
    first_is_bulk: bool,
}

impl Reading {
    fn new(seq: i64, first_is_bulk: bool) -> Self {
        let portion = Portion { told: Vec::new(), reached: seq };
        Self { portion, current: None, rows: 0, first_is_bulk }
    }

    fn add(&mut self, happened: &Happened) -> Result<(), StoreError> {
        self.rows += 1;
        let group = happened.event_group;
        if self.current.as_ref().is_some_and(|current| current.group() != group) {
            self.end_group();
        }
        let is_bulk = std::mem::take(&mut self.first_is_bulk);
        self.current.get_or_insert_with(|| Gathering::new(group, happened.seq, is_bulk)).add(happened);
        Ok(())
    }

    fn end_group(&mut self) {
        if let Some(group) = self.current.take() {
            self.portion.reached = group.last();
            self.portion.told.extend(group.finish());
        }
    }

    /// The group that has to be read on: a page has no room for anything else. A page is more than a bulk needs, so the rest of
    /// it takes no more memory.
    fn unfinished(&self) -> Option<(EventKey, i64)> {
        let whole = self.current.as_ref().filter(|group| self.rows >= PAGE && group.events() == self.rows);
        whole.map(|group| (group.group(), group.last()))
    }

    /// All that is told. The last group of a full page may go on behind it: the next page begins with it. What a page has room
    /// for and does not hold was removed.
    fn finish(mut self, newest: i64) -> Portion<Told> {
        if self.rows < PAGE {
            self.end_group();
            self.portion.reached = self.portion.reached.max(newest);
        }
        self.portion
    }
}
