//! Operations: kinds of work, with what their phases start from.

use std::collections::{HashMap, HashSet};

use domain::collection::Collection;
use domain::fault::Faults;
use domain::key::{OperationKey, ProductKey, record_id, revision};
use domain::process::{ChosenParameters, PhaseParameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use store::process::operations::{self, Operation};
use store::process::steps::{self, Owner};

use super::OperationPath;
use super::product_process::site_parameters;
use super::step::{self, Before, StepIn};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Change, Given, Json, KeyedJson, Name, Paging, Path, read_only, record_members};
use crate::reply::{Done, Envelope, Listed, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Operation")]
pub(super) struct OperationRecord {
    _id: String,
    _key: OperationKey,
    _rev: String,
    name: String,
    code: Option<String>,
    description: Option<String>,
    default_phase_parameters: PhaseParameters,
    default_phase_notes: Option<String>,
    default_phase_steps: Vec<step::StepRecord>,
}

fn record(operation: Operation, steps: Vec<step::StepRecord>) -> OperationRecord {
    OperationRecord {
        _id: record_id(Collection::Operation, &operation.key),
        _rev: revision(operation.rev),
        _key: operation.key,
        name: operation.name,
        code: operation.code,
        description: operation.description,
        default_phase_parameters: operation.default_phase_parameters,
        default_phase_notes: operation.default_phase_notes,
        default_phase_steps: steps,
    }
}

async fn with_steps(tx: &mut Tx, operation: Operation) -> Result<OperationRecord> {
    let steps = steps::of_operations(tx, &[operation.key.to_string()]).await?;
    let steps = step::shown(tx, steps).await?.into_iter().map(|(_, step)| step).collect();
    Ok(record(operation, steps))
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OperationListed")]
pub(super) struct ListedRecord {
    #[serde(flatten)]
    operation: OperationRecord,
    /// The live products that have a phase of it, by code.
    used_for: Vec<User>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OperationUser")]
struct User {
    _key: ProductKey,
    code: String,
}

pub(super) async fn list(cx: Cx, Paging(page): Paging<10_000>) -> Result<Listed<ListedRecord>> {
    cx.db
        .read_long(async move |tx: &mut Tx| {
            let found = operations::list(tx, &page).await?;
            let keys: Vec<String> = found.rows.iter().map(|operation| operation.key.to_string()).collect();
            let steps = steps::of_operations(tx, &keys).await?;
            let mut steps = step::shown_by_owner(tx, steps).await?;
            let mut users: HashMap<OperationKey, Vec<User>> = HashMap::new();
            for (operation, _key, code) in operations::users(tx, &keys).await? {
                users.entry(operation).or_default().push(User { _key, code });
            }
            let rows = found.rows.into_iter().map(|operation| ListedRecord {
                used_for: users.remove(&operation.key).unwrap_or_default(),
                operation: {
                    let steps = steps.remove(&Owner::Operation(operation.key.clone()));
                    record(operation, steps.unwrap_or_default())
                },
            });
            Ok(Listed { rows: rows.collect(), total: found.total })
        })
        .await
}

/// What readers get of an operation besides what writers send.
fn operation_members(schema: &mut schemars::Schema) {
    record_members(schema);
    read_only(schema, &["used_for"]);
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = operation_members)]
pub(super) struct NewOperation {
    /// Made by the server when left out.
    _key: Option<OperationKey>,
    name: Name<128>,
    code: Option<Name<128>>,
    #[schemars(length(max = 10_000))]
    description: Option<String>,
    default_phase_parameters: Option<ChosenParameters>,
    #[schemars(length(max = 10_000))]
    default_phase_notes: Option<String>,
    /// All new.
    #[serde(default)]
    default_phase_steps: Vec<StepIn>,
}

pub(super) async fn create(cx: Cx, Json(body): Json<NewOperation>) -> Result<Done<Envelope<OperationRecord>>> {
    let key = body._key.clone().map_or_else(|| cx.new_key().map(OperationKey::trusted), Ok)?;
    let asking = cx.clone();
    let created = cx.change("create operation", async move |tx: &mut Tx| {
        let chosen = body.default_phase_parameters.clone().unwrap_or_default();
        let operation = Operation {
            key: key.clone(),
            rev: 1,
            name: body.name.0.clone(),
            code: body.code.as_ref().map(|code| code.0.clone()),
            description: body.description.clone(),
            default_phase_parameters: chosen.complete(&site_parameters(tx).await?),
            default_phase_notes: body.default_phase_notes.clone(),
        };
        let before = Before::load(tx, Vec::new(), body.default_phase_steps.iter()).await?;
        check(&before, &body.default_phase_steps)?;
        operations::insert(tx, &operation).await?;
        let owner = Owner::Operation(operation.key.clone());
        before.save(tx, &asking, &[(owner, &body.default_phase_steps)]).await?;
        envelope("Operation created.", with_steps(tx, operation).await?)
    });
    created.await.map_err(ApiError::or_key_taken)
}

fn check(before: &Before, sent: &[StepIn]) -> Result<()> {
    let mut faults = Faults::at("body");
    faults.within("default_phase_steps", |faults| before.check(sent, &mut HashSet::new(), faults));
    ApiError::check(faults)
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = operation_members)]
pub(super) struct OperationChange {
    /// The same as in the address, if it is sent at all.
    _key: Option<OperationKey>,
    #[serde(default)]
    name: Given<Name<128>>,
    #[serde(default)]
    code: Change<Name<128>>,
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    description: Change<String>,
    /// As a whole: members left out come from the configuration.
    #[serde(default)]
    default_phase_parameters: Given<ChosenParameters>,
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    default_phase_notes: Change<String>,
    /// As a whole, in order.
    #[serde(default)]
    default_phase_steps: Given<Vec<StepIn>>,
}

pub(super) async fn change(
    cx: Cx,
    Path(path): Path<OperationPath>,
    KeyedJson(body): KeyedJson<OperationChange>,
) -> Result<Done<Envelope<OperationRecord>>> {
    let asking = cx.clone();
    cx.change("change operation", async move |tx: &mut Tx| {
        let mut operation = load(tx, &asking, &path.operation_key).await?;
        let body = body.clone();
        operation.rev += 1;
        if let Some(Name(name)) = body.name.0 {
            operation.name = name;
        }
        match body.code {
            Change::Keep => {}
            Change::Clear => operation.code = None,
            Change::Set(Name(code)) => operation.code = Some(code),
        }
        body.description.apply(&mut operation.description);
        body.default_phase_notes.apply(&mut operation.default_phase_notes);
        if let Some(chosen) = body.default_phase_parameters.0 {
            operation.default_phase_parameters = chosen.complete(&site_parameters(tx).await?);
        }
        if let Some(steps) = body.default_phase_steps.0 {
            replace_steps(tx, &asking, &operation.key, &steps).await?;
        }
        operations::update(tx, &operation).await?;
        envelope("Operation changed.", with_steps(tx, operation).await?)
    })
    .await
}

async fn replace_steps(tx: &mut Tx, cx: &Cx, key: &OperationKey, sent: &[StepIn]) -> Result<()> {
    let present = steps::lock_of_operation(tx, key).await?;
    let before = Before::load(tx, present, sent.iter()).await?;
    check(&before, sent)?;
    before.remove(tx, sent).await?;
    steps::displace(tx, key, cx.now()).await?;
    before.save(tx, cx, &[(Owner::Operation(key.clone()), sent)]).await
}

pub(super) async fn remove(cx: Cx, Path(path): Path<OperationPath>) -> Result<Done<Envelope<()>>> {
    let asking = cx.clone();
    cx.change("delete operation", async move |tx: &mut Tx| {
        let operation = load(tx, &asking, &path.operation_key).await?;
        let users = operations::users(tx, &[operation.key.to_string()]).await?;
        if !users.is_empty() {
            let codes: Vec<String> = users.into_iter().map(|(_, _, code)| code).collect();
            let why = "Products use this operation.";
            return Err(ApiError::forbidden_with(why, json!({ "product_codes": codes })));
        }
        replace_steps(tx, &asking, &operation.key, &[]).await?;
        operations::delete(tx, &operation.key).await?;
        envelope("Operation deleted.", ())
    })
    .await
}

async fn load(tx: &mut Tx, cx: &Cx, key: &OperationKey) -> Result<Operation> {
    let operation = operations::lock(tx, key).await?.ok_or_else(|| ApiError::missing(Collection::Operation))?;
    cx.check_revision(Some(operation.rev))?;
    Ok(operation)
}
