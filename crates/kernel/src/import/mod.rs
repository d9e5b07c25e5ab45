//! Imports in two steps, for all that is imported: a dry run checks the rows of a file against the database and keeps a good
//! file for a day; executing it checks them again and writes them, in one transaction.
//!
//! An area implements [`Importer`] and calls [`run`] in its handler; everything else is here.

mod answer;
mod cell;
mod execute;
mod faults;
mod form;
mod read;
mod report;
mod table;
mod trial;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;
use tokio::sync::Semaphore;

pub use answer::Imported;
pub use cell::{boolean, quantity, yes_or_no};
pub use faults::{Faults, RowFaults};
pub use form::Form;
pub use table::{Heading, Row};

use crate::Result;
use crate::cx::Cx;
use crate::input::Upload;
use crate::receive::Receive;

/// A file has at most so many bytes.
const FILE_BYTES: u64 = 32 * 1024 * 1024;
/// So many files are in memory at once; the others wait where they are stored.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// How rows become records. Rows are read one by one without the database, then checked against it and written all at once,
/// so that thousands of them cost a few statements.
pub trait Importer: Send + Sync + 'static {
    /// A row as far as it can be understood by itself. What is at fault in it is left out, not the row: all its other faults
    /// are wanted as well.
    type Row: Send + Sync + 'static;
    /// What is to be written.
    type Plan: Send + 'static;
    /// What a clean dry run says besides the number of rows.
    type Counts: Serialize + JsonSchema + Send + 'static;
    /// The detail of the answer once it is written.
    type Detail: Serialize + JsonSchema + Send + 'static;

    /// What is imported, in one word: a file that was tried for one is not executed for another.
    const TARGET: &'static str;
    const COLUMNS: Columns;
    const MODES: Modes;
    /// Further fields of the form, all required.
    const FIELDS: &'static [&'static str] = &[];

    /// Reads one row. Runs beside the requests, with no database.
    fn read(&self, row: &Row<'_>, faults: &mut RowFaults<'_>) -> Self::Row;

    /// Takes the locks under which what is checked still holds when it is written. Not called in a dry run.
    fn lock(&self, tx: &mut Tx, import: &Import<Self::Row>) -> impl Future<Output = Result<()>> + Send {
        let _ = (tx, import);
        async { Ok(()) }
    }

    /// Checks all rows against the database and each other. It reads only.
    fn plan(
        &self,
        tx: &mut Tx,
        import: &Import<Self::Row>,
        faults: &mut Faults,
    ) -> impl Future<Output = Result<Self::Plan>> + Send;

    fn counts(&self, plan: &Self::Plan) -> Self::Counts;

    /// Writes what was planned in the same transaction, when no row is at fault.
    fn write(
        &self,
        tx: &mut Tx,
        import: &Import<Self::Row>,
        plan: Self::Plan,
    ) -> impl Future<Output = Result<Self::Detail>> + Send;
}

/// The columns of a file that mean something.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
    /// The beginnings of names that go on freely, such as `meta:`.
    pub prefixes: &'static [&'static str],
}

/// The values of `import_mode`.
#[derive(Debug, Clone, Copy)]
pub struct Modes {
    pub names: &'static [&'static str],
    /// The one that is meant when none is named; without it a dry run has to name one.
    pub default: Option<&'static str>,
}

/// A file that was read, and what is asked for it.
pub struct Import<R> {
    pub cx: Cx,
    pub mode: String,
    pub fields: BTreeMap<String, String>,
    pub filename: String,
    /// The columns of the file that mean something, in its order.
    pub columns: Vec<Heading>,
    /// With their numbers, counting the header as 1.
    pub rows: Vec<(u32, R)>,
}

/// The two steps of an import, as the form says which.
pub async fn run<I: Importer>(cx: Cx, importer: I, upload: Upload<Form<I>>) -> Result<Imported<I>> {
    let receive = Receive::many("file", 1, &form::fields::<I>()).at_most(FILE_BYTES);
    let (received, form) = receive.form(&cx, upload, form::read::<I>).await?;
    let uploaded = received.objects();
    let answer = match form::asked(received, form) {
        Ok(form::Asked::Trial(trial)) => return trial::run(cx, importer, trial).await,
        Ok(form::Asked::Execution(execution)) => execute::run(cx.clone(), importer, execution).await,
        Err(error) => Err(error),
    };
    for object in uploaded {
        cx.discard(&object).await;
    }
    answer
}
