//! Planned movements, and the lists they are in.

use domain::key::{MovementKey, MovementListKey};
use domain::rule::warehouse::{BadList, MovementListException, NotMoved, RowFault};
use domain::warehouse::movement::{MovementStatus, MovementType};
use store::StoreError;
use store::warehouse::movement_lists::{self, MovementList};
use store::warehouse::movements::{self, Movement};

use super::naming::about;
use crate::act::Act;
use crate::{Error, Result};

/// A list can't be changed like that.
pub(crate) fn bad_list(rule: BadList, list: Option<MovementListKey>, message: &'static str) -> Error {
    Error::rule(&MovementListException { rule, movement_list_key: list, errors: Vec::new() }, message)
}

/// Locks a list.
pub(crate) async fn lock_list(act: &mut Act<'_>, key: MovementListKey) -> Result<MovementList> {
    movement_lists::lock(act.tx, key).await?.ok_or_else(|| Error::missing("movement_list_key", key))
}

/// Checks that movements of this type can be added to a list.
pub(crate) fn must_take(list: &MovementList, kind: MovementType) -> Result<()> {
    if !list.is_open() {
        return Err(bad_list(BadList::ListClosed, Some(list.key), "The list is completed, canceled or closed."));
    }
    if list.kind != kind {
        return Err(bad_list(BadList::TypeMismatch, Some(list.key), "The list has movements of another type."));
    }
    Ok(())
}

/// Puts a movement into a list that is locked: under the item that is wanted, or the next whole number.
pub(crate) async fn put(
    act: &mut Act<'_>,
    list: &MovementList,
    movement: &mut Movement,
    item: Option<i64>,
) -> Result<()> {
    let item = match item {
        Some(item) => {
            if movements::item_has_another_product(act.tx, list.key, item, movement.product_id).await? {
                let (field, message) = ("movement_list_item".to_owned(), "The item has another product.".to_owned());
                let errors = vec![RowFault { row: 0, field, message }];
                let rule = MovementListException { rule: BadList::Rows, movement_list_key: Some(list.key), errors };
                return Err(Error::rule(&rule, "The item of the list has another product."));
            }
            item
        }
        None => movements::last_item(act.tx, list.key).await? + 1,
    };
    (movement.movement_list_key, movement.movement_list_item) = (Some(list.key), Some(item));
    if let Some(shared) = &list.refers_to {
        movement.refers_to = Some(movement.refers_to.take().unwrap_or_default().or(shared));
    }
    Ok(())
}

/// Makes a list that is locked what its movements say. One that was closed stays as it is.
pub(crate) async fn refresh(act: &mut Act<'_>, list: Option<MovementList>) -> Result<()> {
    let Some(mut list) = list.filter(|list| list.closed.is_none()) else { return Ok(()) };
    let tally = movements::tally(act.tx, list.key).await?;
    Ok(movement_lists::set_state(act.tx, &mut list, tally.state()).await?)
}

/// A planned movement. It is not locked yet.
pub(crate) async fn find(act: &mut Act<'_>, key: MovementKey) -> Result<Movement> {
    let found = movements::find(act.tx, key).await?.ok_or_else(|| Error::missing("movement_key", key))?;
    must_be_open(act, &found).await?;
    Ok(found)
}

async fn must_be_open(act: &mut Act<'_>, movement: &Movement) -> Result<()> {
    if movement.status == MovementStatus::Planned { Ok(()) } else { Err(not_open(act, movement).await?) }
}

/// Somebody carried it out or canceled it.
pub(crate) async fn not_open(act: &mut Act<'_>, movement: &Movement) -> Result<Error> {
    Ok(about(act, movement).await?.refused(NotMoved::NotOpen))
}

/// Locks a planned movement that was found, and before it its list. It may have changed since, but not its positions: they are held.
pub(crate) async fn lock(act: &mut Act<'_>, found: &Movement) -> Result<(Movement, Option<MovementList>)> {
    let list = match found.movement_list_key {
        Some(key) => Some(lock_list(act, key).await?),
        None => None,
    };
    // Gone means that its parts have used it up.
    let Some(movement) = movements::lock(act.tx, found.key).await? else {
        return Err(not_open(act, found).await?);
    };
    must_be_open(act, &movement).await?;
    if (&movement.from_key, &movement.to_key) != (&found.from_key, &found.to_key) {
        return Err(StoreError::Stored("a movement was changed meanwhile".to_owned()).run_again().into());
    }
    Ok((movement, list))
}

/// Stores what has become of a planned movement.
pub(crate) async fn save(act: &mut Act<'_>, movement: &mut Movement) -> Result<()> {
    let open = movements::change_planned(act.tx, movement).await?;
    if open { Ok(()) } else { Err(not_open(act, movement).await?) }
}
