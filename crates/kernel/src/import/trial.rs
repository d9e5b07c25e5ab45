//! The first step, a dry run: answers with all faults of all rows, or stores the file for the second step.

use std::sync::Arc;

use axum::http::StatusCode;
use domain::key::ImportKey;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use store::Tx;
use store::imports::{self, ImportFile};

use super::answer::Imported;
use super::form::Trial;
use super::read::{Parsed, bytes, kind, parse};
use super::report::{FaultyFile, Report};
use super::{AT_ONCE, Faults, Import, Importer};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::reply::{Answer, Bare, Done, JSON};

pub(super) async fn run<I: Importer>(cx: Cx, importer: I, trial: Trial) -> Result<Imported<I>> {
    let object = trial.file.object.clone();
    let checked = match cx.answered_before().await {
        Ok(Some((status, body))) => {
            cx.discard(&object).await;
            return Ok(Imported::tried(Done::repeated(status, body)));
        }
        Ok(None) => check(&cx, Arc::new(importer), &trial).await,
        Err(error) => Err(error),
    };
    match checked {
        Ok(Checked::Good(answer)) => keep(&cx, I::TARGET.to_owned(), trial, answer).await.map(Imported::tried),
        Ok(Checked::Bad(report)) => {
            cx.discard(&object).await;
            // Changes nothing, but leaves an audit log entry of the attempt.
            cx.change("try import", async |_: &mut Tx| Ok(Noted)).await?;
            Ok(Imported::faulty(report))
        }
        Err(error) => {
            cx.discard(&object).await;
            Err(error)
        }
    }
}

enum Checked {
    /// What the answer says besides the key of the file.
    Good(Map<String, Value>),
    Bad(Report),
}

async fn check<I: Importer>(cx: &Cx, importer: Arc<I>, trial: &Trial) -> Result<Checked> {
    let kind = kind(&trial.file.name)?;
    let _turn = AT_ONCE.acquire().await;
    let file = bytes(cx, trial.file.object.clone()).await?.unwrap_or_default();
    let Parsed { table, rows, faults } = parse(importer.clone(), kind, file).await?;
    let rows_total = rows.len();
    let import = Import {
        cx: cx.clone(),
        mode: trial.mode.clone(),
        fields: trial.fields.clone(),
        filename: trial.file.name.clone(),
        columns: table.columns.clone(),
        rows,
    };
    let (faults, counts) = cx.read_apart(plan(importer, import, faults)).await?;
    let ignored_columns = table.ignored.clone();
    if !faults.is_empty() {
        let file = FaultyFile::new(trial.file.name.clone(), rows_total, faults.into_sorted()?, ignored_columns);
        let as_json = cx.request.accepts(JSON);
        return Ok(Checked::Bad(if as_json { Report::json(file) } else { Report::sheet(file, table).await? }));
    }
    let known = json!({
        "status": "valid",
        "filename": trial.file.name,
        "rows_total": rows_total,
        "rows_valid": rows_total,
        "ignored_columns": ignored_columns,
    });
    let members = [known, counts].into_iter().filter_map(|value| match value {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Ok(Checked::Good(members.flatten().collect()))
}

/// Plans without writing: returns the faults and what would be done.
fn plan<I: Importer>(
    importer: Arc<I>,
    import: Import<I::Row>,
    faults: Faults,
) -> impl AsyncFnOnce(&mut Tx) -> Result<(Faults, Value)> + Send + 'static {
    async move |tx: &mut Tx| {
        let mut faults = faults;
        let plan = importer.plan(tx, &import, &mut faults).await?;
        let counts = serde_json::to_value(importer.counts(&plan));
        Ok((faults, counts.map_err(|error| ApiError::internal(&format!("counts: {error}"), None))?))
    }
}

async fn keep(cx: &Cx, target: String, trial: Trial, mut answer: Map<String, Value>) -> Result<Done<Bare<Value>>> {
    let key = ImportKey(cx.new_id()?);
    answer.insert("file_key".to_owned(), json!(key));
    let file = ImportFile {
        key,
        target,
        mode: trial.mode,
        fields: trial.fields.into_iter().map(|(name, value)| (name, Value::String(value))).collect(),
        user_key: cx.caller.user_key.clone(),
        token_key: cx.caller.token_key.clone(),
        filename: trial.file.name,
        object: trial.file.object,
        created: cx.now(),
    };
    let uploaded = [file.object.clone()];
    let answer = Value::Object(answer);
    let done = cx
        .change("keep import file", async move |tx: &mut Tx| {
            imports::insert(tx, &file).await?;
            Ok(Bare(answer.clone()))
        })
        .await;
    cx.settle(&uploaded, &done).await;
    done
}

/// The answer of a change that only writes its audit log entry. The real answer is given elsewhere.
struct Noted;

impl Answer for Noted {
    const SECRET: bool = true;

    fn schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }

    fn body(&self, _: StatusCode) -> Result<String> {
        Ok("null".to_owned())
    }
}
