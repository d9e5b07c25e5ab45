//! Long computations away from the threads that serve everybody: what takes a large body apart keeps a thread for as long as a
//! thousand small requests.

use std::sync::LazyLock;

use tokio::sync::Semaphore;
use tracing::Span;

/// Up to so many bytes are read where they arrived: handing them over would take longer.
const LARGE: usize = 128 * 1024;

/// Half of the processors at most: the others stay with whoever serves.
static AT_ONCE: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});

/// Runs what works through so many bytes. Large work waits for its turn and has a thread of its own.
pub(crate) async fn run<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if bytes < LARGE {
        return work();
    }
    let _turn = AT_ONCE.acquire().await;
    let span = Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(value) => value,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
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
