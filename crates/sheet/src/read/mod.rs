mod csv;
mod feed;
mod xlsx;

use crate::{Cells, FileKind, ReadError};
use feed::Feed;

/// Maximum number of non-empty rows in a file, without its header.
pub const MOST_ROWS: u32 = 200_000;
const MOST_COLUMNS: usize = 1_000;
const MOST_CELL_BYTES: usize = 1024 * 1024;
/// For all cells together: a small XLSX can refer to one long text many times.
const MOST_TEXT_BYTES: usize = 128 * 1024 * 1024;

/// A column, by the text in the first row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Trimmed, and in lower case.
    pub name: String,
    /// Trimmed, with the case of the file.
    pub written: String,
}

/// Receives the rows of a file one by one.
pub trait Rows {
    type Error: From<ReadError>;

    /// The columns in the order of the cells. Names may be empty or repeated: the receiver decides which of them matter.
    fn header(&mut self, columns: &[Column]) -> Result<(), Self::Error>;

    /// A non-empty row, with its number as a spreadsheet shows it: the header is 1. A row of a CSV may have more cells than
    /// the header.
    fn row(&mut self, number: u32, cells: &Cells) -> Result<(), Self::Error>;
}

/// Reads a file of this kind to its end, or to the first error.
pub fn read<R: Rows>(kind: FileKind, file: &[u8], rows: &mut R) -> Result<(), R::Error> {
    let mut feed = Feed::new(rows);
    match kind {
        FileKind::Csv => csv::read(file, &mut feed)?,
        FileKind::Xlsx => xlsx::read(file, &mut feed)?,
    }
    feed.finish()
}
