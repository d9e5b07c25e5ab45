use domain::scope::Scope;

/// What it takes to change what was finished, and to delete.
pub(crate) const CORRECT: Scope = Scope::named("serial:correct");
