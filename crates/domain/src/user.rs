//! Rules for the fields of a user.

/// Why a username is refused; `None` when it is good. It is trimmed before.
pub fn username_objection(username: &str) -> Option<&'static str> {
    let chars = username.chars().count();
    if !(1..=64).contains(&chars) {
        return Some("A username has 1 to 64 characters.");
    }
    if username.chars().any(|char| char.is_whitespace() || char.is_control()) {
        return Some("A username has no blanks or control characters.");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::username_objection;

    #[test]
    fn blanks_and_lengths() {
        assert!(username_objection("mario.rossi").is_none());
        for bad in ["", "a b", "a\tb", "a\u{7f}", &"x".repeat(65)] {
            assert!(username_objection(bad).is_some(), "{bad:?}");
        }
    }
}
