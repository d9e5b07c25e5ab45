//! Places for streams. A stream keeps its connection for hours, so there are fewer of them than connections.

use std::collections::HashMap;
use std::sync::Arc;

use domain::key::UserKey;
use parking_lot::Mutex;

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
    by_user: HashMap<UserKey, usize>,
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
        let of_user = open.by_user.get(user).copied().unwrap_or(0);
        if of_user >= self.limits.per_user {
            return Err(ApiError::too_many_streams());
        }
        if open.all >= self.limits.all {
            return Err(ApiError::no_stream_left());
        }
        open.all += 1;
        open.by_user.insert(user.clone(), of_user + 1);
        metrics::gauge!("tracewright_streams").set(open.all as f64);
        Ok(Place { streams: self.clone(), user: user.clone() })
    }

    fn leave(&self, user: &UserKey) {
        let mut open = self.open.lock();
        open.all -= 1;
        if let Some(of_user) = open.by_user.get_mut(user) {
            *of_user -= 1;
            if *of_user == 0 {
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
