//! The second step: checks the rows of a stored file again and writes all of them, or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::collection::Collection;
use domain::key::{ImportKey, NOBODY, id_from_text};
use domain::rule::records::ImportException;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use store::Tx;
use store::imports::{self, ImportFile};

use super::answer::Imported;
use super::form::Execution;
use super::read::{Parsed, bytes, kind, parse};
use super::{AT_ONCE, Faults, Import, Importer};
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::reply::{Done, Envelope, envelope};

/// Everything that happens in the transaction. The type is erased here and in [`write()`]: otherwise the compiler can't see
/// that a handler's future is `Send`.
type Work = Arc<dyn for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<Value>> + Send + Sync>;

pub(super) async fn run<I: Importer>(cx: Cx, importer: I, execution: Execution) -> Result<Imported<I>> {
    if let Some((status, body)) = cx.answered_before().await? {
        return Ok(Imported::executed(Done::repeated(status, body)));
    }
    let file = find(&cx, I::TARGET.to_owned(), execution).await?;
    let _turn = AT_ONCE.acquire().await;
    let bytes = bytes(&cx, file.object.clone()).await?.ok_or_else(absent)?;
    let importer = Arc::new(importer);
    let Parsed { table, rows, faults } = parse(importer.clone(), kind(&file.filename)?, bytes).await?;
    let import = Import {
        cx: cx.clone(),
        mode: file.mode.clone(),
        fields: texts(&file),
        filename: file.filename.clone(),
        columns: table.columns,
        rows,
    };
    let work = work(importer, Arc::new(import), Arc::new(faults), Arc::new(file));
    write(&cx, work).await.map(Imported::executed)
}

fn write(cx: &Cx, work: Work) -> BoxFuture<'static, Result<Done<Envelope<Value>>>> {
    Box::pin(cx.change("import", async move |tx: &mut Tx| envelope("Imported.", work(tx).await?)))
}

async fn find(cx: &Cx, target: String, execution: Execution) -> Result<ImportFile> {
    let key = ImportKey(id_from_text(&execution.file_key).unwrap_or(NOBODY));
    let now = cx.now();
    let file = cx.db.glance(async move |tx: &mut Tx| imports::find(tx, &target, key, now).await).await?;
    let file = file.ok_or_else(absent)?;
    if file.user_key != cx.caller.user_key || file.token_key != cx.caller.token_key {
        return Err(ApiError::forbidden("The dry run of this file was made by another user or in another session."));
    }
    let kept = texts(&file);
    let same = execution.mode.as_ref().is_none_or(|mode| *mode == file.mode)
        && execution.fields.iter().all(|(name, value)| kept.get(name) == Some(value));
    if same {
        Ok(file)
    } else {
        Err(ApiError::forbidden("The dry run of this file was made with other fields, or in another mode."))
    }
}

fn texts(file: &ImportFile) -> BTreeMap<String, String> {
    let fields = file.fields.iter();
    fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn absent() -> ApiError {
    ApiError::missing(Collection::ImportFile)
}

fn work<I: Importer>(
    importer: Arc<I>,
    import: Arc<Import<I::Row>>,
    faults: Arc<Faults>,
    file: Arc<ImportFile>,
) -> Work {
    Arc::new(move |tx: &mut Tx| {
        let (importer, import, file) = (importer.clone(), import.clone(), file.clone());
        let mut faults = Faults::clone(&faults);
        Box::pin(async move {
            if !imports::take(tx, &file).await? {
                return Err(absent());
            }
            importer.lock(tx, &import).await?;
            let plan = importer.plan(tx, &import, &mut faults).await?;
            if !faults.is_empty() {
                let errors = faults.into_sorted()?.iter().map(|fault| json!(fault)).collect();
                let rule = ImportException { rule: "rows", errors };
                return Err(ApiError::rule(&rule, "Rows are no longer valid; nothing was imported."));
            }
            let detail = importer.write(tx, &import, plan).await?;
            serde_json::to_value(detail).map_err(|error| ApiError::internal(&format!("detail: {error}"), None))
        })
    })
}
