use domain::scope::Scope;

/// To do what otherwise only the operator at work may, and to correct it.
pub(crate) const SUPERVISE: Scope = Scope::named("production:job:update");
/// To change work orders.
pub(crate) const PLAN: Scope = Scope::named("production:work-order:update");
