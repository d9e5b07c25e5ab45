//! Search patterns: substrings and wildcards, ignoring case. Each engine has its own implementation; tests compare them with
//! this one.

use crate::text::fold;

/// So many characters are looked for in long texts at most: each is compared at every place of a text, whoever asks.
pub const LONGEST: u32 = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Exactly this text.
    Text(String),
    /// Any run of characters, including an empty one.
    Run,
    /// Any one character.
    One,
}

/// What is searched for, in folded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<Piece>,
}

impl Pattern {
    /// The text anywhere, taken literally.
    pub fn substring(text: &str) -> Self {
        Self::joined([Piece::Run, Piece::Text(fold(text)), Piece::Run])
    }

    /// `*` is any run of characters, `?` one character, a backslash escapes the next character. Without `*` at either end it
    /// matches anywhere; a trailing `*` anchors the start, a leading one the end.
    pub fn wildcard(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            pieces.push(match character {
                '*' => Piece::Run,
                '?' => Piece::One,
                '\\' => Piece::Text(fold(&characters.next().unwrap_or('\\').to_string())),
                other => Piece::Text(fold(&other.to_string())),
            });
        }
        let open = pieces.first() == Some(&Piece::Run) || pieces.last() == Some(&Piece::Run);
        if open {
            return Self::joined(pieces);
        }
        Self::joined([Piece::Run].into_iter().chain(pieces).chain([Piece::Run]))
    }

    /// Joins neighbouring texts, and neighbouring runs.
    fn joined(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (_, Piece::Text(text)) if text.is_empty() => {}
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (Some(Piece::Run), Piece::Run) => {}
                (_, piece) => joined.push(piece),
            }
        }
        Self { pieces: joined }
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// What every match starts with, if the pattern says it.
    pub fn prefix(&self) -> Option<&str> {
        match self.pieces.first() {
            Some(Piece::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The length of its longest text, in characters: from three on, a trigram index helps.
    pub fn longest_text(&self) -> usize {
        let texts = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.chars().count(),
            Piece::Run | Piece::One => 0,
        });
        texts.max().unwrap_or(0)
    }

    /// Whether folded text matches.
    pub fn matches(&self, folded: &str) -> bool {
        let text: Vec<char> = folded.chars().collect();
        // The positions in the text where a match of the pieces so far can end.
        let mut ends = vec![false; text.len() + 1];
        ends[0] = true;
        for piece in &self.pieces {
            ends = match piece {
                Piece::Run => {
                    let first = ends.iter().position(|end| *end).unwrap_or(usize::MAX);
                    (0..=text.len()).map(|place| place >= first).collect()
                }
                Piece::One => (0..=text.len()).map(|place| place > 0 && ends[place - 1]).collect(),
                Piece::Text(wanted) => {
                    let wanted: Vec<char> = wanted.chars().collect();
                    let fits = |place: usize| {
                        place
                            .checked_sub(wanted.len())
                            .is_some_and(|from| ends[from] && text[from..place] == wanted[..])
                    };
                    (0..=text.len()).map(fits).collect()
                }
            };
        }
        ends[text.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(pattern: &str, text: &str) -> bool {
        Pattern::wildcard(pattern).matches(&fold(text))
    }

    #[test]
    fn wildcards_follow_the_contract() {
        assert!(found("b", "abc"), "no star matches anywhere");
        assert!(found("AB*", "abc") && !found("b*", "abc"), "a trailing star pins the start");
        assert!(found("*bc", "abc") && !found("*b", "abc"), "a leading star pins the end");
        assert!(found("*b*", "abc"));
        assert!(found("a?c", "xabcx") && !found("a?c", "ac"));
        assert!(found("a*c", "xabbbcx"));
        assert!(found("\\*", "a*b") && !found("\\*", "ab"));
        assert!(found("a\\*", "xa*x"), "an escaped star pins nothing");
        assert!(found("\\", "a\\b"));
        assert!(found("", "anything") && found("*", ""));
        assert!(found("ÀÉ", "xàéx"));
    }

    #[test]
    fn substrings_take_everything_literally() {
        assert!(Pattern::substring("a*").matches("xa*x"));
        assert!(!Pattern::substring("a*").matches("ab"));
        assert_eq!(Pattern::wildcard("ab*cde?f").longest_text(), 3);
    }

    proptest! {
        #[test]
        fn a_text_is_found_by_its_parts(before in "[a-c*?]{0,4}", part in "[a-c]{1,4}", after in "[a-c*?]{0,4}") {
            let text = format!("{before}{part}{after}");
            prop_assert!(Pattern::wildcard(&part).matches(&text));
            prop_assert!(Pattern::substring(&text).matches(&text));
            let pinned = Pattern::wildcard(&format!("{part}*"));
            prop_assert_eq!(pinned.matches(&text), text.starts_with(&part));
            let ended = Pattern::wildcard(&format!("*{part}"));
            prop_assert_eq!(ended.matches(&text), text.ends_with(&part));
        }
    }
}
