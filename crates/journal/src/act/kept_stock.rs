//! Stock without serials that a bulk of movements keeps in memory: the next row sees it as the last one left it, and it is stored once
//! instead of after each row. Thousands of versions of one row in one transaction would take PostgreSQL minutes.

use std::collections::{BTreeSet, HashMap};

use domain::warehouse::stock::{Mark, Pair, Rewrite, Stock};
use store::warehouse::stock::Locked;

/// Maximum number of pairs in memory before they are stored and forgotten.
const MOST: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct KeptStock {
    pairs: HashMap<Pair, KeptPair>,
    /// The pairs the current row has changed, as it found them.
    found: Vec<(Pair, Option<Stock>)>,
}

/// A locked pair.
#[derive(Debug)]
struct KeptPair {
    mark: Option<Mark>,
    /// Its row as it is in the database.
    stored: Option<Stock>,
    /// As it is now.
    now: Option<Stock>,
}

impl KeptStock {
    /// Those of these pairs that are not in memory.
    pub(crate) fn unknown(&self, pairs: &BTreeSet<Pair>) -> BTreeSet<Pair> {
        pairs.iter().filter(|pair| !self.pairs.contains_key(*pair)).cloned().collect()
    }

    /// Keeps pairs that have just been locked.
    pub(crate) fn add(&mut self, pairs: BTreeSet<Pair>, locked: Locked) {
        let Locked { mut marks, rows } = locked;
        let mut rows: HashMap<Pair, Stock> = rows.into_iter().map(|row| (row.pair(), row)).collect();
        for pair in pairs {
            let row = rows.remove(&pair);
            let kept = KeptPair { mark: marks.remove(&pair), stored: row.clone(), now: row };
            self.pairs.insert(pair, kept);
        }
    }

    /// What is known of these pairs.
    pub(crate) fn of(&self, pairs: &BTreeSet<Pair>) -> Locked {
        let known = || pairs.iter().filter_map(|pair| Some((pair, self.pairs.get(pair)?)));
        let marks = known().filter_map(|(pair, kept)| Some((pair.clone(), kept.mark.clone()?))).collect();
        Locked { marks, rows: known().filter_map(|(_, kept)| kept.now.clone()).collect() }
    }

    /// Takes over what a row has made of stock; returns what it does not keep, which is that of serials.
    pub(crate) fn take(&mut self, rewrite: Rewrite) -> Rewrite {
        let Rewrite { removed, changed, made } = rewrite;
        let (removed, others): (Vec<_>, Vec<_>) = removed.into_iter().partition(|row| self.keeps(row));
        removed.iter().for_each(|row| self.set(row.pair(), None));
        let (changed, changed_others): (Vec<_>, Vec<_>) = changed.into_iter().partition(|row| self.keeps(row));
        let (made, made_others): (Vec<_>, Vec<_>) = made.into_iter().partition(|row| self.keeps(row));
        for row in changed.into_iter().chain(made) {
            self.set(row.pair(), Some(row));
        }
        Rewrite { removed: others, changed: changed_others, made: made_others }
    }

    fn keeps(&self, row: &Stock) -> bool {
        row.serial_key.is_none() && self.pairs.contains_key(&row.pair())
    }

    fn set(&mut self, pair: Pair, now: Option<Stock>) {
        if let Some(kept) = self.pairs.get_mut(&pair) {
            self.found.push((pair, std::mem::replace(&mut kept.now, now)));
        }
    }

    pub(crate) fn begin_row(&mut self) {
        self.found.clear();
    }

    /// Restores the stock of a refused row.
    pub(crate) fn undo_row(&mut self) {
        while let Some((pair, found)) = self.found.pop() {
            if let Some(kept) = self.pairs.get_mut(&pair) {
                kept.now = found;
            }
        }
    }

    /// What has to be stored; from then on it is.
    pub(crate) fn rewrite(&mut self) -> Rewrite {
        let mut rewrite = Rewrite::default();
        for kept in self.pairs.values_mut() {
            match (&kept.stored, &kept.now) {
                (None, Some(row)) => rewrite.made.push(row.clone()),
                (Some(row), None) => rewrite.removed.push(row.clone()),
                // It was emptied, and there is another one.
                (Some(old), Some(row)) if old.key != row.key => {
                    rewrite.removed.push(old.clone());
                    rewrite.made.push(row.clone());
                }
                (Some(old), Some(row)) if old != row => rewrite.changed.push(row.clone()),
                _ => {}
            }
            kept.stored.clone_from(&kept.now);
        }
        if self.pairs.len() > MOST {
            self.pairs.clear();
        }
        self.found.clear();
        rewrite
    }
}
