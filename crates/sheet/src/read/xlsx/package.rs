//! The zip archive around a workbook, and where its parts are.

use std::io::Cursor;

use zip::ZipArchive;
use zip::read::ZipFile;

use super::xml::{Name, Piece, Xml, damaged, each_attribute};
use crate::ReadError;

/// Real workbooks have a few dozen.
const MOST_ENTRIES: usize = 10_000;
/// Of positions where the list of parts might end. A real workbook has one, and some more by chance or in embedded files.
const MOST_ENDS: usize = 100;
const CENTRAL_HEADER: &[u8] = b"PK\x01\x02";
const ENDS: [&[u8]; 2] = [b"PK\x05\x06", b"PK\x06\x06"];
/// Of a part that describes other parts.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// Of the items such a part lists.
const MOST_LISTED: usize = 10_000;

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
}

/// Where the relevant parts of a workbook are.
pub(super) struct Workbook {
    pub(super) sheet: String,
    pub(super) strings: Option<String>,
    pub(super) styles: Option<String>,
    /// Whether days are counted from 1904, as one maker's old spreadsheets do.
    pub(super) from_1904: bool,
}

struct Relation {
    id: String,
    kind: String,
    target: String,
}

impl<'a> Package<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, ReadError> {
        // Opening an archive stores something for every entry, however many there are, and reads them again for every
        // possible end.
        let (mut entries, mut ends) = (0, 0);
        for window in file.windows(CENTRAL_HEADER.len()).filter(|window| window.starts_with(b"PK")) {
            entries += usize::from(window == CENTRAL_HEADER);
            ends += usize::from(ENDS.contains(&window));
        }
        if entries > MOST_ENTRIES || ends > MOST_ENDS {
            return Err(ReadError::TooLarge("The workbook has too many parts.".to_owned()));
        }
        let archive = ZipArchive::new(Cursor::new(file)).map_err(|_| {
            ReadError::unreadable("The file is no XLSX workbook, or is damaged or protected by a password.")
        })?;
        Ok(Self { archive })
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.archive.index_for_name(path).is_some()
    }

    pub(super) fn part(
        &mut self,
        path: &str,
        most_bytes: u64,
    ) -> Result<Xml<ZipFile<'_, Cursor<&'a [u8]>>>, ReadError> {
        let part = self.archive.by_name(path);
        let part = part.map_err(|error| ReadError::unreadable(format!("The workbook lacks {path}: {error}.")))?;
        Ok(Xml::new(part, most_bytes))
    }

    pub(super) fn workbook(&mut self) -> Result<Workbook, ReadError> {
        let package = self.relations("", "_rels/.rels")?;
        let path = match package.iter().find(|relation| relation.kind.ends_with("/officeDocument")) {
            Some(relation) => resolve("", &relation.target),
            None => "xl/workbook.xml".to_owned(),
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let (sheet_id, from_1904) = self.first_sheet(&path)?;
        let relations = self.relations(folder, &resolve(folder, &format!("_rels/{name}.rels")))?;
        let of_kind = |kind: &str| {
            let found = relations.iter().find(|relation| relation.kind.ends_with(kind));
            found.map(|relation| resolve(folder, &relation.target))
        };
        let sheet = relations.iter().find(|relation| relation.id == sheet_id);
        Ok(Workbook {
            sheet: sheet.map(|sheet| resolve(folder, &sheet.target)).ok_or_else(no_sheet)?,
            strings: of_kind("/sharedStrings"),
            styles: of_kind("/styles"),
            from_1904,
        })
    }

    fn first_sheet(&mut self, path: &str) -> Result<(String, bool), ReadError> {
        let mut xml = self.part(path, MOST_BYTES)?;
        let mut from_1904 = false;
        loop {
            match xml.next()? {
                Piece::Start(Name::Properties, start) => each_attribute(&start, |name, value| {
                    if name == b"date1904" {
                        from_1904 = value == "1" || value == "true";
                    }
                })?,
                Piece::Start(Name::Sheet, start) => {
                    let mut id = String::new();
                    each_attribute(&start, |name, value| {
                        if name == b"id" {
                            value.clone_into(&mut id);
                        }
                    })?;
                    return Ok((id, from_1904));
                }
                Piece::Eof => return Err(no_sheet()),
                _ => {}
            }
        }
    }

    fn relations(&mut self, folder: &str, path: &str) -> Result<Vec<Relation>, ReadError> {
        let mut relations = Vec::new();
        if !self.has(path) {
            return Ok(relations);
        }
        let mut xml = self.part(path, MOST_BYTES)?;
        loop {
            match xml.next()? {
                Piece::Start(Name::Relationship, start) => {
                    let mut relation = Relation { id: String::new(), kind: String::new(), target: String::new() };
                    each_attribute(&start, |name, value| match name {
                        b"Id" => value.clone_into(&mut relation.id),
                        b"Type" => value.clone_into(&mut relation.kind),
                        b"Target" => value.clone_into(&mut relation.target),
                        _ => {}
                    })?;
                    relations.push(relation);
                    if relations.len() > MOST_LISTED {
                        return Err(damaged(format!("{folder}/{path} lists too much")));
                    }
                }
                Piece::Eof => return Ok(relations),
                _ => {}
            }
        }
    }
}

/// A path within the archive, from one relative to a folder in it.
fn resolve(folder: &str, target: &str) -> String {
    let whole = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

fn no_sheet() -> ReadError {
    ReadError::unreadable("The workbook has no sheet.")
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn paths_of_parts() {
        assert_eq!(resolve("xl", "worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(resolve("xl", "/xl/worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(resolve("xl", "../other/./sheet.xml"), "other/sheet.xml");
        assert_eq!(resolve("", "../../x.xml"), "x.xml");
    }
}
