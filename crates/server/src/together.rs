//! Work that many ask for at once and that is done once for all of them.

use std::time::Instant;

use tokio::sync::Mutex;

/// Runs one at a time. Everybody who asked before a run began gets its result, so nobody gets a result from before they
/// asked.
pub(crate) struct Together<T> {
    last: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> Together<T> {
    pub(crate) fn new() -> Self {
        Self { last: Mutex::new(None) }
    }

    pub(crate) async fn get(&self, work: impl AsyncFnOnce() -> T) -> T {
        let came = Instant::now();
        let mut last = self.last.lock().await;
        if let Some((began, result)) = &*last
            && *began > came
        {
            return result.clone();
        }
        let began = Instant::now();
        let result = work().await;
        *last = Some((began, result.clone()));
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn a_crowd_costs_two_runs_and_nobody_hears_old_news() {
        let together = Arc::new(Together::new());
        let (runs, gate) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
        let ask = || {
            let (together, runs, gate) = (together.clone(), runs.clone(), gate.clone());
            tokio::spawn(async move {
                let work = async || {
                    let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
                    gate.acquire().await.unwrap().forget();
                    run
                };
                together.get(work).await
            })
        };
        let first = ask();
        while runs.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let crowd: Vec<_> = (0..100).map(|_| ask()).collect();
        // On one thread, everybody has asked after this many turns.
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        gate.add_permits(2);
        assert_eq!(first.await.unwrap(), 1);
        for one in crowd {
            assert_eq!(one.await.unwrap(), 2, "what began before they came is not theirs");
        }
        assert_eq!(runs.load(Ordering::SeqCst), 2);
    }
}
