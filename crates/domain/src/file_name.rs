//! Names of stored files. A bad name is refused, never repaired: people find the name they sent.

use unicode_normalization::is_nfc;

use crate::look::has_unseen;

/// Why a file name is refused; `None` if it is acceptable.
pub fn objection(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > 255 {
        return Some("A file name must have 1 to 255 bytes.");
    }
    if name == "." || name == ".." || name.starts_with(".tmp-") {
        return Some("This file name is reserved.");
    }
    if name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        return Some("A file name can't contain slashes, backslashes or control characters.");
    }
    if has_unseen(name) {
        return Some("A file name can't contain characters that are invisible or change the direction of writing.");
    }
    if !is_nfc(name) {
        return Some("A file name must be in composed characters (Unicode NFC).");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::objection;

    #[test]
    fn good_and_bad_names() {
        for good in ["a.png", "Prüfbericht 7 (final).pdf", "..a", "日本.csv", &"x".repeat(255)] {
            assert_eq!(objection(good), None, "{good}");
        }
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", "a\nb", "a\0b", ".tmp-1", "u\u{308}", &"x".repeat(256)] {
            assert!(objection(bad).is_some(), "{bad:?}");
        }
        for bad in ["\u{202e}gnp.exe", "a\u{200b}.txt", "\u{feff}a"] {
            assert!(objection(bad).is_some(), "{bad:?}");
        }
    }
}
