//! The settings file, read key by key so that all faults are reported at once, each with its key. Values are never repeated:
//! one may be a password.

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use super::figures::range_of;
use super::{SettingError, Settings, nearest};

pub(super) fn read(file: &Path, text: &str) -> Result<Settings, SettingError> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().and_then(|span| text.get(..span.start)).map(|before| before.matches('\n').count() + 1);
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        // The message may show the value.
        let reason = error.message().lines().next().unwrap_or_default().split('`').next().unwrap_or_default().trim();
        SettingError::File { file: file.display().to_string(), reason: format!("{place}{reason}") }
    })?;
    let faults: Vec<SettingError> = table
        .iter()
        .filter_map(|(key, value)| objection(key, value))
        .map(|reason| SettingError::Key { file: file.display().to_string(), reason })
        .collect();
    SettingError::all(faults)?;
    Settings::deserialize(table)
        .map_err(|error| SettingError::File { file: file.display().to_string(), reason: error.message().to_owned() })
}

/// The fault of one key.
fn objection(key: &str, value: &Value) -> Option<String> {
    let Some((_, kind)) = Settings::FIELDS.iter().find(|(name, _)| *name == key) else {
        let names = Settings::FIELDS.iter().map(|(name, _)| *name);
        let hint = nearest(key, names).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
        return Some(format!("the key {key} is unknown{hint}"));
    };
    let alone = Table::from_iter([(key.to_owned(), value.clone())]);
    let wanted = match (Settings::deserialize(alone), range_of(key)) {
        (Ok(_), _) => return None,
        (Err(_), Some(range)) => format!("a whole number from {} to {}", range.start(), range.end()),
        (Err(_), None) => match *kind {
            "f64" => "a number".to_owned(),
            "bool" => "true or false".to_owned(),
            "SocketAddr" => "text with an address and a port, such as \"127.0.0.1:8080\"".to_owned(),
            _ => "text".to_owned(),
        },
    };
    // Where a number belongs, the value is not a secret.
    let shown = if wanted == "text" { kind_of(value).to_owned() } else { shown(value) };
    Some(format!("the key {key} must be {wanted}, not {shown}"))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        other => kind_of(other).to_owned(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::String(_) => "this text",
        Value::Datetime(_) => "a date or time",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let words = read(Path::new("plant.toml"), text).unwrap_err().to_string();
        assert!(words.contains("plant.toml") && words.lines().count() == 1, "{words}");
        words
    }

    #[test]
    fn no_value_is_repeated_that_may_be_a_secret() {
        for file in
            ["admin_password = 9876543210987", "jwt_secret = 98765432109876543210", "database = 9876543210987.5"]
        {
            assert!(!refused(file).contains("98765432109"), "{}", refused(file));
        }
    }

    #[test]
    fn every_fault_names_file_and_key() {
        let words = refused("lissten = 1\nwrite_group = \"many\"\nmedia_s3_path_style = 1\nlisten = \"here\"\n[log]\n");
        for wanted in [
            "the key lissten is unknown; did you mean listen?",
            "the key write_group must be a whole number from 1 to 100000, not this text",
            "the key media_s3_path_style must be true or false, not 1",
            "the key listen must be text with an address and a port, such as \"127.0.0.1:8080\", not this text",
            "the key log must be text, not a table",
        ] {
            assert!(words.contains(wanted), "{wanted}: {words}");
        }
    }

    #[test]
    fn figures_that_do_not_fit_their_type_say_what_is_allowed() {
        for bad in ["-1", "1.5", "5000000000", "true"] {
            let words = refused(&format!("upload_seconds = {bad}"));
            let wanted = format!("the key upload_seconds must be a whole number from 1 to 2592000, not {bad}");
            assert!(words.ends_with(&wanted), "{words}");
        }
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line_and_without_its_text() {
        let words = refused("listen = \"127.0.0.1:1\"\njwt_secret = \"do not show this\n");
        assert!(words.contains("line 2") && !words.contains("do not show"), "{words}");
        let words = refused("data = \"a\"\ndata = \"b\"\n");
        assert!(words.contains("line 2"), "{words}");
    }
}
