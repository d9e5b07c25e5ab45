use std::io::Read;

use csv::{ReaderBuilder, StringRecord};

use super::feed::{Feed, too_many_columns};
use super::{MOST_COLUMNS, Rows};
use crate::{Cells, ReadError};

/// Appended to the file as a row of its own: if it is not found there, it was read as part of a cell.
const END: &str = "\0";

pub(super) fn read<R: Rows>(file: &[u8], feed: &mut Feed<'_, R>) -> Result<(), R::Error> {
    let text = text_of(file)?;
    let (mut number, mut record, mut cells) = (0, StringRecord::new(), Cells::default());
    let end = format!("\n{END}");
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes().chain(end.as_bytes()));
    while reader.read_record(&mut record).map_err(|error| ReadError::unreadable(format!("{error}.")))? {
        if record.len() == 1 && &record[0] == END {
            return Ok(());
        }
        let start = record.position().map_or(0, |position| position.byte() as usize);
        number += 1 + empty_lines(text.as_bytes(), start);
        if record.len() > MOST_COLUMNS {
            return Err(too_many_columns(number).into());
        }
        if record.iter().next_back().is_some_and(|cell| cell.ends_with(END)) {
            let why = format!("A quoted cell that begins in row {number} is never closed.");
            return Err(ReadError::unreadable(why).into());
        }
        cells.clear();
        record.iter().for_each(|cell| cells.push(cell));
        feed.record(number, &cells)?;
    }
    Ok(())
}

fn text_of(file: &[u8]) -> Result<&str, ReadError> {
    let text = std::str::from_utf8(file).map_err(|_| ReadError::unreadable("The file is not UTF-8 text."))?;
    if text.contains('\0') {
        return Err(ReadError::unreadable("The file contains the NUL character."));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The one the header has more of, outside quotes.
fn delimiter(text: &str) -> u8 {
    let (mut quoted, mut commas, mut semicolons) = (false, 0, 0);
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'\r' | b'\n' => break,
            b',' => commas += 1,
            b';' => semicolons += 1,
            _ => {}
        }
    }
    if semicolons > commas { b';' } else { b',' }
}

/// Empty lines from here to the next record, which the parser skips and a spreadsheet shows as rows.
fn empty_lines(text: &[u8], start: usize) -> u32 {
    let (mut at, mut lines) = (start, 0);
    let in_pair = text.get(..at).is_some_and(|before| before.ends_with(b"\r")) && text.get(at) == Some(&b'\n');
    if in_pair {
        at += 1;
    }
    loop {
        match text.get(at..) {
            Some([b'\r', b'\n', ..]) => at += 2,
            Some([b'\r' | b'\n', ..]) => at += 1,
            _ => return lines,
        }
        lines += 1;
    }
}
