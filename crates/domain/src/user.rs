//! Rules for the fields of a user.

use unicode_normalization::UnicodeNormalization;

use crate::look::{is_private, is_unseen};

/// A username as it is stored and looked up: without surrounding whitespace, in composed form (NFC).
pub fn tidy_username(username: &str) -> String {
    username.trim().nfc().collect()
}

/// Why a username is refused; `None` if it is acceptable. The name has been tidied before.
pub fn username_objection(username: &str) -> Option<&'static str> {
    let chars = username.chars().count();
    if !(1..=64).contains(&chars) {
        return Some("A username must have 1 to 64 characters.");
    }
    if username.chars().any(|char| char.is_whitespace() || char.is_control()) {
        return Some("A username can't contain blanks or control characters.");
    }
    if username.chars().any(|char| is_unseen(char) || is_private(char)) {
        return Some("A username can't contain characters that are invisible or change the direction of writing.");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_lengths() {
        assert!(username_objection("mario.rossi").is_none());
        for bad in [
            "",
            "a b",
            "a\tb",
            "a\u{7f}",
            "a\u{200b}b",
            "ad\u{202e}min",
            "a\u{200d}b",
            "a\u{70f}",
            "a\u{e000}",
            &"x".repeat(65),
        ] {
            assert!(username_objection(bad).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn letters_are_composed() {
        assert_eq!(tidy_username(" rene\u{301} "), "ren\u{e9}");
    }
}
