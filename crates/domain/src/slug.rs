//! The short name derived from a custom field's name: to a reader, two names with the same slug are the same field.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Removes accents and anything in parentheses, lower-cases letters, and replaces every run of other characters with one
/// `_`.
pub fn slug(name: &str) -> String {
    let plain = name.nfd().filter(|&character| !is_combining_mark(character)).flat_map(char::to_lowercase).collect();
    let mut slug = String::new();
    for character in without_parentheses(plain).chars() {
        match character {
            letter if letter.is_alphanumeric() => slug.push(letter),
            _ if slug.ends_with('_') => {}
            _ => slug.push('_'),
        }
    }
    slug.trim_matches('_').to_owned()
}

/// Removes innermost pairs first, until none is left; an unmatched parenthesis is an ordinary character.
fn without_parentheses(mut text: String) -> String {
    while let Some(close) = text.match_indices(')').map(|(at, _)| at).find(|&at| text[..at].contains('(')) {
        let open = text[..close].rfind('(').unwrap_or(close);
        text.replace_range(open..=close, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::slug;
    use proptest::prelude::*;

    #[test]
    fn names_come_down_to_slugs() {
        assert_eq!(slug("Max Load"), "max_load");
        assert_eq!(slug("max-load (kg)"), "max_load");
        assert_eq!(slug("  Größe (mm (oder Zoll)) é "), "große_e");
        assert_eq!(slug("Température"), "temperature");
        assert_eq!(slug("a) load (b"), "a_load_b");
        assert_eq!(slug("(only)"), "");
        assert_eq!(slug("--"), "");
    }

    proptest! {
        #[test]
        fn a_slug_is_its_own_slug(name in "\\PC{0,40}") {
            let once = slug(&name);
            prop_assert_eq!(&slug(&once), &once);
            prop_assert!(!once.starts_with('_') && !once.ends_with('_') && !once.contains("__"));
        }
    }
}
