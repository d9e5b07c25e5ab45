//! The memory budget for the bodies of all requests together. Without a limit, a few clients that send large bodies at the
//! same time could bring the service down.

use std::collections::HashMap;
use std::sync::Arc;

use domain::key::UserKey;
use parking_lot::Mutex;

use crate::Result;
use crate::error::ApiError;

/// This much of each body is not counted: sign-ins, events and heartbeats get through however many large bodies there are.
pub(crate) const UNCOUNTED: usize = 64 * 1024;

/// The budget for all bodies, and how much of it is taken.
#[derive(Debug, Clone)]
pub struct Memory {
    most: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// By user; unauthenticated clients together.
    by_owner: HashMap<Option<UserKey>, usize>,
}

/// The share of one request, returned when the request ends.
#[derive(Debug)]
pub struct Share {
    memory: Memory,
    owner: Option<UserKey>,
    uncounted: usize,
    held: usize,
}

impl Memory {
    pub fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    pub(crate) fn share(&self, owner: Option<UserKey>) -> Share {
        Share { memory: self.clone(), owner, uncounted: UNCOUNTED, held: 0 }
    }

    /// How many bytes are taken right now.
    pub fn taken(&self) -> usize {
        self.taken.lock().all
    }
}

impl Default for Share {
    fn default() -> Self {
        Memory::new(usize::MAX).share(None)
    }
}

impl Share {
    /// Takes more bytes. 413 for what could never fit; 503 if others have taken too much right now, or other requests of the
    /// same user have taken half of everything. A refused request keeps nothing: of several that together want too much, the
    /// last one gets it.
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
        if !self.try_take(bytes) {
            self.give_back();
            return Err(ApiError::busy());
        }
        Ok(())
    }

    fn try_take(&mut self, bytes: usize) -> bool {
        let most = self.memory.most;
        let mut taken = self.memory.taken.lock();
        let of_owner = taken.by_owner.get(&self.owner).copied().unwrap_or(0);
        let alone = of_owner == self.held;
        if taken.all.saturating_add(bytes) > most || (!alone && of_owner.saturating_add(bytes) > most / 2) {
            return false;
        }
        taken.all += bytes;
        taken.by_owner.insert(self.owner.clone(), of_owner + bytes);
        self.held += bytes;
        true
    }

    fn give_back(&mut self) {
        let held = std::mem::take(&mut self.held);
        if held == 0 {
            return;
        }
        let mut taken = self.memory.taken.lock();
        taken.all -= held;
        if let Some(of_owner) = taken.by_owner.get_mut(&self.owner) {
            *of_owner -= held;
            if *of_owner == 0 {
                taken.by_owner.remove(&self.owner);
            }
        }
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

    fn user(name: &str) -> Option<UserKey> {
        Some(UserKey::trusted(name))
    }

    #[test]
    fn a_user_leaves_half_of_it_to_the_others() {
        let memory = Memory::new(1_000);
        let share = |name| {
            let mut share = memory.share(user(name));
            share.take(UNCOUNTED).unwrap();
            share
        };
        let mut large = share("ada");
        large.take(400).unwrap();
        let mut second = share("ada");
        second.take(100).unwrap();
        assert!(large.take(1).is_err(), "both together have half");
        assert_eq!(memory.taken(), 100);
        share("bob").take(500).unwrap();
        drop(second);
        let mut alone = share("ada");
        alone.take(900).unwrap();
        assert!(share("ada").take(1).is_err());
        share("bob").take(100).unwrap();
        drop((large, alone));
        assert!(memory.taken.lock().by_owner.is_empty());
    }

    #[test]
    fn what_is_taken_is_given_back() {
        let memory = Memory::new(1_000);
        let (mut one, mut other) = (memory.share(user("ada")), memory.share(user("bob")));
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
