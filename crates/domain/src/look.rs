//! How text looks to people: what they can't see, and what they can't tell apart.

use unicode_normalization::UnicodeNormalization;

use crate::text::fold;

/// Characters that are invisible, or that change the direction of others: `gnp.exe` can be made to read `exe.png`.
pub fn is_unseen(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that each font draws differently, or not at all.
pub fn is_private(char: char) -> bool {
    matches!(char, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// Whether a text has such characters where they have no function. Persian words and emoji need joiners and variation
/// selectors: those are allowed after a non-ASCII character, and joiners only before one as well.
pub fn has_unseen(text: &str) -> bool {
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        let behind =
            before.is_some_and(|before: char| !before.is_ascii() && !matches!(before, '\u{200c}' | '\u{200d}'));
        let allowed = match char {
            '\u{200c}' | '\u{200d}' => behind && rest.peek().is_some_and(|next| !next.is_ascii() && !is_unseen(*next)),
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                behind && before.is_some_and(|char| !is_unseen(char))
            }
            other => !is_unseen(other),
        };
        if !allowed {
            return true;
        }
        before = Some(char);
    }
    false
}

/// Letters of other scripts that look like one of the Latin alphabet, in either case, and signs that look like one of ASCII:
/// Cyrillic, Greek, Armenian, small capitals, Coptic, Cherokee, Lisu, Deseret, Osage, and the old alphabets of Lycia, Caria
/// and Italy. Nothing within ASCII is compared: `line1` and `linel` are both good names. When this table changes, a
/// migration must empty the stored skeletons.
const ALIKE: &[(&str, char)] = &[
    ("аɑαᴀⲁⲀАΑᎪꓮ𐊠", 'a'),
    ("ʙⲃⲂВΒᏴᏏꓐ𐊡𐊂", 'b'),
    ("сϲᴄⲥⲤСϹᏟꓚ𐐕𐐽𐊢𐌂", 'c'),
    ("ԁᴅᎠᏧꓓᑯ", 'd'),
    ("еᴇⲉⲈЕΕᎬꓰ𐊆", 'e'),
    ("ꜰꓝ𐊇𐊥", 'f'),
    ("ɡɢցᏀᏻꓖ", 'g'),
    ("һհʜⲏⲎНΗᎻᏂꓧ𐋏", 'h'),
    ("іιıɩɪⲓⲒІΙӀᎥꓲ𐌉𐌠ꙇ", 'i'),
    ("јϳյᴊЈͿᎫꓙ", 'j'),
    ("кκĸᴋⲕⲔКΚᏦꓗ", 'k'),
    ("ӏǀʟԼᏞꓡ𐐛Ɩⵏ", 'l'),
    ("ᴍⲙⲘМΜᎷꓟ𐊰𐌑", 'm'),
    ("ոռɴⲛⲚΝꓠ", 'n'),
    ("оοσօᴏⲟⲞОΟՕꓳ𐐄𐐬𐓂𐓪𐊒𐊫ꬽჿဝᴑⵔסഠ", 'o'),
    ("рρᴘⲣⲢРΡᏢꓑ𐊕", 'p'),
    ("ԛգզϥϤԚ", 'q'),
    ("гʀⲅᎡᏒꓣ𐒴", 'r'),
    ("ѕꜱՏЅᏕᏚꓢ𐐠𐑈𐊖", 's'),
    ("ᴛⲧⲦТΤᎢꓔ𐊗𐊱𐌕", 't'),
    ("υսʋᴜՍꓴ𐓎𐓶", 'u'),
    ("νѵᴠᏙꓦᐯ", 'v'),
    ("ԝѡᴡⲱⲰԜᎳᏔꓪ", 'w'),
    ("хⲭⲬХΧꓫ𐊐𐊴𐌗𐌢", 'x'),
    ("уγүʏⲩⲨУΥҮᎩᎽꓬ𐊲", 'y'),
    ("ᴢⲍⲌΖᏃꓜ𐋵", 'z'),
    ("Ꮞ", '4'),
    ("Ꮾ", '6'),
    ("‐‒–—―−˗", '-'),
    ("ꓸ", '.'),
    ("’‘ʼˈ′", '\''),
];

/// What a character looks like.
fn seen_as(char: char) -> char {
    let sought = match char {
        // Small letters of Cherokee are drawn like its capitals.
        '\u{ab70}'..='\u{abbf}' => char::from_u32(u32::from(char) - 0xab70 + 0x13a0).unwrap_or(char),
        '\u{13f8}'..='\u{13fd}' => char::from_u32(u32::from(char) - 8).unwrap_or(char),
        char => char,
    };
    ALIKE.iter().find(|(set, _)| set.contains(sought)).map_or(char, |(_, latin)| *latin)
}

/// Equal for texts that people can't tell apart, as far as the table goes: compatibility forms are decomposed, look-alikes
/// are replaced by what they look like, and case is ignored.
pub fn skeleton(text: &str) -> String {
    if text.is_ascii() {
        return fold(text);
    }
    // Before decomposing as well: some characters decompose into letters that look different.
    let apart = text.chars().map(seen_as).nfkd();
    let seen: String = apart.filter(|char| !is_unseen(*char)).map(seen_as).collect();
    // The dot that these letters have anyway.
    let folded = fold(&seen).replace("i\u{307}", "i").replace("j\u{307}", "j");
    // A name of nothing but invisible characters, from before they were refused.
    if folded.is_empty() { fold(text) } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_have_one_skeleton() {
        for (one, other) in [
            ("admin", "аdmin"),
            ("ADMIN", "ＡＤＭＩＮ"),
            ("paypal", "раураl"),
            ("BOB", "ВОВ"),
            ("mario", "mariο"),
            ("a-b", "a–b"),
            ("admin", "ad\u{200b}min"),
            ("𝐚dmin", "Admin"),
            ("DAVID", "ᎠᎪᏙᎥᎠ"),
            ("david", "ꭰꭺꮩꭵꭰ"),
            ("bob", "ᏼob"),
            ("Laura", "ꓡꓮꓴꓣꓮ"),
            ("MARIO", "ⲘⲀ\u{13a1}ⲒⲞ"),
            ("nick", "ⲛⲓⲥⲕ"),
            ("LOU", "ԼՕՍ"),
            ("joe", "յօe"),
            ("cool", "𐐽𐐬𐐬l"),
            ("rou", "𐒴𐓂𐓎"),
            ("𝐀lice", "ᴀʟɪᴄᴇ"),
            ("𝚒𝚤", "ii"),
            ("Carl", "ϹARL"),
            ("viola", "vi\u{307}\u{101d}\u{2d4f}a"),
        ] {
            assert_eq!(skeleton(one), skeleton(other), "{one} {other}");
        }
    }

    #[test]
    fn what_differs_to_the_eye_differs() {
        for (one, other) in
            [("rene", "rené"), ("line1", "linel"), ("муж", "мир"), ("мария", "мариа"), ("ᏣᎳᎩ", "ᏣᎳᎦ"), ("a", "b")]
        {
            assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
        }
        assert_ne!(skeleton("\u{200b}"), "");
    }

    #[test]
    fn the_table_maps_each_sign_once_and_only_what_is_no_ascii() {
        let mut all: Vec<char> = ALIKE.iter().flat_map(|(set, _)| set.chars()).collect();
        assert!(all.iter().all(|char| !char.is_ascii()) && ALIKE.iter().all(|(_, latin)| latin.is_ascii()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn joiners_and_variants_stand_where_they_mean_something() {
        for good in
            ["می\u{200c}خواهم.pdf", "👨\u{200d}👩\u{200d}👧.png", "❤\u{fe0f}.png", "plain.txt", "葛\u{e0100}.txt"]
        {
            assert!(!has_unseen(good), "{good}");
        }
        for bad in [
            "invoice\u{202e}gnp.exe",
            "a\u{200b}b",
            "a\u{200d}b",
            "é\u{200d}.png",
            "\u{200d}é",
            "é\u{200d}\u{200d}é",
            "a\u{fe0f}",
            "❤\u{fe0f}\u{fe0f}",
            "a\u{ad}b",
            "\u{feff}a",
            "a\u{2066}b\u{2069}",
            "a\u{e0041}",
            "a\u{2028}b",
        ] {
            assert!(has_unseen(bad), "{bad:?}");
        }
    }
}
