use std::collections::HashMap;

use parking_lot::Mutex;
use tokio_postgres::{Client, Error, Statement};

/// Statements of one connection that stay prepared. Each costs the server memory, so the one that was used longest ago gives
/// way to a new one.
pub(super) struct Statements(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    statements: HashMap<Box<str>, (Statement, u64)>,
    uses: u64,
}

pub(super) const MOST: usize = 256;

impl Statements {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    pub(super) async fn prepare(&self, client: &Client, text: &str) -> Result<Statement, Error> {
        if let Some(known) = self.0.lock().get(text) {
            return Ok(known);
        }
        let statement = client.prepare(text).await?;
        self.0.lock().keep(text, statement.clone());
        Ok(statement)
    }
}

impl Kept {
    fn get(&mut self, text: &str) -> Option<Statement> {
        self.uses += 1;
        let (statement, used) = self.statements.get_mut(text)?;
        *used = self.uses;
        Some(statement.clone())
    }

    /// A statement that falls out is closed on the server as soon as nobody runs it any more.
    fn keep(&mut self, text: &str, statement: Statement) {
        if self.statements.len() >= MOST
            && let Some(oldest) =
                self.statements.iter().min_by_key(|(_, (_, used))| *used).map(|(text, _)| text.clone())
        {
            self.statements.remove(&oldest);
        }
        self.statements.insert(text.into(), (statement, self.uses));
    }
}
