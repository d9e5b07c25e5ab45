//! The products and serials that movements name.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use domain::fault::Faults;
use domain::key::{ProductId, ProductKey, SerialKey};
use domain::rule::Refused;
use domain::serial::code_of;
use serde_json::json;
use store::product::products::{self, Product};
use store::warehouse::movements::Movement;

use super::refusing::About;
use crate::act::Act;
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
