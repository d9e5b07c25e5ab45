//! Tables as people exchange them: CSV and XLSX, read and written row by row. Files come from anywhere, so reading stays
//! within limits however a file was made, and never panics.

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
pub enum FileKind {
    Csv,
    Xlsx,
}

impl FileKind {
    /// By the extension of a file's name.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, end) = name.rsplit_once('.')?;
        match end.to_ascii_lowercase().as_str() {
            "csv" => Some(FileKind::Csv),
            "xlsx" => Some(FileKind::Xlsx),
            _ => None,
        }
    }
}
