//! The multipart form of both steps.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use domain::fault::Faults;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use store::attachments::files::File;

use super::{Importer, boolean};
use crate::Result;
use crate::error::ApiError;
use crate::receive::Received;

/// Describes the parts of the form.
pub struct Form<I>(PhantomData<fn() -> I>);

impl<I: Importer> JsonSchema for Form<I> {
    fn schema_name() -> Cow<'static, str> {
        let (first, rest) = I::TARGET.split_at(1);
        format!("Import{}{rest}", first.to_uppercase()).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let file = "For a dry run: the table, as `.csv` (UTF-8) or `.xlsx`, with at most 32 MiB and 200,000 rows.";
        let key = "To execute the import: the key that the dry run answered with.";
        let mut mode = json!({ "type": "string", "enum": I::MODES.names });
        if let Some(default) = I::MODES.default {
            mode["default"] = json!(default);
        }
        let mut parts: Map<String, Value> = Map::new();
        parts.insert("dry_run".to_owned(), json!({ "type": "boolean", "default": true }));
        let file_part =
            json!({ "type": "string", "contentMediaType": "application/octet-stream", "description": file });
        parts.insert("file".to_owned(), file_part);
        parts.insert("file_key".to_owned(), json!({ "type": "string", "description": key }));
        parts.insert("import_mode".to_owned(), mode);
        for field in I::FIELDS {
            parts.insert((*field).to_owned(), json!({ "type": "string", "minLength": 1 }));
        }
        let mut schema = json_schema!({ "type": "object", "properties": parts, "additionalProperties": false });
        let mode = I::MODES.default.is_none().then_some("import_mode");
        let required: Vec<&str> = I::FIELDS.iter().copied().chain(mode).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }
}

/// The fields of the form, without the file.
pub(super) fn fields<I: Importer>() -> Vec<&'static str> {
    [&["dry_run", "file_key", "import_mode"], I::FIELDS].concat()
}

pub(super) enum RequestedStep {
    Trial(Trial),
    Execution(Execution),
}

pub(super) struct Trial {
    pub(super) file: File,
    pub(super) mode: String,
    pub(super) fields: BTreeMap<String, String>,
}

pub(super) struct Execution {
    pub(super) file_key: String,
    /// `None` keeps the mode of the dry run.
    pub(super) mode: Option<String>,
    pub(super) fields: BTreeMap<String, String>,
}

/// The form fields that have no fault.
pub(super) struct FormFields {
    dry_run: bool,
    mode: Option<String>,
    fields: BTreeMap<String, String>,
}

pub(super) fn read<I: Importer>(received: &Received, faults: &mut Faults) -> Option<FormFields> {
    let field = |name: &str| received.fields.get(name).filter(|text| !text.is_empty());
    let dry_run = field("dry_run").map_or(Some(true), |text| boolean(text));
    if dry_run.is_none() {
        faults.within("dry_run", |faults| faults.add("bool_type", "Must be true or false.", &json!(field("dry_run"))));
    }
    let dry_run = dry_run.unwrap_or(true);
    let mode = field("import_mode").cloned();
    if let Some(unknown) = mode.as_ref().filter(|mode| !I::MODES.names.contains(&mode.as_str())) {
        let why = format!("Must be one of {}.", I::MODES.names.join(", "));
        faults.within("import_mode", |faults| faults.add("enum", why, &json!(unknown)));
    }
    let mode = mode.or_else(|| I::MODES.default.filter(|_| dry_run).map(str::to_owned));
    let named = I::FIELDS.iter().filter_map(|name| Some(((*name).to_owned(), field(name)?.clone())));
    let fields: BTreeMap<String, String> = named.collect();
    if dry_run {
        let missing = I::FIELDS.iter().filter(|name| !fields.contains_key(**name));
        for name in missing.chain(mode.is_none().then_some(&"import_mode")) {
            faults.within(*name, |faults| faults.add("missing", "Is required.", &Value::Null));
        }
    }
    Some(FormFields { dry_run, mode, fields })
}

/// Which of the two steps the form requests.
pub(super) fn requested_step(received: Received, form: FormFields) -> Result<RequestedStep> {
    let FormFields { dry_run, mode, fields } = form;
    if !dry_run {
        let file_key = received.fields.get("file_key").filter(|text| !text.is_empty()).cloned();
        let file_key = file_key.ok_or_else(|| ApiError::bad_request("Send the file_key of a clean dry run."))?;
        return Ok(RequestedStep::Execution(Execution { file_key, mode, fields }));
    }
    let file = received.files.into_iter().next();
    let file = file.ok_or_else(|| ApiError::bad_request("Send the file to be imported."))?;
    Ok(RequestedStep::Trial(Trial { file, mode: mode.unwrap_or_default(), fields }))
}
