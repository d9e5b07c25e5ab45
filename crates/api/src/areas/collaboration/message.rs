//! Messages to people, and beside issues, tasks, work orders and serials.

use domain::collaboration::{Message, Recipient};
use domain::collection::Collection;
use domain::key::{MessageKey, record_id, revision};
use domain::{Fault, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::collaboration::messages;
use store::{Tx, entities};

use super::TAG;
use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::input::{Paging, Query};
use crate::operation::{Operation, get};
use crate::reply::Listed;
use crate::scope;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("list_messages", "/message", TAG, "List messages", list)
            .scope(scope!("collaboration:message:read"))
            .describe(
                "Lists the messages to a user, or beside an issue, a task, a work order or a serial, the oldest first; of deleted ones \
                 the content is empty. Of messages to a user, that user gets all, and others only those that they have sent. Messages \
                 are sent, changed and deleted by the events `MESSAGE_POSTED`, `MESSAGE_UPDATED` and `MESSAGE_DELETED`.",
            )
            .error(404, "There is no such user or record, or it was deleted."),
    ]
}

/// Recipients by their `_id`s.
const RECIPIENT_PATTERN: &str = "^(Issue|Task|WorkOrder|Serial|User)/[A-Za-z0-9_.:@()+,=;$!*'%-]{1,64}$";

#[derive(Deserialize, JsonSchema)]
struct MessagesQuery {
    /// The `_id` of whom or what the messages were sent to: `Issue/`, `Task/`, `WorkOrder/`, `Serial/` or `User/` and a key.
    #[schemars(regex(pattern = RECIPIENT_PATTERN), extend("x-must" = "be Issue/, Task/, WorkOrder/, Serial/ or User/ and a key"))]
    recipient_id: String,
}

/// What somebody has written.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
struct MessageRecord {
    _id: String,
    _key: MessageKey,
    _rev: String,
    /// The `_id` of the user who sent it.
    _from: String,
    /// The `_id` of the user or record that it was sent to.
    _to: String,
    /// Empty once it is deleted.
    content: String,
    created: Timestamp,
    /// When its content was changed last.
    updated: Option<Timestamp>,
    deleted: Option<Timestamp>,
}

fn record(message: Message) -> MessageRecord {
    MessageRecord {
        _id: record_id(Collection::Message, message.key),
        _key: message.key,
        _rev: revision(message.rev),
        _from: record_id(Collection::User, &message.sender),
        _to: message.recipient.to_string(),
        content: message.content,
        created: message.created,
        updated: message.updated,
        deleted: message.deleted,
    }
}

async fn list(
    cx: Cx,
    Query(query): Query<MessagesQuery>,
    Paging(page): Paging<1_000>,
) -> Result<Listed<MessageRecord>> {
    let recipient = Recipient::parse(&query.recipient_id).ok_or_else(|| no_recipient(&query.recipient_id))?;
    let reader = cx.caller.user_key.clone();
    cx.db
        .read_long(async move |tx: &mut Tx| {
            if !entities::exists(tx, recipient.collection(), &recipient.key()).await? {
                return Err(ApiError::missing(recipient.collection()));
            }
            let found = messages::list(tx, &recipient, &reader, &page).await?;
            Ok(Listed { rows: found.rows.into_iter().map(record).collect(), total: found.total })
        })
        .await
}

fn no_recipient(sent: &str) -> ApiError {
    let why = "The _id of an issue, a task, a work order, a serial or a user.";
    ApiError::validation(vec![Fault::new("value_error", &["query".into(), "recipient_id".into()], why, &json!(sent))])
}
