//! The folder of a file: bucket, record and subfolder; and which folders are allowed.

use domain::collection::Collection;
use domain::file_name;
use domain::form::FieldKind;
use domain::key::{BatchKey, FieldKey, IssueKey, NOBODY, ProductKey, StepKey, UserKey, WorkOrderKey, id_from_text};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Deserialize;
use store::attachments::files::Folder;
use store::collaboration::issue_views;
use store::production::{batches, order_phases};
use store::quality::fields;
use store::{Tx, entities};

use crate::Result;
use crate::error::ApiError;
use crate::receive::image_names;

/// Characters that are not percent-encoded in an address.
pub(super) const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Maximum depth of a subfolder.
const DEPTH: usize = 8;

/// The kind of record that files belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FileBucket")]
pub(crate) enum Bucket {
    Issue,
    Product,
    Traceability,
    Step,
    User,
    Serial,
    Task,
}

impl Bucket {
    const ALL: [Bucket; 7] =
        [Self::Issue, Self::Product, Self::Traceability, Self::Step, Self::User, Self::Serial, Self::Task];

    pub(super) fn name(self) -> &'static str {
        match self {
            Bucket::Issue => "issue",
            Bucket::Product => "product",
            Bucket::Traceability => "traceability",
            Bucket::Step => "step",
            Bucket::User => "user",
            Bucket::Serial => "serial",
            Bucket::Task => "task",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bucket| bucket.name() == name)
    }

    pub(super) fn collection(self) -> Collection {
        match self {
            Bucket::Issue => Collection::Issue,
            Bucket::Product => Collection::Product,
            Bucket::Traceability => Collection::WorkOrder,
            Bucket::Step => Collection::Step,
            Bucket::User => Collection::User,
            Bucket::Serial => Collection::Serial,
            Bucket::Task => Collection::Task,
        }
    }
}

/// The folder a request names.
#[derive(Debug, Clone)]
pub(super) struct FolderTarget {
    pub(super) bucket: Bucket,
    pub(super) object_key: String,
    pub(super) subfolder: String,
}

impl FolderTarget {
    pub(super) fn folder(&self) -> Folder {
        Folder { bucket: self.bucket.name(), object_key: self.object_key.clone(), subfolder: self.subfolder.clone() }
    }

    /// The folder, if its record exists, with any subfolder.
    pub(super) async fn find(&self, tx: &mut Tx) -> Result<Folder> {
        let there = entities::exists(tx, self.bucket.collection(), &self.object_key).await?;
        if there { Ok(self.folder()) } else { Err(self.absent()) }
    }

    /// The folder for a change: its record exists and is locked, and the subfolder is allowed for this kind of record.
    pub(super) async fn hold(&self, tx: &mut Tx) -> Result<Folder> {
        if !self.is_subfolder() {
            return Err(ApiError::not_found("The subfolder was"));
        }
        let there = entities::hold(tx, self.bucket.collection(), &self.object_key).await?;
        if !there {
            return Err(self.absent());
        }
        self.check_rule(tx).await?;
        Ok(self.folder())
    }

    /// Checks that the record may have this subfolder.
    async fn check_rule(&self, tx: &mut Tx) -> Result<()> {
        let steps: Vec<&str> = self.subfolder.split('/').collect();
        let allowed = match (self.bucket, steps.as_slice()) {
            (Bucket::Product, ["meta", rest @ ..]) => is_file_field(tx, rest.first().copied()).await?,
            (Bucket::Traceability, steps) => is_form_field(tx, &self.object_key, steps).await?,
            (Bucket::Issue, steps) => is_issue_field(tx, &self.object_key, steps).await?,
            _ => true,
        };
        if allowed { Ok(()) } else { Err(ApiError::not_found("The subfolder was")) }
    }

    /// The names in this folder that only dedicated operations write and remove: those of the record's image.
    pub(super) fn reserved(&self) -> Vec<String> {
        if self.keeps_image() { image_names() } else { Vec::new() }
    }

    /// Whether the record's image is in this folder.
    pub(super) fn keeps_image(&self) -> bool {
        matches!(self.bucket, Bucket::Product | Bucket::User) && self.subfolder.is_empty()
    }

    fn absent(&self) -> ApiError {
        ApiError::not_found(&format!("{} {} was", self.bucket.collection(), self.object_key))
    }

    fn is_subfolder(&self) -> bool {
        let steps = || self.subfolder.split('/');
        self.subfolder.is_empty()
            || (steps().count() <= DEPTH && steps().all(|step| file_name::objection(step).is_none()))
    }
}

/// Below `meta`, a product has folders only for its custom fields of type `files`.
async fn is_file_field(tx: &mut Tx, key: Option<&str>) -> Result<bool> {
    let Some(key) = key.and_then(|key| FieldKey::new(key).ok()) else { return Ok(false) };
    Ok(fields::kinds(tx, &[key.to_string()]).await?.remove(&key) == Some(FieldKind::Files))
}

/// A work order has a folder for each field of each form that its batches fill in: batch, step, custom field, field.
async fn is_form_field(tx: &mut Tx, order: &str, steps: &[&str]) -> Result<bool> {
    let [batch, step, custom_field, field] = steps else { return Ok(false) };
    let id = |text: &str| id_from_text(text).unwrap_or(NOBODY);
    let Some(batch) = batches::find(tx, BatchKey(id(batch))).await? else { return Ok(false) };
    if batch.work_order_key != WorkOrderKey(id(order)) {
        return Ok(false);
    }
    let copies = order_phases::steps_of(tx, batch.work_order_key, &[batch.phase_key.0]).await?;
    let steps = copies.into_iter().flat_map(|(_, steps)| steps).filter(|copy| copy.key == StepKey(id(step)));
    let asked = steps
        .flat_map(|step| step.form_fields)
        .any(|copy| copy.key.as_str() == *field && copy.custom_field_key.as_str() == *custom_field);
    Ok(asked && !fields::kinds(tx, &[(*custom_field).to_owned()]).await?.is_empty())
}

/// An issue has a folder for each field of its type's form, and for each that it has a value of.
async fn is_issue_field(tx: &mut Tx, issue: &str, steps: &[&str]) -> Result<bool> {
    let [field] = steps else { return Ok(false) };
    let key = IssueKey(id_from_text(issue).unwrap_or(NOBODY));
    let Some(view) = issue_views::find(tx, key).await? else { return Ok(false) };
    let asked = view.form_template.iter().any(|asked| asked.key.as_str() == *field);
    Ok(asked || view.issue.data.iter().any(|value| value.form_field_key.as_str() == *field))
}

/// The folder of a configuration entry's file.
pub(crate) fn config_folder(key: &str) -> Folder {
    Folder { bucket: "config", object_key: key.to_owned(), subfolder: String::new() }
}

/// A user's own folder, which also holds the image.
pub(crate) fn user_folder(key: &UserKey) -> Folder {
    Folder { bucket: Bucket::User.name(), object_key: key.to_string(), subfolder: String::new() }
}

/// A folder of a product; its image is in the one with an empty name.
pub(crate) fn product_folder(key: &ProductKey, subfolder: &str) -> Folder {
    Folder { bucket: Bucket::Product.name(), object_key: key.to_string(), subfolder: subfolder.to_owned() }
}

/// Where a file is served: percent-encoded, below `/media`.
pub(crate) fn address(folder: &Folder, name: &str) -> String {
    let subfolder = folder.subfolder.split('/').filter(|part| !part.is_empty());
    let parts = [folder.bucket, &folder.object_key].into_iter().chain(subfolder).chain([name]);
    let encoded: Vec<String> = parts.map(|part| utf8_percent_encode(part, PLAIN).to_string()).collect();
    format!("/media/{}", encoded.join("/"))
}
