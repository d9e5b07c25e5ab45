//! A user's own preferences: known members with defaults, and any others.

use serde_json::{Map, Value, json};

use crate::fault::Faults;

/// Maximum size of a user's stored preferences, as JSON text.
pub const MAX_BYTES: usize = 16 * 1024;
const TABS: [&str; 7] = ["jobSteps", "jobDocs", "jobBom", "jobIssues", "jobNotes", "jobMessages", "jobProcessView"];

fn defaults() -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("theme".into(), json!("dark"));
    for name in ["locale", "display_font", "home_page", "printer"] {
        members.insert(name.into(), Value::Null);
    }
    members.insert("job_selection_layout".into(), json!("card"));
    members.insert("work_session_tabs_order".into(), json!(TABS));
    members
}

/// What readers see: the defaults, overridden by what was stored.
pub fn shown(stored: &Map<String, Value>) -> Map<String, Value> {
    let mut all = defaults();
    all.extend(stored.clone());
    all
}

/// Merges a change into stored preferences, member by member; null removes a member. Adds faults.
pub fn merge(stored: &Map<String, Value>, change: &Map<String, Value>, faults: &mut Faults) -> Map<String, Value> {
    let mut merged = stored.clone();
    for (name, value) in change {
        if value.is_null() {
            merged.shift_remove(name);
        } else {
            faults.within(name.as_str(), |faults| check_member(name, value, faults));
            merged.insert(name.clone(), value.clone());
        }
    }
    let size = serde_json::to_string(&merged).map_or(0, |text| text.len());
    if size > MAX_BYTES {
        faults.add("value_error", format!("Preferences take at most {MAX_BYTES} bytes."), &json!(size));
    }
    merged
}

fn check_member(name: &str, value: &Value, faults: &mut Faults) {
    let one_of = |faults: &mut Faults, allowed: &[&str]| {
        if !value.as_str().is_some_and(|text| allowed.contains(&text)) {
            faults.add("enum", format!("Must be one of: {}.", allowed.join(", ")), value);
        }
    };
    match name {
        "theme" => one_of(faults, &["dark", "light"]),
        "job_selection_layout" => one_of(faults, &["card", "list"]),
        "locale" | "display_font" | "home_page" | "printer" if !value.is_string() => {
            faults.add("string_type", "Must be text or null.", value);
        }
        "work_session_tabs_order" => match value.as_array() {
            None => faults.add("list_type", "Must be a list of tab names.", value),
            Some(tabs) if tabs.len() > TABS.len() => {
                faults.add("too_long", format!("Must have at most {} tabs.", TABS.len()), &json!(tabs.len()));
            }
            Some(tabs) => {
                for (index, tab) in tabs.iter().enumerate() {
                    let known = tab.as_str().is_some_and(|text| TABS.contains(&text));
                    let repeated = tabs[..index].contains(tab);
                    if !known || repeated {
                        faults.within(index, |faults| {
                            faults.add("enum", format!("Each at most once, out of: {}.", TABS.join(", ")), tab);
                        });
                    }
                }
            }
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn null_removes_a_member_and_brings_the_default_back() {
        let mut faults = Faults::at("body");
        let stored = merge(&Map::new(), &object(json!({"theme": "light", "mine": 1})), &mut faults);
        let stored = merge(&stored, &object(json!({"theme": null})), &mut faults);
        assert!(faults.is_empty());
        assert_eq!(shown(&stored)["theme"], "dark");
        assert_eq!(shown(&stored)["mine"], 1);
    }

    #[test]
    fn all_faults_are_found() {
        let mut faults = Faults::at("body");
        let change = json!({"theme": "pink", "locale": 3, "work_session_tabs_order": ["jobBom", "jobBom", "x"]});
        merge(&Map::new(), &object(change), &mut faults);
        assert_eq!(faults.into_vec().len(), 4);
    }

    #[test]
    fn size_is_bounded() {
        let mut faults = Faults::at("body");
        merge(&Map::new(), &object(json!({"x": "y".repeat(MAX_BYTES)})), &mut faults);
        assert_eq!(faults.into_vec().len(), 1);
    }
}
