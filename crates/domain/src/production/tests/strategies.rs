use proptest::prelude::*;

use super::shop::Deed;
use super::*;

fn planned() -> impl Strategy<Value = Quantity> {
    let whole = (1_i64..=12).prop_map(|units| units * 1_000_000);
    let tenths = (1_i64..=120).prop_map(|tenths| tenths * 100_000);
    prop_oneof![4 => whole, 2 => tenths, 1 => 1_i64..=3_000_000].prop_map(Quantity::from_millionths)
}

/// Zero stands for all that remains.
fn batch_size() -> impl Strategy<Value = Quantity> {
    let sizes = prop_oneof![Just(0_i64), Just(1_000_000), Just(2_500_000), Just(4_000_000), 1_i64..=3_000_000];
    sizes.prop_map(Quantity::from_millionths)
}

/// A job of a phase: its share of the order in thousandths, its batch size, its steps, and whether batches open by
/// themselves.
fn phase_job() -> impl Strategy<Value = (i64, Quantity, i64, bool)> {
    (prop_oneof![3 => Just(1000_i64), 2 => 300_i64..=1200], batch_size(), 0_i64..=3, any::<bool>())
}

/// An order of one to five phases, most of them with one job.
pub(super) fn works() -> impl Strategy<Value = Work> {
    let jobs_of_phase = prop_oneof![4 => Just(1_usize), 1 => Just(2), 1 => Just(3)]
        .prop_flat_map(|jobs| prop::collection::vec(phase_job(), jobs));
    (planned(), prop::collection::vec(jobs_of_phase, 1..=5)).prop_map(|(planned, phases)| {
        let count = phases.len() as i64;
        let mut jobs = Vec::new();
        for (place, of_phase) in phases.into_iter().enumerate() {
            let steps = of_phase[0].2;
            for (part, size, _, auto) in of_phase {
                let quantity = shop::part_of(planned, part).max(Quantity::from_millionths(1));
                let mut job = job(jobs.len() as i64 + 1, place as i64, quantity);
                job.step_count = steps;
                job.parameters.production_batch_qt = size;
                job.parameters.auto_new_batch = auto;
                jobs.push(job);
            }
        }
        Work { order: order(planned), jobs, phases: count }
    })
}

/// No scrap, some, or nothing but scrap.
fn scrap() -> impl Strategy<Value = i64> {
    prop_oneof![5 => Just(0_i64), 2 => 0_i64..=1000, 1 => Just(1000_i64)]
}

/// Deeds of the operator of one job, and corrections of it.
pub(super) fn deeds_of_one() -> impl Strategy<Value = Deed> {
    prop_oneof![
        6 => Just(Deed::Start),
        2 => Just(Deed::Pause),
        4 => Just(Deed::Resume),
        3 => Just(Deed::Step),
        2 => (0_i64..=1100).prop_map(|part| Deed::Resize { part }),
        8 => scrap().prop_map(|scrap| Deed::Complete { scrap }),
        1 => Just(Deed::Close { update_planned: false }),
        1 => Just(Deed::CancelBatch),
        2 => (0_i64..=1100).prop_map(|part| Deed::Override { part }),
    ]
}

/// All deeds, each with the index of its job.
pub(super) fn deeds(most: usize) -> impl Strategy<Value = Vec<(prop::sample::Index, Deed)>> {
    let deed = prop_oneof![
        20 => deeds_of_one(),
        1 => Just(Deed::Close { update_planned: true }),
        1 => Just(Deed::Reset),
        1 => (0_i64..=2000).prop_map(|part| Deed::Plan { part }),
        1 => (0_i64..=2000).prop_map(|part| Deed::PlanOrder { part }),
        1 => (0_i64..=1000).prop_map(|part| Deed::Insert { part }),
        1 => Just(Deed::Drop),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), deed), 0..=most)
}
