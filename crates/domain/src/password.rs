//! The rule for new passwords.

use crate::text::same_ignoring_case;

pub const MIN_CHARS: usize = 10;
pub const MAX_CHARS: usize = 256;
/// Length of a temporary password.
pub const TEMPORARY_CHARS: usize = 16;
/// How long a temporary password is valid.
pub const TEMPORARY_SECONDS: i64 = 72 * 60 * 60;
/// Without characters that people mix up when they read them from a screen.
const READABLE: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Why a new password is refused, as a sentence; `None` if it is acceptable.
pub fn objection(password: &str, username: &str) -> Option<&'static str> {
    let chars = password.chars().count();
    if chars < MIN_CHARS {
        return Some("A password has at least 10 characters.");
    }
    if chars > MAX_CHARS {
        return Some("A password has at most 256 characters.");
    }
    if password.contains('\0') {
        return Some("A password can't contain the NUL character.");
    }
    if same_ignoring_case(password, username) {
        return Some("The password must differ from the username.");
    }
    None
}

/// A temporary password from random bytes; bytes that would favour some characters are skipped.
pub fn temporary(random: impl IntoIterator<Item = u8>) -> Option<String> {
    let fair = 256 - 256 % READABLE.len();
    let text: String = random
        .into_iter()
        .filter(|&byte| usize::from(byte) < fair)
        .take(TEMPORARY_CHARS)
        .map(|byte| char::from(READABLE[usize::from(byte) % READABLE.len()]))
        .collect();
    (text.len() == TEMPORARY_CHARS).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_characters_and_the_username_is_refused() {
        assert!(objection("short", "admin").is_some());
        assert!(objection("äöüäöüäöü", "admin").is_some());
        assert!(objection("äöüäöüäöüä", "admin").is_none());
        assert!(objection("ADMINISTRATOR", "administrator").is_some());
        assert!(objection(&"x".repeat(257), "admin").is_some());
    }

    #[test]
    fn temporary_passwords_pass_their_own_rule() {
        let password = temporary(0..=255).unwrap();
        assert_eq!(password.len(), TEMPORARY_CHARS);
        assert!(objection(&password, "admin").is_none());
        assert_eq!(temporary([1, 2, 3]), None);
    }
}
