//! Spreadsheets run text that begins like a formula. A leading apostrophe keeps it text.

use std::borrow::Cow;

/// Text as it is written into a cell.
pub fn guard(text: &str) -> Cow<'_, str> {
    if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Text as it was before [`guard`]; text that was not guarded stays as it is.
pub fn unguard(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if is_formula(rest) => rest,
        _ => text,
    }
}

/// Signs that begin a formula; spreadsheets in East Asian languages take the fullwidth ones too.
const BEGINNINGS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Spreadsheets ignore tabs and line breaks before a formula, some of them other whitespace and signs without width too.
/// Leading apostrophes count as well, or `'=x` would come back as `=x`.
fn is_formula(text: &str) -> bool {
    let passed_over = |character: char| {
        character == '\'' || character.is_whitespace() || character.is_control() || has_no_width(character)
    };
    text.trim_start_matches(passed_over).starts_with(BEGINNINGS)
}

/// Joiners, marks of direction, the byte order mark.
fn has_no_width(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_become_text() {
        for (text, written) in
            [("=1+1", "'=1+1"), ("-5", "'-5"), ("@x", "'@x"), ("'+x", "''+x"), ("'x", "'x"), ("", ""), ("\tx", "\tx")]
        {
            assert_eq!(guard(text), written);
            assert_eq!(unguard(written), text);
        }
        assert_eq!(unguard("=x"), "=x");
    }

    #[test]
    fn blanks_in_front_hide_no_formula() {
        for text in [
            "\t=1+1",
            "\r=1+1",
            "\n=1+1",
            "\r\n\t @x",
            "\u{a0}+1",
            "\t'=x",
            "'\t=x",
            "\u{feff}=1+1",
            "\u{200b}\u{202e}@x",
        ] {
            assert_eq!(guard(text), format!("'{text}"), "{text:?}");
            assert_eq!(unguard(&format!("'{text}")), text);
        }
    }

    #[test]
    fn fullwidth_signs_begin_formulas_too() {
        for text in ["＝1+1", "＋1", "－5", "＠SUM(A1)", "\t＝x", "'＝x"] {
            assert_eq!(guard(text), format!("'{text}"), "{text:?}");
            assert_eq!(unguard(&guard(text)), text);
        }
        assert_eq!(unguard("＝x"), "＝x");
        assert_eq!(guard("1＝1"), "1＝1");
    }

    proptest! {
        #[test]
        fn what_is_guarded_comes_back(text in "['=+@＝＋－＠ \t\r\n-]{0,4}\\PC{0,5}") {
            let guarded = guard(&text);
            prop_assert_eq!(unguard(&guarded), text.as_str());
        }
    }
}
