use domain::Timestamp;
use domain::journal::{Concerns, Event};
use domain::key::{EventKey, UserKey};
use serde_json::json;
use store::journal::{events, seals};
use store::{Db, Tx};

use crate::Site;

/// A posted event of no consequence, to be changed before it is stored.
pub fn event(key: i64, event_type: &str) -> Event {
    Event {
        key: EventKey(key),
        seq: 0,
        event_type: event_type.to_owned(),
        user_key: UserKey::trusted("mario"),
        sent_by: None,
        user_session_key: None,
        timestamp: Timestamp::from_millis(key),
        recorded: Timestamp::from_millis(key),
        description: None,
        context_type: None,
        context_key: None,
        primary: true,
        event_group: EventKey(key),
        source_key: None,
        concerns: Concerns::default(),
        payload: json!({}),
    }
}

/// Stores events without the rules of their types, and gives them with their numbers.
pub async fn append(db: &Db, events: Vec<Event>) -> Vec<Event> {
    db.write("test events", async move |tx: &mut Tx| {
        let mut stored = events.clone();
        events::append(tx, &mut stored).await?;
        Ok::<_, store::StoreError>(stored)
    })
    .await
    .expect("the events are stored")
}

impl Site {
    /// Waits until every event is in a block.
    pub async fn sealed(&self) {
        self.eventually(async || {
            let pending = self.app().db.uncounted().read(async |tx: &mut Tx| seals::any_pending(tx).await).await;
            (!pending.expect("an answer")).then_some(())
        })
        .await;
    }
}
