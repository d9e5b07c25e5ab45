//! What can go wrong below, in the same words for both engines.

use std::io;
use std::sync::Arc;

use rusqlite::ErrorCode;
use thiserror::Error;
use tokio_postgres::error::{Severity, SqlState};

use crate::dialect;

/// A rule that the database itself keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// Another record has this `_key`.
    KeyTaken,
    UsernameTaken,
    /// Nobody can tell the username from another.
    UsernameAlike,
    SessionOfToken,
    DepartmentCodeTaken,
    SlugTaken,
    ProductCodeTaken,
    WorkOrderCodeTaken,
    PositionCodeTaken,
    /// Another list of the type has this code.
    MovementListCodeTaken,
    CountSessionCodeTaken,
    IssueTypeCodeTaken,
    TaskCodeTaken,
    /// A reference to a record that is not there, or that still is.
    Reference,
    Check,
    /// Unique or not-null rules without a name of their own here.
    Other,
}

#[derive(Debug, Clone, Error)]
pub enum StoreError {
    #[error("constraint {0:?}")]
    Constraint(Constraint),
    /// Two transactions stood in each other's way; running again settles it.
    #[error("the transaction has to run again")]
    Conflict(#[source] Cause),
    /// What the transaction rests on has changed since it was looked at ([`crate::Tx::insist`]).
    #[error("what the transaction rests on has changed")]
    Outdated,
    /// Another node has brought the database to a version that this program does not know.
    #[error("the database is newer than this program")]
    Newer,
    #[error("the database can't be reached")]
    Unavailable(#[source] Cause),
    #[error("stored files can't be reached")]
    Media(#[source] Cause),
    #[error("the disk is full")]
    Full(#[source] Cause),
    /// What is read never fits the memory for it.
    #[error("the rows are too large to be read at once")]
    Large,
    /// What is read does not fit the memory for it as long as others have theirs.
    #[error("others have the memory for rows")]
    Crowded,
    #[error("expected one row, found {0}")]
    RowCount(usize),
    #[error("a stored value does not fit: {0}")]
    Stored(String),
    #[error("{0}")]
    Damaged(Box<Damaged>),
    /// It was never begun.
    #[error("whoever asked for it is gone")]
    Abandoned,
    #[error("a write panicked")]
    Panicked,
    #[error("database error")]
    Engine(#[source] Cause),
}

/// A stored record that can't be read.
#[derive(Debug, Clone, Error)]
#[error("the record {key} of the table {table} is damaged, column {column}: {reason}")]
pub struct Damaged {
    pub table: String,
    pub key: String,
    pub column: String,
    pub reason: String,
}

/// The engine's own error, for the log only; shared, since one failed commit fails everybody in it.
pub(crate) type Cause = Arc<dyn std::error::Error + Send + Sync>;

impl StoreError {
    pub fn constraint(&self) -> Option<Constraint> {
        match self {
            StoreError::Constraint(constraint) => Some(*constraint),
            _ => None,
        }
    }

    /// This error, but so that the transaction runs again and sees what stood in its way.
    #[must_use]
    pub fn run_again(self) -> Self {
        StoreError::Conflict(Arc::new(self))
    }

    /// Whether a lock was not to be had in time: it is worth another try.
    pub(crate) fn waited_for_a_lock(&self) -> bool {
        self.is_unavailable_by(&SqlState::LOCK_NOT_AVAILABLE)
    }

    /// Whether others who change the same records were in the way for too long.
    pub fn is_contention(&self) -> bool {
        matches!(self, StoreError::Conflict(_)) || self.waited_for_a_lock()
    }

    /// Whether the server takes no writes: it has become a standby.
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_unavailable_by(&SqlState::READ_ONLY_SQL_TRANSACTION)
    }

    /// Whether the database can't be written, whoever tries: the disk is full or fails, or it is read-only.
    pub fn is_unwritable(&self) -> bool {
        match self {
            StoreError::Full(_) => true,
            StoreError::Unavailable(cause) => {
                self.is_read_only()
                    || cause.downcast_ref::<rusqlite::Error>().is_some_and(|error| {
                        let code = error.sqlite_error_code();
                        matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen))
                    })
            }
            _ => false,
        }
    }

    /// Whether the server refused a statement and goes on, so that nothing of the transaction is left. What it says as it ends the
    /// connection tells nothing about a commit that it may have carried out before.
    pub(crate) fn is_refused_by_the_server(&self) -> bool {
        match self {
            StoreError::Constraint(_) | StoreError::Outdated => true,
            StoreError::Conflict(cause)
            | StoreError::Unavailable(cause)
            | StoreError::Full(cause)
            | StoreError::Engine(cause) => {
                let told = cause.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::as_db_error);
                told.is_some_and(|told| told.parsed_severity() == Some(Severity::Error))
            }
            _ => false,
        }
    }

    fn is_unavailable_by(&self, code: &SqlState) -> bool {
        let StoreError::Unavailable(cause) = self else { return false };
        cause.downcast_ref::<tokio_postgres::Error>().and_then(tokio_postgres::Error::code) == Some(code)
    }

    pub(crate) fn unavailable(message: &str) -> Self {
        StoreError::Unavailable(Arc::from(Box::<dyn std::error::Error + Send + Sync>::from(message)))
    }
}

/// An error that a transaction's closure may return; the door looks whether it is worth another try.
pub trait TxError: From<StoreError> + Send + 'static {
    fn store_error(&self) -> Option<&StoreError>;
}

impl TxError for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        dialect::sqlite_error(error)
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        dialect::postgres_error(error)
    }
}

/// Whatever the reason, without a connection there is no database right now.
impl From<crate::postgres::PoolError> for StoreError {
    fn from(error: crate::postgres::PoolError) -> Self {
        StoreError::Unavailable(Arc::new(error))
    }
}

/// An error with its causes in one sentence; the driver's own message names only the first.
pub fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// Why a database could not be opened: one sentence for the person who starts the server.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error("the media root {root} belongs to another site, or is not empty and to no site of ours")]
    ForeignMedia { root: String },
    #[error("the media root {root} can't be used: {reason}")]
    Media { root: String, reason: String },
    #[error("the data folder {folder} can't be used: {source}")]
    Folder { folder: String, source: io::Error },
    #[error("another tracewright already uses the data folder {folder}")]
    Locked { folder: String },
    #[error("the database {at} can't be opened: {reason}")]
    Database { at: String, reason: String },
    #[error("the database can't be read: {reason}")]
    Unread { reason: String },
    #[error(
        "the database {at} is not empty and none of ours ({found}): nothing was changed; give Tracewright an empty one of its own"
    )]
    Foreign { at: String, found: String },
    #[error("there is no database at {at}")]
    Nothing { at: String },
    #[error("migration {name} failed: {reason}")]
    Migration { name: String, reason: String },
    #[error("the database is newer than this program: it has migration {found}, the program knows {known}")]
    Newer { found: i64, known: i64 },
    #[error(
        "the database has migration {found} and this program needs {known}: run `tracewright migrate` or start this version's service first"
    )]
    NotMigrated { found: i64, known: i64 },
    #[error(
        "PostgreSQL lacks the extension pg_trgm and this user can't create it: run \"create extension pg_trgm\" once as a superuser in this database"
    )]
    Trigram,
}
