//! New serials.

use domain::Timestamp;
use domain::key::{SerialKey, WorkOrderKey};
use domain::serial::{Serial, SerialValue};
use store::product::products::Product;
use store::serial::serials;

use super::codes;
use super::data::Fields;
use crate::Result;
use crate::act::Act;

/// Where the codes of new serials come from.
#[derive(Debug)]
pub(crate) enum Codes {
    Given(Vec<String>),
    /// So many, from the product's counter.
    Drawn(usize),
    /// So many without a code.
    None(usize),
}

impl Codes {
    pub(crate) fn count(&self) -> usize {
        match self {
            Codes::Given(codes) => codes.len(),
            Codes::Drawn(count) | Codes::None(count) => *count,
        }
    }
}

/// What all new serials of an event share.
pub(crate) struct NewSerials<'a> {
    pub(crate) product: &'a Product,
    pub(crate) wo_key: Option<WorkOrderKey>,
    pub(crate) released: Option<Timestamp>,
    pub(crate) data: Vec<SerialValue>,
    pub(crate) fields: &'a Fields,
}

/// Makes serials and stores them.
pub(crate) async fn make(act: &mut Act<'_>, new: NewSerials<'_>, codes: Codes) -> Result<Vec<Serial>> {
    let NewSerials { product, wo_key, released, data, fields } = new;
    let codes: Vec<Option<String>> = match codes {
        Codes::Given(codes) => {
            codes::must_be_free(act, product.id, &codes).await?;
            codes.into_iter().map(Some).collect()
        }
        Codes::Drawn(count) => {
            let drawn = codes::draw(act, product.id, product.data.counter_key.as_ref(), count, &[]).await?;
            drawn.into_iter().map(Some).collect()
        }
        Codes::None(count) => vec![None; count],
    };
    let user = act.author.user_key.clone();
    let mut made = Vec::with_capacity(codes.len());
    for code in codes {
        made.push(Serial {
            key: SerialKey(act.new_id()?),
            rev: 1,
            code,
            product_id: product.id,
            product_key: product.key.clone(),
            wo_key,
            counter_key: product.data.counter_key.clone(),
            created: act.at,
            created_by: user.clone(),
            released,
            released_by: released.map(|_| user.clone()),
            scrapped: None,
            scrapped_by: None,
            scrap_reason: None,
            deleted: None,
            deleted_by: None,
            data: data.clone(),
        });
    }
    serials::insert_all(act.tx, &made, &fields.kinds).await?;
    Ok(made)
}
