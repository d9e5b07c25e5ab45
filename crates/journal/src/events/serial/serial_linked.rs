use domain::key::{BatchKey, JobKey, PhaseKey, ProductKey, SerialKey, WorkOrderKey};
use domain::rule::Refused;
use domain::rule::serial::NotLinked;
use domain::serial::{Link, Parent, Serial};
use domain::text::is_blank;
use domain::{Quantity, journal::Concerns};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::process::phases;
use store::production::{batch_units, batches, jobs, work_orders};
use store::serial::{links, serials};

use crate::act::Act;
use crate::effects::serial::ending::scrap_by_other;
use crate::effects::serial::linking::{
    Place, already_used, confirm, end_and_tell, end_by_other, hold_genealogy, link, must_be_over, not_before_links,
    refused,
};
use crate::effects::serial::nesting::Nesting;
use crate::effects::serial::stock::{Whereabouts, consume, is_kept, movements_of, put_back};
use crate::effects::warehouse::Cause;
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember, agree};
use crate::postable::Postable;
use crate::{Error, Result};

/// A unit becomes a part of another one.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialLinked {
    /// What is built in.
    child_serial_key: SerialKey,
    /// The unit it is built into.
    parent_serial_key: Option<SerialKey>,
    /// The batch it is built into, if the batch's order is not traced; beside `parent_serial_key`, the batch it is done in,
    /// which has the unit if its order is traced: if the batch is taken back, the link ends.
    batch_key: Option<BatchKey>,
    /// The order it is done for.
    wo_key: Option<WorkOrderKey>,
    /// The component of the bill of materials it stands for: its product.
    component_key: Option<ProductKey>,
    /// The phase it is done in.
    phase_key: Option<PhaseKey>,
    /// The job it is done in.
    job_key: Option<JobKey>,
    /// Always 1.
    quantity: Option<Quantity>,
    /// Takes it out of stock, if stock of it is kept.
    #[serde(default = "yes")]
    process_inventory: bool,
    /// Ends the link that it has at present.
    #[serde(default)]
    replace_existing: bool,
    /// The part of the same unit that it replaces, whose link ends.
    replaces_serial_key: Option<SerialKey>,
    /// Scraps the part that `replaces_serial_key` names; needs a reason.
    #[serde(default)]
    scrap_replaced: bool,
    /// Why something is replaced.
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

fn yes() -> bool {
    true
}

impl Postable for SerialLinked {
    const TYPE: ClientEvent = ClientEvent::SerialLinked;
    const LOCKS: Locks = &[("batch_key", Lockable::Batch), ("wo_key", Lockable::WorkOrder), ("job_key", Lockable::Job)];
    const MAY_MOVE_STOCK: bool = true;
    const MAY_SPARE_STOCK: bool = true;
    const LEADS_TO: &'static [&'static str] =
        &["SERIAL_UNLINKED", "SERIAL_SCRAPPED", "MOVEMENT_COMPLETED", "MOVEMENT_REVERSED"];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        let parent = self.parent()?;
        if self.quantity.is_some_and(|quantity| quantity != Quantity::ONE) {
            return Err(refused(NotLinked::Quantity, "Only a quantity of 1 can be linked."));
        }
        if self.scrap_replaced && self.reason.as_deref().is_none_or(is_blank) {
            return Err(Refused::value("Scrap needs a reason.").into());
        }
        if self.scrap_replaced && self.replaces_serial_key.is_none() {
            return Err(Refused::value("scrap_replaced needs replaces_serial_key: the part that is scrapped.").into());
        }
        self.references_must_agree(act, parent).await?;
        hold_genealogy(act).await?;
        let present = links::active_of(act.tx, self.child_serial_key).await?;
        let takes_out = self.process_inventory && is_kept(act).await?;
        let places = self.hold_stock(act, present.as_ref(), takes_out).await?;
        let (child, unit, replaced) = self.lock(act, present.as_ref()).await?;
        places.must_be_right(act).await?;
        let component_key = self.component_key.clone().unwrap_or_else(|| child.product_key.clone());
        if component_key != child.product_key {
            return Err(refused(NotLinked::Component, "component_key is not the product of the serial."));
        }
        act.concern(self.concerns(&child)).await?;
        let same = present.as_ref().is_some_and(|link| link.parent() == Some(parent));
        if let Some(link) = present.as_ref().filter(|link| same && link.confirmed) {
            return Ok(outcome(link, &[]));
        }
        if child.scrapped.is_some() || unit.as_ref().is_some_and(|unit| unit.scrapped.is_some()) {
            return Err(refused(NotLinked::Scrapped, "The serial, or the unit, was scrapped."));
        }
        let last_end = links::last_end(act.tx, child.key).await?;
        let created = [Some(&child), unit.as_ref()].into_iter().flatten().map(|serial| serial.created);
        created.chain(last_end).for_each(|time| act.not_before(time));
        not_before_links(act, &present);
        let nesting = Nesting::load(act, &[(child.key, unit.as_ref().map(|unit| unit.key))]).await?;
        nesting.must_fit(act, &child, unit.as_ref()).await?;
        let other = self.replaced_link(act, parent, replaced.as_ref()).await?;
        not_before_links(act, &other);
        let mut ended = Vec::new();
        if let Some(link) = present.as_ref().filter(|_| !same) {
            if !self.replace_existing {
                return Err(already_used(link));
            }
            ended.push(end_by_other(act, link.clone(), self.reason.clone(), self.process_inventory).await?);
            if self.process_inventory {
                put_back(act, &movements_of([link])).await?;
            }
        }
        if let Some(link) = other {
            let process_inventory = self.process_inventory && !self.scrap_replaced;
            let (scrap, taken) = (self.scrap_replaced, movements_of([&link]));
            ended.push(end_and_tell(act, link, self.reason.clone(), process_inventory, scrap).await?);
            if process_inventory {
                put_back(act, &taken).await?;
            }
        }
        if let (true, Some(replaced), Some(reason)) = (self.scrap_replaced, replaced, &self.reason) {
            scrap_by_other(act, std::slice::from_ref(&replaced), reason).await?;
        }
        must_be_over(act, last_end)?;
        let movement_key = match takes_out {
            true => consume(act, &child, self.cause()).await?,
            false => None,
        };
        let key = match present.filter(|_| same) {
            Some(temporary) => confirm(act, Link { movement_key, ..temporary }).await?,
            None => {
                let new = link(act, parent, child.key, component_key, self.place(), true)?;
                let link = Link { movement_key, ..new };
                links::insert(act.tx, &link).await?;
                link.key
            }
        };
        let ended: Vec<String> = ended.iter().map(ToString::to_string).collect();
        Ok(Outcome(vec![
            ("link_key", OutcomeMember::Json(json!(key))),
            ("replaced_link_keys", OutcomeMember::Json(json!(ended))),
        ]))
    }
}

fn outcome(link: &Link, ended: &[String]) -> Outcome {
    Outcome(vec![
        ("link_key", OutcomeMember::Json(json!(link.key))),
        ("replaced_link_keys", OutcomeMember::Json(json!(ended))),
    ])
}

impl SerialLinked {
    fn parent(&self) -> Result<Parent> {
        let parent = self.parent_serial_key.map(Parent::Serial).or(self.batch_key.map(Parent::Batch));
        parent.ok_or_else(|| refused(NotLinked::NoParent, "Send parent_serial_key or batch_key."))
    }

    fn place(&self) -> Place {
        Place { wo_key: self.wo_key, phase_key: self.phase_key, job_key: self.job_key, batch_key: self.batch_key }
    }

    /// What the movement that takes the part out of stock belongs to.
    fn cause(&self) -> Cause {
        Cause { work_order_key: self.wo_key, job_key: self.job_key, batch_key: self.batch_key, completes: false }
    }

    /// Holds where the part lies, where it comes back to out of the unit that contains it at present, and the same of what it replaces.
    async fn hold_stock(&self, act: &mut Act<'_>, present: Option<&Link>, takes_out: bool) -> Result<Whereabouts> {
        let mut places = Whereabouts::default();
        if takes_out {
            places.of_parts(act, &[self.child_serial_key.0]).await?;
        }
        let replaced = match self.replaces_serial_key {
            Some(key) => links::active_of(act.tx, key).await?,
            None => None,
        };
        if self.process_inventory {
            places.of_taken(act, &movements_of(present.into_iter().chain(&replaced))).await?;
        }
        if let Some(key) = self.replaces_serial_key.filter(|_| self.scrap_replaced) {
            places.of_serials(act, &[key.0]).await?;
        }
        places.hold(act).await?;
        Ok(places)
    }

    fn concerns(&self, child: &Serial) -> Concerns {
        Concerns {
            serial_key: Some(child.key),
            product_key: Some(child.product_key.clone()),
            work_order_key: self.wo_key,
            phase_key: self.phase_key,
            job_key: self.job_key,
            batch_key: self.batch_key,
            ..Concerns::default()
        }
    }

    /// Checks that the records it names are there and belong together, and that a batch can contain something.
    async fn references_must_agree(&self, act: &mut Act<'_>, parent: Parent) -> Result<()> {
        if let Some(key) = self.wo_key {
            work_orders::lock(act.tx, key).await?.ok_or_else(|| Error::missing("wo_key", key))?;
        }
        if let Some(key) = self.job_key {
            let job = jobs::find(act.tx, key).await?.ok_or_else(|| Error::missing("job_key", key))?;
            agree("wo_key", self.wo_key, Some(job.work_order_key))?;
            agree("phase_key", self.phase_key, Some(job.phase_key))?;
        }
        if let Some(key) = self.phase_key
            && !phases::exists(act.tx, key).await?
        {
            return Err(Error::missing("phase_key", key));
        }
        let Some(key) = self.batch_key else { return Ok(()) };
        let batch = batches::find(act.tx, key).await?.ok_or_else(|| Error::missing("batch_key", key))?;
        agree("wo_key", self.wo_key, Some(batch.work_order_key))?;
        agree("phase_key", self.phase_key, Some(batch.phase_key))?;
        agree("job_key", self.job_key, Some(batch.job_key))?;
        if batch.canceled.is_some() {
            return Err(Error::mismatch("batch_key", key, None));
        }
        if !work_orders::is_traced(act.tx, batch.work_order_key).await? {
            return Ok(());
        }
        match parent {
            Parent::Batch(_) => {
                Err(refused(NotLinked::TracedOrder, "The order is traced: its units contain components."))
            }
            // Whoever takes the batch back takes out what was built in with it.
            Parent::Serial(unit) if !batch_units::contains(act.tx, key, unit).await? => {
                Err(Error::mismatch("batch_key", key, None))
            }
            Parent::Serial(_) => Ok(()),
        }
    }

    /// Locks the child, the unit it is built into and the one that contains it at present, and what it replaces.
    async fn lock(
        &self,
        act: &mut Act<'_>,
        present: Option<&Link>,
    ) -> Result<(Serial, Option<Serial>, Option<Serial>)> {
        let holder = present.and_then(|link| link.parent_key);
        let named = [Some(self.child_serial_key), self.parent_serial_key, self.replaces_serial_key, holder];
        let keys: Vec<i64> = named.into_iter().flatten().map(|key| key.0).collect();
        let found = serials::lock_all(act.tx, &keys).await?;
        let find = |field: &str, key: SerialKey| {
            let live = found.iter().find(|serial| serial.key == key && serial.deleted.is_none());
            live.cloned().ok_or_else(|| Error::missing(field, key))
        };
        let child = find("child_serial_key", self.child_serial_key)?;
        let unit = self.parent_serial_key.map(|key| find("parent_serial_key", key)).transpose()?;
        let replaced = self.replaces_serial_key.map(|key| find("replaces_serial_key", key)).transpose()?;
        Ok((child, unit, replaced))
    }

    /// The link of what it replaces.
    async fn replaced_link(
        &self,
        act: &mut Act<'_>,
        parent: Parent,
        replaced: Option<&Serial>,
    ) -> Result<Option<Link>> {
        let Some(replaced) = replaced else { return Ok(None) };
        let link = links::active_of(act.tx, replaced.key).await?;
        let link = link.filter(|link| link.parent() == Some(parent) && replaced.key != self.child_serial_key);
        let not_a_child = || refused(NotLinked::NotAChild, "What is to be replaced is not a part of this unit.");
        link.map(Some).ok_or_else(not_a_child)
    }
}
