//! Node numbers. Every running server holds one, so that keys made on different nodes never meet. With the number goes a
//! reserve of time: a holder makes no key beyond it, and the next holder starts behind it.

use domain::Timestamp;
use domain::key::{KeyMaker, KeysExhausted, NODES, PlaceMaker};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::lock::Lock;
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Db, Result, StoreError, params};

/// A number whose holder did not renew it for so long is free again.
const LEASE_MILLIS: i64 = 60_000;
/// How far ahead of the clock a holder may make keys: short, since keys of the next holder begin behind it.
const RESERVE_MILLIS: i64 = 10_000;

/// This server's number and key maker.
pub struct Node {
    holder: String,
    keys: Mutex<KeyMaker>,
    places: Mutex<PlaceMaker>,
    /// Told when keys run out before their time.
    low: Notify,
}

/// The database's own time, which is the time of all its nodes.
pub async fn time(db: &Db) -> Result<Timestamp> {
    db.glance(async |tx: &mut Tx| tx.one(sql!("select {now}"), &[]).await).await
}

impl Node {
    pub async fn take(db: &Db, holder: String, now: Timestamp) -> Result<Self> {
        let keys = Mutex::new(lease(db, holder.clone(), now).await?);
        Ok(Self { holder, keys, places: Mutex::default(), low: Notify::new() })
    }

    pub fn number(&self) -> i64 {
        self.keys.lock().node()
    }

    /// The name under which this server holds its number and its leases.
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// A new id for a record of any high-volume table.
    pub fn next_id(&self, now: Timestamp) -> Result<i64, KeysExhausted> {
        let mut keys = self.keys.lock();
        if keys.is_low(now.millis()) {
            self.low.notify_one();
        }
        keys.next(now.millis())
    }

    /// Waits until keys run out before their time, as after a clock was set forward: then they are to be renewed at once.
    pub async fn is_low(&self) {
        self.low.notified().await;
    }

    /// A place behind all others, for who sees the journal up to that number.
    pub fn next_place(&self, head: i64) -> i64 {
        self.places.lock().next(self.number(), head)
    }

    /// Keeps the number. If it was lost meanwhile, takes another. Either way something is written, so a success shows that the
    /// database takes writes; after one was refused, that there is room for more than a changed row, too.
    pub async fn renew(&self, db: &Db, now: Timestamp) -> Result<()> {
        let number = self.number();
        let reserve = now.millis() + RESERVE_MILLIS;
        let holder = self.holder.clone();
        let kept = db
            .write("renew node", async move |tx: &mut Tx| {
                tx.run(
                    sql!(
                        "update node
                         set lease_until = {now} + $3, reserved_until = case when reserved_until > $4 then reserved_until else $4 end
                         where number = $1 and holder = $2"
                    ),
                    &params![number, &holder, LEASE_MILLIS, reserve],
                )
                .await
            })
            .await?;
        if kept == 1 {
            self.keys.lock().extend(reserve);
        } else {
            let fresh = lease(db, self.holder.clone(), now).await?;
            *self.keys.lock() = fresh;
        }
        if db.write_refusal().is_none() || db.has_room().await.is_ok() {
            db.takes_writes();
        }
        Ok(())
    }

    /// Gives the number back at a clean stop, with what it did not use of its reserve.
    pub async fn release(&self, db: &Db) -> Result<()> {
        let used_until = self.keys.lock().close();
        let (number, holder) = (self.number(), self.holder.clone());
        db.write("release node", async move |tx: &mut Tx| {
            let sql = sql!(
                "update node set lease_until = 0, reserved_until = $3
                 where number = $1 and holder = $2 and reserved_until >= $3"
            );
            tx.run(sql, &params![number, &holder, used_until]).await.map(|_| ())
        })
        .await
    }
}

/// The last moment up to which any node may have made keys.
pub(crate) async fn reserved_until(tx: &mut Tx) -> Result<i64> {
    tx.one(sql!("select coalesce(max(reserved_until), 0) from node"), &[]).await
}

/// Has every node that will ever start begin behind that moment, whatever its number and its clock.
pub(crate) async fn start_all_after(tx: &mut Tx, reserved_until: i64) -> Result<()> {
    tx.run(
        sql!(
            "insert into node (number, holder, lease_until, reserved_until)
             with recursive numbers (number) as (
                 select cast(0 as {int})
                 union all
                 select number + 1 from numbers where number < $1
             )
             select number, '', 0, $2 from numbers"
        ),
        &params![NODES - 1, reserved_until],
    )
    .await
    .map(|_| ())
}

/// How many servers hold a number right now.
pub(crate) async fn running(tx: &mut Tx) -> Result<i64> {
    tx.one(sql!("select count(*) from node where lease_until >= {now}"), &[]).await
}

async fn lease(db: &Db, holder: String, now: Timestamp) -> Result<KeyMaker> {
    db.write("lease node", async move |tx: &mut Tx| {
        tx.lock(Lock::Node).await?;
        let free: Option<(i64, i64)> = tx
            .maybe(
                sql!("select number, reserved_until from node where lease_until < {now} order by number limit 1"),
                &[],
            )
            .await?;
        let (number, used_until) = match free {
            Some(found) => found,
            None => (tx.one::<i64>(sql!("select count(*) from node"), &[]).await?, 0),
        };
        if number >= NODES {
            return Err(StoreError::unavailable("all node numbers are taken"));
        }
        let from = now.millis().max(used_until + 1);
        let reserved_until = from + RESERVE_MILLIS;
        tx.run(
            sql!(
                "insert into node (number, holder, lease_until, reserved_until)
                 values ($1, $2, {now} + $3, $4)
                 on conflict (number) do update
                 set holder = excluded.holder, lease_until = excluded.lease_until, reserved_until = excluded.reserved_until"
            ),
            &params![number, &holder, LEASE_MILLIS, reserved_until],
        )
        .await?;
        Ok(KeyMaker::new(number, from, reserved_until))
    })
    .await
}
