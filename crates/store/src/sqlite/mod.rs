//! The embedded database: one folder, one owner, one writer thread and as many readers as there are requests.

mod fill;
mod rights;
mod watch;
mod writer;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::migrate::Migration;
use crate::origin;
use crate::tx::Begin;
use crate::{OpenError, Result, StoreError};
use watch::Watch;

pub(crate) use fill::fill;
pub(crate) use writer::{Writer, poll_once};

pub(crate) struct Sqlite {
    file: PathBuf,
    /// `None` once the database is closed.
    idle_readers: Mutex<Option<Vec<Connection>>>,
    /// Set when the database closes: what still reads for a client ends.
    closing: Arc<AtomicBool>,
    writer: Writer,
    /// Held as long as the database is open: the folder's own, against a second server, or a share of [`SWAP_LOCK`].
    _lock: File,
}

pub(crate) const DATABASE: &str = "tracewright.db";

/// Shared by those who read the database beside its server, exclusive to a restore that puts another file in its place.
const SWAP_LOCK: &str = "tracewright.swap.lock";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    Shared,
    Exclusive,
}

/// Statements of one connection that stay prepared.
const CACHED_STATEMENTS: usize = 256;
const IDLE_READERS: usize = 16;
/// The writer flushes every commit to disk. It keeps 16 MiB of pages, and moves its log to the database every 8,000 pages.
const WRITER: &str = "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;
    pragma cache_size = -16384; pragma wal_autocheckpoint = 8000;";

/// Readers look at the database in the system's own memory, up to SQLite's limit of 2 GiB, instead of copying each page: lists of
/// rows that lie far apart take up to 40 % less time. If the disk can no longer read such a page, the process ends.
const READER: &str = "pragma mmap_size = 2147418112;";

impl Sqlite {
    /// Opens the folder's database, making both when they are not there, and hands its connection to `prepare` before
    /// anything else happens.
    pub(crate) fn open<T>(
        folder: &Path,
        write_group: usize,
        steps: &[Migration],
        prepare: impl FnOnce(&mut Connection, &Path) -> Result<T, OpenError>,
    ) -> Result<(Self, T), OpenError> {
        let lock = own_folder(folder, steps)?;
        let file = folder.join(DATABASE);
        let failed = not_opened(&file);
        refuse_foreign(&file, steps)?;
        // SQLite gives its log the rights of the database.
        make_private_file(&file)
            .map_err(|source| OpenError::Folder { folder: folder.display().to_string(), source })?;
        let mut connection = open_connection(&file, OpenFlags::default()).map_err(failed)?;
        connection.execute_batch(WRITER).map_err(failed)?;
        let prepared = prepare(&mut connection, folder)?;
        let writer = Writer::start(connection, write_group).map_err(failed)?;
        Ok((Self::new(file, writer, lock), prepared))
    }

    /// Opens a folder's database beside the server that may own it. What is written here the server does not notice, so it
    /// must be nothing that a server remembers.
    pub(crate) fn open_beside(folder: &Path, steps: &[Migration]) -> Result<Self, OpenError> {
        let file = folder.join(DATABASE);
        if !file.is_file() {
            return Err(OpenError::Nothing { at: file.display().to_string() });
        }
        let lock = lock_swap(folder, Share::Shared, steps)?;
        refuse_foreign(&file, steps)?;
        let failed = not_opened(&file);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = open_connection(&file, flags)
            .and_then(|mut connection| {
                connection.busy_handler(Some(wait_for_a_gap))?;
                connection.execute_batch("pragma synchronous = full; pragma foreign_keys = on;")?;
                Ok(connection)
            })
            .map_err(failed)?;
        let writer = Writer::start(connection, 1).map_err(failed)?;
        Ok(Self::new(file, writer, lock))
    }

    /// The number of the last migration of a folder's database, 0 if there is none; somebody else's is refused.
    pub(crate) fn number_in(folder: &Path, steps: &[Migration]) -> Result<i64, OpenError> {
        number_of(&folder.join(DATABASE), steps)
    }

    fn new(file: PathBuf, writer: Writer, lock: File) -> Self {
        Self { file, idle_readers: Mutex::new(Some(Vec::new())), closing: Arc::default(), writer, _lock: lock }
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    pub(crate) fn reader(&self, begin: Begin) -> Result<Connection> {
        let idle = match self.idle_readers.lock().as_mut() {
            Some(idle) => idle.pop(),
            None => return Err(StoreError::unavailable("the database is closed")),
        };
        let mut connection = match idle {
            Some(connection) => connection,
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = open_connection(&self.file, flags)?;
                connection.execute_batch(READER)?;
                connection
            }
        };
        Watch::begin(&self.closing).over(&mut connection)?;
        if let Begin::Read = begin {
            connection.prepare_cached("begin")?.raw_execute()?;
        }
        Ok(connection)
    }

    /// Ends a read; a connection that can't is not used again.
    pub(crate) fn give_back(&self, connection: Connection) {
        let in_transaction = !connection.is_autocommit();
        let usable =
            !in_transaction || connection.prepare_cached("commit").and_then(|mut end| end.raw_execute()).is_ok();
        if let Some(idle) = self.idle_readers.lock().as_mut()
            && usable
            && idle.len() < IDLE_READERS
        {
            idle.push(connection);
        }
    }

    /// Finishes what waits and closes all connections, the writer's last: so its file holds everything, and no log is left.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.idle_readers.lock().take();
        self.writer.close();
    }
}

/// What to say of a database that can't be opened.
fn not_opened(file: &Path) -> impl Fn(rusqlite::Error) -> OpenError + Copy {
    move |error| OpenError::Database { at: file.display().to_string(), reason: error.to_string() }
}

/// A server under load takes the write lock again at once; whoever looks seldom might never find it free.
fn wait_for_a_gap(tries: i32) -> bool {
    std::thread::sleep(std::time::Duration::from_millis(1));
    tries < 20_000
}

pub(crate) fn open_connection(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Without it, SQLite plans a statement anew whenever a parameter that could change the plan is bound: at every run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch("pragma temp_store = memory;")?;
    // For lists among parameters.
    rusqlite::vtab::array::load_module(&connection)?;
    Ok(connection)
}

fn refuse_foreign(file: &Path, steps: &[Migration]) -> Result<(), OpenError> {
    number_of(file, steps).map(|_| ())
}

fn number_of(file: &Path, steps: &[Migration]) -> Result<i64, OpenError> {
    origin::of_file(file, steps)?.number_at(&file.display().to_string())
}

pub(crate) fn own_folder(folder: &Path, steps: &[Migration]) -> Result<File, OpenError> {
    make_private_folder(folder).map_err(|source| OpenError::Folder { folder: folder.display().to_string(), source })?;
    lock_file(folder, "tracewright.lock", Share::Exclusive, steps)
}

pub(crate) fn lock_swap(folder: &Path, share: Share, steps: &[Migration]) -> Result<File, OpenError> {
    lock_file(folder, SWAP_LOCK, share, steps)
}

fn lock_file(folder: &Path, name: &str, share: Share, steps: &[Migration]) -> Result<File, OpenError> {
    if !folder.join(name).exists() {
        // The first time here: in somebody else's folder not even a lock is left.
        refuse_foreign(&folder.join(DATABASE), steps)?;
    }
    let shown = folder.display().to_string();
    let unusable = |source| OpenError::Folder { folder: shown.clone(), source };
    let lock = File::options().create(true).truncate(false).write(true).open(folder.join(name)).map_err(unusable)?;
    let taken = match share {
        Share::Shared => lock.try_lock_shared(),
        Share::Exclusive => lock.try_lock(),
    };
    match taken {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked { folder: shown }),
        Err(TryLockError::Error(source)) => Err(unusable(source)),
    }
}

/// A folder for this user alone; one that is there keeps the rights it has.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// An empty file for this user alone, unless there is one: it will hold password hashes and the signing secret.
pub(crate) fn make_private_file(file: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
