//! The newest messages, as many as most streams need: whoever follows the end of the journal finds them here, and one read
//! serves all.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::notification::{Portion, Told};

/// About so many messages are kept.
const KEPT: usize = 1_000;
/// So many events or bulks are handed out at a time.
const AT_ONCE: usize = 256;

/// All messages of the events after one number, up to another.
#[derive(Debug, Default)]
pub(super) struct Recent {
    after: i64,
    to: i64,
    told: VecDeque<Arc<Told>>,
    /// How many messages these are.
    messages: usize,
    /// The last removal of events that is known.
    removal: i64,
    /// How often it was forgotten.
    age: u64,
}

impl Recent {
    /// The number up to which it has everything.
    pub(super) fn to(&self) -> i64 {
        self.to
    }

    /// What comes after a number, if it is known here. In the middle of a bulk it is not: only a part of the bulk comes after
    /// that.
    pub(super) fn after(&self, seq: i64) -> Option<Portion<Arc<Told>>> {
        if seq < self.after || seq >= self.to {
            return None;
        }
        let place = self.told.partition_point(|told| told.last <= seq);
        if self.told.get(place).is_some_and(|next| next.first <= seq) {
            return None;
        }
        let told: Vec<Arc<Told>> = self.told.range(place..).take(AT_ONCE).cloned().collect();
        let all = place + told.len() == self.told.len();
        let reached = told.last().filter(|_| !all).map_or(self.to, |last| last.last);
        Some(Portion { told, reached })
    }

    /// Keeps what was read after a number, if it goes further than what is known, or begins earlier and goes as far. Others need the
    /// same right now, so older messages give way, never these.
    pub(super) fn keep(&mut self, seq: i64, read: &Portion<Arc<Told>>) {
        let goes_on = (self.after..=self.to).contains(&seq);
        let is_wider = seq < self.after && read.reached == self.to;
        if read.reached <= self.to && !is_wider {
            return;
        }
        if !goes_on {
            self.clear();
            (self.after, self.to) = (seq, seq);
        }
        let (mut older, to) = (self.told.len(), self.to);
        self.told.extend(read.told.iter().filter(|told| told.last > to).cloned());
        self.to = read.reached;
        self.messages += self.told.range(older..).map(|told| told.notices.len()).sum::<usize>();
        while self.messages > KEPT
            && older > 0
            && let Some(oldest) = self.told.pop_front()
        {
            older -= 1;
            self.messages -= oldest.notices.len();
            self.after = oldest.last;
        }
    }

    /// Changes whenever it is forgotten.
    pub(super) fn age(&self) -> u64 {
        self.age
    }

    pub(super) fn forget(&mut self) {
        self.clear();
        (self.after, self.to) = (0, 0);
        self.age += 1;
    }

    /// Forgets everything after another removal than before: what was removed may be among it.
    pub(super) fn notice_removal(&mut self, removal: i64) {
        if std::mem::replace(&mut self.removal, removal) != removal {
            self.forget();
        }
    }

    fn clear(&mut self) {
        self.told.clear();
        self.messages = 0;
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use domain::journal::Concerns;
    use domain::key::{EventKey, UserKey};
    use domain::notification::Happened;
    use serde_json::json;

    use super::*;

    fn told(first: i64, last: i64) -> Arc<Told> {
        let happened = Happened {
            seq: last,
            key: EventKey(last),
            event_type: "JOB_STARTED".to_owned(),
            user_key: UserKey::trusted("mario"),
            timestamp: Timestamp::from_millis(last),
            event_group: EventKey(first),
            concerns: Concerns::default(),
            payload: json!({}),
        };
        Arc::new(Told { first, last, notices: happened.notices() })
    }

    fn portion(spans: &[(i64, i64)], reached: i64) -> Portion<Arc<Told>> {
        Portion { told: spans.iter().map(|(first, last)| told(*first, *last)).collect(), reached }
    }

    fn found(recent: &Recent, seq: i64) -> Option<(Vec<i64>, i64)> {
        let portion = recent.after(seq)?;
        Some((portion.told.iter().map(|told| told.last).collect(), portion.reached))
    }

    #[test]
    fn what_is_known_is_found_after_every_number() {
        let mut recent = Recent::default();
        recent.keep(10, &portion(&[(11, 11), (13, 13)], 14));
        recent.keep(14, &portion(&[(15, 200), (201, 201)], 201));
        assert_eq!(found(&recent, 9), None, "that was before");
        assert_eq!(found(&recent, 10), Some((vec![11, 13, 200, 201], 201)));
        assert_eq!(found(&recent, 12), Some((vec![13, 200, 201], 201)));
        assert_eq!(found(&recent, 14), Some((vec![200, 201], 201)));
        assert_eq!(found(&recent, 15), None, "in the middle of a bulk");
        assert_eq!(found(&recent, 200), Some((vec![201], 201)));
        assert_eq!(found(&recent, 201), None, "nothing is known of what comes next");
        recent.keep(190, &portion(&[(191, 191)], 195));
        assert_eq!(recent.to(), 201, "that is known already");
        recent.keep(300, &portion(&[], 310));
        assert_eq!((found(&recent, 201), found(&recent, 300)), (None, Some((vec![], 310))));
    }

    #[test]
    fn what_goes_further_or_begins_earlier_is_kept() {
        let mut recent = Recent::default();
        recent.keep(10, &portion(&[(11, 11), (12, 12)], 12));
        recent.keep(11, &portion(&[(12, 12), (13, 13)], 13));
        assert_eq!(
            found(&recent, 10),
            Some((vec![11, 12, 13], 13)),
            "the beginning is kept, and nothing is there twice"
        );
        recent.keep(8, &portion(&[(9, 9), (11, 11)], 11));
        assert_eq!(found(&recent, 8), None, "that does not go as far");
        recent.keep(8, &portion(&[(9, 9), (11, 11), (12, 12), (13, 13)], 13));
        assert_eq!(found(&recent, 8), Some((vec![9, 11, 12, 13], 13)));
        assert_eq!(recent.messages, 4);
    }

    #[test]
    fn what_was_just_read_stays_however_much_it_is() {
        let mut recent = Recent::default();
        let many: Vec<(i64, i64)> = (1..=2 * KEPT as i64).map(|seq| (seq, seq)).collect();
        recent.keep(0, &portion(&many, 2 * KEPT as i64));
        assert_eq!((recent.told.len(), recent.after), (2 * KEPT, 0));
        let to = 2 * KEPT as i64;
        recent.keep(to, &portion(&[(to + 1, to + 1)], to + 1));
        assert_eq!((recent.told.len(), recent.messages, recent.after), (KEPT, KEPT, to + 1 - KEPT as i64));
    }

    #[test]
    fn a_removal_takes_everything_along() {
        let mut recent = Recent::default();
        recent.keep(10, &portion(&[(11, 11)], 11));
        let age = recent.age();
        recent.notice_removal(0);
        assert!(recent.age() == age && recent.after(10).is_some());
        recent.notice_removal(7);
        assert!(recent.age() != age && recent.after(10).is_none() && recent.messages == 0);
    }

    #[test]
    fn the_oldest_give_way() {
        let mut recent = Recent::default();
        for seq in 0..3 * KEPT as i64 {
            recent.keep(seq, &portion(&[(seq + 1, seq + 1)], seq + 1));
        }
        let to = 3 * KEPT as i64;
        assert_eq!((recent.told.len(), recent.messages, recent.after), (KEPT, KEPT, to - KEPT as i64));
        assert_eq!(found(&recent, to - KEPT as i64 - 1), None);
        let (seqs, reached) = found(&recent, to - KEPT as i64).unwrap();
        assert_eq!((seqs.len(), reached), (AT_ONCE, to - KEPT as i64 + AT_ONCE as i64));
        assert_eq!(found(&recent, to - 2), Some((vec![to - 1, to], to)));
    }
}
