//! What a request uses of the database: statements, which are counted, and memory for the rows it reads, which it has to ask for
//! row by row. Otherwise a few requests for large records could bring the service down.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Result;

/// Memory for rows.
pub trait Allowance: Send + Sync {
    /// Takes memory until the request ends. [`crate::StoreError::Large`] for what can never be had,
    /// [`crate::StoreError::Crowded`] for what others have right now.
    fn take(&self, bytes: usize) -> Result<()>;

    /// How much there is for all requests together.
    fn most(&self) -> usize;
}

/// Memory is taken in steps of so many bytes: rows are small, and there are many.
const STEP: usize = 4096;

/// The usage of one request, or of the background, which may read as much as it likes.
#[derive(Clone, Default)]
pub(crate) struct Usage {
    statements: Arc<AtomicU64>,
    allowance: Option<Arc<dyn Allowance>>,
    keep: Keep,
    /// The weight of the rows that the present statement has read.
    read: usize,
    /// How much of the allowance is taken for the rows of the present statement.
    taken: usize,
}

/// How long the rows of a statement stay in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Keep {
    /// To the answer, as in a read: the rows of all statements count.
    #[default]
    All,
    /// To the next statement, as in a change or an export: only the statement with the largest rows counts.
    Largest,
}

impl Usage {
    pub(crate) fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    #[must_use]
    pub(crate) fn with(&self, allowance: Arc<dyn Allowance>) -> Self {
        Self { allowance: Some(allowance), ..self.clone() }
    }

    #[must_use]
    pub(crate) fn keeping(&self, keep: Keep) -> Self {
        Self { keep, ..self.clone() }
    }

    pub(crate) fn count_statement(&mut self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.read = 0;
        if self.keep == Keep::All {
            self.taken = 0;
        }
    }

    /// How much memory there is for all requests together.
    pub(crate) fn memory(&self) -> usize {
        self.allowance.as_ref().map_or(usize::MAX, |allowance| allowance.most())
    }

    /// Takes memory for something else that stays until the answer.
    pub(crate) fn take_memory(&self, bytes: usize) -> Result<()> {
        self.allowance.as_ref().map_or(Ok(()), |allowance| allowance.take(bytes))
    }

    /// Takes memory for more of the rows of the present statement.
    pub(crate) fn take(&mut self, weight: usize) -> Result<()> {
        let Some(allowance) = &self.allowance else { return Ok(()) };
        self.read = self.read.saturating_add(weight);
        if self.read > self.taken {
            let more = (self.read - self.taken).max(STEP);
            allowance.take(more)?;
            self.taken += more;
        }
        Ok(())
    }
}
