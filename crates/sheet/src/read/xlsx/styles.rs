//! Which cell formats show a number as a date.

use std::collections::HashMap;

use super::date::is_date_format;
use super::package::Package;
use super::xml::{Name, Piece, each_attribute};
use crate::ReadError;

const MOST_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Styles {
    dates: Vec<bool>,
    pub(super) from_1904: bool,
}

impl Styles {
    pub(super) fn is_date(&self, style: usize) -> bool {
        self.dates.get(style).copied().unwrap_or(false)
    }
}

pub(super) fn read(package: &mut Package<'_>, path: Option<&str>, from_1904: bool) -> Result<Styles, ReadError> {
    let mut styles = Styles { from_1904, ..Styles::default() };
    let Some(path) = path.filter(|path| package.has(path)) else { return Ok(styles) };
    let mut xml = package.part(path, MOST_BYTES)?;
    let (mut custom, mut in_formats) = (HashMap::new(), false);
    loop {
        match xml.next()? {
            Piece::Start(Name::NumberFormat, start) => {
                let (mut id, mut is_date) = (0, false);
                each_attribute(&start, |name, value| match name {
                    b"numFmtId" => id = value.parse().unwrap_or(0),
                    b"formatCode" => is_date = is_date_format(value),
                    _ => {}
                })?;
                custom.insert(id, is_date);
            }
            Piece::Start(Name::CellFormats, _) => in_formats = true,
            Piece::End(Name::CellFormats) => in_formats = false,
            Piece::Start(Name::Format, start) if in_formats => {
                let mut format = 0;
                each_attribute(&start, |name, value| {
                    if name == b"numFmtId" {
                        format = value.parse().unwrap_or(0);
                    }
                })?;
                styles.dates.push(is_date(format, &custom));
            }
            Piece::Eof => return Ok(styles),
            _ => {}
        }
    }
}

fn is_date(format: u32, custom: &HashMap<u32, bool>) -> bool {
    // The built-in formats of all languages; 46 is a duration.
    let known = || matches!(format, 14..=22 | 27..=36 | 45 | 47 | 50..=58);
    custom.get(&format).copied().unwrap_or_else(known)
}
