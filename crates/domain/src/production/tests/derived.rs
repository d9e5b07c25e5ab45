//! What follows from events.

use proptest::prelude::*;

use super::shop::{Deed, Shop};
use super::strategies::{deeds, works};
use super::*;

/// The consequences describe everything that changed by itself between two states.
fn consequences_tell_all(before: &Work, after: &Work, consequences: &[Consequence]) {
    let told = |consequence: Consequence| consequences.contains(&consequence);
    let (old, new) = (before.order.status, after.order.status);
    assert_eq!(told(Consequence::OrderClosed), old != new && new == Stage::Closed);
    assert_eq!(told(Consequence::OrderReopened), old != new && old == Stage::Closed);
    assert_eq!(told(Consequence::OrderStarted), (old, new) == (Stage::Created, Stage::Started));
    for job in &after.jobs {
        let was_open = before.job(job.key).is_none_or(Job::is_open);
        let by_supply = job.close_reason == Some(CloseReason::Supply);
        if told(Consequence::JobClosed(job.key)) {
            let planned_down = before.job(job.key).is_some_and(|before| job.qt_planned < before.qt_planned);
            assert!(by_supply || (job.close_reason == Some(CloseReason::Quantity) && planned_down));
        } else {
            assert!(!(was_open && by_supply));
        }
        if told(Consequence::JobReopened(job.key)) {
            assert!(!was_open && job.is_open());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn books_and_order_agree_after_every_event(work in works(), deeds in deeds(60)) {
        let mut shop = Shop::new(work);
        shop.audit();
        for (at, deed) in deeds {
            let before = shop.work.clone();
            if let Ok(consequences) = shop.attempt(at.index(before.jobs.len()), deed) {
                consequences_tell_all(&before, &shop.work, &consequences);
                shop.audit();
            }
        }
    }

    #[test]
    fn an_order_can_always_be_worked_to_its_end(work in works(), deeds in deeds(30)) {
        let mut shop = Shop::new(work);
        for (at, deed) in deeds {
            let count = shop.work.jobs.len();
            shop.attempt(at.index(count), deed).ok();
        }
        for place in 0..shop.work.phases {
            work_off(&mut shop, place);
        }
        shop.audit();
        prop_assert_eq!(shop.work.order.status, Stage::Closed);
    }
}

/// Completes everything a phase can make, without scrap, and closes by hand what nothing else closes.
fn work_off(shop: &mut Shop, place: i64) {
    let of_phase: Vec<usize> =
        (0..shop.work.jobs.len()).filter(|&at| shop.work.jobs[at].phase_place == place).collect();
    for at in of_phase {
        // A batch that is too small to work off one by one is made as large as possible.
        while shop.work.jobs[at].is_open() {
            let opened = shop.attempt(at, Deed::Start).or_else(|_| shop.attempt(at, Deed::Resume));
            if opened.is_err() && !shop.work.jobs[at].active {
                break;
            }
            shop.enlarge(at).ok();
            shop.attempt(at, Deed::Complete { scrap: 0 }).unwrap();
            shop.audit();
        }
        if shop.work.jobs[at].is_open() {
            shop.attempt(at, Deed::Close { update_planned: false }).unwrap();
        }
    }
}

fn two_phases(planned: &str) -> Shop {
    let jobs = vec![job(1, 0, qt(planned)), job(2, 1, qt(planned))];
    let mut work = Work { order: order(qt(planned)), jobs, phases: 2 };
    work.jobs.iter_mut().for_each(|job| job.parameters.production_batch_qt = Quantity::ZERO);
    Shop::new(work)
}

#[test]
fn scrap_upstream_closes_what_waits_for_it() {
    let mut shop = two_phases("10");
    shop.attempt(0, Deed::Start).unwrap();
    shop.attempt(0, Deed::Complete { scrap: 300 }).unwrap();
    assert_eq!(shop.work.jobs[0].close_reason, Some(CloseReason::Quantity));
    shop.attempt(1, Deed::Start).unwrap();
    assert_eq!(shop.work.jobs[1].active_batch_qt, qt("7"));
    let told = shop.attempt(1, Deed::Complete { scrap: 0 }).unwrap();
    assert_eq!(told, [Consequence::JobClosed(JobKey(2)), Consequence::OrderClosed]);
    assert_eq!(shop.work.jobs[1].close_reason, Some(CloseReason::Supply));
    assert_eq!((shop.work.order.qt_completed, shop.work.order.qt_scrap), (qt("7"), qt("3")));
}

#[test]
fn what_closed_for_want_of_supply_opens_when_some_comes() {
    let mut shop = two_phases("10");
    shop.attempt(0, Deed::Close { update_planned: false }).unwrap();
    assert_eq!(shop.work.order.status, Stage::Closed, "nothing will ever be made");
    let told = shop.attempt(0, Deed::Reset).unwrap();
    assert_eq!(told, [Consequence::JobReopened(JobKey(2)), Consequence::OrderReopened]);
    assert_eq!(shop.work.order.status, Stage::Created);
}

#[test]
fn another_plan_opens_no_job_that_gets_nothing() {
    let mut shop = two_phases("10");
    shop.attempt(0, Deed::Close { update_planned: false }).unwrap();
    let ended = shop.work.jobs[1].ended;
    assert_eq!(shop.attempt(1, Deed::Plan { part: 2000 }).unwrap(), []);
    assert_eq!((shop.work.jobs[1].stage, shop.work.jobs[1].ended), (Stage::Closed, ended));
}

#[test]
fn a_job_planned_down_to_what_it_made_is_done() {
    let mut shop = two_phases("10");
    shop.work.jobs[0].parameters.production_batch_qt = qt("4");
    shop.work.jobs[0].parameters.auto_new_batch = false;
    shop.attempt(0, Deed::Start).unwrap();
    assert_eq!(shop.attempt(0, Deed::Plan { part: 400 }).unwrap(), [], "its batch is not done yet");
    shop.attempt(0, Deed::Plan { part: 2500 }).unwrap();
    shop.attempt(0, Deed::Complete { scrap: 0 }).unwrap();
    assert_eq!(shop.attempt(0, Deed::Plan { part: 400 }).unwrap(), [Consequence::JobClosed(JobKey(1))]);
    assert_eq!(shop.work.jobs[0].close_reason, Some(CloseReason::Quantity));
    shop.attempt(0, Deed::Plan { part: 2000 }).unwrap();
    assert_eq!(shop.work.jobs[0].stage, Stage::Started, "more is to be made");
}

#[test]
fn progress_counts_steps_of_the_active_batch() {
    let mut work = Work { order: order(qt("3")), jobs: vec![job(1, 0, qt("3"))], phases: 1 };
    work.jobs[0].step_count = 3;
    let mut shop = Shop::new(work);
    shop.attempt(0, Deed::Start).unwrap();
    shop.attempt(0, Deed::Step).unwrap();
    assert_eq!(shop.work.jobs[0].progress, qt("11.11"), "one of three steps of one of three units");
    assert_eq!(shop.work.order.progress, qt("11"));
    shop.attempt(0, Deed::Complete { scrap: 0 }).unwrap();
    assert_eq!(shop.work.jobs[0].progress, qt("33.33"));
}
