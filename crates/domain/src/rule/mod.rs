//! Refusals by a rule: the name of the rule, the reason, and the data that a program needs. Each rule is declared once, with its
//! meaning, what to do about it, and its data; the service can refuse by no other, and the API's document and the catalogue of errors
//! list them all.

pub mod collaboration;
pub mod counting;
pub mod journal;
pub mod production;
pub mod records;
pub mod serial;
pub mod warehouse;

use std::borrow::Cow;

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// The data of a refusal, declared by [`rules!`].
pub trait Rule: Serialize {
    const ERROR_TYPE: &'static str;
}

/// A rule, with its Rust type erased.
pub struct RuleType {
    pub name: &'static str,
    meaning: &'static [&'static str],
    /// What to do about it.
    pub remedy: &'static str,
    /// Its data.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl RuleType {
    pub fn meaning(&self) -> String {
        let lines: Vec<&str> = self.meaning.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }
}

/// All rules, area by area.
pub fn all() -> impl Iterator<Item = &'static RuleType> {
    let areas = [
        collaboration::RULES,
        counting::RULES,
        journal::RULES,
        production::RULES,
        records::RULES,
        serial::RULES,
        warehouse::RULES,
    ];
    areas.into_iter().flatten()
}

/// Declares rules: the meaning as a comment, the name, what to do, and the data.
macro_rules! rules {
    ($($(#[doc = $meaning:literal])+ $name:ident, $remedy:literal { $($(#[$attribute:meta])* $field:ident: $type:ty,)* })+) => {
        $(
            $(#[doc = $meaning])+
            #[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
            pub struct $name { $($(#[$attribute])* pub $field: $type,)* }

            impl $crate::rule::Rule for $name {
                const ERROR_TYPE: &'static str = stringify!($name);
            }
        )+

        pub(super) const RULES: &[$crate::rule::RuleType] = &[$(
            $crate::rule::RuleType {
                name: stringify!($name),
                meaning: &[$($meaning),+],
                remedy: $remedy,
                schema: <$name as schemars::JsonSchema>::json_schema,
            },
        )+];
    };
}
use rules;

#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    pub error_type: &'static str,
    pub message: Cow<'static, str>,
    /// The additional members of its type.
    pub data: Value,
}

impl Refused {
    pub fn new<R: Rule>(rule: &R, message: impl Into<Cow<'static, str>>) -> Self {
        let data = serde_json::to_value(rule).unwrap_or_default();
        Self { error_type: R::ERROR_TYPE, message: message.into(), data }
    }

    /// A refused value for which no other rule has a name.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(&journal::ValueError {}, message)
    }

    pub fn is<R: Rule>(&self) -> bool {
        self.error_type == R::ERROR_TYPE
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn rules_have_names_of_their_own_and_texts() {
        let mut names = HashSet::new();
        for rule in all() {
            assert!(names.insert(rule.name), "{} twice", rule.name);
            for text in [rule.meaning(), rule.remedy.to_owned()] {
                assert!(text.ends_with('.') && !text.contains("  "), "{}: {text}", rule.name);
            }
        }
    }

    #[test]
    fn data_is_an_object() {
        let refused = Refused::value("No.");
        assert!(refused.is::<journal::ValueError>());
        assert_eq!(refused.data, serde_json::json!({}));
    }
}
