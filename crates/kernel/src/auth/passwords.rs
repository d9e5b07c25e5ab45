//! argon2id on a limited pool: a whole shift signing in at once must not starve other requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use parking_lot::Mutex;
use tokio::sync::{OwnedMutexGuard, Semaphore, SemaphorePermit};

use crate::Result;
use crate::error::ApiError;

/// What a hash costs whoever makes one, or guesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    pub memory_kib: u32,
    pub passes: u32,
}

impl PasswordCost {
    /// Of every site. Only tests, which sign in thousands of times, hash for less.
    pub const FULL: Self = Self { memory_kib: 19 * 1024, passes: 2 };
}

const LANES: u32 = 1;

pub struct Passwords {
    cost: PasswordCost,
    turns: Semaphore,
    /// A user has at most one request in the shared queue, however often they send the password; the rest wait here.
    queues: Mutex<HashMap<String, Arc<UserQueue>>>,
    /// Verified instead when the user doesn't exist, so that both cases cost the same.
    nobody: String,
}

/// The queue of requests that prove or choose one user's password.
type UserQueue = tokio::sync::Mutex<()>;

/// Permission to hash, after waiting in the queues.
pub struct Turn<'a> {
    _turn: SemaphorePermit<'a>,
    _head: QueueHead<'a>,
}

/// The head of a user's own queue.
struct QueueHead<'a> {
    passwords: &'a Passwords,
    subject: &'a str,
    held: Option<OwnedMutexGuard<()>>,
}

impl Drop for QueueHead<'_> {
    fn drop(&mut self) {
        let mut queues = self.passwords.queues.lock();
        drop(self.held.take());
        // Waiting requests hold the queue too; the last one removes it.
        if queues.get(self.subject).is_some_and(|queue| Arc::strong_count(queue) == 1) {
            queues.remove(self.subject);
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Wrong,
    /// With a new hash, if the stored one was made with other parameters than today's.
    Right {
        rehashed: Option<String>,
    },
}

impl Passwords {
    pub fn new(cost: PasswordCost) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self::with_turns(cost, cores.saturating_sub(1).max(1))
    }

    fn with_turns(cost: PasswordCost, turns: usize) -> Self {
        Self { cost, turns: Semaphore::new(turns), queues: Mutex::default(), nobody: cost.of_nobody() }
    }

    /// Waits for the turn to hash a password of `subject`.
    pub async fn turn<'a>(&'a self, subject: &'a str) -> Result<Turn<'a>> {
        let queue = self.queues.lock().entry(subject.to_owned()).or_default().clone();
        // Created before waiting, so that a request that gives up also removes an empty queue.
        let mut head = QueueHead { passwords: self, subject, held: None };
        head.held = Some(queue.lock_owned().await);
        let turn = self.turns.acquire().await.map_err(|_| ApiError::unavailable())?;
        Ok(Turn { _turn: turn, _head: head })
    }

    /// Verifies a password. `None` stands for a user who doesn't exist: the same work, and always wrong.
    pub async fn verify(&self, _turn: &Turn<'_>, password: String, stored: Option<String>) -> Result<Verdict> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobody.clone());
        let cost = self.cost;
        let verdict = tokio::task::spawn_blocking(move || cost.verify(&password, &stored));
        let verdict = verdict.await.map_err(|_| ApiError::internal("password check", None))?;
        Ok(if known { verdict } else { Verdict::Wrong })
    }

    /// Hashes a new password, in the queue of the user who asks for it.
    pub async fn hash(&self, who: &str, password: String) -> Result<String> {
        let turn = self.turn(who).await?;
        self.hash_on(&turn, password).await
    }

    /// Likewise, for whoever has the turn already.
    pub async fn hash_on(&self, _turn: &Turn<'_>, password: String) -> Result<String> {
        hash_password(self.cost, password).await
    }
}

/// Hashes without queueing, for the start and the command line.
pub async fn hash_password(cost: PasswordCost, password: String) -> Result<String> {
    let hashed = tokio::task::spawn_blocking(move || cost.hash(&password)).await;
    hashed.ok().flatten().ok_or_else(|| ApiError::internal("password hash", None))
}

impl PasswordCost {
    fn argon2(self) -> Option<Argon2<'static>> {
        let params = Params::new(self.memory_kib, self.passes, LANES, None).ok()?;
        Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
    }

    fn hash(self, password: &str) -> Option<String> {
        let salt = super::random_bytes::<16>();
        let hash: PasswordHash = self.argon2()?.hash_password_with_salt(password.as_bytes(), &salt).ok()?;
        Some(hash.to_string())
    }

    /// Reads as the hash of a password that nobody knows, without the work of hashing one: to check against it costs the same.
    fn of_nobody(self) -> String {
        let encoded = |bytes: &[u8]| STANDARD_NO_PAD.encode(bytes);
        let (salt, output) = (super::random_bytes::<16>(), super::random_bytes::<32>());
        format!("{}{}${}", self.parameters(), encoded(&salt), encoded(&output))
    }

    /// How a hash made today begins.
    fn parameters(self) -> String {
        format!("$argon2id$v=19$m={},t={},p={LANES}$", self.memory_kib, self.passes)
    }

    fn verify(self, password: &str, stored: &str) -> Verdict {
        let (Some(argon2), Ok(parsed)) = (self.argon2(), PasswordHash::new(stored)) else {
            return Verdict::Wrong;
        };
        if argon2.verify_password(password.as_bytes(), &parsed).is_err() {
            return Verdict::Wrong;
        }
        Verdict::Right { rehashed: if stored.starts_with(&self.parameters()) { None } else { self.hash(password) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: PasswordCost = PasswordCost::FULL;

    #[test]
    fn a_password_matches_its_own_hash_only() {
        let stored = FULL.hash("correct horse battery").unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(FULL.verify("correct horse battery", &stored), Verdict::Right { rehashed: None });
        assert_eq!(FULL.verify("correct horse batterz", &stored), Verdict::Wrong);
        assert_eq!(FULL.verify("x", "no hash at all"), Verdict::Wrong);
    }

    /// It has the parts of a real hash, so that a check against it is a whole one.
    #[test]
    fn the_hash_of_nobody_is_checked_like_any_other() {
        let (nobody, real) = (FULL.of_nobody(), FULL.hash("correct horse battery").unwrap());
        let (nobody, real) = (PasswordHash::new(&nobody).unwrap(), PasswordHash::new(&real).unwrap());
        assert_eq!((nobody.algorithm, nobody.version, &nobody.params), (real.algorithm, real.version, &real.params));
        let lengths = |hash: &PasswordHash| (hash.salt.map(|salt| salt.len()), hash.hash.map(|output| output.len()));
        assert_eq!(lengths(&nobody), lengths(&real));
        assert_eq!(FULL.verify("correct horse battery", &FULL.of_nobody()), Verdict::Wrong);
    }

    /// A hundred attempts of one user take one place in the shared queue: another user is next, not last.
    #[tokio::test]
    async fn one_user_does_not_fill_the_line() {
        let passwords = Arc::new(Passwords::with_turns(FULL, 1));
        let first = passwords.turn("mario").await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for who in std::iter::repeat_n("mario", 100).chain(["luigi"]) {
            let (passwords, order) = (passwords.clone(), order.clone());
            waiting.push(tokio::spawn(async move {
                let _turn = passwords.turn(who).await.unwrap();
                order.lock().push(who);
                tokio::task::yield_now().await;
            }));
            tokio::task::yield_now().await;
        }
        drop(first);
        for waiting in waiting {
            waiting.await.unwrap();
        }
        let position = order.lock().iter().position(|who| *who == "luigi");
        assert!(position.is_some_and(|position| position <= 1), "{position:?}");
        assert_eq!(order.lock().len(), 101);
        assert!(passwords.queues.lock().is_empty(), "nobody waits any more");
    }

    #[tokio::test]
    async fn whoever_gives_up_leaves_no_line_behind() {
        let passwords = Passwords::with_turns(FULL, 1);
        let first = passwords.turn("mario").await.unwrap();
        for who in ["mario", "luigi"] {
            let gives_up = tokio::time::timeout(std::time::Duration::ZERO, passwords.turn(who));
            assert!(gives_up.await.is_err());
        }
        drop(first);
        assert!(passwords.queues.lock().is_empty());
    }

    #[test]
    fn a_hash_with_older_parameters_is_made_anew() {
        let params = Params::new(8 * 1024, 1, 1, None).unwrap();
        let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash = weak.hash_password_with_salt(b"some password", &[7; 16]).unwrap();
        let Verdict::Right { rehashed: Some(fresh) } = FULL.verify("some password", &hash.to_string()) else {
            panic!("the old hash is right and has to be replaced");
        };
        assert_eq!(FULL.verify("some password", &fresh), Verdict::Right { rehashed: None });
    }
}
