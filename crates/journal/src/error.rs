use std::borrow::Cow;

use domain::fault::Faults;
use domain::key::KeysExhausted;
use domain::rule::journal::{RecordNotFoundError, ReferenceMismatchError, TimestampError};
use domain::rule::serial::SerialNotLinkedError;
use domain::rule::warehouse::{InventoryMovementException, NotMoved};
use domain::rule::{Refused, Rule};
use domain::scope::Scope;
use domain::{ErrorData, Fault, Loc, Timestamp};
use serde_json::{Value, json};
use store::{StoreError, TxError};

/// Why an event was not stored.
#[derive(Debug)]
pub enum Error {
    /// A rule refuses it.
    Refused(Box<Refused>),
    /// This user may not do it, or nobody may any more.
    Forbidden {
        message: Cow<'static, str>,
        data: Box<ErrorData>,
    },
    /// What it names does not fit: all faults.
    Invalid(Vec<Fault>),
    /// Another record has the key that this member asks for.
    KeyTaken(&'static str),
    Store(StoreError),
    Keys(KeysExhausted),
}

impl Error {
    pub fn rule(rule: &impl Rule, message: impl Into<Cow<'static, str>>) -> Self {
        Refused::new(rule, message).into()
    }

    /// A missing scope.
    pub(crate) fn scope(required: Scope, message: impl Into<Cow<'static, str>>) -> Self {
        Self::Forbidden { message: message.into(), data: Box::new(ErrorData::required_scope(required.name())) }
    }

    /// A key that names nothing.
    pub fn missing(field: &str, key: impl std::fmt::Display) -> Self {
        Self::missing_as(field, &what(field), key)
    }

    /// Likewise, where the name of the member does not say what kind of record it names.
    pub(crate) fn missing_as(field: &str, what: &str, key: impl std::fmt::Display) -> Self {
        let rule = RecordNotFoundError { field: field.to_owned(), key: json!(key.to_string()) };
        Self::rule(&rule, format!("There is no such {what}."))
    }

    /// The event can't have happened at that time; `earliest` is the start of what it ends.
    pub fn timestamp(message: impl Into<Cow<'static, str>>, earliest: Option<Timestamp>) -> Self {
        Self::rule(&TimestampError { earliest }, message)
    }

    /// Shows a missing record's key as it was sent: text that is not one of our keys was read as the key of no record.
    pub(crate) fn with_key_sent(mut self, payload: &Value) -> Self {
        if let Self::Refused(refused) = &mut self
            && refused.is::<RecordNotFoundError>()
            && let Some(sent) = refused.data["field"].as_str().and_then(|field| sent_as(payload, field))
            && !sent.is_array()
        {
            refused.data["key"] = sent.clone();
        }
        self
    }

    /// For who may not read stock: blind counters would learn from refused movements what they are to count.
    pub(crate) fn without_stock(mut self) -> Self {
        if let Self::Refused(refused) = &mut self
            && refused.is::<InventoryMovementException>()
            && let Some(data) = refused.data.as_object_mut()
        {
            data.remove("available");
            if data.get("rule").is_some_and(|rule| rule == NotMoved::SerialInStock.name()) {
                data.remove("position_key");
            }
        }
        self
    }

    /// Says which of many links is refused.
    pub(crate) fn of_link(mut self, index: usize) -> Self {
        if let Self::Refused(refused) = &mut self
            && refused.is::<SerialNotLinkedError>()
        {
            refused.data["index"] = index.into();
        }
        self
    }

    /// Says which row of a list of movements is refused.
    pub(crate) fn of_row(mut self, row: usize) -> Self {
        match &mut self {
            Self::Refused(refused) => refused.data["row"] = row.into(),
            Self::Invalid(faults) => {
                for fault in faults {
                    let start = fault.loc.len().min(1);
                    fault.loc.splice(start..start, [Loc::from("movements"), Loc::from(row)]);
                }
            }
            _ => {}
        }
        self
    }

    /// The payload matches its schema but can't be read into its type.
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        Refused::value(error.to_string()).into()
    }

    /// Fails if there are any faults.
    pub fn check(faults: Faults) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Self::Invalid(faults.into_vec())) }
    }

    /// Stored records contradict each other.
    pub(crate) fn broken(what: &str) -> Self {
        Self::Store(StoreError::Stored(what.to_owned()))
    }

    /// A key that names something other than the rest of the event.
    pub fn mismatch(field: &str, given: impl std::fmt::Display, expected: Option<String>) -> Self {
        let rule = ReferenceMismatchError { field: field.to_owned(), given: given.to_string(), expected };
        Self::rule(&rule, format!("{field} does not agree with the rest of the request."))
    }
}

/// What was sent in a member, or in one of an issue's data.
fn sent_as<'p>(payload: &'p Value, field: &str) -> Option<&'p Value> {
    payload.get(field).or_else(|| payload.get("issue_data")?.get(field))
}

/// The record that a member such as `work_order_key` names.
fn what(field: &str) -> String {
    let endings = ["_keys", "_key", "_code"];
    let field = if ["position_from", "position_to"].contains(&field) { "position" } else { field };
    let record = endings.iter().find_map(|ending| field.strip_suffix(ending)).unwrap_or(field);
    record.strip_suffix("serials").map_or(record.to_owned(), |prefix| format!("{prefix}serial")).replace('_', " ")
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<KeysExhausted> for Error {
    fn from(error: KeysExhausted) -> Self {
        Self::Keys(error)
    }
}

impl TxError for Error {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            Error::Store(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(error: Error) -> Value {
        match error {
            Error::Refused(refused) => refused.data,
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    #[test]
    fn a_missing_record_is_named_as_it_was_sent() {
        let sent = json!({ "job_key": "no key of ours" });
        let missing = Error::missing("job_key", "0000000000000").with_key_sent(&sent);
        assert_eq!(data(missing), json!({ "field": "job_key", "key": "no key of ours" }));
        let of_issue = json!({ "issue_data": { "_key": "none of ours", "linked_to": [] } });
        let missing = Error::missing_as("_key", "issue", "0000000000000").with_key_sent(&of_issue);
        assert_eq!(data(missing), json!({ "field": "_key", "key": "none of ours" }));
        let missing = Error::missing_as("linked_to", "job", "j").with_key_sent(&of_issue);
        assert_eq!(data(missing), json!({ "field": "linked_to", "key": "j" }));
        // A record that was found by another member keeps its key.
        let missing = Error::missing("user_key", "anna").with_key_sent(&sent);
        assert_eq!(data(missing), json!({ "field": "user_key", "key": "anna" }));
    }
}
