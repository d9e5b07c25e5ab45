//! A part of a workbook as XML, with limits on what the parser buffers.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Error, Reader};

use crate::ReadError;

/// A tag, or a text between tags: the longest text a spreadsheet accepts fits.
const MOST_EVENT_BYTES: usize = 1024 * 1024;
const MOST_DEPTH: usize = 64;

pub(super) struct Xml<R> {
    reader: Reader<Metered<BufReader<R>>>,
    buffer: Vec<u8>,
    depth: usize,
}

pub(super) enum Piece<'a> {
    Start(Name, BytesStart<'a>),
    End(Name),
    Text(Cow<'a, str>),
    /// Comments and the like.
    Nothing,
    Eof,
}

/// The elements that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Cell,
    CellFormats,
    Format,
    NumberFormat,
    Phonetic,
    Properties,
    Relationship,
    Row,
    Sheet,
    SheetData,
    StringItem,
    Text,
    Value,
    Other,
}

impl Name {
    fn of(local: &[u8]) -> Self {
        match local {
            b"c" => Name::Cell,
            b"cellXfs" => Name::CellFormats,
            b"xf" => Name::Format,
            b"numFmt" => Name::NumberFormat,
            b"rPh" => Name::Phonetic,
            b"workbookPr" => Name::Properties,
            b"Relationship" => Name::Relationship,
            b"row" => Name::Row,
            b"sheet" => Name::Sheet,
            b"sheetData" => Name::SheetData,
            b"si" => Name::StringItem,
            b"t" => Name::Text,
            b"v" => Name::Value,
            _ => Name::Other,
        }
    }
}

impl<R: Read> Xml<R> {
    pub(super) fn new(part: R, most_bytes: u64) -> Self {
        let inner = BufReader::with_capacity(64 * 1024, part);
        let mut reader = Reader::from_reader(Metered { inner, part_left: most_bytes, event_left: 0 });
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new(), depth: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Piece<'_>, ReadError> {
        self.buffer.clear();
        self.reader.get_mut().event_left = MOST_EVENT_BYTES;
        Ok(match self.reader.read_event_into(&mut self.buffer).map_err(refusal)? {
            Event::Start(start) => {
                self.depth += 1;
                if self.depth > MOST_DEPTH {
                    return Err(ReadError::unreadable("The workbook is damaged: its elements are nested too deeply."));
                }
                Piece::Start(Name::of(start.local_name().as_ref()), start)
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                Piece::End(Name::of(end.local_name().as_ref()))
            }
            Event::Text(text) => Piece::Text(text.xml10_content().map_err(damaged)?),
            Event::CData(text) => Piece::Text(text.xml10_content().map_err(damaged)?),
            Event::GeneralRef(reference) => Piece::Text(resolve(&reference)?),
            Event::Eof => Piece::Eof,
            _ => Piece::Nothing,
        })
    }
}

fn resolve<'a>(reference: &BytesRef<'_>) -> Result<Cow<'a, str>, ReadError> {
    if let Some(character) = reference.resolve_char_ref().map_err(damaged)? {
        return Ok(Cow::Owned(character.to_string()));
    }
    let name = reference.decode().map_err(damaged)?;
    let known = resolve_predefined_entity(&name).map(Cow::Borrowed);
    known.ok_or_else(|| ReadError::unreadable(format!("The workbook is damaged: it has an unknown entity {name}.")))
}

/// Passes on the attributes, by their names without prefix. Repeated ones are not detected: that would take quadratic time.
pub(super) fn each_attribute(start: &BytesStart<'_>, mut take: impl FnMut(&[u8], &str)) -> Result<(), ReadError> {
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(damaged)?;
        let name = attribute.key.local_name();
        // Most are plain, and there are millions of them.
        if attribute.value.iter().all(u8::is_ascii_alphanumeric) {
            take(name.as_ref(), &String::from_utf8_lossy(&attribute.value));
        } else {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(damaged)?;
            take(name.as_ref(), &value);
        }
    }
    Ok(())
}

fn refusal(error: Error) -> ReadError {
    match error {
        Error::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => ReadError::TooLarge(error.to_string()),
        error => damaged(error),
    }
}

pub(super) fn damaged(error: impl std::fmt::Display) -> ReadError {
    ReadError::unreadable(format!("The workbook is damaged: {error}."))
}

/// Counts what is really unpacked, whatever the file claims.
struct Metered<R> {
    inner: R,
    part_left: u64,
    event_left: usize,
}

impl<R: BufRead> BufRead for Metered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.part_left == 0 {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "The workbook is too large when unpacked."));
        }
        if self.event_left == 0 {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "The workbook has a text of more than 1 MiB."));
        }
        let most = self.event_left.min(usize::try_from(self.part_left).unwrap_or(usize::MAX));
        let filled = self.inner.fill_buf()?;
        Ok(&filled[..filled.len().min(most)])
    }

    fn consume(&mut self, amount: usize) {
        self.part_left = self.part_left.saturating_sub(amount as u64);
        self.event_left = self.event_left.saturating_sub(amount);
        self.inner.consume(amount);
    }
}

impl<R: BufRead> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let filled = self.fill_buf()?;
        let amount = filled.len().min(into.len());
        into[..amount].copy_from_slice(&filled[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}
