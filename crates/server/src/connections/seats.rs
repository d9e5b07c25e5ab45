//! Seats: the connections in use. When all are taken, the one that has been idle longest is closed for the newcomer; if none
//! is idle, the one that stopped sending in the middle of a body.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use store::security::throttle::network;
use tokio::sync::Notify;

use super::Limits;

pub(super) struct Seats {
    limits: Limits,
    opened: Instant,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    seats: HashMap<u64, Arc<Seat>>,
    by_address: HashMap<IpAddr, usize>,
}

/// One connection.
pub(super) struct Seat {
    number: u64,
    /// Connections from one address, or one IPv6 network, count together.
    address: IpAddr,
    opened: Instant,
    /// Since when it waits for a request, in microseconds; [`BUSY`] while one is being answered.
    waits_since: AtomicU64,
    /// Since when an awaited body has stalled, in microseconds; [`BUSY`] while no body is awaited.
    stalls_since: AtomicU64,
    /// Whether the client still has to receive something that was sent.
    owes: AtomicBool,
    given_away: Notify,
}

const BUSY: u64 = u64::MAX;
/// A pause in a body that does not occur on a working network.
const STALLED: Duration = Duration::from_secs(5);

impl Seats {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, opened: Instant::now(), taken: Mutex::default() }
    }

    /// A seat for a newcomer, unless all are taken by connections that are being answered.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Seated> {
        let peer = peer.to_canonical();
        let address = network(peer);
        let mut taken = self.taken.lock();
        let is_proxy = self.limits.proxies.iter().any(|proxy| proxy.contains(&peer));
        let of_address = taken.by_address.get(&address).copied().unwrap_or(0);
        if !is_proxy && of_address >= self.limits.per_address {
            let loser = taken.idlest(|seat| seat.address == address)?;
            taken.give_away(&loser);
        } else if taken.seats.len() >= self.limits.all {
            let loser = taken.idlest(|_| true)?;
            taken.give_away(&loser);
        }
        let number = taken.next;
        taken.next += 1;
        let seat = Arc::new(Seat {
            number,
            address,
            opened: self.opened,
            waits_since: AtomicU64::new(0),
            stalls_since: AtomicU64::new(BUSY),
            owes: AtomicBool::new(false),
            given_away: Notify::new(),
        });
        seat.waits();
        taken.seats.insert(number, seat.clone());
        *taken.by_address.entry(address).or_default() += 1;
        Some(Seated { seats: self.clone(), seat })
    }
}

impl Taken {
    /// Of the connections that wait for a request, the one that has waited longest among those of the address with the most
    /// seats. If there is none, the same choice among those whose bodies have stalled.
    fn idlest(&self, may_lose: impl Fn(&Seat) -> bool) -> Option<Arc<Seat>> {
        self.longest(&may_lose, Seat::waiting).or_else(|| self.longest(&may_lose, Seat::stalling))
    }

    fn longest(&self, may_lose: impl Fn(&Seat) -> bool, since: impl Fn(&Seat) -> Option<u64>) -> Option<Arc<Seat>> {
        let standing = self.seats.values().filter(|seat| may_lose(seat)).filter_map(|seat| Some((seat, since(seat)?)));
        let last = standing.min_by_key(|(seat, since)| {
            let seats = self.by_address.get(&seat.address).copied().unwrap_or(0);
            (std::cmp::Reverse(seats), *since)
        });
        last.map(|(seat, _)| seat.clone())
    }

    fn give_away(&mut self, seat: &Seat) {
        self.free(seat);
        seat.given_away.notify_one();
    }

    fn free(&mut self, seat: &Seat) {
        if self.seats.remove(&seat.number).is_none() {
            return;
        }
        if let Some(count) = self.by_address.get_mut(&seat.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&seat.address);
            }
        }
    }
}

impl Seat {
    fn now(&self) -> u64 {
        self.opened.elapsed().as_micros() as u64
    }

    fn waits(&self) {
        self.waits_since.store(self.now(), Ordering::Relaxed);
    }

    /// Since when it waits for a request, unless it is being answered.
    fn waiting(&self) -> Option<u64> {
        let since = self.waits_since.load(Ordering::Relaxed);
        (since != BUSY && !self.owes.load(Ordering::Relaxed)).then_some(since)
    }

    /// Since when its body has stalled, if that is long enough to count.
    fn stalling(&self) -> Option<u64> {
        let since = self.stalls_since.load(Ordering::Relaxed);
        (since != BUSY && self.now().saturating_sub(since) >= STALLED.as_micros() as u64).then_some(since)
    }

    /// More of its body is awaited.
    pub(super) fn wants_body(&self) {
        let _ = self.stalls_since.compare_exchange(BUSY, self.now(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// No more of its body is awaited for now.
    pub(super) fn has_body(&self) {
        self.stalls_since.store(BUSY, Ordering::Relaxed);
    }

    /// Whether the client has to receive more before anything else can happen.
    pub(super) fn owes(&self, owes: bool) {
        self.owes.store(owes, Ordering::Relaxed);
    }
}

/// A seat while it is in use.
pub(super) struct Seated {
    seats: Arc<Seats>,
    seat: Arc<Seat>,
}

impl Seated {
    pub(super) fn seat(&self) -> Arc<Seat> {
        self.seat.clone()
    }

    /// Returns when the seat was given to another connection.
    pub(super) async fn given_away(&self) {
        self.seat.given_away.notified().await;
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        self.seats.taken.lock().free(&self.seat);
    }
}

/// A request that is being answered; when it ends, for whatever reason, its connection waits for the next.
pub(super) struct Answering(Arc<Seat>);

impl Answering {
    pub(super) fn begin(seat: &Arc<Seat>) -> Self {
        seat.waits_since.store(BUSY, Ordering::Relaxed);
        Self(seat.clone())
    }

    /// Until the end of the answer's body, or until its client is gone, if somebody watches that.
    pub(super) fn until_end_of(
        self,
        body: Body,
        gone: Option<impl Future<Output = ()> + Send + 'static>,
    ) -> AnsweringBody {
        AnsweringBody { body, gone: gone.map(|gone| Box::pin(gone) as Gone), _answering: self }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.waits();
    }
}

type Gone = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) struct AnsweringBody {
    body: Body,
    gone: Option<Gone>,
    _answering: Answering,
}

impl http_body::Body for AnsweringBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.gone.as_mut().is_some_and(|gone| gone.as_mut().poll(cx).is_ready()) {
            self.gone = None;
            self.body = Body::empty();
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn seats(all: usize, per_address: usize, proxies: &[&str]) -> Arc<Seats> {
        let proxies = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
        Arc::new(Seats::new(Limits { all, per_address, proxies, patience: Duration::from_secs(1) }))
    }

    /// A connection that is being answered.
    fn busy(seats: &Arc<Seats>, address: &str) -> Option<(Seated, Answering)> {
        let seated = seats.take(address.parse().unwrap())?;
        let answering = Answering::begin(&seated.seat);
        Some((seated, answering))
    }

    fn has_seat(seats: &Seats, seated: &Seated) -> bool {
        seats.taken.lock().seats.contains_key(&seated.seat.number)
    }

    #[test]
    fn an_address_has_a_limit_and_a_proxy_has_none() {
        let seats = seats(10, 2, &["10.0.0.1/32"]);
        let _held = [busy(&seats, "198.51.100.7").unwrap(), busy(&seats, "198.51.100.7").unwrap()];
        assert!(busy(&seats, "198.51.100.7").is_none());
        assert!(busy(&seats, "::ffff:198.51.100.7").is_none(), "the same address in other clothes");
        let _other = busy(&seats, "198.51.100.8").unwrap();
        let _net = [busy(&seats, "2001:db8::1").unwrap(), busy(&seats, "2001:db8::2").unwrap()];
        assert!(busy(&seats, "2001:db8::3").is_none(), "an IPv6 network counts as one");
        let proxy: Vec<_> = (0..5).map(|_| busy(&seats, "10.0.0.1").unwrap()).collect();
        assert!(busy(&seats, "10.0.0.1").is_none(), "all seats are taken");
        drop(proxy);
        assert!(busy(&seats, "10.0.0.1").is_some());
    }

    #[test]
    fn who_waits_gives_way() {
        let seats = seats(3, 3, &[]);
        let _busy = busy(&seats, "198.51.100.7").unwrap();
        let one = seats.take("198.51.100.8".parse().unwrap()).unwrap();
        let two = seats.take("198.51.100.8".parse().unwrap()).unwrap();
        one.seat.waits_since.store(2, Ordering::Relaxed);
        two.seat.waits_since.store(1, Ordering::Relaxed);
        let _three = busy(&seats, "198.51.100.9").unwrap();
        assert!(has_seat(&seats, &one) && !has_seat(&seats, &two), "the one that waited longer");
        one.seat.owes(true);
        assert!(busy(&seats, "198.51.100.9").is_none(), "who has yet to take its answer does not wait");
        one.seat.owes(false);
        assert!(busy(&seats, "198.51.100.9").is_some());
        drop((one, two));
        assert_eq!(seats.taken.lock().seats.len(), 2);
    }

    #[test]
    fn who_stops_in_the_middle_of_a_body_gives_way_after_those_who_wait() {
        let long_ago = Instant::now().checked_sub(2 * STALLED).unwrap();
        let mut seats = seats(3, 3, &[]);
        Arc::get_mut(&mut seats).unwrap().opened = long_ago;
        let (stalled, _one) = busy(&seats, "198.51.100.7").unwrap();
        let (sending, _two) = busy(&seats, "198.51.100.7").unwrap();
        let idle = seats.take("198.51.100.8".parse().unwrap()).unwrap();
        stalled.seat.stalls_since.store(0, Ordering::Relaxed);
        sending.seat.wants_body();
        let _first = busy(&seats, "198.51.100.9").unwrap();
        assert!(!has_seat(&seats, &idle) && has_seat(&seats, &stalled));
        let _second = busy(&seats, "198.51.100.9").unwrap();
        assert!(!has_seat(&seats, &stalled) && has_seat(&seats, &sending));
        assert!(busy(&seats, "198.51.100.9").is_none(), "a moment without a piece is no standstill");
        sending.seat.stalls_since.store(0, Ordering::Relaxed);
        sending.seat.wants_body();
        assert!(sending.seat.stalling().is_some(), "it stands still since the first moment");
        sending.seat.has_body();
        assert!(busy(&seats, "198.51.100.9").is_none(), "a body that arrived is being worked on");
    }

    #[test]
    fn the_address_with_most_gives_way_first() {
        let seats = seats(3, 3, &[]);
        let lone = seats.take("198.51.100.7".parse().unwrap()).unwrap();
        let crowd = [(); 2].map(|()| seats.take("198.51.100.8".parse().unwrap()).unwrap());
        lone.seat.waits_since.store(0, Ordering::Relaxed);
        let _new = seats.take("198.51.100.9".parse().unwrap()).unwrap();
        assert!(has_seat(&seats, &lone));
        assert_eq!(crowd.iter().filter(|seated| has_seat(&seats, seated)).count(), 1);
    }

    #[test]
    fn seats_come_back() {
        let seats = seats(2, 2, &[]);
        let held: Vec<_> = (0..2).map(|_| busy(&seats, "198.51.100.7").unwrap()).collect();
        drop(held);
        assert!(seats.taken.lock().seats.is_empty() && seats.taken.lock().by_address.is_empty());
    }
}
