//! Building serials into units, and taking them out again.

use domain::Timestamp;
use domain::journal::Concerns;
use domain::key::{BatchKey, JobKey, LinkKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};
use domain::rule::serial::{NotLinked, SerialNotLinkedError};
use domain::serial::{Link, Parent};
use store::Lock;
use store::serial::links;

use super::stock::{movements_of, put_back};
use crate::act::Act;
use crate::event::ClientEvent;
use crate::event::made::serial::SerialUnlinkedByOther;
use crate::{Error, Result};

pub(crate) fn refused(rule: NotLinked, message: &'static str) -> Error {
    let rule = SerialNotLinkedError {
        rule,
        parent_serial_key: None,
        batch_key: None,
        index: None,
        round: Vec::new(),
        loop_codes: Vec::new(),
    };
    Error::rule(&rule, message)
}

/// Nobody else changes links until the transaction ends, so that two can't close a loop.
pub(crate) async fn hold_genealogy(act: &mut Act<'_>) -> Result<()> {
    Ok(act.tx.lock(Lock::Genealogy).await?)
}

/// Where a link is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    pub(crate) wo_key: Option<WorkOrderKey>,
    pub(crate) phase_key: Option<PhaseKey>,
    pub(crate) job_key: Option<JobKey>,
    pub(crate) batch_key: Option<BatchKey>,
}

/// An event without a timestamp does not happen before links that it ends began, however the clocks of nodes differ. For all of
/// them before the first is ended, so that all end when the event happens.
pub(crate) fn not_before_links<'a>(act: &mut Act<'_>, links: impl IntoIterator<Item = &'a Link>) {
    links.into_iter().filter_map(|link| link.linked).for_each(|linked| act.not_before(linked));
}

/// Checks that the child's last parent gave it up before the event.
pub(crate) fn must_be_over(act: &Act<'_>, last_end: Option<Timestamp>) -> Result<()> {
    match last_end {
        Some(end) if act.at < end => Err(Error::timestamp("An earlier link of the serial ended later.", Some(end))),
        _ => Ok(()),
    }
}

/// Refuses a second parent.
pub(crate) fn already_used(link: &Link) -> Error {
    let rule = SerialNotLinkedError {
        rule: NotLinked::AlreadyUsed,
        parent_serial_key: link.parent_key,
        batch_key: link.parent_batch_key,
        index: None,
        round: Vec::new(),
        loop_codes: Vec::new(),
    };
    Error::rule(&rule, "Another unit contains the serial.")
}

/// A new link, confirmed by the event or temporary; it is not stored yet.
pub(crate) fn link(
    act: &Act<'_>,
    parent: Parent,
    child: SerialKey,
    component_key: ProductKey,
    place: Place,
    confirmed: bool,
) -> Result<Link> {
    let (parent_key, parent_batch_key) = match parent {
        Parent::Serial(key) => (Some(key), None),
        Parent::Batch(key) => (None, Some(key)),
    };
    Ok(Link {
        key: LinkKey(act.new_id()?),
        rev: 1,
        parent_key,
        parent_batch_key,
        child_key: child,
        component_key,
        wo_key: place.wo_key,
        phase_key: place.phase_key,
        job_key: place.job_key,
        batch_key: place.batch_key,
        confirmed,
        replaced: false,
        reason: None,
        linked: confirmed.then_some(act.at),
        linked_by: confirmed.then(|| act.author.user_key.clone()),
        unlinked: None,
        unlinked_by: None,
        movement_key: None,
    })
}

/// Confirms a temporary link.
pub(crate) async fn confirm(act: &mut Act<'_>, mut link: Link) -> Result<LinkKey> {
    link.confirmed = true;
    link.linked = Some(act.at);
    link.linked_by = Some(act.author.user_key.clone());
    links::save(act.tx, &mut link).await?;
    Ok(link.key)
}

/// Ends a link, or removes a temporary one.
pub(crate) async fn end(act: &mut Act<'_>, mut link: Link, reason: Option<String>) -> Result<LinkKey> {
    if !link.confirmed {
        links::remove(act.tx, link.key).await?;
        return Ok(link.key);
    }
    not_before_links(act, [&link]);
    must_end_after_its_start(act.at, &link)?;
    link.replaced = true;
    link.reason = reason;
    link.unlinked = Some(act.at);
    link.unlinked_by = Some(act.author.user_key.clone());
    links::save(act.tx, &mut link).await?;
    Ok(link.key)
}

fn must_end_after_its_start(at: Timestamp, link: &Link) -> Result<()> {
    match link.linked {
        Some(linked) if at < linked => Err(Error::timestamp("The link that ends began later.", Some(linked))),
        _ => Ok(()),
    }
}

/// Ends a link because of the current event, and tells of it. Its caller puts back what was taken out of stock for it.
pub(crate) async fn end_by_other(
    act: &mut Act<'_>,
    link: Link,
    reason: Option<String>,
    process_inventory: bool,
) -> Result<LinkKey> {
    end_and_tell(act, link, reason, process_inventory, false).await
}

/// Ends a link because of the current event, and tells of it and of whether the child is scrapped then. Its caller puts back what was
/// taken out of stock for it.
pub(crate) async fn end_and_tell(
    act: &mut Act<'_>,
    link: Link,
    reason: Option<String>,
    process_inventory: bool,
    scrap: bool,
) -> Result<LinkKey> {
    let payload = SerialUnlinkedByOther {
        child_serial_key: link.child_key,
        parent_serial_key: link.parent_key,
        batch_key: link.parent_batch_key,
        reason: reason.clone(),
        process_inventory,
        scrap,
    };
    let concerns = link_concerns(&link);
    act.child(ClientEvent::SerialUnlinked.name(), concerns, &payload)?;
    end(act, link, reason).await
}

/// Ends links because of the current event, and tells of each; temporary ones are removed. What was taken out of stock for them is put
/// back.
pub(crate) async fn end_all(act: &mut Act<'_>, links: Vec<Link>, reason: &str) -> Result<()> {
    let (confirmed, temporary): (Vec<Link>, Vec<Link>) = links.into_iter().partition(|link| link.confirmed);
    links::remove_all(act.tx, &temporary.iter().map(|link| link.key.0).collect::<Vec<_>>()).await?;
    not_before_links(act, &confirmed);
    let taken = movements_of(&confirmed);
    for link in confirmed {
        end_by_other(act, link, Some(reason.to_owned()), true).await?;
    }
    put_back(act, &taken).await
}

/// What the beginning or the end of a link concerns.
pub(crate) fn link_concerns(link: &Link) -> Concerns {
    Concerns {
        serial_key: Some(link.child_key),
        product_key: Some(link.component_key.clone()),
        work_order_key: link.wo_key,
        phase_key: link.phase_key,
        job_key: link.job_key,
        batch_key: link.parent_batch_key.or(link.batch_key),
        ..Concerns::default()
    }
}
