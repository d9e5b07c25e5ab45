//! Finds the faults of a value, and where they are.

use domain::fault::Faults;
use domain::key::{KEY_PATTERN, is_key};
use domain::quantity::NotAQuantity;
use domain::text::{NOT_BLANK, is_blank};
use domain::{Quantity, Timestamp};
use regex_lite::Regex;
use serde_json::Value;

use super::{Node, Object, Text, whole};

impl Node {
    pub(super) fn check(&self, value: &Value, faults: &mut Faults) {
        match self {
            Node::Any | Node::ReadOnly => {}
            Node::Boolean => {
                if !value.is_boolean() {
                    faults.add("bool_type", "Must be true or false.", value);
                }
            }
            Node::Integer { min, max } => check_integer(*min, *max, value, faults),
            Node::Number { min, above, max, exact } => check_number(*min, *above, *max, *exact, value, faults),
            Node::Text(text) => text.check(value, faults),
            Node::Choice(values) => {
                if !values.contains(value) {
                    let shown: Vec<String> = values.iter().map(shown).collect();
                    faults.add("enum", format!("Must be one of: {}.", shown.join(", ")), value);
                }
            }
            Node::List { items, min, max } => check_list(items, *min, *max, value, faults),
            Node::Object(object) => object.check(value, faults),
            Node::Nullable(inner) => {
                if !value.is_null() {
                    inner.check(value, faults);
                }
            }
            Node::Checked(inner, check) => {
                let before = faults.count();
                inner.check(value, faults);
                // Rules for objects and lists are about their contents in relation to each other.
                if value.is_object() || value.is_array() || faults.count() == before {
                    check(value, faults);
                }
            }
            Node::AnyOf(nodes) => {
                let fits = nodes.iter().any(|node| {
                    let mut tried = Faults::default();
                    node.check(value, &mut tried);
                    tried.is_empty()
                });
                if !fits {
                    faults.add("no_match", "Fits none of the allowed forms.", value);
                }
            }
            Node::Tagged { tag, forms } => check_tagged(tag, forms, value, faults),
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn check_integer(min: Option<i64>, max: Option<i64>, value: &Value, faults: &mut Faults) {
    let Some(number) = value.as_number() else {
        let kind = if value.is_string() { "int_parsing" } else { "int_type" };
        return faults.add(kind, "Must be a whole number.", value);
    };
    match (number.as_i64().or_else(|| whole(number)), min, max) {
        (None, _, _) => faults.add("int_type", "Must be a whole number of at most 64 bits.", value),
        (Some(number), Some(min), _) if number < min => {
            faults.add("greater_than_equal", format!("Must be {min} or more."), value);
        }
        (Some(number), _, Some(max)) if number > max => {
            faults.add("less_than_equal", format!("Must be {max} or less."), value);
        }
        _ => {}
    }
}

fn characters(count: usize) -> String {
    if count == 1 { "1 character".to_owned() } else { format!("{count} characters") }
}

fn check_number(
    min: Option<Quantity>,
    above: Option<Quantity>,
    max: Option<Quantity>,
    exact: bool,
    value: &Value,
    faults: &mut Faults,
) {
    let number = value.as_number().map(|number| number.as_str()).or(value.as_str().filter(|_| exact));
    match number.map_or(Err(NotAQuantity::NotANumber), str::parse::<Quantity>) {
        Err(NotAQuantity::NotANumber) => faults.add("float_type", "Must be a number.", value),
        Err(why @ NotAQuantity::TooLarge) if exact => faults.add("less_than_equal", format!("{why}."), value),
        Err(why) if exact => faults.add("decimal_parsing", format!("{why}."), value),
        Ok(number) if above.is_some_and(|above| number <= above) => {
            faults.add("greater_than", format!("Must be more than {}.", above.unwrap_or_default()), value);
        }
        Ok(number) if min.is_some_and(|min| number < min) => {
            faults.add("greater_than_equal", format!("Must be {} or more.", min.unwrap_or_default()), value);
        }
        Ok(number) if max.is_some_and(|max| number > max) => {
            faults.add("less_than_equal", format!("Must be {} or less.", max.unwrap_or_default()), value);
        }
        _ => {}
    }
}

fn check_list(items: &Node, min: usize, max: usize, value: &Value, faults: &mut Faults) {
    let Some(values) = value.as_array() else {
        return faults.add("list_type", "Must be a list.", value);
    };
    if values.len() < min {
        faults.add("too_short", format!("Must have at least {min} entries."), &Value::from(values.len()));
    }
    if values.len() > max {
        return faults.add("too_long", format!("Must have at most {max} entries."), &Value::from(values.len()));
    }
    for (index, value) in values.iter().enumerate() {
        faults.within(index, |faults| items.check(value, faults));
    }
}

fn check_tagged(tag: &str, forms: &[(Value, Object)], value: &Value, faults: &mut Faults) {
    let meant = forms.iter().find(|(name, _)| value.get(tag) == Some(name));
    match (meant, value.as_object().map(|members| members.get(tag))) {
        (Some((_, form)), _) => form.check(value, faults),
        (None, None) => faults.add("dict_type", "Must be an object.", value),
        (None, Some(sent)) => faults.within(tag, |faults| match sent {
            None => faults.add("missing", "Is required.", &Value::Null),
            Some(sent) => {
                let names: Vec<String> = forms.iter().map(|(name, _)| shown(name)).collect();
                faults.add("enum", format!("Must be one of: {}.", names.join(", ")), sent);
            }
        }),
    }
}

impl Text {
    /// The value as its faults repeat it: an address with a fault has no part that is known to be its host.
    fn repeated<'a>(&self, value: &'a Value) -> &'a Value {
        if self.secret || self.origin_only { &Value::Null } else { value }
    }

    fn check(&self, value: &Value, faults: &mut Faults) {
        let Some(text) = value.as_str() else {
            return faults.add("string_type", "Must be text.", self.repeated(value));
        };
        let value = self.repeated(value);
        let text = if self.trimmed { text.trim() } else { text };
        let chars = if self.min > 0 || self.max.is_some() { text.chars().count() } else { 0 };
        if chars < self.min {
            faults.add("string_too_short", format!("Must have at least {}.", characters(self.min)), value);
        } else if self.max.is_some_and(|max| chars > max) {
            faults.add("string_too_long", format!("Must have at most {}.", characters(self.max.unwrap_or(0))), value);
        } else if let Some(why) =
            self.pattern.as_ref().and_then(|pattern| mismatch(pattern, self.must.as_deref(), text))
        {
            faults.add("string_pattern_mismatch", why, value);
        } else if self.time && Timestamp::parse(text).is_err() {
            faults.add("datetime_parsing", "Must be a date or time such as 2026-01-31T08:00:00Z.", value);
        }
    }
}

/// Why a text does not match. What can't be seen is told from what can by its rule: the pattern stops at the first plane.
fn mismatch(pattern: &Regex, must: Option<&str>, text: &str) -> Option<String> {
    match pattern.as_str() {
        NOT_BLANK => is_blank(text).then(|| "Must not be blank.".to_owned()),
        // Nearly every text is a key, and the engine takes many times longer.
        KEY_PATTERN if is_key(text) => None,
        written => (!pattern.is_match(text)).then(|| match must {
            Some(words) => format!("Must {words}."),
            None => format!("Must match {written}."),
        }),
    }
}

impl Object {
    fn check(&self, value: &Value, faults: &mut Faults) {
        let Some(members) = value.as_object() else {
            return faults.add("dict_type", "Must be an object.", value);
        };
        for name in &self.required {
            if !members.contains_key(name) {
                faults.within(name.as_str(), |faults| faults.add("missing", "Is required.", &Value::Null));
            }
        }
        for (name, value) in members {
            match self.members.get(name).or(self.others.as_deref()) {
                Some(node) => faults.within(name.as_str(), |faults| node.check(value, faults)),
                None => faults.add_unknown(name, "Is not a known field."),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_match_their_pattern() {
        let pattern = Regex::new(KEY_PATTERN).unwrap();
        for text in ('\0'..='\u{ffff}').map(String::from).chain(["", "a b", "a\n"].map(str::to_owned)) {
            assert_eq!(is_key(&text), pattern.is_match(&text), "{text:?}");
        }
        for length in [64, 65] {
            let text = "a".repeat(length);
            assert_eq!(is_key(&text), pattern.is_match(&text), "{length} characters");
        }
    }

    #[test]
    fn the_document_calls_blank_what_is_refused_as_blank() {
        let pattern = Regex::new(NOT_BLANK).unwrap();
        let agrees = |c: char| pattern.is_match(&c.to_string()) != is_blank(&c.to_string());
        let disputed: Vec<char> = ('\0'..='\u{ffff}').filter(|c| !agrees(*c)).collect();
        assert!(disputed.is_empty(), "{disputed:?}");
    }
}
