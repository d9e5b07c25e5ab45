//! Members of a change: members left out stay, null clears.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// A field that may be left out but not be null. Declared with `#[serde(default)]`.
#[derive(Debug, Clone)]
pub struct Given<T>(pub Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(|value| Self(Some(value)))
    }
}

impl<T: JsonSchema> JsonSchema for Given<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T> Given<T> {
    /// Assigns the value to `place`, if one was given.
    pub fn apply(self, place: &mut T) {
        if let Some(value) = self.0 {
            *place = value;
        }
    }
}

/// A field that may be left out, or be null to clear the stored value. Declared with `#[serde(default)]`.
#[derive(Debug, Clone, Default)]
pub enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<T>::deserialize(from)?.map_or(Change::Clear, Change::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

impl<T> Change<T> {
    /// Whether it was not left out.
    pub fn is_given(&self) -> bool {
        !matches!(self, Change::Keep)
    }

    /// Sets or clears `place`, or leaves it alone.
    pub fn apply(self, place: &mut Option<T>) {
        match self {
            Change::Keep => {}
            Change::Clear => *place = None,
            Change::Set(value) => *place = Some(value),
        }
    }

    /// Applies `make` to the value that is set, if any.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(value) => Change::Set(make(value)),
        }
    }
}
