//! Being told what happens: streams of events, and webhooks.

mod stream;
mod ticket;
pub mod webhook;

use domain::notification::{Topic, Topics};

use crate::Result;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::operation::{Operation, Tag, get, post};
use crate::scope;

const TAG: Tag = Tag::Notification;
const NOT_YOURS: &str =
    "The topic of another user; or the caller lacks `traceability:event:read`, which all other topics need.";

pub fn operations() -> Vec<Operation> {
    let mut all = streams();
    all.extend(webhook::operations());
    all
}

fn streams() -> Vec<Operation> {
    vec![
        post("create_notification_ticket", "/notification/ticket", TAG, "Create a ticket for a stream", ticket::create)
            .scope(scope!("notification:stream:subscribe"))
            .unaudited()
            .describe(
                "A ticket opens streams of its topics, together or any of them, for 90 seconds. Send it as `?ticket=` where no \
                 header can be sent, as browsers do with `EventSource`. It ends with the token it was requested with. A \
                 stream that is open goes on.",
            )
            .error(403, NOT_YOURS),
        get("stream_notifications", "/notification/{topic}", TAG, "Follow events as they happen", stream::open)
            .scope(scope!("notification:stream:subscribe"))
            .topic_ticket_too()
            .describe(
                "Server-sent events: a message for each event of these topics, in order of `seq`, as long as the connection \
                 lasts. Whoever connects again with `Last-Event-ID` gets what came in the meantime, each once. More than \
                 100 events that were stored together give one message for each type, with `event_count`. After every 15 \
                 seconds without a message there is a comment. The stream ends when the token or the user does. `?ticket=` \
                 is accepted instead of a token.",
            )
            .error(403, NOT_YOURS)
            .error(429, "The user has too many streams open."),
    ]
}

/// Refuses what the caller may not follow: other users' topics, and events without the right to read them.
fn admit(cx: &Cx, topics: &Topics) -> Result<()> {
    for topic in topics.iter() {
        match topic {
            Topic::User(key) if *key == cx.caller.user_key => {}
            Topic::User(_) => return Err(ApiError::forbidden("The topic of a user is for that user only.")),
            Topic::Kind(_) => must_read_events(cx)?,
        }
    }
    Ok(())
}

/// Whoever is told of events must be allowed to read them.
fn must_read_events(cx: &Cx) -> Result<()> {
    let read = scope!("traceability:event:read");
    if cx.caller.rights.contains(read) { Ok(()) } else { Err(ApiError::scope(read.name())) }
}
