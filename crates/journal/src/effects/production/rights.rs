use domain::scope::Scope;

/// Lets a user do what otherwise only the job's operator may, and correct it.
pub(crate) const SUPERVISE: Scope = Scope::named("production:job:update");
/// Lets a user change work orders.
pub(crate) const PLAN: Scope = Scope::named("production:work-order:update");
