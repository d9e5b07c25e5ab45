//! What issues are about.

use std::collections::{BTreeSet, HashSet};

use domain::collaboration::{IssueLinkType, IssueTarget, jobs_of, orders_of};
use domain::collection::Collection;
use domain::journal::Concerns;
use domain::key::{IssueKey, JobKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};
use store::collaboration::issue_links;
use store::entities;
use store::production::{jobs, work_orders};

use crate::act::Act;
use crate::event::made::collaboration::{IssueAbout, IssueRecords, IssueSubject};
use crate::{Error, Result};

/// The records that are named, each once. One that can't exist is missing.
pub(crate) fn targets(sent: &[IssueSubject]) -> Result<Vec<IssueTarget>> {
    let mut seen = HashSet::with_capacity(sent.len());
    let mut targets: Vec<IssueTarget> = Vec::with_capacity(sent.len());
    for IssueSubject { kind, key } in sent {
        let target = IssueTarget::of(*kind, key).ok_or_else(|| missing(*kind, key))?;
        if seen.insert(target.clone()) {
            targets.push(target);
        }
    }
    Ok(targets)
}

/// Those of the first that are not among the others.
pub(crate) fn without<'a>(targets: &'a [IssueTarget], others: &[IssueTarget]) -> impl Iterator<Item = &'a IssueTarget> {
    let others: HashSet<&IssueTarget> = others.iter().collect();
    targets.iter().filter(move |target| !others.contains(target))
}

fn missing(kind: IssueLinkType, key: &str) -> Error {
    Error::missing_as("linked_to", &kind.name().replace('_', " "), key)
}

/// Locks the orders among these records, and those of the jobs among them, in the order of their keys.
pub(crate) async fn lock_orders(act: &mut Act<'_>, targets: &[IssueTarget]) -> Result<()> {
    let orders: Vec<i64> = orders_of(targets).into_iter().map(|key| key.0).collect();
    let jobs: Vec<i64> = jobs_of(targets).into_iter().map(|key| key.0).collect();
    if !orders.is_empty() || !jobs.is_empty() {
        work_orders::lock_named(act.tx, orders, jobs, Vec::new()).await?;
    }
    Ok(())
}

/// Checks that there are all these records. Serials are held, since they can be removed; the orders are locked already.
pub(crate) async fn must_be_there(act: &mut Act<'_>, targets: &[IssueTarget]) -> Result<()> {
    let serials = targets.iter().filter(|target| target.kind() == IssueLinkType::Serial);
    let serials: Vec<String> = serials.map(IssueTarget::key).collect();
    if !serials.is_empty() {
        entities::hold_all(act.tx, Collection::Serial, &serials).await?;
    }
    match issue_links::unknown(act.tx, targets).await?.first() {
        Some(target) => Err(missing(target.kind(), &target.key())),
        None => Ok(()),
    }
}

/// The records of each kind that an issue is about, as far as events are found by them.
#[derive(Debug, Default)]
struct Subjects {
    orders: BTreeSet<WorkOrderKey>,
    jobs: BTreeSet<JobKey>,
    phases: BTreeSet<PhaseKey>,
    products: BTreeSet<ProductKey>,
    serials: BTreeSet<SerialKey>,
}

impl Subjects {
    fn of(targets: &[IssueTarget]) -> Self {
        let mut subjects = Self::default();
        for target in targets {
            match target {
                IssueTarget::WorkOrder(key) => {
                    subjects.orders.insert(*key);
                }
                IssueTarget::Job(key) => {
                    subjects.jobs.insert(*key);
                }
                IssueTarget::Phase(key) => {
                    subjects.phases.insert(*key);
                }
                IssueTarget::Product(key) => {
                    subjects.products.insert(key.clone());
                }
                IssueTarget::Serial(key) => {
                    subjects.serials.insert(*key);
                }
                IssueTarget::Operation(_) | IssueTarget::Project(_) | IssueTarget::User(_) => {}
            }
        }
        subjects
    }
}

/// Sets what an event about an issue concerns, and lists it in the event.
pub(crate) async fn tell(act: &mut Act<'_>, key: IssueKey, targets: &[IssueTarget]) -> Result<()> {
    let records = concern(act, key, targets).await?;
    act.note(&IssueAbout { issue_key: key, records })
}

/// Likewise, of an event that changes what the issue is about: it is found by what the issue was about as well. Phases are in no list, so
/// only those of afterwards count.
pub(crate) async fn tell_change(
    act: &mut Act<'_>,
    key: IssueKey,
    before: &[IssueTarget],
    after: &[IssueTarget],
) -> Result<()> {
    let gone = without(before, after).filter(|target| target.kind() != IssueLinkType::Phase);
    let both: Vec<IssueTarget> = after.iter().chain(gone).cloned().collect();
    tell(act, key, &both).await
}

/// Sets what an event about an issue concerns: of each kind the only record, or the one that the event names itself. Gives those of
/// which there are several.
pub(crate) async fn concern(act: &mut Act<'_>, key: IssueKey, targets: &[IssueTarget]) -> Result<IssueRecords> {
    let mut subjects = Subjects::of(targets);
    if !subjects.jobs.is_empty() {
        let of_jobs = jobs::orders_of(act.tx, subjects.jobs.iter().map(|key| key.0).collect()).await?;
        subjects.orders.extend(of_jobs);
    }
    let sent = &act.references;
    let concerns = Concerns {
        issue_key: Some(key),
        work_order_key: meant(&subjects.orders, sent.work_order_key.as_ref()),
        job_key: meant(&subjects.jobs, sent.job_key.as_ref()),
        phase_key: meant(&subjects.phases, sent.phase_key.as_ref()),
        product_key: meant(&subjects.products, sent.product_key.as_ref()),
        serial_key: meant(&subjects.serials, None),
        ..Concerns::default()
    };
    act.concern(concerns).await?;
    Ok(IssueRecords {
        work_order_keys: several(subjects.orders),
        job_keys: several(subjects.jobs),
        product_keys: several(subjects.products),
        serial_keys: several(subjects.serials),
    })
}

fn meant<K: Ord + Clone>(keys: &BTreeSet<K>, sent: Option<&K>) -> Option<K> {
    let only = keys.first().filter(|_| keys.len() == 1);
    sent.filter(|key| keys.contains(*key)).or(only).cloned()
}

fn several<K>(keys: BTreeSet<K>) -> Vec<K> {
    if keys.len() > 1 { keys.into_iter().collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(kind: IssueLinkType, key: &str) -> IssueSubject {
        IssueSubject { kind, key: key.to_owned() }
    }

    #[test]
    fn a_record_that_is_named_twice_counts_once() {
        let order = sent(IssueLinkType::WorkOrder, "000000000001g");
        let project = sent(IssueLinkType::Project, "any thing");
        let read = targets(&[order.clone(), project, order]).ok();
        let expected = [IssueTarget::WorkOrder(WorkOrderKey(48)), IssueTarget::Project("any thing".to_owned())];
        assert_eq!(read.as_deref(), Some(&expected[..]));
        assert!(targets(&[sent(IssueLinkType::Job, "no key of ours")]).is_err());
    }

    #[test]
    fn an_event_concerns_the_only_record_or_the_one_it_names() {
        let keys = |keys: &[i64]| keys.iter().map(|key| JobKey(*key)).collect::<BTreeSet<_>>();
        assert_eq!(meant(&keys(&[]), Some(&JobKey(1))), None);
        assert_eq!(meant(&keys(&[1]), None), Some(JobKey(1)));
        assert_eq!(meant(&keys(&[1]), Some(&JobKey(2))), Some(JobKey(1)));
        assert_eq!(meant(&keys(&[1, 2]), None), None);
        assert_eq!(meant(&keys(&[1, 2]), Some(&JobKey(2))), Some(JobKey(2)));
        assert!(several(keys(&[1])).is_empty());
        assert_eq!(several(keys(&[1, 2])), [JobKey(1), JobKey(2)]);
    }
}
