//! The record as an archive: the document, the JSON, all attachments, and a list with the digest of each file.

use std::io::{BufWriter, Write};

use domain::Timestamp;
use domain::counter::TimeZone;
use domain::key::SerialKey;
use domain::text::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::gather::Gathered;
use super::stored::{Reading, Shelf};
use super::wire::RecordText;
use crate::Result;
use crate::download::{self, TempFile, broken};

#[derive(Serialize)]
struct Manifest<'a> {
    serial_key: SerialKey,
    generated: Timestamp,
    files: &'a [Listed],
    /// Attachments of the record whose bytes are lost.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    missing: &'a [String],
}

#[derive(Serialize)]
struct Listed {
    path: String,
    size: u64,
    sha256: String,
}

/// Packs a record. `None` if an attachment was replaced since the record was read and `whole` asks for all of them; else the
/// archive goes without those whose bytes are lost, and lists them as missing.
pub(super) fn pack(gathered: &Gathered, printed: &[u8], shelf: &Shelf, whole: bool) -> Result<Option<TempFile>> {
    let mut archive = Archive::new(gathered.generated, &gathered.zone);
    archive.add("dhr.pdf", CompressionMethod::Stored, |to| to.write_all(printed).map_err(broken))?;
    archive.add("dhr.json", CompressionMethod::Deflated, |to| write_json(&RecordText::whole(gathered), to, shelf))?;
    for file in gathered.units().flat_map(|unit| &unit.files) {
        match shelf.open(file)? {
            Some(reading) => archive.add(&file.archived, CompressionMethod::Stored, |to| copy(reading, to))?,
            None if whole => return Ok(None),
            None => archive.missing.push(file.archived.clone()),
        }
    }
    let serial_key = gathered.unit.view.serial.key;
    archive.finish(serial_key, gathered.generated, shelf).map(Some)
}

/// Writes a value as JSON, piece by piece, as long as somebody waits for it.
pub(super) fn write_json(value: &impl Serialize, to: &mut impl Write, shelf: &Shelf) -> Result<()> {
    let mut to = BufWriter::new(Watched { to, shelf });
    let written = serde_json::to_writer(&mut to, value).map_err(std::io::Error::from).and_then(|()| to.flush());
    written.map_err(|error| shelf.go_on().err().unwrap_or_else(|| broken(error)))
}

/// Fails once nobody waits for what is written.
struct Watched<'a, W> {
    to: &'a mut W,
    shelf: &'a Shelf,
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !self.shelf.is_wanted() {
            return Err(std::io::Error::other("nobody waits for it"));
        }
        self.to.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

fn copy(mut reading: Reading<'_>, to: &mut impl Write) -> Result<()> {
    while let Some(piece) = reading.next()? {
        to.write_all(&piece).map_err(broken)?;
    }
    Ok(())
}

struct Archive {
    zip: ZipWriter<TempFile>,
    time: DateTime,
    files: Vec<Listed>,
    missing: Vec<String>,
}

impl Archive {
    fn new(generated: Timestamp, zone: &TimeZone) -> Self {
        let time = generated.clock_time(zone).and_then(|clock| {
            let year = u16::try_from(clock.year).ok()?;
            let (hour, minute, second) = (clock.hour, clock.minute, clock.second);
            DateTime::from_date_and_time(year, clock.month, clock.day, hour, minute, second).ok()
        });
        Self {
            zip: ZipWriter::new(download::file()),
            time: time.unwrap_or_default(),
            files: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Adds a file and lists it with its digest.
    fn add(
        &mut self,
        path: &str,
        method: CompressionMethod,
        write: impl FnOnce(&mut Entry<'_>) -> Result<()>,
    ) -> Result<()> {
        self.begin(path, method)?;
        let mut entry = Entry { zip: &mut self.zip, hash: Sha256::new(), size: 0 };
        write(&mut entry)?;
        let (size, sha256) = (entry.size, hex(&entry.hash.finalize()));
        self.files.push(Listed { path: path.to_owned(), size, sha256 });
        Ok(())
    }

    fn begin(&mut self, path: &str, method: CompressionMethod) -> Result<()> {
        let options = SimpleFileOptions::default().compression_method(method).last_modified_time(self.time);
        self.zip.start_file(path, options).map_err(|error| broken(error.into()))
    }

    fn finish(mut self, serial_key: SerialKey, generated: Timestamp, shelf: &Shelf) -> Result<TempFile> {
        self.begin("manifest.json", CompressionMethod::Deflated)?;
        let manifest = Manifest { serial_key, generated, files: &self.files, missing: &self.missing };
        write_json(&manifest, &mut self.zip, shelf)?;
        self.zip.finish().map_err(|error| broken(error.into()))
    }
}

/// A file in an archive that is being written.
struct Entry<'a> {
    zip: &'a mut ZipWriter<TempFile>,
    hash: Sha256,
    size: u64,
}

impl Write for Entry<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.zip.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.zip.flush()
    }
}
