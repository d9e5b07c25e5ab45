//! The sessions that a bulk names, locked before its first row.

use std::collections::BTreeSet;

use domain::key::{CountSessionKey, NOBODY};
use store::counting::{assignments, records, sessions};

use crate::Result;
use crate::act::Act;

/// What rows name that belongs to counting sessions.
#[derive(Debug, Default)]
pub(crate) struct CountKeys {
    pub(crate) sessions: Vec<i64>,
    pub(crate) records: Vec<i64>,
    pub(crate) assignments: Vec<i64>,
}

/// How many records or assignments are read at once.
const AT_ONCE: usize = 1_000;

/// Locks all sessions that rows name, in the order of their keys. Without any it is only noted that sessions come before what the
/// rows lock.
pub(crate) async fn hold_sessions(act: &mut Act<'_>, named: CountKeys) -> Result<()> {
    let mut keys: BTreeSet<CountSessionKey> = named.sessions.into_iter().map(CountSessionKey).collect();
    for some in named.records.chunks(AT_ONCE) {
        keys.extend(records::find_all(act.tx, some).await?.iter().map(|record| record.session_key));
    }
    for some in named.assignments.chunks(AT_ONCE) {
        keys.extend(assignments::find_all(act.tx, some).await?.iter().map(|assignment| assignment.session_key));
    }
    if keys.is_empty() {
        keys.insert(CountSessionKey(NOBODY));
    }
    for key in keys {
        sessions::lock(act.tx, key).await?;
    }
    Ok(())
}
