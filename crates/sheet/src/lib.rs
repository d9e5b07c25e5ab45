//! Tables as people exchange them: CSV and XLSX, read and written row by row. Files come from anywhere, so reading keeps to
//! bounds however a file was made, and never panics.

mod cells;
mod error;
mod guard;
mod number;
mod read;
mod write;

pub use cells::Cells;
pub use error::{ReadError, WriteError};
pub use guard::{guard, unguard};
pub use read::{Column, MOST_ROWS, Rows, read};
pub use write::{Cell, Look, Writer};

/// The media type of a workbook.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Csv,
    Xlsx,
}

impl Kind {
    /// By the end of a file's name.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "csv" => Some(Kind::Csv),
            "xlsx" => Some(Kind::Xlsx),
            _ => None,
        }
    }
}
