//! Filters on the values of custom fields: the `advanced_filters` of lists.
//!
//! A record is stored with the search texts of its values ([`search_texts`]), and a filter becomes a [`Condition`] on those.
//! A value matches if one of its texts does. Texts of numbers, dates and times sort by byte as their values do, so the
//! database needs to know nothing of types.

mod condition;
mod sent;
#[cfg(test)]
mod tests;
mod texts;

pub use condition::Condition;
pub use sent::{AdvancedFilters, BadFilters, FieldCondition, MOST_FILTERS};
pub use texts::search_texts;

use crate::named;

named! {
    /// How filters combine.
    pub enum Operator {
        /// All of them have to match.
        And = "AND",
        /// One of them is enough.
        Or = "OR",
    }
}
