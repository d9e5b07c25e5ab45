//! Movements as people describe them, and what is checked before anything is locked.

use std::sync::Arc;

use domain::config::MANDATORY_REASONS;
use domain::key::{MovementKey, PositionKey, ProductKey, SerialKey};
use domain::rule::warehouse::NotMoved;
use domain::text::is_blank;
use domain::warehouse::movement::{MovementStatus, MovementType, References, Sides, size, suits};
use domain::{Quantity, Timestamp};
use serde_json::{Map, Value};
use store::administration::config;
use store::product::products::Product;
use store::warehouse::movements::Movement;

use super::naming::{NamedSerial, Products, named_serial};
use super::places::{missing, sides_of};
use super::refusing::{About, ONE_UNIT, WHOLE_UNITS};
use crate::act::Act;
use crate::{Error, Result};

/// How far the end of a movement may be ahead, in seconds.
const AHEAD: i64 = 300;

/// A movement of a product as it is described.
#[derive(Debug, Clone)]
pub(crate) struct Described {
    pub(crate) kind: MovementType,
    pub(crate) product_key: Option<ProductKey>,
    pub(crate) product_code: Option<String>,
    pub(crate) serial_key: Option<SerialKey>,
    pub(crate) serial_code: Option<String>,
    pub(crate) from: Option<PositionKey>,
    pub(crate) to: Option<PositionKey>,
    pub(crate) qt_planned: Option<Quantity>,
    /// Of one that is carried out at once.
    pub(crate) qt_confirmed: Option<Quantity>,
    pub(crate) owned: Option<bool>,
    pub(crate) references: Option<References>,
    pub(crate) reason: Option<String>,
    pub(crate) extra: Map<String, Value>,
}

/// A movement to be planned or carried out.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) movement: Movement,
    pub(crate) product: Arc<Product>,
    pub(crate) serial: Option<NamedSerial>,
}

impl Draft {
    pub(crate) fn is_traced(&self) -> bool {
        self.product.data.traceability_level.is_some()
    }

    /// What a refusal of it is about.
    pub(crate) fn about(&self) -> About {
        About { serial_key: self.movement.serial_key, ..About::product(&self.product.key) }
    }

    /// What a refusal of all of it is about: also where it takes from, or else where it brings to.
    fn about_all(&self) -> About {
        let about = About::movement(&self.movement, Some(&self.product.key));
        match self.serial {
            Some(NamedSerial::Key(key)) => About { serial_key: Some(key), ..about },
            _ => about,
        }
    }

    /// The code of a serial that a receipt brings into being.
    pub(crate) fn received_code(&self) -> Option<&String> {
        match &self.serial {
            Some(NamedSerial::Code(code))
                if self.movement.kind == MovementType::Receipt && self.movement.serial_key.is_none() =>
            {
                Some(code)
            }
            _ => None,
        }
    }
}

impl Described {
    /// Checks everything that can be told without stock, and makes it a planned movement.
    pub(crate) fn planned(self, act: &Act<'_>, products: &Products) -> Result<Draft> {
        let planned = self.qt_planned.unwrap_or(Quantity::ONE);
        let draft = self.draft(act, products, planned, Quantity::ZERO)?;
        if draft.product.trash {
            return Err(draft.about().refused(NotMoved::ProductTrashed));
        }
        must_suit(&draft, planned)?;
        let unit = size(planned) == Quantity::ONE;
        match (&draft.serial, draft.is_traced()) {
            (Some(_), false) => Err(draft.about().refused(NotMoved::SerialNotAllowed)),
            (Some(_), true) if !unit => Err(draft.about().refused_as(NotMoved::QuantityInvalid, ONE_UNIT)),
            (None, true) if !planned.is_whole() => {
                Err(draft.about().refused_as(NotMoved::QuantityInvalid, WHOLE_UNITS))
            }
            _ => Ok(draft),
        }
    }

    /// Checks everything that can be told without stock, and makes it a movement to be carried out.
    pub(crate) fn ready(self, act: &Act<'_>, products: &Products) -> Result<Draft> {
        let confirmed = self.qt_confirmed.ok_or_else(|| missing("qt_confirmed"))?;
        let planned = self.qt_planned.unwrap_or(confirmed);
        let draft = self.draft(act, products, planned, confirmed)?;
        must_suit(&draft, planned)?;
        must_be_possible(&draft)?;
        Ok(draft)
    }

    fn draft(self, act: &Act<'_>, products: &Products, planned: Quantity, confirmed: Quantity) -> Result<Draft> {
        let product = products.named(self.product_key.as_ref(), self.product_code.as_ref())?;
        let serial = named_serial(self.serial_key, self.serial_code.as_deref())?;
        let Sides { from, to } = sides_of(self.kind, self.from, self.to)?;
        let movement = Movement {
            key: MovementKey(act.new_id()?),
            rev: 1,
            kind: self.kind,
            status: MovementStatus::Planned,
            from_key: from,
            to_key: to,
            product_id: Some(product.id),
            serial_key: None,
            qt_planned: planned,
            qt_confirmed: confirmed,
            owned: self.owned.unwrap_or(true),
            owner_open: self.owned.is_none(),
            created: act.at,
            start_at: None,
            end_at: None,
            movement_list_key: None,
            movement_list_item: None,
            inverse_movement_key: None,
            origin_movement_key: None,
            work_order_key: None,
            job_key: None,
            batch_key: None,
            count_session_key: None,
            count_record_key: None,
            refers_to: self.references.and_then(References::filled),
            reason: self.reason,
            user_key: act.author.user_key.clone(),
            extra: self.extra,
        };
        Ok(Draft { movement, product, serial })
    }
}

fn must_suit(draft: &Draft, quantity: Quantity) -> Result<()> {
    let kind = draft.movement.kind;
    if suits(kind, quantity) {
        return Ok(());
    }
    Err(draft.about().refused_as(NotMoved::QuantityInvalid, unsuited(kind)))
}

/// What to send instead of a quantity that does not suit a movement of this type.
pub(crate) fn unsuited(kind: MovementType) -> &'static str {
    match kind {
        MovementType::Adjustment => {
            "An adjustment can't be 0: send how much more there is, or with a minus how much less."
        }
        _ => "The quantity has to be above 0: the type and the positions say which way it goes.",
    }
}

/// Checks that the confirmed quantity and the serial suit a movement that is to be carried out, as far as that can be told without
/// stock. Stock from before the product was traced, or no longer was, leaves by an adjustment in its old form.
pub(crate) fn must_be_possible(draft: &Draft) -> Result<()> {
    let Movement { kind, qt_confirmed, .. } = draft.movement;
    if draft.product.trash && kind.brings_in() {
        return Err(draft.about().refused(NotMoved::ProductTrashed));
    }
    must_suit(draft, qt_confirmed)?;
    let adjusts = kind == MovementType::Adjustment;
    let leaves = adjusts && qt_confirmed.is_negative();
    let named = draft.serial.is_some() || draft.movement.serial_key.is_some();
    if named && size(qt_confirmed) != Quantity::ONE {
        return Err(if draft.is_traced() {
            draft.about().refused_as(NotMoved::QuantityInvalid, ONE_UNIT)
        } else {
            draft.about().refused(NotMoved::SerialNotAllowed)
        });
    }
    match (named, draft.is_traced()) {
        // More of what is below zero, too.
        (false, true) if !adjusts => Err(draft.about().refused(NotMoved::SerialRequired)),
        (true, false) if !leaves => Err(draft.about().refused(NotMoved::SerialNotAllowed)),
        _ => Ok(()),
    }
}

/// The types of movements for which people have to say why.
#[derive(Debug)]
pub(crate) struct Reasons(Vec<Value>);

impl Reasons {
    pub(crate) async fn load(act: &mut Act<'_>) -> Result<Self> {
        let entry = config::get(act.tx, MANDATORY_REASONS).await?;
        Ok(Self(entry.and_then(|entry| entry.as_array().cloned()).unwrap_or_default()))
    }

    pub(crate) fn must_be_given(&self, draft: &Draft) -> Result<()> {
        let Movement { kind, reason, .. } = &draft.movement;
        if self.lacks(*kind, reason.as_deref()) {
            return Err(draft.about_all().refused(NotMoved::ReasonMissing));
        }
        Ok(())
    }

    /// Whether a movement of this type needs a reason, and has none.
    pub(crate) fn lacks(&self, kind: MovementType, reason: Option<&str>) -> bool {
        let given = reason.is_some_and(|reason| !is_blank(reason));
        let wanted = self.0.iter().any(|wanted| wanted.as_str() == Some(kind.name()));
        wanted && !given
    }
}

/// When a movement was carried out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

impl Times {
    /// When the event happened.
    pub(crate) fn of_event(act: &Act<'_>) -> Self {
        Self { start: act.at, end: act.at }
    }

    /// As it is sent; what is left out is when the event happened.
    pub(crate) fn sent(act: &Act<'_>, start: Option<Timestamp>, end: Option<Timestamp>) -> Result<Self> {
        let end = end.unwrap_or(act.at);
        let start = start.unwrap_or_else(|| act.at.min(end));
        if start > end {
            return Err(Error::timestamp(
                "The movement would end before it starts: without `end` it ends when the event happened.",
                Some(start),
            ));
        }
        if end > act.now.plus_seconds(AHEAD) {
            return Err(Error::timestamp("`end` lies more than 5 minutes ahead.", None));
        }
        Ok(Self { start, end })
    }

    pub(crate) fn stamp(self, movement: &mut Movement) {
        movement.status = MovementStatus::Completed;
        movement.start_at = Some(self.start);
        movement.end_at = Some(self.end);
    }
}
