//! Lists of movements: made with all their rows, and closed.

use std::collections::{HashMap, HashSet};

use domain::Quantity;
use domain::fault::Faults;
use domain::key::{MovementKey, MovementListKey, ProductId, SerialKey};
use domain::rule::warehouse::{BadList, MovementListException, RowFault};
use domain::serial::code_of;
use domain::warehouse::movement::{ListStatus, MovementType, References};
use serde_json::{Map, Value, json};
use store::Constraint;
use store::warehouse::movement_lists::{self, MovementList};
use store::warehouse::movements;

use super::drafting::{Described, Draft, Reasons, Times};
use super::moving::{By, carry_out};
use super::naming::{NamedSerial, Products, named_serial};
use super::places::hold_positions;
use super::planned::{self, bad_list};
use super::rights::must_be_allowed;
use super::server::{positions_of, store_all};
use super::telling;
use super::units::{find_serials, must_not_be_in_stock};
use crate::act::Act;
use crate::{Error, Result};

/// A list to be made.
#[derive(Debug)]
pub(crate) struct NewList {
    pub(crate) code: String,
    pub(crate) kind: MovementType,
    /// Its movements are carried out at once.
    pub(crate) completed: bool,
    /// A day; today when left out.
    pub(crate) due_by: Option<String>,
    pub(crate) notes: Option<String>,
    pub(crate) references: References,
    pub(crate) extra: Map<String, Value>,
    /// Rows name products by their codes.
    pub(crate) by_code: bool,
    pub(crate) rows: Vec<NewRow>,
}

/// A row of it.
#[derive(Debug)]
pub(crate) struct NewRow {
    /// Its type has to be that of the list.
    pub(crate) described: Described,
    pub(crate) item: Option<i64>,
}

/// A list that was made.
#[derive(Debug)]
pub struct MadeList {
    pub movement_list_key: MovementListKey,
    /// In the order of the rows.
    pub movement_keys: Vec<MovementKey>,
}

/// Makes a list with all its movements.
pub(crate) async fn create(act: &mut Act<'_>, mut new: NewList) -> Result<MadeList> {
    must_be_allowed(act, new.kind)?;
    let mut list = list_of(act, &new)?;
    let taken = movement_lists::taken_codes(act.tx, list.kind, std::slice::from_ref(&list.code)).await?;
    if !taken.is_empty() {
        return Err(code_taken());
    }
    let names = new.rows.iter().map(|row| (row.described.product_key.as_ref(), row.described.product_code.as_ref()));
    let products = Products::load(act, names).await?;
    let items = number(&new.rows);
    check_rows(&new, &items, &products)?;
    let rows = std::mem::take(&mut new.rows);
    let mut drafts: Vec<Result<Draft>> = Vec::with_capacity(rows.len());
    for (row, item) in rows.into_iter().zip(items) {
        let draft = draft(act, row.described, new.completed, &products);
        drafts.push(draft.map(|mut draft| {
            let movement = &mut draft.movement;
            (movement.movement_list_key, movement.movement_list_item) = (Some(list.key), Some(item));
            movement.refers_to = movement.refers_to.take().unwrap_or_default().or(&new.references).filled();
            draft
        }));
    }
    let places = hold_positions(act, &positions_of(&drafts)).await?;
    for place in &mut drafts {
        if let Some(wrong) = place.as_ref().ok().and_then(|draft| places.must_be_live(&draft.movement).err()) {
            *place = Err(wrong);
        }
    }
    movement_lists::insert(act.tx, &list).await.map_err(|error| match error.constraint() {
        Some(Constraint::MovementListCodeTaken) => code_taken(),
        _ => error.into(),
    })?;
    let units = find_serials(act, &mut drafts).await?;
    check_units(&drafts)?;
    let movement_keys = if new.completed {
        must_have_reasons(act, &mut drafts).await?;
        let moved = carry_out(act, drafts, &places, &units, By::Client).await;
        store_all(act, moved.map_err(|(row, error)| error.of_row(row))?).await?
    } else {
        must_not_be_in_stock(act, &mut drafts).await?;
        plan_all(act, drafts).await?
    };
    let tally = movements::tally(act.tx, list.key).await?;
    movement_lists::set_state(act.tx, &mut list, tally.state()).await?;
    Ok(MadeList { movement_list_key: list.key, movement_keys })
}

fn code_taken() -> Error {
    bad_list(BadList::CodeTaken, None, "Another list of this type has the code.")
}

/// The list as it is before its rows.
fn list_of(act: &Act<'_>, new: &NewList) -> Result<MovementList> {
    let mut faults = Faults::at("body");
    let code = code_of(&new.code);
    if code.is_none() {
        let why = "A code has 1 to 128 characters, without control characters.";
        faults.within("code", |faults| faults.add("value_error", why, &json!(new.code)));
    }
    Error::check(faults)?;
    let today = || act.now.to_string().chars().take(DAY_CHARS).collect();
    Ok(MovementList {
        key: MovementListKey(act.new_id()?),
        rev: 1,
        code: code.unwrap_or_default(),
        kind: new.kind,
        status: ListStatus::Planned,
        due_by: new.due_by.clone().unwrap_or_else(today),
        created: act.at,
        start_at: None,
        end_at: None,
        closed: None,
        notes: new.notes.clone(),
        refers_to: new.references.clone().filled(),
        extra: new.extra.clone(),
    })
}

/// The length of a day as text.
const DAY_CHARS: usize = 10;

/// The items of rows: as they are sent, or the next whole number that none has. They fit, since those that are sent are bounded.
fn number(rows: &[NewRow]) -> Vec<i64> {
    let sent: HashSet<i64> = rows.iter().filter_map(|row| row.item).collect();
    let mut last = 0;
    let next = |row: &NewRow| {
        let item = row.item.unwrap_or_else(|| {
            let mut next = last + 1;
            while sent.contains(&next) {
                next += 1;
            }
            next
        });
        last = last.max(item);
        item
    };
    rows.iter().map(next).collect()
}

/// Finds everything that is wrong with the rows by themselves.
fn check_rows(new: &NewList, items: &[i64], products: &Products) -> Result<()> {
    let mut errors = Vec::new();
    let mut of_item: HashMap<i64, ProductId> = HashMap::new();
    let mut serials: HashSet<(i64, Option<NamedSerial>)> = HashSet::new();
    for (row, (NewRow { described, .. }, item)) in new.rows.iter().zip(items).enumerate() {
        let mut fault = |field: &str, message: &str| {
            errors.push(RowFault { row, field: field.to_owned(), message: message.to_owned() });
        };
        if described.kind != new.kind {
            fault("movement_type", "It is not the type of the list.");
        }
        let (field, other) =
            if new.by_code { ("product_code", "product_key") } else { ("product_key", "product_code") };
        let (key, code) = (described.product_key.as_ref(), described.product_code.as_ref());
        let (named, not_asked) =
            if new.by_code { (code.is_some(), key.is_some()) } else { (key.is_some(), code.is_some()) };
        match products.named(key, code) {
            _ if not_asked => {
                fault(other, &format!("Rows of this list name products by {field} only: by_code is {}.", new.by_code));
            }
            _ if !named => fault(field, "Is required."),
            Err(_) => fault(field, "There is no such product."),
            Ok(product) if *of_item.entry(*item).or_insert(product.id) != product.id => {
                fault("movement_list_item", "The item has another product.");
                continue;
            }
            Ok(_) => {}
        }
        match named_serial(described.serial_key, described.serial_code.as_deref()) {
            Err(_) => fault("serial_code", "It is not the code of a serial, or the row names one twice."),
            Ok(serial) => {
                let named = if described.serial_code.is_some() { "serial_code" } else { "serial_key" };
                let why = if serial.is_some() { SAME_SERIAL } else { NO_SERIAL_AGAIN };
                if !serials.insert((*item, serial)) {
                    fault(named, why);
                }
            }
        }
    }
    must_be_none(errors)
}

const SAME_SERIAL: &str = "The item has a row with the same serial already.";
const NO_SERIAL_AGAIN: &str = "The item has a row without a serial already: give this one another item, or none.";

/// Finds units that one item has twice, now that codes are known to be theirs.
fn check_units(drafts: &[Result<Draft>]) -> Result<()> {
    let mut errors = Vec::new();
    let mut units: HashSet<(Option<i64>, SerialKey)> = HashSet::new();
    for (row, draft) in drafts.iter().enumerate() {
        let Ok(Draft { movement, serial, .. }) = draft else { continue };
        if let Some(unit) = movement.serial_key
            && !units.insert((movement.movement_list_item, unit))
        {
            let named = if matches!(serial, Some(NamedSerial::Code(_))) { "serial_code" } else { "serial_key" };
            errors.push(RowFault { row, field: named.to_owned(), message: SAME_SERIAL.to_owned() });
        }
    }
    must_be_none(errors)
}

fn must_be_none(errors: Vec<RowFault>) -> Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    let rule = MovementListException { rule: BadList::Rows, movement_list_key: None, errors };
    Err(Error::rule(&rule, "Rows of the list are wrong."))
}

fn draft(act: &Act<'_>, mut described: Described, completed: bool, products: &Products) -> Result<Draft> {
    if !completed {
        return described.planned(act, products);
    }
    let planned = described.qt_planned.unwrap_or(Quantity::ONE);
    described.qt_planned = Some(planned);
    described.qt_confirmed = described.qt_confirmed.filter(|confirmed| *confirmed != Quantity::ZERO).or(Some(planned));
    let mut draft = described.ready(act, products)?;
    Times::of_event(act).stamp(&mut draft.movement);
    Ok(draft)
}

async fn must_have_reasons(act: &mut Act<'_>, drafts: &mut [Result<Draft>]) -> Result<()> {
    let reasons = Reasons::load(act).await?;
    for place in drafts {
        if let Some(wrong) = place.as_ref().ok().and_then(|draft| reasons.must_be_given(draft).err()) {
            *place = Err(wrong);
        }
    }
    Ok(())
}

/// Stores planned movements; the first that is wrong refuses all.
async fn plan_all(act: &mut Act<'_>, drafts: Vec<Result<Draft>>) -> Result<Vec<MovementKey>> {
    let mut planned = Vec::with_capacity(drafts.len());
    for (row, draft) in drafts.into_iter().enumerate() {
        let Draft { movement, product, .. } = draft.map_err(|error| error.of_row(row))?;
        telling::planned(act, &movement, &product.key)?;
        planned.push(movement);
    }
    movements::insert_all(act.tx, &planned).await?;
    Ok(planned.iter().map(|movement| movement.key).collect())
}

/// Closes a list: what was not carried out is canceled. Returns how many that were.
pub(crate) async fn close(act: &mut Act<'_>, key: MovementListKey) -> Result<u64> {
    let mut list = planned::lock_list(act, key).await?;
    if !list.is_open() {
        return Err(bad_list(BadList::ListClosed, Some(key), "The list is completed, canceled or closed."));
    }
    let canceled = movements::cancel_planned(act.tx, key, act.at).await?;
    let done = movements::tally(act.tx, key).await?.completed;
    let status = if done { ListStatus::Completed } else { ListStatus::Canceled };
    movement_lists::close(act.tx, &mut list, status, act.at).await?;
    Ok(canceled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(item: Option<i64>) -> NewRow {
        let described = Described {
            kind: MovementType::Receipt,
            product_key: None,
            product_code: None,
            serial_key: None,
            serial_code: None,
            from: None,
            to: None,
            qt_planned: None,
            qt_confirmed: None,
            owned: None,
            references: None,
            reason: None,
            extra: Map::new(),
        };
        NewRow { described, item }
    }

    #[test]
    fn rows_without_an_item_get_the_next_number() {
        let items = |sent: &[Option<i64>]| number(&sent.iter().copied().map(row).collect::<Vec<_>>());
        assert_eq!(items(&[None, None, None]), [1, 2, 3]);
        assert_eq!(items(&[None, Some(10), None]), [1, 10, 11]);
        assert_eq!(items(&[None, None, Some(1), Some(1), None]), [2, 3, 1, 1, 4]);
    }
}
