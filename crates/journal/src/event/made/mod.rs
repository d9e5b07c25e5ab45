//! The payloads of events that the service makes, and what it adds to those that are sent. Each is declared once: events are made
//! from these types, and the API's document and the catalogue of events describe them.

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

/// A payload, or a part of one, that the service makes.
pub trait Made: Serialize {
    /// The types of the events that have it.
    const TYPES: &'static [&'static str];
}

/// Such a payload, with its Rust type erased.
pub struct MadePayload {
    /// The types of the events that have it.
    pub types: &'static [MadeType],
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl MadePayload {
    /// The type of that name, if its events have this payload.
    pub fn of(&self, event_type: &str) -> Option<&'static MadeType> {
        self.types.iter().find(|made| made.name == event_type)
    }
}

/// A type of events that the service makes.
pub struct MadeType {
    pub name: &'static str,
    meaning: &'static [&'static str],
    /// When the service makes one that follows from no other event, as the end of a sentence; empty if it never does.
    pub when: &'static str,
}

impl MadeType {
    /// What it means; for a type that is also sent: what it means that the service makes one.
    pub fn meaning(&self) -> String {
        let lines: Vec<&str> = self.meaning.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }
}

/// Declares payloads: the types of their events, each with its meaning and perhaps with when the service makes one by itself, and
/// the members.
macro_rules! payloads {
    ($(#[doc = $about:literal])+ $list:ident { $(
        $name:ident for $($(#[doc = $meaning:literal])* $type:literal $(when $when:literal)?,)+ {
            $($(#[$attribute:meta])* $field:ident: $kind:ty,)*
        }
    )+ }) => {
        $(
            #[derive(Debug, Clone, Serialize, JsonSchema)]
            pub(crate) struct $name { $($(#[$attribute])* pub(crate) $field: $kind,)* }

            impl Made for $name {
                const TYPES: &'static [&'static str] = &[$($type),+];
            }
        )+

        $(#[doc = $about])+
        pub(crate) static $list: &[MadePayload] = &[$(
            MadePayload {
                types: &[$(MadeType { name: $type, meaning: &[$($meaning),*], when: concat!($($when)?) }),+],
                schema: <$name as JsonSchema>::json_schema,
            },
        )+];
    };
}

pub(crate) mod collaboration;
pub(crate) mod counting;
pub(crate) mod production;
pub(crate) mod serial;
pub(crate) mod warehouse;

/// The payloads of events that the service makes.
pub fn made_payloads() -> impl Iterator<Item = &'static MadePayload> {
    [production::MADE, serial::MADE, warehouse::MADE, counting::MADE].into_iter().flatten()
}

/// The members that the service adds to the payloads of events that are sent.
pub fn added_members() -> impl Iterator<Item = &'static MadePayload> {
    [production::ADDED, serial::ADDED, warehouse::ADDED, counting::ADDED, collaboration::ADDED].into_iter().flatten()
}
