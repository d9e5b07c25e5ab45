//! New serials.

use std::collections::HashSet;

use domain::Timestamp;
use domain::key::{SerialKey, WorkOrderKey};
use domain::serial::{MOST_SERIALS, Serial, SerialValue};
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
    /// No live serial had them when the caller looked. Where one has come meanwhile, the transaction runs again.
    Free(Vec<String>),
    /// So many, from the product's counter.
    Drawn(usize),
    /// So many without a code.
    None(usize),
    /// Some bring theirs; the others get one from the product's counter, if codes are drawn, or none.
    Each {
        codes: Vec<Option<String>>,
        draw: bool,
    },
}

impl Codes {
    pub(crate) fn count(&self) -> usize {
        match self {
            Codes::Given(codes) | Codes::Free(codes) => codes.len(),
            Codes::Drawn(count) | Codes::None(count) => *count,
            Codes::Each { codes, .. } => codes.len(),
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
        Codes::Free(codes) => codes.into_iter().map(Some).collect(),
        Codes::Drawn(count) => {
            let counter = product.data.counter_key.as_ref();
            let drawn = codes::draw(act, product.id, counter, count, &[], HashSet::new()).await?;
            drawn.into_iter().map(Some).collect()
        }
        Codes::None(count) => vec![None; count],
        Codes::Each { codes, draw } => complete(act, product, codes, draw).await?,
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

/// Checks the codes that are given, and draws the others if that is wanted.
async fn complete(
    act: &mut Act<'_>,
    product: &Product,
    mut codes: Vec<Option<String>>,
    draw: bool,
) -> Result<Vec<Option<String>>> {
    let given: Vec<String> = codes.iter().flatten().cloned().collect();
    if !given.is_empty() {
        codes::must_be_free(act, product.id, &given).await?;
    }
    let missing = codes.len() - given.len();
    if draw && missing > 0 {
        let (counter, given) = (product.data.counter_key.as_ref(), given.into_iter().collect());
        let mut drawn = codes::draw(act, product.id, counter, missing, &[], given).await?.into_iter();
        codes.iter_mut().filter(|code| code.is_none()).for_each(|code| *code = drawn.next());
    }
    Ok(codes)
}

/// Approximate size of an entry without its value.
const ENTRY_BYTES: usize = 256;
/// How much the data of all new serials of an event may take.
const MOST_DATA_BYTES: usize = 256 * 1024 * 1024;

/// How many serials an event may make with this data: each gets a copy, and all copies together have to stay within bounds.
pub(crate) fn most_units(data: &[SerialValue]) -> usize {
    let each: usize = data.iter().map(|entry| ENTRY_BYTES + domain::json::weight(&entry.value)).sum();
    MOST_SERIALS.min(MOST_DATA_BYTES / each.max(1))
}
