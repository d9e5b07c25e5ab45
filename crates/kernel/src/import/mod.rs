//! Imports in two steps, the same for everything that is imported: a dry run checks the rows of a file against the database
//! and stores a file without faults for a day. Executing it checks the rows again and writes them, in one transaction.
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

/// Maximum size of a file, in bytes.
const FILE_BYTES: u64 = 32 * 1024 * 1024;
/// At most two files are in memory at once; others wait where they are stored.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// How rows become records. Rows are read one by one without the database, then checked against it and written all together,
/// so that thousands of them cost a few statements.
pub trait Importer: Send + Sync + 'static {
    /// A row as far as it can be understood by itself. A faulty cell is left out, but its row stays, so that all other
    /// faults are found too.
    type Row: Send + Sync + 'static;
    /// What is going to be written.
    type Plan: Send + 'static;
    /// What a dry run without faults reports besides the number of rows.
    type Counts: Serialize + JsonSchema + Send + 'static;
    /// The detail of the answer after writing.
    type Detail: Serialize + JsonSchema + Send + 'static;

    /// What is imported, in one word: a file of one dry run can't be executed as another kind of import.
    const TARGET: &'static str;
    const COLUMNS: Columns;
    const MODES: Modes;
    /// Additional fields of the form, all required.
    const FIELDS: &'static [&'static str] = &[];

    /// Reads one row. Runs off the request threads, without the database.
    fn read(&self, row: &Row<'_>, faults: &mut RowFaults<'_>) -> Self::Row;

    /// Takes the locks that keep what was checked valid until it is written. Not called in a dry run.
    fn lock(&self, tx: &mut Tx, import: &Import<Self::Row>) -> impl Future<Output = Result<()>> + Send {
        let _ = (tx, import);
        async { Ok(()) }
    }

    /// Checks all rows against the database and each other. Only reads.
    fn plan(
        &self,
        tx: &mut Tx,
        import: &Import<Self::Row>,
        faults: &mut Faults,
    ) -> impl Future<Output = Result<Self::Plan>> + Send;

    fn counts(&self, plan: &Self::Plan) -> Self::Counts;

    /// Writes the plan in the same transaction, if no row has a fault.
    fn write(
        &self,
        tx: &mut Tx,
        import: &Import<Self::Row>,
        plan: Self::Plan,
    ) -> impl Future<Output = Result<Self::Detail>> + Send;
}

/// The columns an import understands.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
    /// Prefixes of open-ended names, such as `meta:`.
    pub prefixes: &'static [&'static str],
}

/// The values of `import_mode`.
#[derive(Debug, Clone, Copy)]
pub struct Modes {
    pub names: &'static [&'static str],
    /// The mode if none is sent; without a default, a dry run has to name one.
    pub default: Option<&'static str>,
}

/// A parsed file, and the options it was sent with.
pub struct Import<R> {
    pub cx: Cx,
    pub mode: String,
    pub fields: BTreeMap<String, String>,
    pub filename: String,
    /// The understood columns, in the order of the file.
    pub columns: Vec<Heading>,
    /// With their row numbers, counting the header as 1.
    pub rows: Vec<(u32, R)>,
}

/// Runs the step of an import that the form asks for.
pub async fn run<I: Importer>(cx: Cx, importer: I, upload: Upload<Form<I>>) -> Result<Imported<I>> {
    let receive = Receive::many("file", 1, &form::fields::<I>()).at_most(FILE_BYTES);
    let (received, form) = receive.form(&cx, upload, form::read::<I>).await?;
    let uploaded = received.objects();
    let answer = match form::requested_step(received, form) {
        Ok(form::RequestedStep::Trial(trial)) => return trial::run(cx, importer, trial).await,
        Ok(form::RequestedStep::Execution(execution)) => execute::run(cx.clone(), importer, execution).await,
        Err(error) => Err(error),
    };
    for object in uploaded {
        cx.discard(&object).await;
    }
    answer
}
