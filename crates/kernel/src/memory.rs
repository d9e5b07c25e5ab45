//! The memory budget of all requests together: for their bodies, and for the rows that they read. Without a limit, a few clients
//! that send or ask for a lot at the same time could bring the service down.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use domain::key::UserKey;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use store::{Allowance, StoreError};

use crate::Result;
use crate::error::ApiError;

/// This much of each body is not counted: sign-ins, events and heartbeats get through however many large requests there are.
pub(crate) const UNCOUNTED: usize = 64 * 1024;
/// This much of what a request reads is not counted.
const UNCOUNTED_ROWS: usize = 256 * 1024;

/// The budget for all requests, and how much of it is taken.
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

/// The share of one request, returned when its answer is sent.
#[derive(Debug)]
pub struct Share {
    memory: Memory,
    owner: Option<UserKey>,
    holding: Mutex<Holding>,
}

#[derive(Debug)]
struct Holding {
    /// What may still be taken without being counted.
    uncounted: usize,
    uncounted_rows: usize,
    bytes: usize,
}

/// Why a request gets no more memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Short {
    /// It could never fit.
    Never,
    /// Others, or other requests of the same user, have taken too much right now.
    Now,
}

impl Memory {
    pub fn new(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    pub(crate) fn share(&self, owner: Option<UserKey>) -> Share {
        let holding = Holding { uncounted: UNCOUNTED, uncounted_rows: UNCOUNTED_ROWS, bytes: 0 };
        Share { memory: self.clone(), owner, holding: Mutex::new(holding) }
    }

    /// How much the requests of one user may take: they leave half to the others.
    fn of_one(&self) -> usize {
        self.most / 2
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
    /// Takes more bytes for the body: 413 or 503 if it can't. A refused request keeps nothing: of several that together want too
    /// much, the last one gets it.
    pub(crate) fn take(&self, bytes: usize) -> Result<()> {
        let mut holding = self.holding.lock();
        let counted = pass(&mut holding.uncounted, bytes);
        self.take_counted(&mut holding, counted).map_err(|short| match short {
            Short::Never => {
                ApiError::too_much("The body does not fit into the memory for requests: send less at a time.")
            }
            Short::Now => ApiError::busy(),
        })
    }

    fn take_counted(&self, holding: &mut Holding, bytes: usize) -> Result<(), Short> {
        if bytes == 0 {
            return Ok(());
        }
        let short = if holding.bytes.saturating_add(bytes) > self.memory.of_one() {
            Short::Never
        } else if self.try_take(holding, bytes) {
            return Ok(());
        } else {
            Short::Now
        };
        self.give_back(holding, 0);
        Err(short)
    }

    fn try_take(&self, holding: &mut Holding, bytes: usize) -> bool {
        let mut taken = self.memory.taken.lock();
        let of_owner = taken.by_owner.get(&self.owner).copied().unwrap_or(0);
        let too_much = taken.all.saturating_add(bytes) > self.memory.most;
        if too_much || of_owner.saturating_add(bytes) > self.memory.of_one() {
            return false;
        }
        taken.all += bytes;
        taken.by_owner.insert(self.owner.clone(), of_owner + bytes);
        holding.bytes += bytes;
        true
    }

    /// Only the answer is left, of so many bytes: gives everything else back, or takes what is missing, since it is too late to
    /// refuse anything. Says whether anything is still taken.
    pub(crate) fn keep_for_answer(&self, bytes: usize) -> bool {
        let mut holding = self.holding.lock();
        let counted = bytes.saturating_sub(UNCOUNTED_ROWS);
        if counted > holding.bytes {
            let missing = counted - holding.bytes;
            let mut taken = self.memory.taken.lock();
            taken.all += missing;
            *taken.by_owner.entry(self.owner.clone()).or_default() += missing;
            holding.bytes = counted;
        }
        self.give_back(&mut holding, counted);
        holding.bytes > 0
    }

    fn give_back(&self, holding: &mut Holding, rest: usize) {
        let given = holding.bytes.saturating_sub(rest);
        if given == 0 {
            return;
        }
        holding.bytes -= given;
        let mut taken = self.memory.taken.lock();
        taken.all -= given;
        if let Some(of_owner) = taken.by_owner.get_mut(&self.owner) {
            *of_owner -= given;
            if *of_owner == 0 {
                taken.by_owner.remove(&self.owner);
            }
        }
    }
}

/// Memory for rows. A row that alone is larger than what one user may take counts as that: what could be stored can also be read.
impl Allowance for Share {
    fn take(&self, bytes: usize) -> store::Result<()> {
        let mut holding = self.holding.lock();
        let counted = pass(&mut holding.uncounted_rows, bytes).min(self.memory.of_one());
        self.take_counted(&mut holding, counted).map_err(|short| match short {
            Short::Never => StoreError::Large,
            Short::Now => StoreError::Crowded,
        })
    }

    fn most(&self) -> usize {
        self.memory.most
    }
}

/// How much of `bytes` counts.
fn pass(uncounted: &mut usize, bytes: usize) -> usize {
    let passed = bytes.min(*uncounted);
    *uncounted -= passed;
    bytes - passed
}

/// This answer, keeping the request's share until it is sent: as much of it as the text takes, all of it for an answer that is
/// written from what was read while it is sent, which says that it is not empty, and nothing for a file.
pub(crate) fn until_sent(body: Body, share: Arc<Share>) -> Body {
    let (least, exact) = (body.size_hint().lower(), body.size_hint().exact());
    let keeps = match exact {
        None if least > 0 => true,
        bytes => share.keep_for_answer(bytes.unwrap_or(0) as usize),
    };
    if keeps { Body::new(Sending { body, rest: Bytes::new(), _share: share }) } else { body }
}

/// As much is handed out at a time. The server lets a body go with its last frame, also where nobody has read that yet: an answer
/// in one frame would then be held in memory and counted nowhere.
const FRAME: usize = 64 * 1024;

struct Sending {
    body: Body,
    /// What is left of the last frame.
    rest: Bytes,
    _share: Arc<Share>,
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        let bytes = self.rest.len().min(FRAME);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut all = SizeHint::new();
        if let Some(upper) = body.upper() {
            all.set_upper(upper + rest);
        }
        all.set_lower(body.lower() + rest);
        all
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut holding = self.holding.lock();
        self.give_back(&mut holding, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    fn user(name: &str) -> Option<UserKey> {
        Some(UserKey::trusted(name))
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_end_is_taken() {
        let memory = Memory::new(usize::MAX);
        let size = 10 * FRAME + 1;
        let mut body = until_sent(Body::from("x".repeat(size)), Arc::new(memory.share(None)));
        let mut left = size;
        while left > 0 {
            assert!(memory.taken() > 0 && !body.is_end_stream());
            assert_eq!(body.size_hint().exact(), Some(left as u64));
            let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
            assert!(frame.len() <= FRAME);
            left -= frame.len();
        }
        assert!(body.is_end_stream());
        drop(body);
        assert_eq!(memory.taken(), 0);
    }

    #[test]
    fn a_user_leaves_half_of_it_to_the_others() {
        let memory = Memory::new(1_000);
        let share = |name| {
            let share = memory.share(user(name));
            share.take(UNCOUNTED).unwrap();
            share
        };
        assert!(share("ada").take(501).is_err(), "not even with one request");
        let large = share("ada");
        large.take(400).unwrap();
        let second = share("ada");
        second.take(100).unwrap();
        assert!(large.take(1).is_err(), "both together have half");
        assert_eq!(memory.taken(), 100);
        share("bob").take(500).unwrap();
        second.take(400).unwrap();
        assert!(share("ada").take(1).is_err());
        share("bob").take(500).unwrap();
        drop((large, second));
        assert!(memory.taken.lock().by_owner.is_empty());
    }

    #[test]
    fn what_is_taken_is_given_back() {
        let memory = Memory::new(1_000);
        let shares = ["ada", "bob", "eve"].map(|name| memory.share(user(name)));
        for share in &shares {
            share.take(UNCOUNTED).unwrap();
        }
        let [one, other, third] = shares;
        one.take(450).unwrap();
        other.take(350).unwrap();
        third.take(200).unwrap();
        assert_eq!(memory.taken(), 1_000);
        assert!(other.take(1).is_err());
        assert_eq!(memory.taken(), 650, "who is refused stands in nobody's way");
        one.take(50).unwrap();
        drop((one, third));
        assert_eq!(memory.taken(), 0);
        other.take(500).unwrap();
        drop(other);
        assert_eq!(memory.taken(), 0);
    }

    #[test]
    fn rows_count_until_the_answer_is_sent() {
        let memory = Memory::new(1_000);
        let reading = |name: &str| {
            let share = memory.share(user(name));
            Allowance::take(&share, UNCOUNTED_ROWS).unwrap();
            share
        };
        let (one, other, third) = (reading("ada"), reading("bob"), reading("eve"));
        Allowance::take(&one, 400).unwrap();
        Allowance::take(&third, 200).unwrap();
        assert!(matches!(Allowance::take(&other, 450), Err(StoreError::Crowded)));
        assert!(one.keep_for_answer(UNCOUNTED_ROWS + 100));
        assert_eq!(memory.taken(), 300, "the answer is smaller than what it was made of");
        Allowance::take(&other, 450).unwrap();
        assert!(matches!(Allowance::take(&other, 51), Err(StoreError::Large)));
        drop((one, third));
        assert_eq!(memory.taken(), 0, "who is refused stands in nobody's way");
        Allowance::take(&other, 5_000).unwrap();
        assert_eq!(memory.taken(), 500, "one row can always be read");
        assert!(!other.keep_for_answer(UNCOUNTED_ROWS), "a small answer does not count");
        assert!(other.keep_for_answer(UNCOUNTED_ROWS + 2_000));
        assert_eq!(memory.taken(), 2_000, "an answer counts, whatever it was made of");
        drop(other);
        assert!(memory.taken.lock().by_owner.is_empty());
    }
}
