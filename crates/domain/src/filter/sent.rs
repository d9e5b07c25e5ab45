//! Filters as they are sent.

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_PAD_INDIFFERENT as BASE64;
use serde_json::Value;
use thiserror::Error;

use super::{Condition, Operator};
use crate::form::FieldKind;
use crate::json;
use crate::key::FieldKey;
use crate::search::LONGEST;

/// Maximum number of filters in a request.
pub const MOST_FILTERS: usize = 100;

/// Why filters are refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadFilters {
    #[error(
        "Must be {{\"operator\": \"AND\" or \"OR\", \"filters\": [{{\"_key\": …, \"value\": …}}]}}, as JSON or in base64."
    )]
    Unreadable,
    #[error("There can be at most {MOST_FILTERS} filters.")]
    TooMany,
    #[error("There is no custom field {0}.")]
    UnknownField(String),
    #[error("The custom field {field} is filtered by {by}.")]
    WrongValue { field: FieldKey, by: &'static str },
    #[error("The custom field {0} is a separator and has no values.")]
    NoValues(FieldKey),
    #[error("Text can't contain the NUL character.")]
    Nul,
    #[error("The custom field {0} is searched for at most {LONGEST} characters.")]
    TooLong(FieldKey),
}

/// Filters, not yet compared with the types of their fields. Without any, everything matches.
#[derive(Debug, Clone, PartialEq)]
pub struct AdvancedFilters {
    pub operator: Operator,
    filters: Vec<(FieldKey, Value)>,
}

/// What the values of a field have to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldCondition {
    pub field_key: FieldKey,
    pub condition: Condition,
}

impl AdvancedFilters {
    /// Reads JSON, or base64 of it in either alphabet, with or without padding.
    pub fn parse(text: &str) -> Result<Self, BadFilters> {
        let sent: Option<Value> = decoded(text.trim()).and_then(|json| json::read(&json).ok());
        let sent = sent.ok_or(BadFilters::Unreadable)?;
        let (operator, filters) = list(&sent).ok_or(BadFilters::Unreadable)?;
        if filters.len() > MOST_FILTERS {
            return Err(BadFilters::TooMany);
        }
        let filters: Result<Vec<_>, BadFilters> = filters.iter().map(filter).collect();
        Ok(Self { operator, filters: filters? })
    }

    /// The custom fields whose types [`AdvancedFilters::conditions`] needs.
    pub fn fields(&self) -> impl Iterator<Item = &FieldKey> {
        self.filters.iter().map(|(field, _)| field)
    }

    /// What the filters mean for fields of these types, in the order sent.
    pub fn conditions(&self, kinds: &HashMap<FieldKey, FieldKind>) -> Result<Vec<FieldCondition>, BadFilters> {
        let conditions = self.filters.iter().map(|(field, value)| {
            let kind = kinds.get(field).ok_or_else(|| BadFilters::UnknownField(field.to_string()))?;
            Ok(FieldCondition { field_key: field.clone(), condition: Condition::of(*kind, field, value)? })
        });
        conditions.collect()
    }
}

fn decoded(text: &str) -> Option<Cow<'_, [u8]>> {
    if text.starts_with('{') {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let standard = text.chars().map(|character| match character {
        // In an address, a plus sign that is not escaped means a space.
        '-' | ' ' => '+',
        '_' => '/',
        other => other,
    });
    BASE64.decode(standard.collect::<String>()).ok().map(Cow::Owned)
}

fn list(sent: &Value) -> Option<(Operator, &[Value])> {
    let (operator, filters) = members(sent, ["operator", "filters"])?;
    Some((Operator::parse(operator.as_str()?)?, filters.as_array()?.as_slice()))
}

fn filter(sent: &Value) -> Result<(FieldKey, Value), BadFilters> {
    let (key, value) = members(sent, ["_key", "value"]).ok_or(BadFilters::Unreadable)?;
    let key = key.as_str().ok_or(BadFilters::Unreadable)?;
    let field = FieldKey::new(key).map_err(|_| BadFilters::UnknownField(key.to_owned()))?;
    Ok((field, value.clone()))
}

/// The members of an object that has exactly these two.
fn members<'a>(value: &'a Value, [one, other]: [&str; 2]) -> Option<(&'a Value, &'a Value)> {
    let members = value.as_object().filter(|members| members.len() == 2)?;
    Some((members.get(one)?, members.get(other)?))
}
