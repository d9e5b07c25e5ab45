//! Time that was spent on tasks.

use domain::Timestamp;
use domain::key::{TaskKey, UserKey};

use crate::row::{FromRow, Row};
use crate::sql::sql;
use crate::tx::Tx;
use crate::{Result, params};

/// How long a user has worked on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    pub user_key: UserKey,
    pub millis: i128,
}

impl FromRow for Spent {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { user_key: row.column()?, millis: row.sum()? })
    }
}

/// The time of each user, by user; running sessions count up to now.
pub async fn spent(tx: &mut Tx, task: TaskKey, now: Timestamp) -> Result<Vec<Spent>> {
    let sql = sql!(
        "select user_key, cast(sum(millis / 1000000) as {int}), cast(sum(millis % 1000000) as {int})
         from (
             select user_key,
                    case when duration is not null then duration when started < $2 then $2 - started else 0 end as millis
             from work_session
             where task_key = $1 and task_key is not null and canceled is null
         ) as spent
         group by user_key
         order by user_key"
    );
    tx.all(sql, &params![task, now]).await
}

/// Whether time was recorded.
pub async fn is_recorded(tx: &mut Tx, task: TaskKey) -> Result<bool> {
    let sql = sql!(
        "select exists (
             select 1
             from work_session
             where task_key = $1 and task_key is not null and canceled is null and ended is not null
         )"
    );
    tx.one(sql, &params![task]).await
}
