//! What the process asks of its operating system.

/// Whatever this process makes from now on is for its own user alone: databases, stored files, backups, in whatever folder.
pub fn keep_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Raises the number of files and connections that may be open at once as far as it goes, and gives it.
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
