use domain::scope::Scope;
use domain::warehouse::movement::MovementType;

use crate::Result;
use crate::act::Act;

/// What it takes to correct stock, and to take movements back.
pub(crate) const ADJUST: Scope = Scope::named("inventory:movement:adjust");
/// What it takes to plan lists of movements.
pub(crate) const LISTS: Scope = Scope::named("inventory:movement-list:create");

/// Adjustments are for those who may correct stock.
pub(crate) fn must_be_allowed(act: &mut Act<'_>, kind: MovementType) -> Result<()> {
    if kind == MovementType::Adjustment { act.must_have(ADJUST) } else { Ok(()) }
}
