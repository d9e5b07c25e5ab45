use std::io;

use thiserror::Error;

/// Why a file can't be read: a sentence for the person who sent it.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    #[error("{0}")]
    Unreadable(String),
    #[error("The file has no rows below its header.")]
    NoRows,
    #[error("The file has more than {0} rows.")]
    TooManyRows(u32),
    #[error("{0}")]
    TooLarge(String),
}

impl ReadError {
    pub(crate) fn unreadable(why: impl Into<String>) -> Self {
        ReadError::Unreadable(why.into())
    }
}

#[derive(Debug, Error)]
pub enum WriteError {
    #[error("Row {row} has a cell of more than 32,767 characters, which XLSX can't hold: use CSV.")]
    LongCell { row: u32 },
    #[error("XLSX holds at most 1,048,576 rows and 16,384 columns: use CSV.")]
    LargeSheet,
    #[error("the table can't be written")]
    Io(#[from] io::Error),
}
