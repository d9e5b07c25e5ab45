//! Files that form values name.

use std::collections::HashMap;

use domain::key::{BatchKey, FieldKey, FormFieldKey, IssueKey, SerialKey, StepKey, TaskKey, WorkOrderKey};
use domain::text::hex;
use serde_json::{Value, json};
use store::attachments::files::{self, Folder};

use crate::Result;
use crate::act::Act;

/// The names of the files that a value of type `files` holds; none in values of other types.
pub(crate) fn names_in(value: &Value) -> Vec<String> {
    let files = value.as_array().into_iter().flatten();
    files.filter_map(|file| Some(file.get("name")?.as_str()?.to_owned())).collect()
}

/// Where files of a step of a batch lie.
pub(crate) fn step_folder(
    order: WorkOrderKey,
    batch: BatchKey,
    step: StepKey,
    custom: &FieldKey,
    field: &FormFieldKey,
) -> Folder {
    let subfolder = format!("{batch}/{step}/{custom}/{field}");
    Folder { bucket: "traceability", object_key: order.to_string(), subfolder }
}

/// Where files of a serial lie.
pub(crate) fn serial_folder(serial: SerialKey, field: &FormFieldKey) -> Folder {
    Folder { bucket: "serial", object_key: serial.to_string(), subfolder: field.to_string() }
}

/// Where files of an issue lie.
pub(crate) fn issue_folder(issue: IssueKey, field: &FormFieldKey) -> Folder {
    Folder { bucket: "issue", object_key: issue.to_string(), subfolder: field.to_string() }
}

/// Where files of a task lie.
pub(crate) fn task_folder(task: TaskKey, field: &FormFieldKey) -> Folder {
    Folder { bucket: "task", object_key: task.to_string(), subfolder: field.to_string() }
}

/// The digests of stored files, by the form field and the name of each.
#[derive(Debug, Default)]
pub(crate) struct Digests(HashMap<FormFieldKey, HashMap<String, String>>);

impl Digests {
    /// Loads those of the files that a value names, if it names any.
    pub(crate) async fn load(
        &mut self,
        act: &mut Act<'_>,
        field: &FormFieldKey,
        value: &Value,
        folder: impl FnOnce() -> Folder,
    ) -> Result<()> {
        let names = names_in(value);
        if names.is_empty() {
            return Ok(());
        }
        let stored = files::named(act.tx, &folder(), &names).await?;
        let stored = stored.into_iter().map(|file| (file.name, hex(&file.sha256)));
        self.0.entry(field.clone()).or_default().extend(stored);
        Ok(())
    }

    /// Adds them to a value of this field.
    pub(crate) fn add_to(&self, field: &FormFieldKey, value: &mut Value) {
        let Some(digests) = self.0.get(field) else { return };
        for file in value.as_array_mut().into_iter().flatten() {
            let digest = file.get("name").and_then(Value::as_str).and_then(|name| digests.get(name));
            if let (Some(digest), Some(members)) = (digest.cloned(), file.as_object_mut()) {
                members.insert("sha256".to_owned(), json!(digest));
            }
        }
    }
}
