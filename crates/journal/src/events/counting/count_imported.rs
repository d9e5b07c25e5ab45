use std::collections::BTreeMap;

use domain::counting::{Content, ImportMode};
use domain::key::CountSessionKey;
use domain::warehouse::stock::Pair;

use crate::Result;
use crate::act::Act;
use crate::effects::counting::finding::session;
use crate::effects::counting::importing::{ImportedCounts, import};
use crate::event::ServerEvent;
use crate::event::made::counting::CountImported;

/// Counts that come from a file.
#[derive(Debug)]
pub struct CountImport {
    pub session_key: CountSessionKey,
    pub mode: ImportMode,
    /// The name of the file.
    pub filename: String,
    /// How many rows it has.
    pub rows_total: u64,
    /// What was counted of each pair. Its serials are known, and of its product.
    pub counted: BTreeMap<Pair, Content>,
}

/// Takes counts from a file because an operation asks for it. The session has to be completed.
pub async fn import_counts(act: &mut Act<'_>, new: CountImport) -> Result<ImportedCounts> {
    let session = session(act, new.session_key).await?;
    let done = import(act, &session, new.mode, new.counted).await?;
    act.make(
        ServerEvent::CountImported.name(),
        &CountImported {
            count_session_key: session.key,
            import_mode: new.mode,
            filename: new.filename,
            rows_total: new.rows_total,
            rows_added: done.added,
            rows_discarded: done.discarded,
        },
    )?;
    Ok(done)
}
