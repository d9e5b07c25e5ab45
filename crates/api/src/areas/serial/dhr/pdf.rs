//! The record as a document.

use domain::serial::history;
use print::{Block, Document, Footer, Image, ImageKind, OffsetStamp, PrintError};
use store::StoreError;

use super::blocks::{Printing, called, heading, origin, standing, title};
use super::gather::{Gathered, StoredFile, UnitRecord};
use super::stored::Shelf;
use crate::Result;
use crate::error::ApiError;

/// What the document shows besides what it always does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shows {
    pub(super) step_data: bool,
    pub(super) attachments: bool,
}

/// Whether files of this type can be drawn, unless something is wrong with them.
pub(super) fn is_drawn(content_type: &str) -> bool {
    content_type == PDF || content_type.starts_with("image/")
}

const PDF: &str = "application/pdf";

pub(super) fn print(gathered: &Gathered, shows: Shows, shelf: &Shelf) -> Result<Vec<u8>> {
    let unit = &gathered.unit.sections.identification;
    let code = unit.serial_code.clone().unwrap_or_else(|| unit.serial_key.to_string());
    let zone = &gathered.zone;
    let mut document = Document {
        title: format!("{} {code}", history::RECORD.classic),
        header: Some(called(unit)),
        footer: Footer {
            company: gathered.company.clone(),
            logo: logo(gathered, shelf)?,
            printed: gathered.generated.local(zone),
        },
        created: created(gathered),
        blocks: blocks(gathered, shows, shelf)?,
    };
    // What turns out to be broken while it is drawn is named like other attachments, and not drawn.
    for _ in 0..MOST_TRIES {
        match print::pdf_while(&document, &|| shelf.is_wanted()) {
            Ok(bytes) => return Ok(bytes),
            Err(PrintError::NotDrawn { block, .. }) if document.blocks.get(block).is_some_and(is_attachment) => {
                document.blocks.remove(block);
            }
            Err(error) => return Err(failed(&error)),
        }
    }
    document.blocks.retain(|block| !is_attachment(block));
    print::pdf_while(&document, &|| shelf.is_wanted()).map_err(|error| failed(&error))
}

/// After so many attachments that could not be drawn, none is.
const MOST_TRIES: usize = 5;

fn is_attachment(block: &Block) -> bool {
    matches!(block, Block::Image { .. } | Block::ForeignPdf { .. })
}

fn failed(error: &PrintError) -> ApiError {
    if matches!(error, PrintError::Stopped) {
        return StoreError::Abandoned.into();
    }
    ApiError::internal(&format!("printing a record: {error}"), None)
}

fn created(gathered: &Gathered) -> OffsetStamp {
    let clock = gathered.generated.clock_time(&gathered.zone);
    let stamp = clock.and_then(|clock| {
        Some(OffsetStamp {
            year: u16::try_from(clock.year).ok()?,
            month: clock.month,
            day: clock.day,
            hour: clock.hour,
            minute: clock.minute,
            second: clock.second,
            offset: clock.offset,
        })
    });
    stamp.unwrap_or(OffsetStamp { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offset: 0 })
}

fn logo(gathered: &Gathered, shelf: &Shelf) -> Result<Option<Image>> {
    let Some(file) = &gathered.logo else { return Ok(None) };
    Ok(shelf.read(file)?.and_then(image))
}

fn blocks(gathered: &Gathered, shows: Shows, shelf: &Shelf) -> Result<Vec<Block>> {
    let printing = Printing { parts: &gathered.parts, zone: &gathered.zone, step_data: shows.step_data };
    let mut blocks = vec![heading(history::RECORD), origin(gathered)];
    add_unit(&mut blocks, &printing, &gathered.unit, shows, shelf)?;
    let outer = called(&gathered.unit.sections.identification);
    for (place, unit) in gathered.inner.iter().enumerate() {
        blocks.push(Block::Part { header: format!("{outer} › {}", called(&unit.sections.identification)) });
        if place == 0 {
            blocks.push(heading(history::CHILDREN));
        }
        blocks.extend([title(unit), standing(unit)]);
        add_unit(&mut blocks, &printing, unit, shows, shelf)?;
    }
    Ok(blocks)
}

fn add_unit(
    blocks: &mut Vec<Block>,
    printing: &Printing<'_>,
    unit: &UnitRecord,
    shows: Shows,
    shelf: &Shelf,
) -> Result<()> {
    shelf.go_on()?;
    printing.add(unit, blocks);
    if shows.attachments {
        for (attachment, file) in unit.sections.attachments.iter().zip(&unit.files).filter(|(_, file)| file.drawn) {
            blocks.extend(drawn(&attachment.name, file, shelf)?);
        }
    }
    Ok(())
}

/// An attachment as it looks; none if it can't be drawn, or is no longer stored.
fn drawn(name: &str, file: &StoredFile, shelf: &Shelf) -> Result<Option<Block>> {
    let Some(bytes) = shelf.read(file)? else { return Ok(None) };
    if file.content_type == PDF {
        let is_whole = print::pages_of(&bytes).is_some();
        return Ok(is_whole.then(|| Block::ForeignPdf { name: name.to_owned(), bytes }));
    }
    Ok(image(bytes).map(|image| Block::Image { name: name.to_owned(), image }))
}

fn image(bytes: Vec<u8>) -> Option<Image> {
    let kind = ImageKind::of(&bytes)?;
    Some(Image { bytes, kind }).filter(print::drawable)
}
