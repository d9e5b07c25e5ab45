use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;

use domain::notification::{Notice, Portion, Told, Topics};
use schemars::JsonSchema;
use serde::Deserialize;
use store::StoreError;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::admit;
use crate::Result;
use crate::app::App;
use crate::chunked::CHUNK_BYTES;
use crate::cx::Cx;
use crate::error::ApiError;
use crate::feed::Reader;
use crate::input::{Path, Query};
use crate::stream::{EventStream, Messages};

#[derive(Deserialize, JsonSchema)]
pub(super) struct TopicPath {
    /// One topic or several, with commas between them: `task`, `issue`, `message`, `serial`, `production`, `inventory`, and
    /// `user:` with one's own key.
    topic: Topics,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct StreamQuery {
    /// The `id` of the last message that was received, where the header `Last-Event-ID` can't be sent. Without either only new
    /// events come.
    #[schemars(range(min = 0))]
    last_event_id: Option<i64>,
}

pub(super) async fn open(cx: Cx, Path(path): Path<TopicPath>, Query(query): Query<StreamQuery>) -> Result<EventStream> {
    admit(&cx, &path.topic)?;
    let place = EventStream::place(&cx)?;
    let newest = cx.feed.newest();
    let head = cx.feed.head(&cx.db).await?;
    // A header that is no number was refused before.
    let last = cx.request.last_event().unwrap_or_default().or(query.last_event_id);
    let position = last.unwrap_or(head).min(head);
    let following = Following {
        app: cx.app.clone(),
        topics: path.topic,
        newest,
        position,
        resumed: last.is_some(),
        told: position,
        turn: place.turn(),
        reading: JoinSet::new(),
        untold: VecDeque::new(),
    };
    Ok(EventStream::new(cx, place, following))
}

/// Somebody who follows the journal.
struct Following {
    app: Arc<App>,
    topics: Topics,
    newest: watch::Receiver<i64>,
    /// The number up to which everything was read.
    position: i64,
    /// Whether the position may be in the middle of a group of events.
    resumed: bool,
    /// The position at the last message.
    told: i64,
    turn: Arc<Semaphore>,
    /// What is being read: it goes on while a comment is sent, and ends with the stream.
    reading: JoinSet<store::Result<Portion<Arc<Told>>>>,
    /// What was read and has yet to be told.
    untold: VecDeque<Arc<Told>>,
}

impl Following {
    /// Waits until there are events behind the position.
    async fn ready(&mut self) {
        let position = self.position;
        if self.newest.wait_for(|newest| *newest > position).await.is_err() {
            // Nobody tells any more: the service stops.
            std::future::pending::<()>().await;
        }
    }

    /// What comes after the position.
    async fn read(&mut self) -> Result<Portion<Arc<Told>>> {
        if self.reading.is_empty() {
            let reader = Reader { seq: self.position, resumed: self.resumed, turn: self.turn.clone() };
            let app = self.app.clone();
            self.reading.spawn(async move { app.feed.after(&app.db, &reader).await });
        }
        match self.reading.join_next().await {
            Some(Ok(read)) => Ok(read?),
            Some(Err(_)) | None => Err(StoreError::Panicked.into()),
        }
    }
}

impl Messages for Following {
    async fn take(&mut self) -> Result<Vec<u8>> {
        if self.untold.is_empty() {
            self.ready().await;
            let read = self.read().await?;
            (self.position, self.resumed) = (read.reached, false);
            let wanted = |told: &Arc<Told>| told.notices.iter().any(|notice| self.topics.contains(&notice.topic));
            self.untold = read.told.into_iter().filter(wanted).collect();
        }
        let mut text = Vec::new();
        while text.len() < CHUNK_BYTES
            && let Some(told) = self.untold.pop_front()
        {
            write_told(&mut text, &told, &self.topics)?;
        }
        if !text.is_empty() {
            self.told = self.position;
        }
        Ok(text)
    }

    fn passed(&self) -> Option<i64> {
        (self.untold.is_empty() && self.position > self.told).then_some(self.position)
    }
}

/// All messages of one event or one bulk. Only the last has an id: whoever connects again after it has received all of them.
fn write_told(text: &mut Vec<u8>, told: &Told, topics: &Topics) -> Result<()> {
    let mut wanted = told.notices.iter().filter(|notice| topics.contains(&notice.topic)).peekable();
    while let Some(notice) = wanted.next() {
        let is_last = wanted.peek().is_none();
        write_notice(text, notice, is_last).map_err(|error| ApiError::internal(&format!("message: {error}"), None))?;
    }
    Ok(())
}

fn write_notice(text: &mut Vec<u8>, notice: &Notice, with_id: bool) -> std::io::Result<()> {
    if with_id {
        writeln!(text, "id: {}", notice.seq)?;
    }
    write!(text, "event: {}\ndata: ", notice.topic)?;
    serde_json::to_writer(&mut *text, notice)?;
    text.write_all(b"\n\n")
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use domain::journal::Concerns;
    use domain::key::{EventKey, UserKey};
    use domain::notification::Happened;
    use serde_json::json;

    use super::*;

    fn written(topics: &str, payload: serde_json::Value) -> String {
        let happened = Happened {
            seq: 7,
            key: EventKey(1),
            event_type: "TASK_CREATED".to_owned(),
            user_key: UserKey::trusted("mario"),
            timestamp: Timestamp::from_millis(0),
            event_group: EventKey(1),
            concerns: Concerns::default(),
            payload,
        };
        let told = Told { first: 7, last: 7, notices: happened.notices() };
        let mut text = Vec::new();
        write_told(&mut text, &told, &Topics::parse(topics).unwrap()).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn only_the_last_message_of_an_event_has_an_id() {
        let payload = json!({ "newly_assigned": ["luigi"], "task_code": "T\n1" });
        let both = written("task,user:luigi", payload.clone());
        let lines: Vec<&str> = both.lines().collect();
        assert_eq!((lines[0], lines[2]), ("event: task", ""));
        assert!(
            lines[1].starts_with("data: {\"topic\":\"task\",\"notification\":\"TASK_CREATED\",\"seq\":7,"),
            "{both}"
        );
        assert_eq!((lines[3], lines[4], lines[6]), ("id: 7", "event: user:luigi", ""));
        assert_eq!(lines.len(), 7, "a line break in a text is none in the message: {both}");
        assert!(written("task", payload.clone()).starts_with("id: 7\nevent: task\n"));
        assert_eq!(written("serial", payload), "");
    }
}
