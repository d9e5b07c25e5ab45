use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::{Answer, Person};

/// Longer than anything that a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a stream says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Retry(u64),
    Comment,
    Message(Message),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub id: Option<i64>,
    pub event: String,
    pub data: Value,
}

impl Message {
    pub fn seq(&self) -> i64 {
        self.data["seq"].as_i64().expect("a number")
    }

    /// The type of the event.
    pub fn notification(&self) -> &str {
        self.data["notification"].as_str().expect("a type")
    }
}

/// A stream that somebody listens to, until it is dropped.
pub struct Listener {
    pub headers: HeaderMap,
    response: reqwest::Response,
    arrived: Vec<u8>,
}

impl Person {
    /// Opens a stream; `rest` is what comes after `/notification/`. Anything but a stream is the error.
    pub async fn try_listen(&self, rest: &str, last: Option<i64>) -> Result<Listener, Answer> {
        let mut request = self.request(Method::GET, &format!("/notification/{rest}"));
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.expect("an answer");
        if let Some(path) = response.url().path().strip_prefix("/api") {
            self.ledger.note_read(path, response.status().as_u16());
        }
        if response.status() != 200 {
            return Err(Answer::read(response).await);
        }
        Ok(Listener { headers: response.headers().clone(), response, arrived: Vec::new() })
    }

    /// Opens a stream, and reads its beginning.
    pub async fn listen(&self, rest: &str, last: Option<i64>) -> Listener {
        let mut listener = match self.try_listen(rest, last).await {
            Ok(listener) => listener,
            Err(answer) => panic!("{} {}", answer.status, answer.text),
        };
        assert_eq!(listener.said().await, Some(Said::Retry(3000)));
        listener
    }
}

impl Listener {
    /// What it says next; `None` when it has ended.
    pub async fn said(&mut self) -> Option<Said> {
        self.block().await.map(|block| read(&block))
    }

    /// The id of the next message, of which nothing else is read; `None` when it has ended.
    pub async fn next_id(&mut self) -> Option<i64> {
        loop {
            let block = self.block().await?;
            if let Some(id) = block.strip_prefix("id: ") {
                return id.lines().next().and_then(|id| id.parse().ok());
            }
        }
    }

    /// How far it has come, by the next comment that says so; `None` when it has ended. Messages before it are not read.
    pub async fn passed(&mut self) -> Option<i64> {
        loop {
            let block = self.block().await?;
            if let Some(id) = block.strip_prefix(":\nid: ") {
                return id.parse().ok();
            }
        }
    }

    /// The next lines up to an empty one.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.arrived.windows(2).position(|two| two == b"\n\n") {
                let mut block: Vec<u8> = self.arrived.drain(..end + 2).collect();
                block.truncate(end);
                return Some(String::from_utf8(block).expect("text"));
            }
            let arrived =
                tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("it says something in time");
            match arrived {
                Ok(Some(bytes)) => self.arrived.extend_from_slice(&bytes),
                // A connection that breaks off is an end as well.
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// The next message, whatever comments come before it; `None` when it has ended.
    pub async fn try_next(&mut self) -> Option<Message> {
        loop {
            match self.said().await? {
                Said::Message(message) => return Some(message),
                Said::Comment | Said::Retry(_) => {}
            }
        }
    }

    pub async fn next(&mut self) -> Message {
        self.try_next().await.expect("the stream goes on")
    }

    /// So many messages.
    pub async fn several(&mut self, count: usize) -> Vec<Message> {
        let mut messages = Vec::new();
        while messages.len() < count {
            messages.push(self.next().await);
        }
        messages
    }

    /// Waits until it ends; gives the messages that came before.
    pub async fn rest(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        while let Some(message) = self.try_next().await {
            messages.push(message);
        }
        messages
    }
}

fn read(block: &str) -> Said {
    let (mut id, mut event, mut data) = (None, None, None);
    for line in block.lines() {
        match line.split_once(": ") {
            _ if line.starts_with(':') => return Said::Comment,
            Some(("retry", millis)) => return Said::Retry(millis.parse().expect("milliseconds")),
            Some(("id", number)) => id = Some(number.parse().expect("a number")),
            Some(("event", topic)) => event = Some(topic.to_owned()),
            Some(("data", text)) => data = Some(serde_json::from_str(text).expect("JSON")),
            _ => panic!("{line}"),
        }
    }
    Said::Message(Message { id, event: event.expect("a topic"), data: data.expect("data") })
}
