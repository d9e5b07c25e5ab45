//! The products and serials that movements name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::fault::Faults;
use domain::key::{ProductId, ProductKey, SerialKey};
use domain::rule::Refused;
use domain::rule::warehouse::NotMoved;
use domain::serial::{Serial, code_of};
use domain::warehouse::movement::MovementType;
use serde_json::json;
use store::product::products::{self, Product};
use store::serial::serials;
use store::warehouse::movements::Movement;
use store::warehouse::stock;

use super::drafting::Draft;
use super::refusing::About;
use crate::act::Act;
use crate::effects::serial::data::of_new;
use crate::effects::serial::making::{Codes, NewSerials, make};
use crate::effects::serial::naming::concerns;
use crate::event::ClientEvent;
use crate::event::made::serial::{CodedSerial, SerialsReceived};
use crate::{Error, Result};

/// Products, by what names them.
#[derive(Debug, Default)]
pub(crate) struct Products {
    by_key: HashMap<ProductKey, Arc<Product>>,
    by_code: HashMap<String, Arc<Product>>,
}

impl Products {
    /// Those with these keys, also ones in the trash, and those with these codes.
    pub(crate) async fn load<'n>(
        act: &mut Act<'_>,
        names: impl Iterator<Item = (Option<&'n ProductKey>, Option<&'n String>)>,
    ) -> Result<Self> {
        let (mut keys, mut codes): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        for (key, code) in names {
            keys.extend(key.map(ToString::to_string));
            codes.extend(code.map(|code| code.trim().to_owned()));
        }
        let mut all = Self::default();
        if !keys.is_empty() {
            all = Self::of(products::find_all(act.tx, &keys.into_iter().collect::<Vec<_>>()).await?);
        }
        if !codes.is_empty() {
            let found = products::by_codes(act.tx, &codes.into_iter().collect::<Vec<_>>()).await?;
            all.by_code.extend(found.into_iter().map(|product| (product.data.code.clone(), Arc::new(product))));
        }
        Ok(all)
    }

    /// These, by their keys.
    pub(crate) fn of(found: Vec<Product>) -> Self {
        let by_key = found.into_iter().map(|product| (product.key.clone(), Arc::new(product))).collect();
        Self { by_key, by_code: HashMap::new() }
    }

    /// The product that is named, by exactly one of key and code.
    pub(crate) fn named(&self, key: Option<&ProductKey>, code: Option<&String>) -> Result<Arc<Product>> {
        let (found, field, name) = match (key, code) {
            (Some(key), None) => (self.by_key.get(key), "product_key", key.to_string()),
            (None, Some(code)) => (self.by_code.get(code.trim()), "product_code", code.clone()),
            _ => return Err(Refused::value("Send either product_key or product_code.").into()),
        };
        found.cloned().ok_or_else(|| Error::missing(field, name))
    }
}

/// The product of a movement.
pub(crate) async fn product_of(act: &mut Act<'_>, id: ProductId) -> Result<Arc<Product>> {
    let found = products::by_ids(act.tx, &[id.0]).await?.pop();
    found.map(Arc::new).ok_or_else(|| Error::broken("a movement without its product"))
}

/// What a refusal of a movement is about.
pub(crate) async fn about(act: &mut Act<'_>, movement: &Movement) -> Result<About> {
    let product = match movement.product_id {
        Some(id) => Some(product_of(act, id).await?),
        None => None,
    };
    Ok(About::movement(movement, product.as_ref().map(|product| &product.key)))
}

/// The serial that a movement names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum NamedSerial {
    Key(SerialKey),
    /// As it is stored.
    Code(String),
}

/// The serial that is named, by at most one of key and code.
pub(crate) fn named_serial(key: Option<SerialKey>, code: Option<&str>) -> Result<Option<NamedSerial>> {
    match (key, code) {
        (None, None) => Ok(None),
        (Some(key), None) => Ok(Some(NamedSerial::Key(key))),
        (None, Some(sent)) => match code_of(sent) {
            Some(code) => Ok(Some(NamedSerial::Code(code))),
            None => {
                let mut faults = Faults::at("body");
                let why = "A code has 1 to 128 characters, without control characters.";
                faults.within("serial_code", |faults| faults.add("value_error", why, &json!(sent)));
                Err(Error::Invalid(faults.into_vec()))
            }
        },
        (Some(_), Some(_)) => Err(Refused::value("Send either serial_key or serial_code.").into()),
    }
}

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
