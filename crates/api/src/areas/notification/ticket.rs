use domain::notification::Topics;
use schemars::JsonSchema;
use serde::Deserialize;

use super::admit;
use crate::Result;
use crate::areas::ticket::{self, Ticket};
use crate::cx::Cx;
use crate::input::Json;
use crate::reply::{Bare, NoStore};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NotificationTicketRequest")]
pub(super) struct TicketFor {
    /// One topic or several, with commas between them.
    topic: Topics,
}

pub(super) async fn create(cx: Cx, Json(body): Json<TicketFor>) -> Result<NoStore<Bare<Ticket>>> {
    admit(&cx, &body.topic)?;
    ticket::issue(&cx, body.topic.to_string()).await
}
