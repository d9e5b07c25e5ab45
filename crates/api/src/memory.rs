//! How much memory the bodies of all requests may take together. Without an end to it, a few clients who send large bodies at the
//! same time would take the service away from everybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Result;
use crate::error::ApiError;

/// So much of each body is not counted: sign-ins, events and heartbeats get through however many large bodies there are.
pub(crate) const UNCOUNTED: usize = 64 * 1024;

/// What all bodies may take, and what they take.
#[derive(Debug, Clone)]
pub struct Memory {
    most: usize,
    taken: Arc<AtomicUsize>,
}

/// What one request takes of it, given back when the request ends.
#[derive(Debug)]
pub struct Share {
    memory: Memory,
    uncounted: usize,
    held: usize,
}

impl Memory {
    pub fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    pub(crate) fn share(&self) -> Share {
        Share { memory: self.clone(), uncounted: UNCOUNTED, held: 0 }
    }

    /// How many bytes are taken at this moment.
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Default for Share {
    fn default() -> Self {
        Memory::new(usize::MAX).share()
    }
}

impl Share {
    /// Takes so many bytes more. 413 for what could never be had, 503 for what others have at the moment. Whoever is refused
    /// keeps nothing: of many who want too much together, the last one gets it.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<()> {
        let uncounted = self.uncounted.min(bytes);
        self.uncounted -= uncounted;
        let bytes = bytes - uncounted;
        if bytes == 0 {
            return Ok(());
        }
        let most = self.memory.most;
        if self.held.saturating_add(bytes) > most {
            self.give_back();
            return Err(ApiError::too_much(
                "The body holds more than fits the memory for bodies: send less at a time.",
            ));
        }
        let room = |taken: usize| taken.checked_add(bytes).filter(|sum| *sum <= most);
        match self.memory.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) {
            Ok(_) => {
                self.held += bytes;
                Ok(())
            }
            Err(_) => {
                self.give_back();
                Err(ApiError::busy())
            }
        }
    }

    fn give_back(&mut self) {
        self.memory.taken.fetch_sub(std::mem::take(&mut self.held), Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back() {
        let memory = Memory::new(1_000);
        let (mut one, mut other) = (memory.share(), memory.share());
        for share in [&mut one, &mut other] {
            share.take(UNCOUNTED).unwrap();
        }
        one.take(700).unwrap();
        other.take(300).unwrap();
        assert_eq!(memory.taken(), 1_000);
        assert!(other.take(1).is_err());
        assert_eq!(memory.taken(), 700, "who is refused stands in nobody's way");
        one.take(300).unwrap();
        drop(one);
        assert_eq!(memory.taken(), 0);
        other.take(1_000).unwrap();
        drop(other);
        assert_eq!(memory.taken(), 0);
    }
}
