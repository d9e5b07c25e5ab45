//! Taking in the files of a multipart body: each is stored while it arrives, and whatever is wrong with the body, nothing is
//! left behind.

use std::collections::BTreeMap;

use domain::fault::Faults;
use domain::key::{FileKey, id_to_text};
use multer::Field;
use serde_json::{Value, json};
use store::attachments::files::File;
use store::media::MediaError;

use super::image::as_image;
use super::media_type;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{FILE, Input, JsonOrUpload, Sent, Upload, file_name, form_fields, read_form};

/// A field of a form that is no file has at most so many bytes.
const FIELD_BYTES: usize = 1024 * 1024;

/// What a body may have.
pub(crate) struct Receive {
    part: &'static str,
    most: usize,
    fields: Vec<String>,
    limit: u64,
}

/// What a body had; the files are stored, but no record names them yet.
pub(crate) struct Received {
    part: &'static str,
    pub(crate) files: Vec<File>,
    pub(crate) fields: BTreeMap<String, String>,
}

impl Receive {
    /// One file, or none.
    pub(crate) fn one(part: &'static str) -> Self {
        Self { part, most: 1, fields: Vec::new(), limit: u64::MAX }
    }

    /// Files under one name, and fields.
    pub(crate) fn many(part: &'static str, most: usize, fields: &[&str]) -> Self {
        let fields = fields.iter().map(|name| (*name).to_owned()).collect();
        Self { part, most, fields, limit: u64::MAX }
    }

    /// A body that is JSON, or a form with the same fields and one file.
    pub(crate) async fn either<T: Input>(cx: &Cx, body: JsonOrUpload<T>) -> Result<(T, Option<File>)> {
        let upload = match body.0 {
            Sent::Json(read) => return Ok((read, None)),
            Sent::Form(upload) => upload,
        };
        let form = Self { part: FILE, most: 1, fields: form_fields::<T>(), limit: u64::MAX };
        let mut received = form.from(cx, upload).await?;
        let fields: Vec<(String, String)> = std::mem::take(&mut received.fields).into_iter().collect();
        match read_form(&fields) {
            Ok(read) => Ok((read, received.files.pop())),
            Err(error) => {
                received.discard(cx).await;
                Err(error)
            }
        }
    }

    /// The one image of a body that has to have it, under the name that images have; 415 for anything else.
    pub(crate) async fn image<T>(self, cx: &Cx, upload: Upload<T>) -> Result<File> {
        let file = self.from(cx, upload).await?.the_file()?;
        let object = file.object.clone();
        match as_image(file) {
            Ok(image) => Ok(image),
            Err(error) => {
                cx.discard(&object).await;
                Err(error)
            }
        }
    }

    /// Each file has at most so many bytes, if the site does not allow fewer.
    pub(crate) fn at_most(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    pub(crate) async fn from<T>(self, cx: &Cx, mut upload: Upload<T>) -> Result<Received> {
        let mut received = Received { part: self.part, files: Vec::new(), fields: BTreeMap::new() };
        let read = self.read(cx, &mut upload, &mut received).await;
        if let Err(error) = read {
            received.discard(cx).await;
            return Err(error);
        }
        Ok(received)
    }

    async fn read<T>(&self, cx: &Cx, upload: &mut Upload<T>, received: &mut Received) -> Result<()> {
        let mut faults = Faults::at("body");
        while let Some(part) = upload.next().await? {
            let name = part.name().unwrap_or_default().to_owned();
            if name == self.part {
                self.read_file(cx, part, received, &mut faults).await?;
            } else if let Some(known) = self.fields.iter().find(|known| **known == name) {
                let text = read_text(part, &mut faults).await?;
                cx.trail_field(known, &text);
                if received.fields.insert(known.clone(), text).is_some() {
                    faults.within(known.as_str(), |faults| faults.add("value_error", "Once only.", &Value::Null));
                }
            } else {
                faults.within(name.as_str(), |faults| {
                    faults.add("extra_forbidden", "Is not a known part.", &Value::Null);
                });
            }
        }
        ApiError::check(faults)
    }

    async fn read_file(
        &self,
        cx: &Cx,
        part: Field<'static>,
        received: &mut Received,
        faults: &mut Faults,
    ) -> Result<()> {
        if received.files.len() == self.most {
            let why = format!("At most {} of them.", self.most);
            faults.within(self.part, |faults| faults.add("too_long", why, &Value::Null));
            return Ok(());
        }
        let Some(name) = file_name(&part, faults) else { return Ok(()) };
        if received.files.iter().any(|file| file.name == name) {
            let why = "Another file of this upload has the same name.";
            faults.within(self.part, |faults| faults.add("value_error", why, &json!(name)));
            return Ok(());
        }
        let file = store(cx, part, name, self.limit.min(cx.settings.upload_limit)).await?;
        cx.trail_file(self.part, &file);
        received.files.push(file);
        Ok(())
    }
}

impl Received {
    pub(crate) fn objects(&self) -> Vec<String> {
        self.files.iter().map(|file| file.object.clone()).collect()
    }

    pub(crate) async fn discard(&self, cx: &Cx) {
        for file in &self.files {
            cx.discard(&file.object).await;
        }
    }

    /// The one file of a body that has to have it.
    pub(crate) fn the_file(mut self) -> Result<File> {
        self.files.pop().ok_or_else(|| {
            let mut faults = Faults::at("body");
            faults.within(self.part, |faults| faults.add("missing", "A file is required.", &Value::Null));
            ApiError::validation(faults.into_vec())
        })
    }
}

async fn read_text(mut part: Field<'static>, faults: &mut Faults) -> Result<String> {
    let name = part.name().unwrap_or_default().to_owned();
    let mut bytes = Vec::new();
    while let Some(chunk) = part.chunk().await.map_err(crate::input::broken)? {
        if bytes.len() + chunk.len() <= FIELD_BYTES {
            bytes.extend_from_slice(&chunk);
        } else {
            // Read on, but keep no more of it.
            bytes.resize(FIELD_BYTES + 1, 0);
        }
    }
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= FIELD_BYTES && !text.contains('\0'));
    if text.is_none() {
        let why = format!("Must be text of at most {FIELD_BYTES} bytes.");
        faults.within(name.as_str(), |faults| faults.add("string_type", why, &Value::Null));
    }
    Ok(text.unwrap_or_default())
}

/// Writes the bytes of one part as a new object; the record that names it is the caller's to commit.
async fn store(cx: &Cx, part: Field<'static>, name: String, limit: u64) -> Result<File> {
    let key = FileKey(cx.new_id()?);
    let object_name = id_to_text(key.0);
    // By time, so that no folder of the disk grows without end.
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
