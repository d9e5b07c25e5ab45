use domain::fault::Faults;
use domain::key::{ProductKey, WorkOrderKey};
use domain::rule::Refused;
use domain::rule::serial::{NotCreated, SerialNotCreatedError};
use domain::serial::{BadRange, MOST_SERIALS, code_of, codes_of_range};
use domain::{Change, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::product::products::{self, Product};
use store::production::work_orders;

use crate::act::Act;
use crate::effects::serial::data::{self, NewData};
use crate::effects::serial::making::{Codes, NewSerials, make, most_units};
use crate::effects::serial::naming::{concerns, outcome};
use crate::event::made::serial::{CodedSerial, SerialsMade};
use crate::event::{ClientEvent, Lockable, Locks, Outcome, OutcomeMember};
use crate::postable::Postable;
use crate::{Error, Result};

/// Units come into being: goods received, or found. Up to 100,000 at once, by their codes, by their number, or by a range of codes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SerialCreated {
    /// Their product, which has to be traced.
    product_key: ProductKey,
    /// The code of one. At most one of `code`, `codes`, `count` and `range` is sent; none of them means one serial.
    #[schemars(length(min = 1, max = 256))]
    code: Option<String>,
    /// The code of each.
    #[schemars(length(min = 1))]
    codes: Option<Vec<String>>,
    /// How many; their codes come from the product's counter.
    #[schemars(range(min = 1))]
    count: Option<i64>,
    /// The first and the last code: `100-199`, `SN-0007-0042`, `A1-A50`.
    #[schemars(length(min = 1, max = 512))]
    range: Option<String>,
    /// The order that makes them; of the same product.
    wo_key: Option<WorkOrderKey>,
    /// The values of their fields, the same for each.
    #[serde(default)]
    data: Vec<NewData>,
    /// When they were released; when left out, at the time of the event. Null: not yet.
    #[serde(default)]
    released: Change<Timestamp>,
}

impl Postable for SerialCreated {
    const TYPE: ClientEvent = ClientEvent::SerialCreated;
    const LOCKS: Locks = &[("wo_key", Lockable::WorkOrder)];

    async fn carry_out(self, act: &mut Act<'_>) -> Result<Outcome> {
        must_be_of_product(act, self.wo_key, &self.product_key).await?;
        let product = traced_product(act, &self.product_key).await?;
        let released = released(act, &self.released)?;
        let (data, fields) = data::of_new(act, self.data).await?;
        let given = given_codes(self.code, self.codes, self.range)?;
        let codes = match (given, self.count) {
            (Some(_), Some(_)) => return Err(only_one()),
            (Some(codes), None) => Codes::Given(codes),
            (None, count) => {
                let count = usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX);
                if count > MOST_SERIALS {
                    return Err(refused(NotCreated::TooMany, "At most 100,000 serials at once."));
                }
                let coded = released.is_some() || product.data.serial_code_on_creation;
                if coded { Codes::Drawn(count) } else { Codes::None(count) }
            }
        };
        if codes.count() > most_units(&data) {
            return Err(refused(NotCreated::TooMany, "So much data for so many serials: create fewer at once."));
        }
        let new = NewSerials { product: &product, wo_key: self.wo_key, released, data, fields: &fields };
        let made = make(act, new, codes).await?;
        act.concern(concerns(&made)).await?;
        let serials: Vec<CodedSerial> = made.iter().map(CodedSerial::from).collect();
        let Outcome(mut members) = outcome(&serials);
        members.insert(1, ("code", OutcomeMember::Json(json!(serials.first().and_then(|first| first.code.clone())))));
        act.note(&SerialsMade { serials })?;
        Ok(Outcome(members))
    }
}

fn refused(rule: NotCreated, message: &'static str) -> Error {
    Error::rule(&SerialNotCreatedError { rule }, message)
}

fn only_one() -> Error {
    Refused::value("Send at most one of code, codes, count and range.").into()
}

/// Locks the order, and checks that it makes this product.
async fn must_be_of_product(act: &mut Act<'_>, order: Option<WorkOrderKey>, product: &ProductKey) -> Result<()> {
    let Some(key) = order else { return Ok(()) };
    let order = work_orders::lock(act.tx, key).await?.ok_or_else(|| Error::missing("wo_key", key))?;
    if order.product_key != *product {
        return Err(Error::mismatch("wo_key", key, None));
    }
    Ok(())
}

async fn traced_product(act: &mut Act<'_>, key: &ProductKey) -> Result<Product> {
    let product = products::find(act.tx, key).await?.filter(|product| !product.trash);
    let product = product.ok_or_else(|| Error::missing("product_key", key))?;
    match product.data.traceability_level {
        Some(_) => Ok(product),
        None => Err(refused(NotCreated::ProductNotTraced, "Units of the product are not traced.")),
    }
}

fn released(act: &Act<'_>, sent: &Change<Timestamp>) -> Result<Option<Timestamp>> {
    match sent {
        Change::Keep => Ok(Some(act.at)),
        Change::Clear => Ok(None),
        Change::Set(time) if *time > act.now.max(act.at) => {
            Err(Error::timestamp("A release can't lie in the future.", None))
        }
        Change::Set(time) => Ok(Some(*time)),
    }
}

/// The codes that are sent; `None` if they are left to the service.
fn given_codes(code: Option<String>, codes: Option<Vec<String>>, range: Option<String>) -> Result<Option<Vec<String>>> {
    match (code, codes, range) {
        (None, None, None) => Ok(None),
        (Some(code), None, None) => {
            let mut faults = Faults::at("body");
            let read = read_code(&code, "code", &mut faults);
            Error::check(faults)?;
            Ok(Some(vec![read]))
        }
        (None, Some(codes), None) if codes.len() > MOST_SERIALS => {
            Err(refused(NotCreated::TooMany, "At most 100,000 serials at once."))
        }
        (None, Some(codes), None) => {
            let mut faults = Faults::at("body");
            let mut read = Vec::with_capacity(codes.len());
            faults.within("codes", |faults| {
                read.extend(codes.iter().enumerate().map(|(index, code)| read_code(code, index, faults)));
            });
            Error::check(faults)?;
            Ok(Some(read))
        }
        (None, None, Some(range)) => match codes_of_range(&range) {
            Ok(codes) => Ok(Some(codes)),
            Err(BadRange::NotARange) => Err(refused(NotCreated::BadRange, "It is not a range of codes.")),
            Err(BadRange::TooMany) => Err(refused(NotCreated::TooMany, "At most 100,000 serials at once.")),
        },
        _ => Err(only_one()),
    }
}

fn read_code(sent: &str, place: impl Into<domain::Loc>, faults: &mut Faults) -> String {
    let code = code_of(sent);
    if code.is_none() {
        let why = "A code has 1 to 128 characters, without control characters.";
        faults.within(place, |faults| faults.add("value_error", why, &json!(sent)));
    }
    code.unwrap_or_default()
}
