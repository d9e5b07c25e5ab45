//! Corrections leave no trace of what they take back.

use proptest::prelude::*;

use super::shop::{Deed, Shop};
use super::strategies::{deeds, deeds_of_one, works};
use super::*;
use crate::product::TraceabilityLevel;

/// A shop in the middle of its work.
fn busy_shops() -> impl Strategy<Value = Shop> {
    (works(), deeds(25)).prop_map(|(work, deeds)| {
        let mut shop = Shop::new(work);
        for (at, deed) in deeds {
            let count = shop.work.jobs.len();
            shop.attempt(at.index(count), deed).ok();
        }
        shop
    })
}

/// One of the jobs that fit.
fn pick(shop: &Shop, index: prop::sample::Index, fits: impl Fn(&Job) -> bool) -> Option<usize> {
    let fitting: Vec<usize> = (0..shop.work.jobs.len()).filter(|&at| fits(&shop.work.jobs[at])).collect();
    if fitting.is_empty() { None } else { Some(fitting[index.index(fitting.len())]) }
}

/// The state, ignoring which session was the last.
fn apart_from_sessions(work: &Work) -> Work {
    let mut work = work.clone();
    work.jobs.iter_mut().for_each(|job| job.last_work_session_started = None);
    work
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_canceled_batch_leaves_nothing(
        mut shop in busy_shops(),
        at: prop::sample::Index,
        meanwhile in prop::collection::vec(deeds_of_one(), 0..=4),
    ) {
        let without_batch = |job: &Job| job.is_open() && job.active_batch_key.is_none();
        let Some(at) = pick(&shop, at, without_batch) else { return Ok(()) };
        let before = shop.clone();
        if shop.attempt(at, Deed::Start).or_else(|_| shop.attempt(at, Deed::Resume)).is_err() {
            return Ok(());
        }
        let within_the_batch = |deed: &Deed| matches!(deed, Deed::Pause | Deed::Resume | Deed::Step | Deed::Resize { .. });
        for deed in meanwhile.into_iter().filter(within_the_batch) {
            shop.attempt(at, deed).ok();
        }
        shop.attempt(at, Deed::Pause).ok();
        shop.attempt(at, Deed::CancelBatch).unwrap();
        prop_assert_eq!(apart_from_sessions(&shop.work), apart_from_sessions(&before.work));
        prop_assert_eq!(shop.batches, before.batches);
    }

    #[test]
    fn a_reset_job_never_was(
        mut shop in busy_shops(),
        at: prop::sample::Index,
        meanwhile in prop::collection::vec(deeds_of_one(), 0..=12),
    ) {
        let untouched = |job: &Job| job.stage == Stage::Created && job.forced.is_none();
        let Some(at) = pick(&shop, at, untouched) else { return Ok(()) };
        let before = shop.clone();
        for deed in meanwhile {
            shop.attempt(at, deed).ok();
        }
        shop.attempt(at, Deed::Pause).ok();
        match shop.attempt(at, Deed::Reset) {
            Ok(_) => prop_assert_eq!(shop.work.jobs[at].forced, None),
            Err(refused) => {
                prop_assert_eq!(refused.error_type, "JobIsNotStartedError");
                // Set by hand to something and back to nothing.
                shop.work.jobs[at].forced = None;
            }
        }
        prop_assert_eq!(apart_from_sessions(&shop.work), apart_from_sessions(&before.work));
        prop_assert_eq!(shop.batches, before.batches);
    }

    #[test]
    fn a_reset_is_refused_only_when_the_next_phase_took_something(mut shop in busy_shops(), at: prop::sample::Index) {
        let Some(at) = pick(&shop, at, |job| job.stage != Stage::Created) else { return Ok(()) };
        shop.attempt(at, Deed::Pause).ok();
        let job = shop.work.jobs[at].clone();
        let last = job.phase_place + 1 == shop.work.phases;
        let free = !last && shop.work.free_in_front(job.phase_place + 1) >= job.qt_completed;
        match shop.attempt(at, Deed::Reset) {
            Ok(_) => {
                prop_assert!(last || free);
                let reset = &shop.work.jobs[at];
                prop_assert_eq!(reset.minimum(), Quantity::ZERO);
                prop_assert_eq!((reset.started, reset.forced, reset.qt_released), (None, None, Quantity::ZERO));
                prop_assert!(reset.stage == Stage::Created || reset.close_reason == Some(CloseReason::Supply));
                shop.audit();
            }
            Err(refused) => {
                prop_assert!(!last && !free);
                prop_assert_eq!(refused.error_type, "WipNotAvailableError");
                prop_assert_eq!(&refused.data["direction"], "downstream");
            }
        }
    }

    #[test]
    fn an_override_can_be_taken_back(mut shop in busy_shops(), at: prop::sample::Index, part in 0_i64..=1000) {
        let unfinished = |job: &Job| job.is_open() && job.remaining() > Quantity::ZERO && job.active_batch_key.is_none();
        let Some(at) = pick(&shop, at, unfinished) else { return Ok(()) };
        let before = shop.work.clone();
        if shop.attempt(at, Deed::Override { part }).is_err() {
            return Ok(());
        }
        shop.audit();
        let completed = before.jobs[at].qt_completed;
        let difference = shop.work.override_by(at, completed).unwrap();
        prop_assert_eq!(shop.work.jobs[at].qt_completed + difference, completed);
        shop.set_completed(at, completed).unwrap();
        shop.settle();
        shop.audit();
        let (job, was) = (&shop.work.jobs[at], &before.jobs[at]);
        prop_assert_eq!((job.stage, job.minimum(), job.progress), (was.stage, was.minimum(), was.progress));
        prop_assert_eq!(shop.work.order.status, before.order.status);
    }
}

fn shop_of_one(planned: &str) -> Shop {
    Shop::new(Work { order: order(qt(planned)), jobs: vec![job(1, 0, qt(planned))], phases: 1 })
}

#[test]
fn overrides_are_refused_in_the_order_of_the_contract() {
    let refusal = |shop: &Shop, completed: &str| shop.work.override_by(0, qt(completed)).unwrap_err().error_type;
    let mut shop = shop_of_one("10");
    shop.attempt(0, Deed::Start).unwrap();
    shop.work.order.traceability_level = Some(TraceabilityLevel::Complete);
    shop.work.jobs[0].assigned_to = None;
    assert_eq!(refusal(&shop, "11"), "JobHasNoAssigneeError");
    shop.work.jobs[0].assigned_to = Some(UserKey::trusted("operator"));
    assert_eq!(refusal(&shop, "11"), "JobIsActiveError");
    shop.attempt(0, Deed::Pause).unwrap();
    assert_eq!(refusal(&shop, "11"), "JobHasActiveBatchError");
    shop.attempt(0, Deed::CancelBatch).unwrap();
    assert_eq!(refusal(&shop, "11"), "QuantityOverrideForSerialsNotAllowed");
    shop.work.order.traceability_level = None;
    assert_eq!(refusal(&shop, "11"), "ValueError", "more than planned");
    assert_eq!(refusal(&shop, "0"), "ValueError", "no change");
    assert_eq!(shop.work.override_by(0, qt("10")).unwrap(), qt("10"));
}

#[test]
fn overrides_need_what_they_use_and_what_they_take_back() {
    let jobs = vec![job(1, 0, qt("10")), job(2, 1, qt("10"))];
    let mut shop = Shop::new(Work { order: order(qt("10")), jobs, phases: 2 });
    let upstream = shop.work.override_by(1, qt("1")).unwrap_err();
    assert_eq!((upstream.error_type, &upstream.data["direction"]), ("WipNotAvailableError", &"upstream".into()));
    shop.attempt(0, Deed::Override { part: 600 }).unwrap();
    shop.attempt(1, Deed::Override { part: 400 }).unwrap();
    let downstream = shop.work.override_by(0, qt("3.5")).unwrap_err();
    assert_eq!((downstream.error_type, &downstream.data["direction"]), ("WipNotAvailableError", &"downstream".into()));
    assert_eq!(shop.work.override_by(0, qt("4")).unwrap(), qt("-2"));
}
