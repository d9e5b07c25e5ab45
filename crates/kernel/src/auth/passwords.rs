//! argon2id on a bounded pool: a shift that signs in at once must not starve everybody else.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use parking_lot::Mutex;
use tokio::sync::{OwnedMutexGuard, Semaphore, SemaphorePermit};

use crate::Result;
use crate::error::ApiError;
use crate::random::random_hex;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

pub struct Passwords {
    turns: Semaphore,
    /// One user stands in the line of all once, however often the password is sent: the rest waits here.
    lines: Mutex<HashMap<String, Arc<Line>>>,
    /// Checked in the place of a user who is not there, so that both cost the same.
    nobody: String,
}

/// Those who want to prove or choose the password of one user.
type Line = tokio::sync::Mutex<()>;

/// Leave to hash, waited for in line.
pub struct Turn<'a> {
    _turn: SemaphorePermit<'a>,
    _place: Place<'a>,
}

/// The first place in a user's own line.
struct Place<'a> {
    passwords: &'a Passwords,
    subject: &'a str,
    held: Option<OwnedMutexGuard<()>>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut lines = self.passwords.lines.lock();
        drop(self.held.take());
        // Whoever waits has it too; the last one takes the line away.
        if lines.get(self.subject).is_some_and(|line| Arc::strong_count(line) == 1) {
            lines.remove(self.subject);
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Wrong,
    /// With the hash under today's parameters when the stored one has others.
    Right {
        rehashed: Option<String>,
    },
}

impl Passwords {
    pub fn new() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let nobody = hash(&random_hex::<16>()).unwrap_or_default();
        Self::with_turns(cores.saturating_sub(1).max(1), nobody)
    }

    fn with_turns(turns: usize, nobody: String) -> Self {
        Self { turns: Semaphore::new(turns), lines: Mutex::default(), nobody }
    }

    /// A turn for the password of `subject`.
    pub async fn turn<'a>(&'a self, subject: &'a str) -> Result<Turn<'a>> {
        let line = self.lines.lock().entry(subject.to_owned()).or_default().clone();
        // Made before the wait: whoever gives up takes an empty line away as well.
        let mut place = Place { passwords: self, subject, held: None };
        place.held = Some(line.lock_owned().await);
        let turn = self.turns.acquire().await.map_err(|_| ApiError::unavailable())?;
        Ok(Turn { _turn: turn, _place: place })
    }

    /// `None` stands for a user that does not exist: the same work, and always wrong.
    pub async fn verify(&self, _turn: &Turn<'_>, password: String, stored: Option<String>) -> Result<Verdict> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobody.clone());
        let verdict = tokio::task::spawn_blocking(move || verify(&password, &stored));
        let verdict = verdict.await.map_err(|_| ApiError::internal("password check", None))?;
        Ok(if known { verdict } else { Verdict::Wrong })
    }

    /// Hashes a new password, in the line of who asks for it.
    pub async fn hash(&self, who: &str, password: String) -> Result<String> {
        let _turn = self.turn(who).await?;
        hash_password(password).await
    }
}

/// Hashes without waiting in line, for the start and the command line.
pub async fn hash_password(password: String) -> Result<String> {
    let hashed = tokio::task::spawn_blocking(move || hash(&password)).await;
    hashed.ok().flatten().ok_or_else(|| ApiError::internal("password hash", None))
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

fn argon2() -> Option<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(password: &str) -> Option<String> {
    let salt = super::random_bytes::<16>();
    let hash: PasswordHash = argon2()?.hash_password_with_salt(password.as_bytes(), &salt).ok()?;
    Some(hash.to_string())
}

fn verify(password: &str, stored: &str) -> Verdict {
    let (Some(argon2), Ok(parsed)) = (argon2(), PasswordHash::new(stored)) else {
        return Verdict::Wrong;
    };
    if argon2.verify_password(password.as_bytes(), &parsed).is_err() {
        return Verdict::Wrong;
    }
    let current = format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}$");
    Verdict::Right { rehashed: if stored.starts_with(&current) { None } else { hash(password) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_matches_its_own_hash_only() {
        let stored = hash("correct horse battery").unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_eq!(verify("correct horse battery", &stored), Verdict::Right { rehashed: None });
        assert_eq!(verify("correct horse batterz", &stored), Verdict::Wrong);
        assert_eq!(verify("x", "no hash at all"), Verdict::Wrong);
    }

    /// Hundred tries of one user are one place in the line of all: another user is next, not last.
    #[tokio::test]
    async fn one_user_does_not_fill_the_line() {
        let passwords = Arc::new(Passwords::with_turns(1, String::new()));
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
        let place = order.lock().iter().position(|who| *who == "luigi");
        assert!(place.is_some_and(|place| place <= 1), "{place:?}");
        assert_eq!(order.lock().len(), 101);
        assert!(passwords.lines.lock().is_empty(), "nobody waits any more");
    }

    #[tokio::test]
    async fn whoever_gives_up_leaves_no_line_behind() {
        let passwords = Passwords::with_turns(1, String::new());
        let first = passwords.turn("mario").await.unwrap();
        for who in ["mario", "luigi"] {
            let gives_up = tokio::time::timeout(std::time::Duration::ZERO, passwords.turn(who));
            assert!(gives_up.await.is_err());
        }
        drop(first);
        assert!(passwords.lines.lock().is_empty());
    }

    #[test]
    fn a_hash_with_older_parameters_is_made_anew() {
        let params = Params::new(8 * 1024, 1, 1, None).unwrap();
        let weak = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash = weak.hash_password_with_salt(b"some password", &[7; 16]).unwrap();
        let Verdict::Right { rehashed: Some(fresh) } = verify("some password", &hash.to_string()) else {
            panic!("the old hash is right and has to be replaced");
        };
        assert_eq!(verify("some password", &fresh), Verdict::Right { rehashed: None });
    }
}
