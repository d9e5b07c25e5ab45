//! What the process asks of its operating system.

/// Makes everything this process creates from now on readable by its own user only: databases, stored files, backups, in any
/// folder.
pub fn keep_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Raises the limit of open files and connections as far as possible, and returns it.
pub(crate) fn raise_file_limit() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Nofile);
        let most = Rlimit { current: before.maximum, maximum: before.maximum };
        match setrlimit(Resource::Nofile, most) {
            Ok(()) => before.maximum,
            Err(_) => before.current,
        }
    }
    #[cfg(not(unix))]
    None
}
