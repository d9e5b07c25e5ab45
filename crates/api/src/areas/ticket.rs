//! Tickets: they stand for a token where no header can be sent, for one thing and a short time.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::auth::Claims;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::reply::{Bare, NoStore};

const TICKET_SECONDS: i64 = 90;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Ticket {
    /// To be sent as `?ticket=`.
    ticket: String,
    /// In seconds.
    expires_in: i64,
}

/// A ticket of the caller for this topic. It has no record: it ends with the caller's token, if not before.
pub(crate) async fn issue(cx: &Cx, topic: String) -> Result<NoStore<Bare<Ticket>>> {
    let caller = &cx.caller;
    cx.still_stands().await?;
    let claims = Claims::ticket(caller.user_key.as_str(), caller.token_key.as_str(), topic, cx.now(), TICKET_SECONDS);
    let issued = cx.signer.issue(&claims).map_err(|error| ApiError::internal(&error.to_string(), None))?;
    Ok(NoStore(Bare(Ticket { ticket: issued.token, expires_in: TICKET_SECONDS })))
}
