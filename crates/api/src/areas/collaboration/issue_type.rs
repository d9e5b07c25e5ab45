//! The types of issues.

use domain::ErrorData;
use domain::collaboration::IssueType;
use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{IssueTypeKey, record_id, revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::collaboration::issue_types::{self, Wanted};
use store::{Constraint, Tx};

use super::{FORM_FIELDS, REVISION, TAG, list_sent, yes};
use crate::Result;
use crate::areas::quality::form_field::{self, CustomFields, FormFieldIn, FormFieldOut};
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, Json, KeyedJson, Name, Paging, Path, Query, record_members};
use crate::operation::{Operation, delete, get, patch, post};
use crate::reply::{Done, Envelope, Listed, envelope};
use crate::scope;

const ABSENT: &str = "No such issue type.";

pub(super) fn operations() -> Vec<Operation> {
    const CODE: &str = "Another issue type has this code.";
    const FORM: &str = "The body does not fit, or the form names a custom field that does not exist.";
    vec![
        get("list_issue_types", "/issue-type", TAG, "List issue types", list)
            .scope(scope!("collaboration:issue-type:read"))
            .describe("Lists issue types by name; inactive ones only with `active_only=false`. All filters combine."),
        post("create_issue_type", "/issue-type", TAG, "Create an issue type", create)
            .scope(scope!("collaboration:issue-type:write"))
            .created()
            .describe(
                "A type says what has to be filled in before its issues are closed, and whether they are critical unless they say \
                 otherwise. Its code, if it has one, must be unique ignoring case.",
            )
            .error(409, "The code or the key is taken.")
            .error(422, FORM),
        patch("update_issue_type", "/issue-type/{issue_type_key}", TAG, "Change an issue type", change)
            .scope(scope!("collaboration:issue-type:write"))
            .describe(
                "Changes the members that are sent. Null clears code, description, icon and form. The form is replaced as a whole; \
                 existing issues keep their values, and have the new form when they are closed.",
            )
            .error(404, ABSENT)
            .error(409, CODE)
            .error(412, REVISION)
            .error(422, FORM),
        delete("delete_issue_type", "/issue-type/{issue_type_key}", TAG, "Delete an issue type", remove)
            .scope(scope!("collaboration:issue-type:write"))
            .describe("Deletes a type that no issue has, open or closed. One that new issues shall not have can be made inactive.")
            .error(404, ABSENT)
            .error(409, "Issues have this type; `issue_count` says how many.")
            .error(412, REVISION),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct IssueTypePath {
    /// The key of an issue type.
    issue_type_key: IssueTypeKey,
}

/// A kind of issue.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueType")]
struct IssueTypeRecord {
    _id: String,
    _key: IssueTypeKey,
    _rev: String,
    name: String,
    /// Unique, ignoring case.
    code: Option<String>,
    /// Whether new issues can have it.
    active: bool,
    description: Option<String>,
    /// The name of an icon.
    icon: Option<String>,
    /// Whether new issues are critical, unless they say otherwise.
    critical: bool,
    /// What has to be filled in before an issue is closed, in order.
    form_template: Vec<FormFieldOut>,
}

fn record(issue_type: IssueType, fields: &CustomFields) -> IssueTypeRecord {
    IssueTypeRecord {
        _id: record_id(Collection::IssueType, &issue_type.key),
        _rev: revision(issue_type.rev),
        _key: issue_type.key,
        name: issue_type.name,
        code: issue_type.code,
        active: issue_type.active,
        description: issue_type.description,
        icon: issue_type.icon,
        critical: issue_type.critical,
        form_template: fields.shown(issue_type.form_template),
    }
}

async fn records(tx: &mut Tx, types: Vec<IssueType>) -> Result<Vec<IssueTypeRecord>> {
    let fields = CustomFields::of_stored(tx, types.iter().flat_map(|of| &of.form_template)).await?;
    Ok(types.into_iter().map(|issue_type| record(issue_type, &fields)).collect())
}

async fn shown(tx: &mut Tx, issue_type: IssueType) -> Result<IssueTypeRecord> {
    let fields = CustomFields::of_stored(tx, issue_type.form_template.iter()).await?;
    Ok(record(issue_type, &fields))
}

#[derive(Deserialize, JsonSchema)]
struct IssueTypesQuery {
    /// Only the type with this key.
    key: Option<IssueTypeKey>,
    /// Only the type with this code, ignoring case.
    code: Option<String>,
    /// True: only types whose issues are critical by default; false: only the others.
    critical: Option<bool>,
    /// Whether to leave out types that new issues can't have.
    #[serde(default = "yes")]
    active_only: bool,
}

async fn list(
    cx: Cx,
    Query(query): Query<IssueTypesQuery>,
    Paging(page): Paging<10_000>,
) -> Result<Listed<IssueTypeRecord>> {
    let wanted = Wanted {
        key: query.key,
        code: query.code.map(|code| code.trim().to_owned()),
        critical: query.critical,
        active_only: query.active_only,
    };
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = issue_types::list(tx, &wanted, &page).await?;
            Ok::<_, ApiError>(Listed { rows: records(tx, found.rows).await?, total: found.total })
        })
        .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
struct NewIssueType {
    /// Generated by the service when left out.
    _key: Option<IssueTypeKey>,
    name: Name<200>,
    /// Unique, ignoring case.
    code: Option<Name<128>>,
    /// Whether new issues can have it.
    #[serde(default = "yes")]
    active: bool,
    #[schemars(length(max = 10_000))]
    description: Option<String>,
    /// The name of an icon.
    #[schemars(length(max = 200))]
    icon: Option<String>,
    /// Whether new issues are critical, unless they say otherwise.
    #[serde(default)]
    critical: bool,
    /// What has to be filled in before an issue is closed, in order.
    #[serde(default)]
    #[schemars(length(max = FORM_FIELDS))]
    form_template: Vec<FormFieldIn>,
}

async fn create(cx: Cx, Json(body): Json<NewIssueType>) -> Result<Done<Envelope<IssueTypeRecord>>> {
    let issue_type = IssueType {
        key: body._key.map_or_else(|| cx.new_key().map(IssueTypeKey::trusted), Ok)?,
        rev: cx.new_revision()?,
        name: body.name.0,
        code: body.code.map(|code| code.0),
        active: body.active,
        description: body.description,
        icon: body.icon,
        critical: body.critical,
        form_template: form_field::stored(&cx, &body.form_template)?,
    };
    let form = body.form_template;
    let created = cx.change("create issue type", async move |tx: &mut Tx| {
        check(tx, &form).await?;
        issue_types::insert(tx, &issue_type).await?;
        envelope("Issue type created.", shown(tx, issue_type.clone()).await?)
    });
    created.await.map_err(taken)
}

/// Finds all faults of a form.
async fn check(tx: &mut Tx, form: &[FormFieldIn]) -> Result<()> {
    let fields = CustomFields::of_sent(tx, form.iter()).await?;
    let mut faults = Faults::at("body");
    faults.within("form_template", |faults| fields.check(form, faults));
    ApiError::check(faults)
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
struct IssueTypeChange {
    /// Must match the key in the address, if sent.
    _key: Option<IssueTypeKey>,
    #[serde(default)]
    name: Given<Name<200>>,
    #[serde(default)]
    code: Change<Name<128>>,
    #[serde(default)]
    active: Given<bool>,
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    description: Change<String>,
    #[serde(default)]
    #[schemars(length(max = 200))]
    icon: Change<String>,
    #[serde(default)]
    critical: Given<bool>,
    /// Replaced as a whole, in order.
    #[serde(default)]
    #[schemars(length(max = FORM_FIELDS))]
    form_template: Change<Vec<FormFieldIn>>,
}

async fn change(
    cx: Cx,
    Path(path): Path<IssueTypePath>,
    KeyedJson(body): KeyedJson<IssueTypeChange>,
) -> Result<Done<Envelope<IssueTypeRecord>>> {
    let asking = cx.clone();
    let changed = cx.change("change issue type", async move |tx: &mut Tx| {
        let mut issue_type = load(tx, &asking, &path.issue_type_key).await?;
        let body = body.clone();
        issue_type.rev += 1;
        if let Some(Name(name)) = body.name.0 {
            issue_type.name = name;
        }
        body.code.map(|Name(code)| code).apply(&mut issue_type.code);
        body.active.apply(&mut issue_type.active);
        body.description.apply(&mut issue_type.description);
        body.icon.apply(&mut issue_type.icon);
        body.critical.apply(&mut issue_type.critical);
        if let Some(form) = list_sent(body.form_template) {
            check(tx, &form).await?;
            issue_type.form_template = form_field::stored(&asking, &form)?;
        }
        issue_types::update(tx, &issue_type).await?;
        envelope("Issue type changed.", shown(tx, issue_type).await?)
    });
    changed.await.map_err(taken)
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueTypeDeleted")]
struct Removed {
    issue_type_key: IssueTypeKey,
}

async fn remove(cx: Cx, Path(path): Path<IssueTypePath>) -> Result<Done<Envelope<Removed>>> {
    let asking = cx.clone();
    cx.change("delete issue type", async move |tx: &mut Tx| {
        let issue_type = load(tx, &asking, &path.issue_type_key).await?;
        let issue_count = issue_types::issue_count(tx, &issue_type.key).await?;
        if issue_count > 0 {
            let data = ErrorData { issue_count: Some(issue_count), ..ErrorData::default() };
            return Err(ApiError::conflict_with("Issues have this type.", &data));
        }
        issue_types::remove(tx, &issue_type.key).await?;
        envelope("Issue type deleted.", Removed { issue_type_key: issue_type.key })
    })
    .await
}

async fn load(tx: &mut Tx, cx: &Cx, key: &IssueTypeKey) -> Result<IssueType> {
    let issue_type = issue_types::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::IssueType))?;
    cx.check_revision(Some(issue_type.rev))?;
    Ok(issue_type)
}

fn taken(error: ApiError) -> ApiError {
    match error.constraint() {
        Some(Constraint::IssueTypeCodeTaken) => ApiError::conflict("Another issue type has this code."),
        _ => error.or_key_taken(),
    }
}
