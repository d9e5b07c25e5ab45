//! The types of tasks.

use domain::collaboration::{LinkSetting, TaskType, every_setting, repeated_settings, required_needs_enabled};
use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{TaskTypeKey, record_id, revision};
use domain::{ErrorData, Timestamp};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use store::collaboration::task_types::{self, Wanted};

use super::{FORM_FIELDS, REVISION, TAG, list_sent, yes};
use crate::Result;
use crate::areas::quality::form_field::{self, CustomFields, FormFieldIn, FormFieldOut};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, Json, KeyedJson, Name, Paging, Path, Query, Search, read_only, record_members};
use crate::operation::{Operation, delete, get, post, put};
use crate::reply::{Done, Envelope, Listed, envelope};
use crate::scope;

const ABSENT: &str = "No such task type.";

pub(super) fn operations() -> Vec<Operation> {
    const FAULTS: &str = "The body does not fit, the form names a custom field that does not exist, or links are required that are not \
                          enabled.";
    vec![
        get("list_task_types", "/task-type", TAG, "List task types", list)
            .scope(scope!("collaboration:task-type:read"))
            .describe("Lists task types by name; inactive ones only with `active_only=false`. The filters combine."),
        post("create_task_type", "/task-type", TAG, "Create a task type", create)
            .scope(scope!("collaboration:task-type:write"))
            .created()
            .describe(
                "A type says what its tasks can be linked to, and what has to be there before one is completed: fields that are \
                 filled, links, recorded time. Kinds of links that are left out are off.",
            )
            .error(409, "The key is taken.")
            .error(422, FAULTS),
        put("update_task_type", "/task-type/{type_key}", TAG, "Change a task type", change)
            .scope(scope!("collaboration:task-type:write"))
            .describe(
                "Changes the members that are sent; `name` is required, members left out keep their value, and null clears. The form \
                 and the settings of links are replaced as a whole. Existing tasks keep the form that they were made with; what they \
                 are linked to and what they lack follows the new settings.",
            )
            .error(404, ABSENT)
            .error(412, REVISION)
            .error(422, FAULTS),
        delete("delete_task_type", "/task-type/{type_key}", TAG, "Delete a task type", remove)
            .scope(scope!("collaboration:task-type:write"))
            .describe("Deletes a type that no task has; deleted tasks do not count. One that new tasks shall not have can be made inactive.")
            .error(404, ABSENT)
            .error(409, "Tasks have this type; `task_count` says how many.")
            .error(412, REVISION),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct TaskTypePath {
    /// The key of a task type.
    type_key: TaskTypeKey,
}

/// A kind of task.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskType")]
struct TaskTypeRecord {
    _id: String,
    _key: TaskTypeKey,
    _rev: String,
    name: String,
    description: Option<String>,
    /// The name of an icon.
    icon: Option<String>,
    /// Whether new tasks can have it.
    active: bool,
    created: Timestamp,
    /// What new tasks ask for, in order.
    form_fields: Vec<FormFieldOut>,
    /// Whether time has to be recorded before a task is completed.
    require_time_entry: bool,
    /// What tasks are linked to: one entry for each kind of record.
    link_settings: Vec<LinkSetting>,
}

fn record(task_type: TaskType, fields: &CustomFields) -> TaskTypeRecord {
    TaskTypeRecord {
        _id: record_id(Collection::TaskType, &task_type.key),
        _rev: revision(task_type.rev),
        _key: task_type.key,
        name: task_type.name,
        description: task_type.description,
        icon: task_type.icon,
        active: task_type.active,
        created: task_type.created,
        form_fields: fields.shown(task_type.form_fields),
        require_time_entry: task_type.require_time_entry,
        link_settings: task_type.link_settings,
    }
}

async fn records(tx: &mut Tx, types: Vec<TaskType>) -> Result<Vec<TaskTypeRecord>> {
    let fields = CustomFields::of_stored(tx, types.iter().flat_map(|of| &of.form_fields)).await?;
    Ok(types.into_iter().map(|task_type| record(task_type, &fields)).collect())
}

async fn shown(tx: &mut Tx, task_type: TaskType) -> Result<TaskTypeRecord> {
    let fields = CustomFields::of_stored(tx, task_type.form_fields.iter()).await?;
    Ok(record(task_type, &fields))
}

#[derive(Deserialize, JsonSchema)]
struct TaskTypesQuery {
    /// Whether to leave out types that new tasks can't have.
    #[serde(default = "yes")]
    active_only: bool,
    /// Case-insensitive substring of the name.
    #[serde(default)]
    name: Search,
}

async fn list(
    cx: Cx,
    Query(query): Query<TaskTypesQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<TaskTypeRecord>> {
    let wanted = Wanted { active_only: query.active_only, name: query.name.pattern() };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = task_types::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: records(tx, found.rows).await?, total: found.total })
        })
        .await
}

/// The members of a task type that are read-only.
fn task_type_members(schema: &mut Schema) {
    record_members(schema);
    read_only(schema, &["created"]);
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = task_type_members)]
struct NewTaskType {
    /// Generated by the service when left out.
    _key: Option<TaskTypeKey>,
    name: Name<200>,
    #[schemars(length(max = 10_000))]
    description: Option<String>,
    /// The name of an icon.
    #[schemars(length(max = 200))]
    icon: Option<String>,
    /// Whether new tasks can have it.
    #[serde(default = "yes")]
    active: bool,
    /// What new tasks ask for, in order.
    #[serde(default)]
    #[schemars(length(max = FORM_FIELDS))]
    form_fields: Vec<FormFieldIn>,
    /// Whether time has to be recorded before a task is completed.
    #[serde(default)]
    require_time_entry: bool,
    /// What tasks are linked to; there are no links to records of kinds that are left out.
    #[serde(default)]
    #[schemars(length(max = 100))]
    link_settings: Vec<LinkSetting>,
}

async fn create(cx: Cx, Json(body): Json<NewTaskType>) -> Result<Done<Envelope<TaskTypeRecord>>> {
    let task_type = TaskType {
        key: body._key.map_or_else(|| cx.new_key().map(TaskTypeKey::trusted), Ok)?,
        rev: cx.new_revision()?,
        name: body.name.0,
        description: body.description,
        icon: body.icon,
        active: body.active,
        created: cx.now(),
        form_fields: form_field::stored(&cx, &body.form_fields)?,
        require_time_entry: body.require_time_entry,
        link_settings: every_setting(&body.link_settings),
    };
    let (form, settings) = (body.form_fields, body.link_settings);
    let created = cx.change("create task type", async move |tx: &mut Tx| {
        check(tx, &form, &settings).await?;
        task_types::insert(tx, &task_type).await?;
        envelope("Task type created.", shown(tx, task_type.clone()).await?)
    });
    created.await.map_err(ApiError::or_key_taken)
}

/// Finds all faults of a form and of settings.
async fn check(tx: &mut Tx, form: &[FormFieldIn], settings: &[LinkSetting]) -> Result<()> {
    let fields = CustomFields::of_sent(tx, form.iter()).await?;
    let mut faults = Faults::at("body");
    faults.within("form_fields", |faults| fields.check(form, faults));
    faults.within("link_settings", |faults| {
        for place in repeated_settings(settings) {
            faults.within(place, |faults| {
                faults.within("type", |faults| {
                    faults.add(
                        "value_error",
                        "There is a setting for this type already.",
                        &json!(settings[place].kind),
                    );
                });
            });
        }
        for place in required_needs_enabled(settings) {
            faults.within(place, |faults| {
                faults.within("required", |faults| {
                    faults.add("value_error", "Links that are required have to be enabled.", &json!(true));
                });
            });
        }
    });
    ApiError::check(faults)
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = task_type_members)]
struct TaskTypeChange {
    /// Must match the key in the address, if sent.
    _key: Option<TaskTypeKey>,
    name: Name<200>,
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    description: Change<String>,
    #[serde(default)]
    #[schemars(length(max = 200))]
    icon: Change<String>,
    #[serde(default)]
    active: Given<bool>,
    /// Replaced as a whole, in order.
    #[serde(default)]
    #[schemars(length(max = FORM_FIELDS))]
    form_fields: Change<Vec<FormFieldIn>>,
    #[serde(default)]
    require_time_entry: Given<bool>,
    /// Replaced as a whole; there are no links to records of kinds that are left out.
    #[serde(default)]
    #[schemars(length(max = 100))]
    link_settings: Change<Vec<LinkSetting>>,
}

async fn change(
    cx: Cx,
    Path(path): Path<TaskTypePath>,
    KeyedJson(body): KeyedJson<TaskTypeChange>,
) -> Result<Done<Envelope<TaskTypeRecord>>> {
    let asking = cx.clone();
    cx.change("change task type", async move |tx: &mut Tx| {
        let mut task_type = load(tx, &asking, &path.type_key).await?;
        let body = body.clone();
        let (form, settings) = (list_sent(body.form_fields), list_sent(body.link_settings));
        check(tx, form.as_deref().unwrap_or_default(), settings.as_deref().unwrap_or_default()).await?;
        task_type.rev += 1;
        task_type.name = body.name.0;
        body.description.apply(&mut task_type.description);
        body.icon.apply(&mut task_type.icon);
        body.active.apply(&mut task_type.active);
        body.require_time_entry.apply(&mut task_type.require_time_entry);
        if let Some(form) = form {
            task_type.form_fields = form_field::stored(&asking, &form)?;
        }
        if let Some(settings) = settings {
            task_type.link_settings = every_setting(&settings);
        }
        task_types::update(tx, &task_type).await?;
        envelope("Task type changed.", shown(tx, task_type).await?)
    })
    .await
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskTypeDeleted")]
struct Removed {
    task_type_key: TaskTypeKey,
}

async fn remove(cx: Cx, Path(path): Path<TaskTypePath>) -> Result<Done<Envelope<Removed>>> {
    let asking = cx.clone();
    cx.change("delete task type", async move |tx: &mut Tx| {
        let task_type = load(tx, &asking, &path.type_key).await?;
        let task_count = task_types::task_count(tx, &task_type.key).await?;
        if task_count > 0 {
            let data = ErrorData { task_count: Some(task_count), ..ErrorData::default() };
            return Err(ApiError::conflict_with("Tasks have this type.", &data));
        }
        task_types::remove(tx, &task_type.key).await?;
        envelope("Task type deleted.", Removed { task_type_key: task_type.key })
    })
    .await
}

async fn load(tx: &mut Tx, cx: &Cx, key: &TaskTypeKey) -> Result<TaskType> {
    let task_type = task_types::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::TaskType))?;
    cx.check_revision(Some(task_type.rev))?;
    Ok(task_type)
}
