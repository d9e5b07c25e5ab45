//! The serials of movements: found, locked, and made by receipts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::key::{ProductId, SerialKey};
use domain::rule::warehouse::NotMoved;
use domain::serial::Serial;
use domain::warehouse::movement::MovementType;
use store::product::products::Product;
use store::serial::serials;
use store::warehouse::stock;

use super::drafting::Draft;
use super::naming::NamedSerial;
use super::refusing::About;
use crate::act::Act;
use crate::effects::serial::data::of_new;
use crate::effects::serial::making::{Codes, NewSerials, make};
use crate::effects::serial::naming::concerns;
use crate::event::ClientEvent;
use crate::event::made::serial::{CodedSerial, SerialsReceived};
use crate::{Error, Result};

/// Serials that are locked.
pub(crate) type Units = HashMap<SerialKey, Serial>;

/// Finds and locks the serials that movements name. Those of receipts that are not known come into being. What is wrong with one
/// movement is left in its place.
pub(crate) async fn find_serials(act: &mut Act<'_>, drafts: &mut [Result<Draft>]) -> Result<Units> {
    let known = known_codes(act, drafts).await?;
    let mut wanted: BTreeSet<i64> = BTreeSet::new();
    for draft in drafts.iter_mut().filter_map(|draft| draft.as_mut().ok()) {
        match &draft.serial {
            Some(NamedSerial::Key(key)) => draft.movement.serial_key = Some(*key),
            Some(NamedSerial::Code(code)) => {
                draft.movement.serial_key = known.get(&(draft.product.id, code.clone())).copied();
            }
            None => {}
        }
        wanted.extend(draft.movement.serial_key.map(|key| key.0));
    }
    let mut units = Units::new();
    if !wanted.is_empty() {
        let locked = serials::lock_all(act.tx, &wanted.into_iter().collect::<Vec<_>>()).await?;
        units.extend(locked.into_iter().map(|serial| (serial.key, serial)));
    }
    create_received(act, drafts, &mut units).await?;
    for place in drafts.iter_mut() {
        let wrong = place.as_ref().ok().and_then(|draft| unfit(draft, &units));
        if let Some(error) = wrong {
            *place = Err(error);
        }
    }
    Ok(units)
}

/// What is wrong with the serial of a movement.
fn unfit(draft: &Draft, units: &Units) -> Option<Error> {
    match (&draft.serial, draft.movement.serial_key) {
        (Some(NamedSerial::Code(code)), None) => Some(Error::missing("serial_code", code)),
        (_, Some(key)) => match units.get(&key) {
            None => Some(Error::missing("serial_key", key)),
            Some(serial) if serial.product_id != draft.product.id => Some(Error::mismatch("serial_key", key, None)),
            Some(_) => None,
        },
        _ => None,
    }
}

async fn known_codes(act: &mut Act<'_>, drafts: &[Result<Draft>]) -> Result<HashMap<(ProductId, String), SerialKey>> {
    let mut codes: BTreeMap<ProductId, BTreeSet<String>> = BTreeMap::new();
    for draft in drafts.iter().filter_map(|draft| draft.as_ref().ok()) {
        if let Some(NamedSerial::Code(code)) = &draft.serial {
            codes.entry(draft.product.id).or_default().insert(code.clone());
        }
    }
    let mut known = HashMap::new();
    for (product, codes) in codes {
        let found = serials::keys_of_codes(act.tx, product, &codes.into_iter().collect::<Vec<_>>()).await?;
        known.extend(found.into_iter().map(|(code, key)| ((product, code), key)));
    }
    Ok(known)
}

/// Makes the serials of receipts that are not known.
async fn create_received(act: &mut Act<'_>, drafts: &mut [Result<Draft>], units: &mut Units) -> Result<()> {
    let mut new: BTreeMap<ProductId, (Arc<Product>, BTreeSet<String>)> = BTreeMap::new();
    for draft in drafts.iter().filter_map(|draft| draft.as_ref().ok()) {
        if let Some(code) = draft.received_code() {
            let (_, codes) = new.entry(draft.product.id).or_insert_with(|| (draft.product.clone(), BTreeSet::new()));
            codes.insert(code.clone());
        }
    }
    let mut keys: HashMap<(ProductId, String), SerialKey> = HashMap::new();
    for (product, codes) in new.into_values() {
        let (data, fields) = of_new(act, Vec::new()).await?;
        let released = Some(act.at);
        let making = NewSerials { product: &product, wo_key: None, released, data, fields: &fields };
        let made = make(act, making, Codes::Free(codes.into_iter().collect())).await?;
        let payload = SerialsReceived {
            product_key: product.key.clone(),
            released: act.at,
            serials: made.iter().map(CodedSerial::from).collect(),
        };
        act.child(ClientEvent::SerialCreated.name(), concerns(&made), &payload)?;
        for serial in made {
            keys.extend(serial.code.clone().map(|code| ((product.id, code), serial.key)));
            units.insert(serial.key, serial);
        }
    }
    for draft in drafts.iter_mut().filter_map(|draft| draft.as_mut().ok()) {
        if let Some(code) = draft.received_code() {
            draft.movement.serial_key = keys.get(&(draft.product.id, code.clone())).copied();
        }
    }
    Ok(())
}

/// A planned receipt can't name a serial that is in stock.
pub(crate) async fn must_not_be_in_stock(act: &mut Act<'_>, drafts: &mut [Result<Draft>]) -> Result<()> {
    let receipts = drafts.iter().filter_map(|draft| draft.as_ref().ok());
    let receipts = receipts.filter(|draft| draft.movement.kind == MovementType::Receipt);
    let keys: BTreeSet<i64> = receipts.filter_map(|draft| Some(draft.movement.serial_key?.0)).collect();
    let rows = stock::of_serials(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?;
    let lying: HashMap<_, _> = rows.iter().filter_map(|row| Some((row.serial_key?, row))).collect();
    for place in drafts.iter_mut() {
        let Ok(draft) = place else { continue };
        let row = draft.movement.serial_key.and_then(|key| lying.get(&key));
        if draft.movement.kind == MovementType::Receipt
            && let Some(row) = row
        {
            let about = About { serial_key: row.serial_key, ..About::product(&draft.product.key) };
            *place = Err(about.at(&row.position_key).refused(NotMoved::SerialInStock));
        }
    }
    Ok(())
}
