mod csv;
mod feed;
mod xlsx;

use crate::{Cells, Kind, ReadError};
use feed::Feed;

/// A file has at most so many rows that are not empty, without its header.
pub const MOST_ROWS: u32 = 200_000;
const MOST_COLUMNS: usize = 1_000;
const MOST_CELL_BYTES: usize = 1024 * 1024;
/// Of all cells: a small XLSX can name one long text many times.
const MOST_TEXT_BYTES: usize = 128 * 1024 * 1024;

/// A column by what stands in the first row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Trimmed, and in lower case.
    pub name: String,
    /// Trimmed, in the letters of the file.
    pub written: String,
}

/// Takes the rows of a file one by one.
pub trait Rows {
    type Error: From<ReadError>;

    /// The columns in the order of the cells. Names may be empty or repeated: whoever takes them decides which of them mean
    /// anything.
    fn header(&mut self, columns: &[Column]) -> Result<(), Self::Error>;

    /// A row that is not empty, with its number as a spreadsheet shows it: the header is 1. A row of a CSV may have more
    /// cells than the header.
    fn row(&mut self, number: u32, cells: &Cells) -> Result<(), Self::Error>;
}

/// Reads a file of that kind to its end, or to the first error.
pub fn read<R: Rows>(kind: Kind, file: &[u8], rows: &mut R) -> Result<(), R::Error> {
    let mut feed = Feed::new(rows);
    match kind {
        Kind::Csv => csv::read(file, &mut feed)?,
        Kind::Xlsx => xlsx::read(file, &mut feed)?,
    }
    feed.finish()
}
