use domain::key::{MovementKey, MovementListKey};
use domain::rule::warehouse::{BadList, MovementListException};
use domain::{ErrorData, Timestamp};
use futures_util::future::BoxFuture;
use journal::events::warehouse::{MadeList, WarehouseListCreated, create_list};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;

use crate::Result;
use crate::areas::journal::Acting;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::Json;
use crate::reply::{Done, Envelope, envelope};

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MovementListCreated")]
pub(super) struct Created {
    movement_list_key: MovementListKey,
    /// In the order of the rows.
    movement_keys: Vec<MovementKey>,
}

pub(super) async fn run(cx: Cx, Json(body): Json<WarehouseListCreated>) -> Result<Done<Envelope<Created>>> {
    let (asking, now) = (cx.clone(), cx.now());
    cx.change("create movement list", async move |tx: &mut Tx| create_in_tx(tx, &asking, &body, now).await).await
}

/// Boxed, so that the compiler need not check all of it for `Send`.
fn create_in_tx<'a>(
    tx: &'a mut Tx,
    cx: &'a Cx,
    body: &'a WarehouseListCreated,
    now: Timestamp,
) -> BoxFuture<'a, Result<Envelope<Created>>> {
    Box::pin(async move {
        let mut act = cx.act(tx, now).await?;
        let made = create_list(&mut act, body.clone()).await.map_err(refused)?;
        act.store().await?;
        let MadeList { movement_list_key, movement_keys } = made;
        envelope("Movement list created.", Created { movement_list_key, movement_keys })
    })
}

/// What is wrong with the list itself, as the operation tells it.
fn refused(error: journal::Error) -> ApiError {
    let journal::Error::Refused(refused) = &error else { return error.into() };
    if !refused.is::<MovementListException>() {
        return error.into();
    }
    let rule = refused.data["rule"].as_str().and_then(BadList::parse);
    match rule {
        Some(BadList::CodeTaken) => ApiError::conflict(&refused.message),
        Some(BadList::Rows) => {
            let errors = serde_json::from_value(refused.data["errors"].clone()).ok();
            ApiError::bad_request_with(&refused.message, &ErrorData { errors, ..ErrorData::default() })
        }
        _ => error.into(),
    }
}
