//! What the process asks of its operating system.

use std::time::Duration;

use tokio::net::TcpStream;

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

/// A peer from which nothing came for so long is asked whether it is still there, again and again.
#[cfg(target_os = "linux")]
const ASK_EVERY: Duration = Duration::from_secs(10);
/// It has vanished if it does not confirm for so long what was sent or asked.
#[cfg(target_os = "linux")]
const VANISHED_AFTER: Duration = Duration::from_secs(30);

/// Has the system end the connection of a peer that vanished without a word: otherwise that takes a quarter of an hour. One that is
/// there may stall for `patience`.
pub(crate) fn notice_vanished(stream: &TcpStream, patience: Duration) {
    #[cfg(target_os = "linux")]
    {
        use rustix::net::sockopt;
        let _ = sockopt::set_socket_keepalive(stream, true);
        let _ = sockopt::set_tcp_keepidle(stream, ASK_EVERY);
        let _ = sockopt::set_tcp_keepintvl(stream, ASK_EVERY);
        let millis = VANISHED_AFTER.max(patience).as_millis();
        let _ = sockopt::set_tcp_user_timeout(stream, u32::try_from(millis).unwrap_or(u32::MAX));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, patience);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::net::sockopt;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_peer_that_vanishes_is_given_half_a_minute_or_what_was_set() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        for (patience, millis) in [(1, 30_000), (60, 60_000)] {
            notice_vanished(&stream, Duration::from_secs(patience));
            assert!(sockopt::socket_keepalive(&stream).unwrap());
            assert_eq!(sockopt::tcp_keepidle(&stream).unwrap(), ASK_EVERY);
            assert_eq!(sockopt::tcp_user_timeout(&stream).unwrap(), millis);
        }
    }
}
