//! Spreadsheets take text that begins like a formula for one, and run it. An apostrophe before it keeps it text.

use std::borrow::Cow;

/// Text as it is written into a cell.
pub fn guard(text: &str) -> Cow<'_, str> {
    if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Text as it was before [`guard`]; what was not guarded stays as it is.
pub fn unguard(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if is_formula(rest) => rest,
        _ => text,
    }
}

/// Apostrophes before it count as well, or `'=x` would come back as `=x`.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_become_text() {
        for (text, written) in
            [("=1+1", "'=1+1"), ("-5", "'-5"), ("@x", "'@x"), ("'+x", "''+x"), ("'x", "'x"), ("", "")]
        {
            assert_eq!(guard(text), written);
            assert_eq!(unguard(written), text);
        }
        assert_eq!(unguard("=x"), "=x");
    }

    proptest! {
        #[test]
        fn what_is_guarded_comes_back(text in "['=+@ -]{0,3}\\PC{0,5}") {
            let guarded = guard(&text);
            prop_assert_eq!(unguard(&guarded), text.as_str());
        }
    }
}
