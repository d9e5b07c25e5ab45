//! Codes of serials.

use crate::text::is_blank;

/// Maximum number of serials that one event creates or names.
pub const MOST_SERIALS: usize = 100_000;
/// Maximum length of a code, in characters.
pub const CODE_CHARS: usize = 128;

/// The code as it is stored: trimmed and in upper case. `None` if the text is no code.
pub fn code_of(text: &str) -> Option<String> {
    let code = text.trim().to_uppercase();
    // Upper case can be longer: ß becomes SS.
    let fits = (1..=CODE_CHARS).contains(&code.chars().count());
    (fits && !is_blank(&code) && !code.chars().any(char::is_control)).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_are_trimmed_and_in_upper_case() {
        for (text, code) in
            [(" ab-1 ", "AB-1"), ("AB-1", "AB-1"), ("\u{3000}é\n", "É"), ("straße", "STRASSE"), ("a b", "A B")]
        {
            assert_eq!(code_of(text).as_deref(), Some(code), "{text:?}");
        }
    }

    #[test]
    fn what_is_empty_too_long_or_has_control_characters_is_no_code() {
        for bad in ["", "  ", "a\0b", "a\nb", "a\u{85}b", "\u{7f}"] {
            assert_eq!(code_of(bad), None, "{bad:?}");
        }
        assert!(code_of(&format!(" {} ", "é".repeat(128))).is_some());
        assert_eq!(code_of(&"é".repeat(129)), None);
        assert_eq!(code_of(&"ß".repeat(65)), None, "its upper case has 130 characters");
    }

    proptest! {
        #[test]
        fn a_code_stays_as_it_is(text: String) {
            if let Some(code) = code_of(&text) {
                prop_assert_eq!(code_of(&code), Some(code));
            }
        }
    }
}
