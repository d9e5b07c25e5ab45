//! Signs of life from the devices of operators. They come often, so each changes one row and takes no lock of its order.
//!
//! Silence is counted by a clock of its own that runs only while some node listens (`listening`): what nobody could hear, while
//! all nodes or the database were away or while somebody set a clock, is no silence. After such a gap everybody has all of the
//! time again that they may be silent for, so that devices can speak first.

use domain::Timestamp;
use domain::key::{JobKey, UserKey, UserSessionKey, WorkSessionKey};
use domain::process::PhaseParameters;

use crate::lock::Rows;
use crate::row::row_struct;
use crate::sql::{Query, sql};
use crate::tx::Tx;
use crate::{Result, params};

row_struct! {
    /// What a heartbeat has to know of its job.
    pub struct Pulse {
        pub active: bool,
        /// The running session of an active job.
        pub session: Option<WorkSessionKey>,
        pub last_online: Option<Timestamp>,
        /// When it was last online, by the clock of silence.
        pub heard: Option<Timestamp>,
        pub parameters: PhaseParameters,
    }
}

row_struct! {
    /// The clock by which silence is counted.
    pub struct Listening {
        pub time: Timestamp,
        /// When somebody began to listen after a gap.
        pub since: Timestamp,
    }
}

/// Whoever listens says so every second. When nobody did for so long, nobody was listening.
const GAP_MILLIS: i64 = 5_000;
/// When a node starts and nobody listened for so long, nobody was listening: its own absence is a gap unless another listens.
const GAP_AT_START_MILLIS: i64 = 2_500;

/// Somebody listens: the clock of silence goes on. The time is looked up while nobody else can say so: whoever said it late
/// would seem to have a clock that was set back.
pub async fn listen(tx: &mut Tx, now: impl FnOnce() -> Timestamp, starting: bool) -> Result<()> {
    let gap = if starting { GAP_AT_START_MILLIS } else { GAP_MILLIS };
    let _: Option<i64> = tx.maybe(sql!("select id from listening {lock}").locked(Rows::Listening), &[]).await?;
    tx.run(
        sql!(
            "insert into listening (id, time, since, seen) values (1, $1, $1, $1)
             on conflict (id) do update
             set time = listening.time
                     + case when excluded.seen - listening.seen between 0 and $2 then excluded.seen - listening.seen else 0 end,
                 since = case when abs(excluded.seen - listening.seen) <= $2 then listening.since else listening.time end,
                 seen = case when listening.seen - excluded.seen between 0 and $2 then listening.seen else excluded.seen end"
        ),
        &params![now(), gap],
    )
    .await
    .map(|_| ())
}

pub async fn listening(tx: &mut Tx) -> Result<Listening> {
    tx.one(sql!("select time, since from listening"), &[]).await
}

/// Whether anybody's silence would be noticed.
pub async fn any_watched(tx: &mut Tx) -> Result<bool> {
    tx.one(
        sql!(
            "select exists (
                 select 1 from job
                 where active and heartbeat_session = last_work_session_started and offline_at is not null
             )"
        ),
        &[],
    )
    .await
}

fn pulses(job: JobKey) -> Query {
    Query::new("select active, last_work_session_started, last_online, heard, parameters from job")
        .filter("key = {}", job)
}

pub async fn pulse(tx: &mut Tx, job: JobKey) -> Result<Option<Pulse>> {
    pulses(job).maybe(tx).await
}

/// The pulse of a job, which no heartbeat changes until the transaction ends.
pub async fn hold(tx: &mut Tx, job: JobKey) -> Result<Option<Pulse>> {
    pulses(job).locked(Rows::Job).maybe(tx).await
}

/// A sign of life of a session; from now on its silence is noticed. None when it runs no more.
pub async fn beat(
    tx: &mut Tx,
    job: JobKey,
    session: WorkSessionKey,
    now: Timestamp,
    may_be_silent_for: Option<i64>,
) -> Result<Option<Timestamp>> {
    tx.maybe(
        sql!(
            "update job
             set rev = rev + 1, heartbeat_session = $2,
                 heard = (select time from listening),
                 offline_at = (select time from listening) + cast($4 as {int}),
                 last_online = case when last_online > $3 then last_online else $3 end
             where key = $1 and active and last_work_session_started = $2
             returning last_online"
        ),
        &params![job, session, now, may_be_silent_for],
    )
    .await
}

/// A sign of life at a job that nobody is working on.
pub async fn touch(tx: &mut Tx, job: JobKey, now: Timestamp) -> Result<Option<Timestamp>> {
    tx.maybe(
        sql!(
            "update job
             set rev = rev + 1, last_online = case when last_online > $2 then last_online else $2 end
             where key = $1
             returning last_online"
        ),
        &params![job, now],
    )
    .await
}

row_struct! {
    /// A running session that has not been heard of for too long.
    pub struct Silent {
        pub job: JobKey,
        pub session: WorkSessionKey,
        pub user_key: UserKey,
        pub user_session_key: Option<UserSessionKey>,
    }
}

/// So many are looked at together.
pub const AT_ONCE: i64 = 100;

/// Sessions that have sent heartbeats and are silent now, the longest first.
pub async fn silent(tx: &mut Tx) -> Result<Vec<Silent>> {
    tx.all(
        sql!(
            "select job.key, work_session.key, work_session.user_key, work_session.user_session_key
             from job
             join work_session on work_session.key = job.last_work_session_started
             where job.active
               and job.heartbeat_session = job.last_work_session_started
               and job.offline_at <= (select time from listening)
             order by job.offline_at, job.key
             limit $1"
        ),
        &params![AT_ONCE],
    )
    .await
}

/// Locks the order of a job, unless somebody else has it: then that is no job that can be paused right now.
pub async fn try_lock_order(tx: &mut Tx, job: JobKey) -> Result<bool> {
    let locked: Option<i64> = tx
        .maybe(
            sql!(
                "select key from work_order
                 where key = (select work_order_key from job where job.key = $1)
                 {skip_locked}"
            )
            .locked(Rows::Order),
            &params![job],
        )
        .await?;
    Ok(locked.is_some())
}

/// The job was heard of meanwhile, or may be silent for longer by now.
pub async fn wait_longer(tx: &mut Tx, job: JobKey, offline_at: Option<Timestamp>) -> Result<()> {
    tx.run(sql!("update job set offline_at = $2 where key = $1"), &params![job, offline_at]).await.map(|_| ())
}
