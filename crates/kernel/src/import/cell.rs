//! Reads the text of a cell, or says in a sentence what is wrong with it.

use domain::Quantity;

/// A boolean as forms and cells spell it.
pub fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

pub fn yes_or_no(text: &str) -> Result<bool, String> {
    boolean(text).ok_or_else(|| "Must be true, false, yes, no, 1 or 0.".to_owned())
}

pub fn quantity(text: &str) -> Result<Quantity, String> {
    text.trim().parse::<Quantity>().map_err(|why| sentence(&why.to_string()))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
