use std::sync::{Arc, OnceLock};

/// A number of the journal. PostgreSQL gives it in one flight with the commit, so that nobody waits for it a moment longer than
/// the commit takes: then it is known when the transaction has ended.
#[derive(Debug, Clone, Default)]
pub struct Number(Arc<OnceLock<i64>>);

impl Number {
    pub(crate) fn set(&self, number: i64) {
        let _ = self.0.set(number);
    }

    pub fn get(&self) -> Option<i64> {
        self.0.get().copied()
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(Arc::new(number.into()))
    }
}
