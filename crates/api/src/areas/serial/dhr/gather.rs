//! Reads everything a record shows, from one snapshot.

use domain::Timestamp;
use domain::config::{COMPANY_LOGO, COMPANY_NAME};
use domain::counter::TimeZone;
use domain::fault::Fault;
use domain::key::{SerialKey, UserKey};
use domain::text::hex;
use journal::effects::serial::evidence;
use serde_json::{Value, json};
use store::administration::{config, counters};
use store::attachments::files;
use store::journal::{events, seals};
use store::serial::serials::{self, SerialView};
use store::{Page, Tx};

use super::super::hierarchy::NODE_BYTES;
use super::super::not_found;
use super::blocks::text_printed;
use super::facts::Facts;
use super::parts::Parts;
use super::sections::sections;
use super::wire::{JournalState, Sections};
use crate::Result;
use crate::areas::attachments::config_folder;
use crate::error::ApiError;

/// The most units inside that one record has the records of.
pub(super) const MOST_CHILDREN: usize = 1_000;
/// What a line of a printed table takes until the document is complete.
const LINE_BYTES: usize = 4_096;
/// What a byte of a text takes besides, as it is and as it is set in lines.
const TEXT_COPIES: usize = 16;
/// The longest texts of a document, in bytes in all: setting them in lines takes processors.
const MOST_TEXT: usize = 16 * 1024 * 1024;
/// Attachments are drawn up to this size, and so much of them in one document; others are shown by name and hash.
const MOST_DRAWN: u64 = 16 * 1024 * 1024;
const MOST_DRAWN_IN_ALL: u64 = 64 * 1024 * 1024;
/// Drawing an attachment takes its bytes, what they are decoded to, and the document's own copy.
const DRAWN_COPIES: usize = 3;
/// The most that attachments may take in one archive.
const MOST_ARCHIVED: u64 = 2 * 1024 * 1024 * 1024;

/// What is asked for.
pub(super) struct Wanted {
    pub(super) serial_key: SerialKey,
    /// With the records of the units inside.
    pub(super) children: bool,
    /// As a document that people read.
    pub(super) printed: bool,
    /// The document shows the attachments.
    pub(super) drawn: bool,
    /// With the bytes of all attachments.
    pub(super) archived: bool,
    pub(super) generated: Timestamp,
    pub(super) generated_by: UserKey,
}

pub(super) struct Gathered {
    pub(super) generated: Timestamp,
    pub(super) generated_by: UserKey,
    /// What people call them.
    pub(super) generated_by_name: String,
    pub(super) journal: JournalState,
    /// Where the site is.
    pub(super) zone: TimeZone,
    pub(super) company: Option<String>,
    pub(super) logo: Option<StoredFile>,
    pub(super) parts: Parts,
    pub(super) unit: UnitRecord,
    /// The units inside that have records of their own.
    pub(super) inner: Vec<UnitRecord>,
}

impl Gathered {
    /// The unit, then those inside.
    pub(super) fn units(&self) -> impl Iterator<Item = &UnitRecord> {
        std::iter::once(&self.unit).chain(&self.inner)
    }
}

pub(super) struct UnitRecord {
    pub(super) view: SerialView,
    pub(super) sections: Sections,
    /// Where the bytes of its attachments are, in their order.
    pub(super) files: Vec<StoredFile>,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone)]
pub(super) struct StoredFile {
    pub(super) object: String,
    pub(super) size: u64,
    pub(super) content_type: String,
    /// Its path in an archive.
    pub(super) archived: String,
    /// Whether the document shows it.
    pub(super) drawn: bool,
}

pub(super) async fn gather(tx: &mut Tx, wanted: Wanted) -> Result<Gathered> {
    let view = serials::view(tx, wanted.serial_key).await?.ok_or_else(not_found)?;
    let parts = Parts::load(tx, &view, wanted.children).await?;
    let inner = if wanted.children { parts.inner_units(tx, &view.serial).await? } else { Vec::new() };
    if inner.len() > MOST_CHILDREN {
        return Err(too_many());
    }
    let keys: Vec<SerialKey> = [view.serial.key].into_iter().chain(inner).collect();
    // A part is shown in the record of every unit that it is in.
    let bytes = match (wanted.printed, wanted.children) {
        (true, _) => LINE_BYTES,
        (false, true) => NODE_BYTES,
        (false, false) => 0,
    };
    tx.take_memory(parts.shown(keys.iter().copied()) * bytes)?;
    let views = in_order(tx, view, &keys[1..]).await?;
    let mut evidence = evidence::of_units(tx, &keys).await?;
    let issues = evidence.values().flat_map(|unit| &unit.issues);
    let mut others: Vec<UserKey> = issues.filter_map(|issue| issue.closed_by.clone()).collect();
    others.push(wanted.generated_by.clone());
    let mut facts = Facts::load(tx, &views, &others).await?;
    let record = |view: SerialView| {
        let own = evidence.remove(&view.serial.key).unwrap_or_default();
        let (sections, files) = sections(&mut facts, &view, parts.name(view.serial.product_id), own);
        UnitRecord { view, sections, files }
    };
    let mut units: Vec<UnitRecord> = views.into_iter().map(record).collect();
    if wanted.archived {
        check_archive(&units)?;
    }
    let rows: usize = units.iter().map(rows_printed).sum();
    if wanted.printed {
        let text: usize = units.iter().map(text_printed).sum();
        check_text(text)?;
        tx.take_memory(rows * LINE_BYTES + text * TEXT_COPIES)?;
    }
    if wanted.drawn {
        let drawn = choose_drawn(&mut units);
        tx.take_memory(drawn.saturating_mul(DRAWN_COPIES))?;
    }
    let inner = units.split_off(1);
    let unit = units.pop().ok_or_else(not_found)?;
    Ok(Gathered {
        journal: journal_state(tx).await?,
        zone: counters::site_zone(tx).await?,
        company: config::get(tx, COMPANY_NAME).await?.as_ref().and_then(Value::as_str).map(str::to_owned),
        logo: logo(tx).await?,
        generated: wanted.generated,
        generated_by_name: facts.name_of(&wanted.generated_by),
        generated_by: wanted.generated_by,
        parts,
        unit,
        inner,
    })
}

/// The unit, then those with these keys in their order.
async fn in_order(tx: &mut Tx, unit: SerialView, keys: &[SerialKey]) -> Result<Vec<SerialView>> {
    let ints: Vec<i64> = keys.iter().map(|key| key.0).collect();
    let mut found = if ints.is_empty() { Vec::new() } else { serials::views_of(tx, &ints).await? };
    let place = |view: &SerialView| keys.iter().position(|key| *key == view.serial.key);
    found.sort_by_cached_key(place);
    found.insert(0, unit);
    Ok(found)
}

fn too_many() -> ApiError {
    let why = "More than 1,000 units inside have records of their own: ask for those of the larger units one by one.";
    ApiError::validation(vec![Fault::new(
        "value_error",
        &["query".into(), "include_children".into()],
        why,
        &json!(true),
    )])
}

/// How many rows the tables of a unit have, besides its components.
fn rows_printed(unit: &UnitRecord) -> usize {
    let sections = &unit.sections;
    let acceptance = &sections.acceptance;
    let values = acceptance.fields.len() + acceptance.step_data.len() + acceptance.issues.len();
    values + sections.attachments.len() + sections.missing.len() + sections.dates.phases.len()
}

fn check_text(bytes: usize) -> Result<()> {
    if bytes <= MOST_TEXT {
        return Ok(());
    }
    Err(ApiError::too_much("The values are too long for a document: ask for the record as JSON."))
}

/// Chooses the attachments that the document shows; gives how many bytes they have.
fn choose_drawn(units: &mut [UnitRecord]) -> usize {
    let mut all = 0;
    for file in units.iter_mut().flat_map(|unit| &mut unit.files) {
        let fits = file.size <= MOST_DRAWN && all + file.size <= MOST_DRAWN_IN_ALL;
        file.drawn = fits && super::pdf::is_drawn(&file.content_type);
        all += if file.drawn { file.size } else { 0 };
    }
    usize::try_from(all).unwrap_or(usize::MAX)
}

fn check_archive(units: &[UnitRecord]) -> Result<()> {
    let size: u64 = units.iter().flat_map(|unit| &unit.files).map(|file| file.size).sum();
    if size <= MOST_ARCHIVED {
        return Ok(());
    }
    Err(ApiError::too_much("The attachments have more than 2 GiB: ask for the records of the units inside one by one."))
}

async fn journal_state(tx: &mut Tx) -> Result<JournalState> {
    let last = seals::last(tx).await?;
    let sealed_seq = match &last {
        Some(seal) => seals::last_seq(tx, seal.block).await?,
        None => None,
    };
    Ok(JournalState {
        last_seq: events::head(tx).await?,
        sealed_seq,
        head_block: last.as_ref().map(|seal| seal.block),
        head_hash: last.map(|seal| hex(&seal.hash)),
    })
}

async fn logo(tx: &mut Tx) -> Result<Option<StoredFile>> {
    let page = Page { limit: 1, offset: 0, count: false };
    let found = files::list(tx, &config_folder(COMPANY_LOGO), false, &page).await?.rows.pop();
    let stored = found.map(|listed| StoredFile {
        object: listed.file.object,
        size: u64::try_from(listed.file.size).unwrap_or(0),
        content_type: listed.file.content_type,
        archived: String::new(),
        drawn: false,
    });
    Ok(stored.filter(|file| file.size <= MOST_LOGO))
}

/// A larger logo is left out.
const MOST_LOGO: u64 = 2 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_texts_of_some_length_only() {
        assert!(check_text(MOST_TEXT).is_ok() && check_text(MOST_TEXT + 1).is_err());
    }
}
