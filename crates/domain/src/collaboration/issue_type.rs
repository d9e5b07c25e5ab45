use crate::form::FormField;
use crate::key::IssueTypeKey;

/// A kind of issue, and what has to be filled in before one of its issues is closed.
#[derive(Debug, Clone, PartialEq)]
pub struct IssueType {
    pub key: IssueTypeKey,
    pub rev: i64,
    pub name: String,
    /// Trimmed; unique when set, ignoring case.
    pub code: Option<String>,
    /// Whether new issues can have it.
    pub active: bool,
    pub description: Option<String>,
    pub icon: Option<String>,
    /// What new issues are, unless they say otherwise.
    pub critical: bool,
    pub form_template: Vec<FormField>,
}
