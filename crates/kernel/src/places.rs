//! Places for streams. A stream keeps its connection for hours, so there are fewer of them than connections.

use std::collections::HashMap;
use std::sync::Arc;

use domain::key::UserKey;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::Result;
use crate::error::ApiError;

/// How many streams there may be at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamLimits {
    pub all: usize,
    pub per_user: usize,
}

/// The streams of this node.
#[derive(Debug)]
pub struct Streams {
    limits: StreamLimits,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_user: HashMap<UserKey, OfUser>,
}

#[derive(Debug)]
struct OfUser {
    streams: usize,
    turn: Arc<Semaphore>,
}

impl Default for OfUser {
    fn default() -> Self {
        Self { streams: 0, turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Streams {
    pub(crate) fn new(limits: StreamLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.open.lock().all
    }

    /// A place for a stream of this user: 429 if the user has as many as are allowed, 503 if all users together have.
    pub(crate) fn enter(self: &Arc<Self>, user: &UserKey) -> Result<Place> {
        let mut open = self.open.lock();
        if open.by_user.get(user).is_some_and(|of_user| of_user.streams >= self.limits.per_user) {
            return Err(ApiError::too_many_streams());
        }
        if open.all >= self.limits.all {
            return Err(ApiError::no_stream_left());
        }
        open.all += 1;
        metrics::gauge!("tracewright_streams").set(open.all as f64);
        let of_user = open.by_user.entry(user.clone()).or_default();
        of_user.streams += 1;
        Ok(Place { streams: self.clone(), user: user.clone(), turn: of_user.turn.clone() })
    }

    fn leave(&self, user: &UserKey) {
        let mut open = self.open.lock();
        open.all -= 1;
        if let Some(of_user) = open.by_user.get_mut(user) {
            of_user.streams -= 1;
            if of_user.streams == 0 {
                open.by_user.remove(user);
            }
        }
        metrics::gauge!("tracewright_streams").set(open.all as f64);
    }
}

/// The place of one stream, free again when it is dropped.
#[derive(Debug)]
pub struct Place {
    streams: Arc<Streams>,
    user: UserKey,
    turn: Arc<Semaphore>,
}

impl Place {
    /// Shared by all streams of the user: one of them at a time reads what happened before.
    pub fn turn(&self) -> Arc<Semaphore> {
        self.turn.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.streams.leave(&self.user);
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::response::IntoResponse;

    use super::*;

    #[test]
    fn the_streams_of_a_user_take_turns() {
        let streams = Streams::new(StreamLimits { all: 9, per_user: 9 });
        let place = |user: &str| streams.enter(&UserKey::trusted(user)).unwrap();
        let (first, second, other) = (place("ada"), place("ada"), place("bob"));
        let turn = first.turn();
        let _reading = turn.try_acquire().unwrap();
        assert!(second.turn().try_acquire().is_err());
        assert!(other.turn().try_acquire().is_ok());
    }

    #[test]
    fn nobody_takes_all_places() {
        let streams = Streams::new(StreamLimits { all: 3, per_user: 2 });
        let place = |user: &str| streams.enter(&UserKey::trusted(user));
        let refused = |user: &str| place(user).unwrap_err().into_response().status();
        let of_ada = [place("ada").unwrap(), place("ada").unwrap()];
        assert_eq!(refused("ada"), StatusCode::TOO_MANY_REQUESTS);
        let of_bob = place("bob").unwrap();
        assert_eq!(refused("eve"), StatusCode::SERVICE_UNAVAILABLE);
        drop(of_ada);
        let of_eve = place("eve").unwrap();
        assert_eq!(streams.open(), 2);
        drop((of_bob, of_eve));
        assert!(streams.open.lock().by_user.is_empty());
    }
}
