use domain::Timestamp;
use domain::key::{TaskKey, UserKey, UserSessionKey};
use schemars::JsonSchema;
use serde::Deserialize;

/// Members that every event may have.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Common {
    /// Whose event it is: yours when left out. For another active user you need the scope `traceability:event:behalf`, and
    /// that user needs the rights that the event requires; your key is then kept as `sent_by`.
    pub user_key: Option<UserKey>,
    /// One of the user's own sessions; the token's session when left out.
    pub user_session_key: Option<UserSessionKey>,
    /// When it happened, at most 5 minutes ahead. When left out: now, but not before the start of what it ends.
    pub timestamp: Option<Timestamp>,
    /// A remark.
    #[schemars(length(max = 2000))]
    pub description: Option<String>,
    /// What kind of record the work belongs to; together with `context_key`.
    pub context_type: Option<ContextType>,
    /// The record that the work belongs to; together with `context_type`.
    pub context_key: Option<TaskKey>,
    /// Events that are sent are always primary.
    #[schemars(extend("enum" = [true, null]))]
    pub primary: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextType {
    Task,
}
