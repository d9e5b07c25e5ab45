use domain::collection::Collection;
use domain::key::{DepartmentKey, record_id, revision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::organisation::departments::{self, Department};
use store::{Constraint, Tx};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, Json, KeyedJson, Name, Paging, Path, Query, Search, record_members};
use crate::operation::{Operation, Tag, delete, get, patch, post};
use crate::reply::{Done, Envelope, EnvelopeList, envelope, envelope_list};
use crate::scope;

const TAG: Tag = Tag::Security;

pub(super) fn operations() -> Vec<Operation> {
    const CODE: &str = "Another department has this code.";
    vec![
        get("/department", TAG, "List departments", list)
            .scope(scope!("org:department:read"))
            .describe("By name; `search` looks into name and code."),
        get("/department/{department_key}", TAG, "Read a department", one)
            .scope(scope!("org:department:read"))
            .describe("One department by its key.")
            .error(404, "No such department."),
        post("/department", TAG, "Create a department", create)
            .scope(scope!("org:department:write"))
            .created()
            .describe("Codes are unique ignoring case; a department need not have one.")
            .error(409, "The code or the key is taken."),
        patch("/department/{department_key}", TAG, "Change a department", change)
            .scope(scope!("org:department:write"))
            .describe("Changes the members that are sent; null clears code and description.")
            .error(404, "No such department.")
            .error(409, CODE)
            .error(412, "`If-Match` names another revision."),
        delete("/department/{department_key}", TAG, "Delete a department", remove)
            .scope(scope!("org:department:write"))
            .describe("Only a department that no user belongs to; users in the trash do not count.")
            .error(404, "No such department.")
            .error(409, "Users belong to it; `total` says how many.")
            .error(412, "`If-Match` names another revision."),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct DepartmentPath {
    department_key: DepartmentKey,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Department")]
struct DepartmentRecord {
    _id: String,
    _key: DepartmentKey,
    _rev: String,
    name: String,
    code: Option<String>,
    description: Option<String>,
}

fn record(department: Department) -> DepartmentRecord {
    DepartmentRecord {
        _id: record_id(Collection::Department, &department.key),
        _rev: revision(department.rev),
        _key: department.key,
        name: department.name,
        code: department.code,
        description: department.description,
    }
}

async fn list(
    cx: Cx,
    Query(search): Query<Search>,
    Paging(page): Paging<10_000>,
) -> Result<EnvelopeList<DepartmentRecord>> {
    let pattern = search.pattern();
    let found = cx.db.read_long(async move |tx: &mut Tx| departments::list(tx, pattern.as_ref(), &page).await).await?;
    envelope_list("Departments.", found.rows.into_iter().map(record).collect(), found.total)
}

async fn one(cx: Cx, Path(path): Path<DepartmentPath>) -> Result<Envelope<DepartmentRecord>> {
    let found = cx.db.glance(async |tx: &mut Tx| departments::find(tx, &path.department_key).await).await?;
    envelope("Department.", record(found.ok_or_else(absent)?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
struct NewDepartment {
    /// Made by the server when left out.
    _key: Option<DepartmentKey>,
    name: Name<128>,
    /// Unique ignoring case.
    code: Option<Name<128>>,
    #[schemars(length(max = 1000))]
    description: Option<String>,
}

async fn create(cx: Cx, Json(body): Json<NewDepartment>) -> Result<Done<Envelope<DepartmentRecord>>> {
    let department = Department {
        key: body._key.map_or_else(|| cx.new_key().map(DepartmentKey::trusted), Ok)?,
        rev: 1,
        name: body.name.0,
        code: body.code.map(|code| code.0),
        description: body.description,
    };
    let created = cx.change("create department", async move |tx: &mut Tx| {
        departments::insert(tx, &department).await?;
        envelope("Department created.", record(department.clone()))
    });
    created.await.map_err(taken)
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = record_members)]
struct DepartmentChange {
    /// The same as in the address, if it is sent at all.
    _key: Option<DepartmentKey>,
    #[serde(default)]
    name: Given<Name<128>>,
    #[serde(default)]
    code: Change<Name<128>>,
    #[serde(default)]
    #[schemars(length(max = 1000))]
    description: Change<String>,
}

async fn change(
    cx: Cx,
    Path(path): Path<DepartmentPath>,
    KeyedJson(body): KeyedJson<DepartmentChange>,
) -> Result<Done<Envelope<DepartmentRecord>>> {
    let asking = cx.clone();
    let changed = cx.change("change department", async move |tx: &mut Tx| {
        let mut department = load(tx, &asking, &path.department_key).await?;
        let body = body.clone();
        department.rev += 1;
        if let Some(Name(name)) = body.name.0 {
            department.name = name;
        }
        let mut code = department.code.map(Name);
        body.code.apply(&mut code);
        department.code = code.map(|code| code.0);
        body.description.apply(&mut department.description);
        departments::update(tx, &department).await?;
        envelope("Department changed.", record(department))
    });
    changed.await.map_err(taken)
}

#[derive(Serialize, JsonSchema)]
struct Removed {
    department_key: DepartmentKey,
}

async fn remove(cx: Cx, Path(path): Path<DepartmentPath>) -> Result<Done<Envelope<Removed>>> {
    let asking = cx.clone();
    cx.change("delete department", async move |tx: &mut Tx| {
        let department = load(tx, &asking, &path.department_key).await?;
        let total = departments::members(tx, &department.key).await?;
        if total > 0 {
            return Err(ApiError::conflict_with("Users belong to this department.", json!({ "total": total })));
        }
        departments::remove(tx, &department.key).await?;
        envelope("Department deleted.", Removed { department_key: department.key })
    })
    .await
}

async fn load(tx: &mut Tx, cx: &Cx, key: &DepartmentKey) -> Result<Department> {
    let department = departments::lock(tx, key).await?.ok_or_else(absent)?;
    cx.check_revision(Some(department.rev))?;
    Ok(department)
}

fn absent() -> ApiError {
    ApiError::missing(Collection::Department)
}

fn taken(error: ApiError) -> ApiError {
    match error.constraint() {
        Some(Constraint::DepartmentCodeTaken) => ApiError::conflict("Another department has this code."),
        _ => error.or_key_taken(),
    }
}
