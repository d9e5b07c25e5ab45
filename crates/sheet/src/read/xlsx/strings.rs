//! The texts that cells share, and how text is escaped within XML.

use std::borrow::Cow;

use super::package::Package;
use super::xml::{Name, Piece, damaged};
use crate::ReadError;
use crate::read::MOST_CELL_BYTES;

const MOST_BYTES: u64 = 128 * 1024 * 1024;

/// In one buffer: a workbook may have millions of them.
#[derive(Default)]
pub(super) struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.text.get(start..end)
    }

    fn push(&mut self, text: &str) -> Result<(), ReadError> {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).map_err(damaged)?);
        Ok(())
    }
}

pub(super) fn read(package: &mut Package<'_>, path: Option<&str>) -> Result<Strings, ReadError> {
    let mut strings = Strings::default();
    let Some(path) = path.filter(|path| package.has(path)) else { return Ok(strings) };
    let mut xml = package.part(path, MOST_BYTES)?;
    let mut item = TextItem::default();
    loop {
        match xml.next()? {
            Piece::Start(Name::StringItem, _) => item.clear(),
            Piece::Start(name, _) => item.start(name),
            Piece::End(Name::StringItem) => strings.push(&item.text())?,
            Piece::End(name) => item.end(name),
            Piece::Text(text) => item.add(&text)?,
            Piece::Eof => return Ok(strings),
            Piece::Nothing => {}
        }
    }
}

/// A text assembled from runs, without its phonetic hints.
#[derive(Default)]
pub(super) struct TextItem {
    text: String,
    in_text: bool,
    in_phonetic: bool,
}

impl TextItem {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        (self.in_text, self.in_phonetic) = (false, false);
    }

    pub(super) fn start(&mut self, name: Name) {
        self.mark(name, true);
    }

    pub(super) fn end(&mut self, name: Name) {
        self.mark(name, false);
    }

    fn mark(&mut self, name: Name, inside: bool) {
        match name {
            Name::Text => self.in_text = inside,
            Name::Phonetic => self.in_phonetic = inside,
            _ => {}
        }
    }

    pub(super) fn add(&mut self, text: &str) -> Result<(), ReadError> {
        if self.in_text && !self.in_phonetic {
            grow(&mut self.text, text)?;
        }
        Ok(())
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        unescape(&self.text)
    }
}

/// Adds to the text of a cell, checking the limit from the first piece on: many cells may share it.
pub(super) fn grow(text: &mut String, more: &str) -> Result<(), ReadError> {
    if text.len() + more.len() > MOST_CELL_BYTES {
        return Err(ReadError::TooLarge("The file has a cell of more than 1 MiB.".to_owned()));
    }
    text.push_str(more);
    Ok(())
}

/// Characters that XML can't hold are escaped as `_xHHHH_`.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("_x") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match escaped_character(rest) {
            Some(character) => {
                plain.push(character);
                rest = &rest[ESCAPE_BYTES..];
            }
            None => {
                plain.push('_');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

const ESCAPE_BYTES: usize = "_xHHHH_".len();

/// The character that an escape at the beginning of this text stands for.
fn escaped_character(text: &str) -> Option<char> {
    let escape = text.get(..ESCAPE_BYTES)?;
    let digits = escape.strip_prefix("_x")?.strip_suffix('_')?;
    let code = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16));
    code?.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_of_characters() {
        assert_eq!(unescape("a_x000D_b"), "a\rb");
        assert_eq!(unescape("_x005F_x0041_"), "_x0041_");
        assert_eq!(unescape("_x00_ _xZZZZ_ _xD83D_ _x+041_ _x"), "_x00_ _xZZZZ_ _xD83D_ _x+041_ _x");
        assert_eq!(unescape("_xé000_"), "_xé000_");
    }
}
