//! Runs long computations off the request threads: parsing a large body occupies a thread for as long as a thousand small
//! requests.

use std::sync::LazyLock;

use tokio::sync::Semaphore;
use tokio::task::JoinError;
use tracing::Span;

/// Bodies up to this size are parsed in place: handing them over would take longer.
const LARGE: usize = 128 * 1024;

/// At most half of the processors, so that the others keep serving.
static AT_ONCE: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});

/// Runs work that processes this many bytes. Large work waits for a permit and runs on the blocking pool.
pub(crate) async fn run<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if bytes < LARGE {
        return work();
    }
    let _turn = AT_ONCE.acquire().await;
    let span = Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await.map_err(JoinError::try_into_panic) {
        Ok(value) => value,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // It was never begun, since the program ends: whoever waits for it is dropped as well.
        Err(Err(_)) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_large_work_leaves_its_thread() {
        let here = std::thread::current().id();
        let thread = || std::thread::current().id();
        assert_eq!(run(LARGE - 1, thread).await, here);
        assert_ne!(run(LARGE, thread).await, here);
    }
}
