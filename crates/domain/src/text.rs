//! Text as the contract compares it: ignoring case means simple Unicode case folding.

use std::borrow::Cow;
use std::cmp::Ordering;

use unicode_casefold::{Locale, UnicodeCaseFold, Variant};

/// The pattern of a text with anything that can be seen. It names every character of the first plane that [`is_blank`] knows,
/// since regex dialects differ in what white space is; none of them agrees with another on how to name those beyond.
pub const NOT_BLANK: &str = r"[^\u0000-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8]";

/// Whether nothing of a text can be seen.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
}

/// Characters that are drawn as nothing, or as a space: those that Unicode lets programs ignore, and the blank Braille pattern.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

pub fn fold(text: &str) -> String {
    // Nearly every text, and many times faster than looking up each character.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.case_fold_with(Variant::Simple, Locale::NonTurkic).collect()
}

/// Bytes as lower-case hexadecimal text.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    text
}

pub fn same_ignoring_case(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

/// The order in which texts are listed: by code point of the folded form, then of the text itself, empty last.
pub fn compare(a: &str, b: &str) -> Ordering {
    let folded = if a.is_ascii() && b.is_ascii() {
        let lower = |byte: u8| byte.to_ascii_lowercase();
        a.bytes().map(lower).cmp(b.bytes().map(lower))
    } else {
        fold(a).cmp(&fold(b))
    };
    a.is_empty().cmp(&b.is_empty()).then(folded).then_with(|| a.cmp(b))
}

/// Sorts items by [`compare`]; the sort is stable.
///
/// Compares 16 bytes at a time as a number and looks further only if those are equal: several times faster than comparing
/// texts.
pub fn sort_by_text<'a, T: Copy>(items: &mut [T], text: impl Fn(T) -> &'a str) {
    let text_at = |place: usize| text(items[place]);
    let mut keyed: Vec<(u128, usize)> = (0..items.len()).map(|place| (0, place)).collect();
    let mut undecided: Vec<(&mut [(u128, usize)], usize)> = vec![(&mut keyed, 0)];
    while let Some((alike, skipped)) = undecided.pop() {
        let mut longest = 0;
        for (key, place) in alike.iter_mut() {
            let folded = folded(text_at(*place));
            *key = sixteen_bytes(&folded, skipped);
            longest = longest.max(folded.len());
        }
        alike.sort_unstable();
        for still_alike in alike.chunk_by_mut(|a, b| a.0 == b.0).filter(|chunk| chunk.len() > 1) {
            if longest > skipped + 16 {
                undecided.push((still_alike, skipped + 16));
            } else {
                still_alike.sort_by(|a, b| compare(text_at(a.1), text_at(b.1)));
            }
        }
    }
    let sorted: Vec<T> = keyed.iter().map(|&(_, place)| items[place]).collect();
    items.copy_from_slice(&sorted);
}

fn sixteen_bytes(text: &str, skipped: usize) -> u128 {
    if text.is_empty() {
        return u128::MAX;
    }
    let rest = text.as_bytes().get(skipped..).unwrap_or_default();
    let taken = rest.len().min(16);
    let mut bytes = [0; 16];
    bytes[..taken].copy_from_slice(&rest[..taken]);
    bytes.make_ascii_lowercase();
    u128::from_be_bytes(bytes)
}

/// The folded form, or the text itself if it differs by ASCII case at most.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(fold(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folding_is_unicode_aware() {
        assert!(same_ignoring_case("ÀDMIN", "àdmin"));
        assert!(same_ignoring_case("ΣΑΣ", "σας"));
        assert!(!same_ignoring_case("ß", "ss"), "simple folding keeps the length");
    }

    #[test]
    fn what_nobody_can_see_is_blank() {
        for text in ["", " ", "\u{3000}\t", "\u{200b}", "\u{3164}\u{2800}", "\u{feff} \u{e0020}", "\0"] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in ["a", " . ", "\u{200d}👩\u{200d}", "\u{fe0f}ा"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn folding_ascii_is_lower_casing_it() {
        for ascii in '\0'..='\x7f' {
            let looked_up = fold(&format!("{ascii}é"));
            assert_eq!(format!("{}é", fold(&ascii.to_string())), looked_up);
        }
    }

    #[test]
    fn lists_ignore_case_first_and_end_with_the_empty_ones() {
        let mut texts = ["", "b", "é", "B", "a-much-longer-text-2", "A", "É", "A-MUCH-LONGER-TEXT-1", "a", "a\0", "Z_"];
        sort_by_text(&mut texts, |text| text);
        let sorted = ["A", "a", "a\0", "A-MUCH-LONGER-TEXT-1", "a-much-longer-text-2", "B", "b", "Z_", "É", "é", ""];
        assert_eq!(texts, sorted);
    }

    proptest! {
        #[test]
        fn sorting_follows_the_folded_form_then_the_text(
            texts in prop::collection::vec("[abABéÉ\0]{0,3}|same-sixteen-byt[eE]s?.{0,2}", 0..20),
        ) {
            let mut places: Vec<usize> = (0..texts.len()).collect();
            let mut plainly = places.clone();
            sort_by_text(&mut places, |place| &texts[place]);
            plainly.sort_by_key(|&place| (texts[place].is_empty(), fold(&texts[place]), &texts[place]));
            prop_assert_eq!(places, plainly);
        }
    }
}
