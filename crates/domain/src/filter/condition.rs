use serde_json::{Map, Value};

use super::BadFilters;
use super::texts::{UNANSWERED, key_text, one_text};
use crate::form::{Choices, FieldKind, chosen};
use crate::key::{FieldKey, ListValueKey};
use crate::search::LONGEST;
use crate::text::fold;

/// What a search text has to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// This text is part of it.
    Contains(String),
    Equals(String),
    /// By byte, both included; at least one of them is given.
    Between(Option<String>, Option<String>),
}

impl Condition {
    /// Whether a search text matches. Each engine has its own implementation; tests compare them with this one.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Condition::Contains(part) => text.contains(part.as_str()),
            Condition::Equals(whole) => text == whole,
            Condition::Between(low, high) => {
                low.as_deref().is_none_or(|low| low <= text) && high.as_deref().is_none_or(|high| text <= high)
            }
        }
    }

    /// Whether it asks for what nobody has answered: only values that can be so have that text.
    pub fn is_unanswered(&self) -> bool {
        matches!(self, Condition::Equals(whole) if whole == UNANSWERED)
    }

    /// What the value of a filter means for a field of this type.
    pub(super) fn of(kind: FieldKind, field: &FieldKey, value: &Value) -> Result<Self, BadFilters> {
        // Neither engine would find it, and one of them would fail.
        if value.as_str().is_some_and(|text| text.contains('\0')) {
            return Err(BadFilters::Nul);
        }
        if value.as_str().is_some_and(|text| text.chars().count() > LONGEST as usize) {
            return Err(BadFilters::TooLong(field.clone()));
        }
        let filter = Filter { kind, field, value };
        let (condition, by) = match kind {
            FieldKind::Text => (filter.part(), "a part of the text"),
            FieldKind::Files => (filter.part(), "a part of a file's name"),
            FieldKind::Choice => {
                (filter.key().or_else(|| filter.part()), "a part of the chosen value's text, or by {\"_key\": …}")
            }
            FieldKind::Number => (
                filter.bounds("min", "max").or_else(|| filter.whole()),
                "a number of at most 15 digits before and 12 after the point, or by {\"min\": …, \"max\": …}",
            ),
            FieldKind::Boolean => (filter.whole(), "true or false"),
            FieldKind::Ternary => (filter.whole(), "true, false or null"),
            FieldKind::Date => (filter.bounds("from", "to"), "{\"from\": …, \"to\": …}, dates such as 2026-01-31"),
            FieldKind::Time => (filter.bounds("from", "to"), "{\"from\": …, \"to\": …}, times such as 08:30"),
            FieldKind::Separator => return Err(BadFilters::NoValues(field.clone())),
        };
        condition.ok_or_else(|| BadFilters::WrongValue { field: field.clone(), by })
    }
}

/// A filter in the making.
#[derive(Clone, Copy)]
struct Filter<'a> {
    kind: FieldKind,
    field: &'a FieldKey,
    value: &'a Value,
}

impl Filter<'_> {
    fn part(self) -> Option<Condition> {
        self.value.as_str().map(|part| Condition::Contains(fold(part)))
    }

    fn key(self) -> Option<Condition> {
        self.value.as_object()?;
        let key = ListValueKey::new(chosen(self.value)?).ok()?;
        Some(Condition::Equals(key_text(key.as_str())))
    }

    fn whole(self) -> Option<Condition> {
        self.text(self.value).map(Condition::Equals)
    }

    fn bounds(self, low: &str, high: &str) -> Option<Condition> {
        let bounds = self.value.as_object()?;
        let known = bounds.keys().all(|name| name == low || name == high);
        let (low, high) = (self.bound(bounds, low)?, self.bound(bounds, high)?);
        (known && (low.is_some() || high.is_some())).then_some(Condition::Between(low, high))
    }

    /// A bound of that name, if there is one; `None` for a wrong one.
    fn bound(self, bounds: &Map<String, Value>, name: &str) -> Option<Option<String>> {
        match bounds.get(name) {
            None | Some(Value::Null) => Some(None),
            Some(bound) => self.text(bound).map(Some),
        }
    }

    /// The search text of a value that the field itself could have.
    fn text(self, value: &Value) -> Option<String> {
        let value = self.kind.read(value, false, self.field, &Choices::default()).ok()?;
        one_text(self.kind, &value)
    }
}
