use domain::Timestamp;
use domain::journal::seal::Reason;
use domain::key::UserKey;
use store::journal::seals::Which;
use store::journal::{events, seals};
use store::{Lock, Result, Tx};

use super::{add, prepare};

/// Who removes events, and when.
#[derive(Debug, Clone)]
pub struct Remover {
    pub user_key: UserKey,
    pub now: Timestamp,
}

/// Removes events and leaves an entry in the chain that says which. Returns their number. The caller holds the gate, so that
/// no event is stored in the meantime.
pub async fn remove(tx: &mut Tx, which: Which, by: &Remover) -> Result<u64> {
    tx.lock(Lock::Seal).await?;
    while let Some(prepared) = prepare(tx, by.now).await? {
        add(tx, &prepared).await?;
    }
    let head = seals::head(tx).await?;
    let block = head.block + 1;
    let span = seals::mark_removed(tx, which, block).await?;
    let mut entry = head.seal_removal(by.now, span, by.user_key.clone(), reason(which));
    seals::each_removed(tx, block, |sealed| entry.add(sealed.seq, &sealed.digest)).await?;
    seals::insert(tx, &entry.seal()).await?;
    let count = match which {
        Which::All => events::remove_all(tx).await?,
        Which::OfWorkOrder(order) => events::remove_of_work_order(tx, order).await?,
    };
    tx.changed_unnamed(count);
    Ok(count)
}

fn reason(which: Which) -> Reason {
    match which {
        Which::All => Reason::ResetProd,
        Which::OfWorkOrder(_) => Reason::ForceDeleteWorkOrder,
    }
}
