//! Receives the files of a multipart body: each is stored while it arrives. If anything is wrong with the body, nothing is
//! left behind.

mod image;
pub mod media_type;

use std::collections::BTreeMap;

use domain::Fault;
use domain::fault::Faults;
use domain::json;
use domain::key::{FileKey, id_to_text};
use multer::Field;
use serde_json::{Value, json as value};
use store::attachments::files::File;
use store::media::MediaError;

pub use image::{as_image, image_names, is_image_name};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FILE, Input, JsonOrUpload, Sent, Upload, file_name, form_fields, read_form};

/// Maximum size of all form fields together, without files, in bytes.
const FIELDS_BYTES: usize = 1024 * 1024;

/// The parts a body may have.
pub struct Receive {
    part: &'static str,
    most: usize,
    fields: Vec<String>,
    limit: u64,
}

/// The parts a body had. The files are stored, but no record names them yet.
pub struct Received {
    pub files: Vec<File>,
    pub fields: BTreeMap<String, String>,
}

impl Receive {
    /// One file, or none.
    pub fn one(part: &'static str) -> Self {
        Self { part, most: 1, fields: Vec::new(), limit: u64::MAX }
    }

    /// Files under one name, and fields.
    pub fn many(part: &'static str, most: usize, fields: &[&str]) -> Self {
        let fields = fields.iter().map(|name| (*name).to_owned()).collect();
        Self { part, most, fields, limit: u64::MAX }
    }

    /// Receives a body that is JSON, or a form with the same fields and one file.
    pub async fn either<T: Input>(cx: &Cx, body: JsonOrUpload<T>) -> Result<(T, Option<File>)> {
        let upload = match body.0 {
            Sent::Json(read) => return Ok((read, None)),
            Sent::Form(upload) => upload,
        };
        let form = Self { part: FILE, most: 1, fields: form_fields::<T>(), limit: u64::MAX };
        let mut upload = upload;
        let (mut received, faults) = form.receive(cx, &mut upload).await?;
        let fields: Vec<(String, String)> = std::mem::take(&mut received.fields).into_iter().collect();
        let weight = fields.iter().map(|(_, text)| json::measure(text.as_bytes()).weight()).sum();
        if let Err(error) = upload.take(weight) {
            received.discard(cx).await;
            return Err(error);
        }
        let mut faults = faults.into_vec();
        let read = read_form(&fields, &mut faults);
        let (mut received, read) = received.or_faults(cx, faults, read).await?;
        Ok((read, received.files.pop()))
    }

    /// Receives the one required image, under the fixed name of images; 415 for anything else.
    pub async fn image<T>(self, cx: &Cx, upload: Upload<T>) -> Result<File> {
        let file = self.file(cx, upload).await?;
        let object = file.object.clone();
        match as_image(file) {
            Ok(image) => Ok(image),
            Err(error) => {
                cx.discard(&object).await;
                Err(error)
            }
        }
    }

    /// Limits the size of each file, if the site's limit is not lower.
    pub fn at_most(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// Receives a body with no required parts.
    pub async fn from<T>(self, cx: &Cx, upload: Upload<T>) -> Result<Received> {
        let (received, ()) = self.form(cx, upload, |_, _| Some(())).await?;
        Ok(received)
    }

    /// Receives the one required file.
    pub async fn file<T>(self, cx: &Cx, upload: Upload<T>) -> Result<File> {
        let part = self.part;
        let read = |received: &Received, faults: &mut Faults| {
            if received.files.is_empty() {
                faults.within(part, |faults| faults.add("missing", "A file is required.", &Value::Null));
            }
            received.files.first().cloned()
        };
        self.form(cx, upload, read).await.map(|(_, file)| file)
    }

    /// Receives a body and what `read` makes of it, or all faults: those of the parts, and those that `read` finds.
    pub async fn form<T, R>(
        self,
        cx: &Cx,
        mut upload: Upload<T>,
        read: impl FnOnce(&Received, &mut Faults) -> Option<R>,
    ) -> Result<(Received, R)> {
        let (received, mut faults) = self.receive(cx, &mut upload).await?;
        let read = read(&received, &mut faults);
        received.or_faults(cx, faults.into_vec(), read).await
    }

    /// Receives the parts, with the faults of single ones.
    async fn receive<T>(self, cx: &Cx, upload: &mut Upload<T>) -> Result<(Received, Faults)> {
        let mut received = Received { files: Vec::new(), fields: BTreeMap::new() };
        match self.read(cx, upload, &mut received).await {
            Ok(faults) => Ok((received, faults)),
            Err(error) => {
                received.discard(cx).await;
                Err(error)
            }
        }
    }

    async fn read<T>(&self, cx: &Cx, upload: &mut Upload<T>, received: &mut Received) -> Result<Faults> {
        let mut faults = Faults::at("body");
        let mut room = FIELDS_BYTES;
        while let Some(mut part) = upload.next().await? {
            let name = part.name().unwrap_or_default().to_owned();
            if name == self.part {
                self.read_file(cx, &mut part, received, &mut faults).await?;
            } else if let Some(known) = self.fields.iter().find(|known| **known == name) {
                if received.fields.contains_key(known) {
                    faults.within(known.as_str(), |faults| {
                        faults.add("value_error", "May be sent only once.", &Value::Null);
                    });
                } else if let Some(text) = read_text(&mut part, &mut room, upload, &mut faults).await? {
                    cx.trail_field(known, &text);
                    received.fields.insert(known.clone(), text);
                }
            } else {
                faults.within(name.as_str(), |faults| {
                    faults.add("extra_forbidden", "Is not a known part.", &Value::Null);
                });
            }
            // The rest of the part is not needed.
            while part.chunk().await.map_err(crate::input::broken)?.is_some() {}
        }
        Ok(faults)
    }

    async fn read_file(
        &self,
        cx: &Cx,
        part: &mut Field<'static>,
        received: &mut Received,
        faults: &mut Faults,
    ) -> Result<()> {
        if received.files.len() == self.most {
            let why = format!("At most {} of them.", self.most);
            faults.within(self.part, |faults| faults.add("too_long", why, &Value::Null));
            return Ok(());
        }
        let Some(name) = file_name(part, faults) else { return Ok(()) };
        if received.files.iter().any(|file| file.name == name) {
            let why = "Another file of this upload has the same name.";
            faults.within(self.part, |faults| faults.add("value_error", why, &value!(name)));
            return Ok(());
        }
        let file = store(cx, part, name, self.limit.min(cx.settings.upload_limit)).await?;
        cx.trail_file(self.part, &file);
        received.files.push(file);
        Ok(())
    }
}

impl Received {
    pub fn objects(&self) -> Vec<String> {
        self.files.iter().map(|file| file.object.clone()).collect()
    }

    pub async fn discard(&self, cx: &Cx) {
        for file in &self.files {
            cx.discard(&file.object).await;
        }
    }

    /// Returns the parts with what was read from them. If there is any fault, discards the files and fails.
    async fn or_faults<R>(self, cx: &Cx, faults: Vec<Fault>, read: Option<R>) -> Result<(Self, R)> {
        match read {
            Some(read) if faults.is_empty() => Ok((self, read)),
            _ => {
                self.discard(cx).await;
                Err(ApiError::validation(once_each(faults)))
            }
        }
    }
}

/// Removes faults that say a part is missing if it was there but could not be read.
fn once_each(faults: Vec<Fault>) -> Vec<Fault> {
    let mut told: Vec<Fault> = Vec::with_capacity(faults.len());
    for fault in faults {
        if fault.kind != "missing" || told.iter().all(|told| told.loc != fault.loc) {
            told.push(fault);
        }
    }
    told
}

/// Reads a text field. If it is not text, or there is no more room, only its presence is noted.
async fn read_text<T>(
    part: &mut Field<'static>,
    room: &mut usize,
    upload: &Upload<T>,
    faults: &mut Faults,
) -> Result<Option<String>> {
    let name = part.name().unwrap_or_default().to_owned();
    let mut bytes = Vec::new();
    let mut fits = true;
    while let Some(chunk) = part.chunk().await.map_err(crate::input::broken)? {
        if chunk.len() > *room {
            fits = false;
            break;
        }
        *room -= chunk.len();
        upload.take(chunk.len())?;
        bytes.extend_from_slice(&chunk);
    }
    let text = String::from_utf8(bytes).ok().filter(|text| fits && !text.contains('\0'));
    if text.is_none() {
        let why = format!("Must be text, all fields together at most {FIELDS_BYTES} bytes.");
        faults.within(name.as_str(), |faults| faults.add("string_type", why, &Value::Null));
    }
    Ok(text)
}

/// Writes the bytes of one part as a new object; the caller commits the record that names it.
async fn store(cx: &Cx, part: &mut Field<'static>, name: String, limit: u64) -> Result<File> {
    let key = FileKey(cx.new_id()?);
    let object_name = id_to_text(key.0);
    // By time, so that no folder on disk grows without limit.
    let parts = ["files", &object_name[..5], &object_name];
    let stored = cx.media.put(&parts, part, limit).await.map_err(refusal)?;
    Ok(File {
        key,
        content_type: media_type::of(&name, &stored.head).to_owned(),
        name,
        object: stored.object,
        size: stored.size,
        sha256: stored.sha256,
        created: cx.now(),
        user_key: Some(cx.caller.user_key.clone()),
    })
}

fn refusal(error: MediaError) -> ApiError {
    match error {
        MediaError::TooLarge(limit) => ApiError::too_large(limit),
        MediaError::Cut => ApiError::body_cut(),
        MediaError::Storage(error) => ApiError::internal(&format!("storing a file: {error}"), None),
    }
}
