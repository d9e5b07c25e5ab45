//! Steps as they are sent and shown, and writing all steps of a process or an operation at once.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use domain::Timestamp;
use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{KEY_PATTERN, MediaKey, NOBODY, PhaseKey, StepKey, id_from_text, record_id, revision};
use domain::process::StepKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use store::Tx;
use store::attachments::files;
use store::attachments::media_files::{self, Link};
use store::process::phases::Phase;
use store::process::steps::{self, Owner, Step};

use crate::Result;
use crate::areas::attachments::{Media, media_record};
use crate::areas::quality::form_field::{self, CustomFields, FormFieldIn, FormFieldOut};
use crate::cx::Cx;
use crate::input::{Name, read_only};

/// The members of a step that are read-only.
fn step_members(schema: &mut Schema) {
    read_only(schema, &["_id", "_rev", "trashed"]);
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "StepInput", transform = step_members)]
#[serde(deny_unknown_fields)]
pub(super) struct StepIn {
    /// Key of the step to overwrite; a step without one is new.
    #[schemars(regex(pattern = KEY_PATTERN))]
    _key: Option<String>,
    title: Name<256>,
    /// Markdown.
    #[schemars(length(max = 100_000))]
    description: Option<String>,
    #[serde(rename = "type", default = "instruction")]
    kind: StepKind,
    /// Only for a step of type `form`.
    #[serde(default)]
    #[schemars(length(max = 500))]
    form_fields: Vec<FormFieldIn>,
    /// Media files in order, each once.
    #[serde(default)]
    #[schemars(length(max = 500))]
    media: Vec<MediaRef>,
}

fn instruction() -> StepKind {
    StepKind::Instruction
}

impl StepIn {
    pub(super) fn key(&self) -> Option<StepKey> {
        self._key.as_deref().map(|key| StepKey(id_of(key)))
    }
}

/// The id of a sent key, or an id that no record has.
pub(super) fn id_of(key: &str) -> i64 {
    id_from_text(key).unwrap_or(NOBODY)
}

/// A media file: its key, or its record, of which only the key is read.
#[derive(Debug, Clone)]
struct MediaRef(String);

impl MediaRef {
    fn key(&self) -> MediaKey {
        MediaKey(id_of(&self.0))
    }
}

impl<'de> Deserialize<'de> for MediaRef {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let sent = serde_json::Value::deserialize(from)?;
        let key = sent.get("_key").unwrap_or(&sent).as_str();
        key.map(|key| Self(key.to_owned())).ok_or_else(|| serde::de::Error::custom("no key of a media file"))
    }
}

impl JsonSchema for MediaRef {
    fn schema_name() -> Cow<'static, str> {
        "MediaRef".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut record = json_schema!({
            "type": "object",
            "required": ["_key"],
            "properties": { "_key": { "type": "string", "pattern": KEY_PATTERN } },
            "additionalProperties": false
        });
        read_only(&mut record, &["_id", "_rev", "name", "size", "content_type", "created_at"]);
        json_schema!({
            "description": "A media file: its key, or its record, of which only the key is read.",
            "anyOf": [{ "type": "string", "pattern": KEY_PATTERN }, record]
        })
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Step")]
pub(crate) struct StepRecord {
    _id: String,
    _key: StepKey,
    _rev: String,
    title: String,
    /// Markdown.
    description: Option<String>,
    #[serde(rename = "type")]
    kind: StepKind,
    form_fields: Vec<FormFieldOut>,
    trashed: Option<Timestamp>,
    media: Vec<Media>,
}

/// Steps as readers see them, with their owners.
pub(super) async fn shown(tx: &mut Tx, steps: Vec<Step>) -> Result<Vec<(Owner, StepRecord)>> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let fields = CustomFields::of_stored(tx, steps.iter().flat_map(|step| &step.form_fields)).await?;
    let mut media: HashMap<String, Vec<Media>> = HashMap::new();
    for linked in media_files::linked(tx, &ids(steps.iter().map(|step| step.key))).await? {
        media.entry(linked.from_id).or_default().push(media_record(linked.media));
    }
    let shown = steps.into_iter().map(|step| {
        let id = record_id(Collection::Step, step.key);
        let record = StepRecord {
            media: media.remove(&id).unwrap_or_default(),
            _id: id,
            _key: step.key,
            _rev: revision(step.rev),
            title: step.title,
            description: step.description,
            kind: step.kind,
            form_fields: fields.shown(step.form_fields),
            trashed: step.trashed,
        };
        (step.owner, record)
    });
    Ok(shown.collect())
}

/// Steps as readers see them, grouped by owner, each owner's in order.
pub(super) async fn shown_by_owner(tx: &mut Tx, steps: Vec<Step>) -> Result<HashMap<Owner, Vec<StepRecord>>> {
    let mut by_owner: HashMap<Owner, Vec<StepRecord>> = HashMap::new();
    for (owner, record) in shown(tx, steps).await? {
        by_owner.entry(owner).or_default().push(record);
    }
    Ok(by_owner)
}

/// The steps of a product's phases for an order that copies them, as readers see them. The product is locked, and this locks
/// the steps too: what they link to can't change.
pub(crate) async fn copied_steps(tx: &mut Tx, phases: &[Phase]) -> Result<HashMap<PhaseKey, Vec<StepRecord>>> {
    let keys: Vec<i64> = phases.iter().map(|phase| phase.key.0).collect();
    let steps = steps::lock_of_phases(tx, &keys).await?;
    let mut copies = HashMap::with_capacity(phases.len());
    for (owner, steps) in shown_by_owner(tx, steps).await? {
        if let Owner::Phase(phase) = owner {
            copies.insert(phase, steps);
        }
    }
    Ok(copies)
}

/// The bucket of the files of steps.
pub(super) const BUCKET: &str = "step";

/// The `_id`s of steps.
pub(super) fn ids(keys: impl Iterator<Item = StepKey>) -> Vec<String> {
    keys.map(|key| record_id(Collection::Step, key)).collect()
}

/// The state before steps are written: those that may be overwritten, and what sent ones may name.
pub(super) struct Before {
    steps: HashMap<StepKey, Step>,
    fields: CustomFields,
    /// The media that sent steps name, and those that the old steps link to; locked.
    media: HashSet<MediaKey>,
}

impl Before {
    /// `steps` must be locked.
    pub(super) async fn load<'a>(
        tx: &mut Tx,
        steps: Vec<Step>,
        sent: impl Iterator<Item = &'a StepIn> + Clone,
    ) -> Result<Self> {
        let mut media: BTreeSet<i64> = sent.clone().flat_map(|step| &step.media).map(|media| media.key().0).collect();
        if !steps.is_empty() {
            let linked = media_files::linked(tx, &ids(steps.iter().map(|step| step.key))).await?;
            media.extend(linked.iter().map(|linked| linked.media.key.0));
        }
        let media: Vec<i64> = media.into_iter().collect();
        let found = if media.is_empty() { Vec::new() } else { media_files::lock_all(tx, &media).await? };
        Ok(Self {
            steps: steps.into_iter().map(|step| (step.key, step)).collect(),
            fields: CustomFields::of_sent(tx, sent.flat_map(|step| &step.form_fields)).await?,
            media: found.into_iter().map(|media| media.key).collect(),
        })
    }

    /// Removes the old steps that were not sent again, with their files.
    pub(super) async fn remove(&self, tx: &mut Tx, sent: &[StepIn]) -> Result<()> {
        let kept: HashSet<StepKey> = sent.iter().filter_map(StepIn::key).collect();
        let dropped: Vec<StepKey> = self.steps.keys().filter(|key| !kept.contains(key)).copied().collect();
        if dropped.is_empty() {
            return Ok(());
        }
        let keys: Vec<String> = dropped.iter().map(ToString::to_string).collect();
        files::clear_records(tx, BUCKET, &keys).await?;
        media_files::unlink(tx, &ids(dropped.iter().copied())).await?;
        Ok(steps::remove(tx, &dropped.iter().map(|key| key.0).collect::<Vec<_>>()).await?)
    }

    /// Finds all faults of one owner's steps; `seen` has the keys of all others.
    pub(super) fn check<'a>(&self, sent: &'a [StepIn], seen: &mut HashSet<&'a str>, faults: &mut Faults) {
        for (index, step) in sent.iter().enumerate() {
            faults.within(index, |faults| {
                if let Some(key) = &step._key {
                    let known = step.key().and_then(|key| self.steps.get(&key));
                    let fault = match known {
                        _ if !seen.insert(key) => {
                            Some(("value_error", "Another step of this request has the same key."))
                        }
                        Some(_) => None,
                        None => Some(("step_not_found", "There is no such step here.")),
                    };
                    if let Some((kind, why)) = fault {
                        faults.within("_key", |faults| faults.add(kind, why, &json!(key)));
                    }
                }
                faults.within("form_fields", |faults| self.check_form(step, faults));
                faults.within("media", |faults| self.check_media(&step.media, faults));
            });
        }
    }

    fn check_form(&self, step: &StepIn, faults: &mut Faults) {
        if step.kind != StepKind::Form && !step.form_fields.is_empty() {
            faults.add("value_error", "Only a step of type form has fields.", &json!(step.form_fields.len()));
        }
        self.fields.check(&step.form_fields, faults);
    }

    fn check_media(&self, sent: &[MediaRef], faults: &mut Faults) {
        let mut seen = HashSet::new();
        for (index, media) in sent.iter().enumerate() {
            let (kind, why) = match media.key() {
                key if !self.media.contains(&key) => ("media_not_found", "There is no such media file."),
                key if !seen.insert(key) => ("value_error", "The step already has this media file."),
                _ => continue,
            };
            faults.within(index, |faults| faults.add(kind, why, &json!(media.0)));
        }
    }

    /// Writes the steps of owners, each in order, with their links. Removes media that nothing links to any more.
    pub(super) async fn save(&self, tx: &mut Tx, cx: &Cx, sent: &[(Owner, &[StepIn])]) -> Result<()> {
        let (mut written, mut links, mut overwritten) = (Vec::new(), Vec::new(), Vec::new());
        for (owner, sent) in sent {
            for (place, step) in sent.iter().enumerate() {
                let before = step.key().and_then(|key| self.steps.get(&key));
                let key = before.map_or_else(|| cx.new_id().map(StepKey), |before| Ok(before.key))?;
                overwritten.extend(before.map(|before| before.key));
                for media in &step.media {
                    let from_id = record_id(Collection::Step, key);
                    links.push(Link { key: cx.new_id()?, media_key: media.key(), from_id });
                }
                written.push(Step {
                    key,
                    rev: before.map_or(1, |before| before.rev + 1),
                    owner: owner.clone(),
                    place: Some(place as i64),
                    title: step.title.0.clone(),
                    description: step.description.clone(),
                    kind: step.kind,
                    form_fields: form_field::stored(cx, &step.form_fields)?,
                    trashed: None,
                });
            }
        }
        steps::save(tx, &written).await?;
        if self.media.is_empty() {
            return Ok(());
        }
        media_files::unlink(tx, &ids(overwritten.into_iter())).await?;
        media_files::link(tx, &links).await?;
        let media: Vec<i64> = self.media.iter().map(|key| key.0).collect();
        Ok(media_files::remove_unlinked(tx, &media).await?)
    }
}
