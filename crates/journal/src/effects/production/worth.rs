//! The values of batches, after something about them was set by hand.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::key::BatchKey;
use domain::production::{BatchValue, Books, Costs};
use store::production::batches::{self, Batch};
use store::production::sessions::{self, WorkSession};
use store::production::wip;

use crate::Result;
use crate::act::Act;

/// What the value of a batch is calculated from, besides its input.
pub(crate) fn costs<'a>(batch: &Batch, sessions: impl IntoIterator<Item = &'a WorkSession>) -> Costs {
    let work = sessions.into_iter().map(|session| (session.duration.unwrap_or(0), session.hourly_cost));
    Costs { unit_material_cost: batch.unit_material_cost, pass: batch.qt_pass, work: work.collect() }
}

/// Recalculates the values of these batches of one phase, and carries them on to their output and to everything made from
/// it.
pub(crate) async fn recalculate(act: &mut Act<'_>, changed: BTreeSet<BatchKey>) -> Result<()> {
    let (mut books, mut stored) = (Books::default(), HashMap::new());
    let mut wave: Vec<i64> = changed.into_iter().map(|key| key.0).collect();
    for place in 0.. {
        if wave.is_empty() {
            break;
        }
        wave = gather(act, &wave, place, &mut books, &mut stored).await?;
    }
    let before: HashMap<_, _> = books.output.iter().map(|row| (row.key, row.value)).collect();
    books.recalculate();
    for entry in &books.entries {
        if let Some(batch) = stored.get_mut(&entry.key).filter(|batch| batch.value != entry.value) {
            batch.value = entry.value;
            batches::save(act.tx, batch).await?;
        }
    }
    let changed = books.output.iter().filter(|row| before.get(&row.key) != Some(&row.value));
    let changed: Vec<_> = changed.map(|row| (row.key, row.value)).collect();
    Ok(wip::set_values(act.tx, &changed).await?)
}

/// Adds batches of one phase with their input and output. Returns the batches of the next phase that used it.
async fn gather(
    act: &mut Act<'_>,
    keys: &[i64],
    place: i64,
    books: &mut Books,
    stored: &mut HashMap<BatchKey, Batch>,
) -> Result<Vec<i64>> {
    let mut worked: HashMap<Option<BatchKey>, Vec<WorkSession>> = HashMap::new();
    for session in sessions::of_batches(act.tx, keys).await? {
        worked.entry(session.batch_key).or_default().push(session);
    }
    for batch in batches::counting(act.tx, keys).await? {
        let costs = costs(&batch, worked.get(&Some(batch.key)).into_iter().flatten());
        books.entries.push(BatchValue { key: batch.key, place, costs, value: batch.value });
        stored.insert(batch.key, batch);
    }
    // The output of the previous batches is already there.
    let known: HashSet<_> = books.output.iter().map(|row| row.key).collect();
    let used = wip::used_by(act.tx, keys).await?;
    books.output.extend(used.into_iter().filter(|row| !known.contains(&row.key)));
    let made = wip::made_by(act.tx, keys).await?;
    let users: BTreeSet<i64> = made.iter().filter_map(|row| row.used_by).map(|user| user.0).collect();
    books.output.extend(made);
    Ok(users.into_iter().collect())
}
