//! What stock says of what is counted.

use std::collections::{BTreeSet, HashMap};

use domain::key::SerialKey;
use domain::serial::Serial;
use domain::warehouse::stock::{Mark, Pair};
use store::StoreError;
use store::counting::pairs::{self, StockOf};
use store::serial::serials;
use store::warehouse::stock;

use crate::Result;
use crate::act::Act;

/// What stock says of pairs that are locked; each of them is there.
pub(crate) async fn system_values(act: &mut Act<'_>, pairs: &BTreeSet<Pair>) -> Result<HashMap<Pair, StockOf>> {
    Ok(pairs::stock_of(act.tx, pairs).await?)
}

/// Pairs that are locked, and so are the serials that lie there.
#[derive(Debug)]
pub(crate) struct System {
    /// Of each pair.
    pub(crate) stock: HashMap<Pair, StockOf>,
    /// Which of them counts have marked.
    pub(crate) marks: HashMap<Pair, Mark>,
}

/// Locks serials: these, and those that lie at the pairs; then the pairs, which are counted with it. The positions are held.
pub(crate) async fn lock_system(
    act: &mut Act<'_>,
    wanted: &BTreeSet<Pair>,
    others: impl IntoIterator<Item = SerialKey>,
) -> Result<System> {
    let before = system_values(act, wanted).await?;
    let mut keys: BTreeSet<SerialKey> = others.into_iter().collect();
    keys.extend(before.values().flat_map(|stock| stock.content.serials.iter().copied()));
    lock_serials(act, &keys).await?;
    let marks = stock::lock_counted(act.tx, wanted, act.at).await?.marks;
    let stock = system_values(act, wanted).await?;
    if stock.values().any(|stock| !stock.content.serials.is_subset(&keys)) {
        return Err(StoreError::Stored("a serial came meanwhile".to_owned()).run_again().into());
    }
    Ok(System { stock, marks })
}

/// Locks serials; says which there are, deleted ones too.
pub(crate) async fn lock_serials(act: &mut Act<'_>, keys: &BTreeSet<SerialKey>) -> Result<HashMap<SerialKey, Serial>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let locked = serials::lock_all(act.tx, &keys).await?;
    Ok(locked.into_iter().map(|serial| (serial.key, serial)).collect())
}
