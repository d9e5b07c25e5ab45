//! The plant while its story is told: who is signed in, what time it is, and what later scenes need of earlier ones.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use api::App;
use axum::Router;
use axum::http::Method;
use domain::Timestamp;
use journal::seal::Sealer;
use serde_json::{Value, json};
use store::backup::Progress;
use store::describe;
use tokio::sync::watch;

use super::Told;
use super::client::{Call, Client, Content};
use super::clock::StoryClock;
use super::dice::Dice;
use super::files::File;
use super::production::Order;
use super::story::people::{Account, account};
use crate::applying;
use crate::site::StartError;

/// How long somebody works with one sign-in. Tokens are good for a day.
const SIGNED_IN_SECONDS: i64 = 12 * 60 * 60;

pub(super) struct Plant<'a> {
    app: Arc<App>,
    client: Client,
    sealer: Sealer,
    progress: &'a dyn Progress,
    password: String,
    badges: HashMap<&'static str, Badge>,
    day: usize,
    pub(super) clock: StoryClock,
    pub(super) dice: Dice,
    /// In the order they were planned.
    pub(super) orders: Vec<Order>,
    /// Traced units that lie in stock, by product, the oldest first.
    pub(super) stock: HashMap<&'static str, VecDeque<Unit>>,
    /// Keys of records under the names that the story gives them.
    pub(super) noted: HashMap<String, String>,
}

struct Badge {
    token: String,
    until: Timestamp,
}

/// A traced unit.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) key: String,
    pub(super) code: String,
}

impl<'a> Plant<'a> {
    pub(super) fn new(app: Arc<App>, clock: StoryClock, password: String, progress: &'a dyn Progress) -> Self {
        Self {
            client: Client::new(api::router(app.clone(), Router::new())),
            sealer: Sealer::new(&app.db),
            app,
            progress,
            password,
            badges: HashMap::new(),
            day: 0,
            clock,
            dice: Dice::new(),
            orders: Vec::new(),
            stock: HashMap::new(),
            noted: HashMap::new(),
        }
    }

    /// Goes on to a moment of the story. What happened before is sealed, as it is every second while the service runs.
    pub(super) async fn go_to(&mut self, day: usize, minute: i64) -> Told {
        self.seal().await?;
        if day > self.day {
            self.progress.advance((day - self.day) as u64);
            self.day = day;
            self.app.renew().await?;
        }
        self.clock.go_to(day, minute);
        Ok(())
    }

    async fn seal(&self) -> Told {
        self.sealer.seal(self.clock.now()).await?;
        Ok(())
    }

    /// Corrects stock by the counting sessions that were confirmed.
    pub(super) async fn apply_counts(&self) -> Told {
        let (_stop, stopping) = watch::channel(false);
        Ok(applying::apply_counts(self.app.clone(), stopping).await?)
    }

    /// Seals the last events and closes the site.
    pub(super) async fn close(self) -> Told {
        let sealed = self.seal().await;
        if let Err(error) = self.app.node.release(&self.app.urgent).await {
            tracing::debug!(error = describe(&error), "the node number was not given back");
        }
        self.app.db.close().await;
        sealed
    }

    pub(super) async fn get(&mut self, who: &'static str, path: &str) -> Told<Value> {
        self.call(who, Method::GET, path, Content::Nothing).await
    }

    pub(super) async fn post(&mut self, who: &'static str, path: &str, body: Value) -> Told<Value> {
        self.call(who, Method::POST, path, Content::Json(body)).await
    }

    pub(super) async fn put(&mut self, who: &'static str, path: &str, body: Value) -> Told<Value> {
        self.call(who, Method::PUT, path, Content::Json(body)).await
    }

    pub(super) async fn patch(&mut self, who: &'static str, path: &str, body: Value) -> Told<Value> {
        self.call(who, Method::PATCH, path, Content::Json(body)).await
    }

    /// Sends one file in a part of this name.
    pub(super) async fn upload(
        &mut self,
        who: &'static str,
        (method, path): (Method, &str),
        part: &'static str,
        file: File,
    ) -> Told<Value> {
        self.call(who, method, path, Content::Upload(Vec::new(), vec![(part, file)])).await
    }

    /// Stores a file of a record.
    pub(super) async fn attach(
        &mut self,
        who: &'static str,
        (bucket, object): (&str, &str),
        subfolder: &str,
        file: File,
    ) -> Told {
        let mut fields = vec![("bucket", bucket.to_owned()), ("object_key", object.to_owned())];
        if !subfolder.is_empty() {
            fields.push(("subfolder", subfolder.to_owned()));
        }
        let content = Content::Upload(fields, vec![("contents", file)]);
        self.call(who, Method::POST, "/files", content).await.map(drop)
    }

    /// Posts an event, and gives the detail of its answer.
    pub(super) async fn event(&mut self, who: &'static str, event_type: &str, members: Value) -> Told<Value> {
        let answer = self.post(who, "/event", with(members, "event_type", json!(event_type))).await?;
        Ok(answer.get("detail").cloned().unwrap_or_default())
    }

    /// Posts many events of a type at once: what they share, and what is of each alone.
    pub(super) async fn bulk(&mut self, who: &'static str, event_type: &str, shared: Value, rows: Vec<Value>) -> Told {
        let shared = with(shared, "event_type", json!(event_type));
        self.post(who, "/event/bulk", json!({ "shared_data": shared, "events": rows })).await.map(drop)
    }

    /// Replaces the temporary password of somebody who signs in for the first time.
    pub(super) async fn choose_password(&mut self, who: &'static Account, temporary: &str) -> Told {
        let token = text(&self.sign_in(who, temporary).await?, "/access_token")?;
        let path = format!("/user/{}/password", who.key);
        let content = Content::Json(json!({ "new_password": self.password }));
        let call = Call { who, token: Some(&token), method: Method::PUT, path: &path, content };
        self.client.send(call).await.map(drop)
    }

    async fn sign_in(&self, who: &Account, password: &str) -> Told<Value> {
        let content = Content::Form(vec![("username", who.username.to_owned()), ("password", password.to_owned())]);
        self.client.send(Call { who, token: None, method: Method::POST, path: "/auth", content }).await
    }

    async fn call(&mut self, who: &'static str, method: Method, path: &str, content: Content) -> Told<Value> {
        let who = account(who).ok_or_else(|| StartError::Other(format!("nobody in the plant is called {who}")))?;
        let token = self.badge(who).await?;
        self.client.send(Call { who, token: Some(&token), method, path, content }).await
    }

    /// The token of somebody who signed in today; otherwise they sign in now.
    async fn badge(&mut self, who: &'static Account) -> Told<String> {
        let now = self.clock.now();
        if let Some(badge) = self.badges.get(who.key).filter(|badge| now < badge.until) {
            return Ok(badge.token.clone());
        }
        let answer = self.sign_in(who, &self.password).await?;
        let token = text(&answer, "/access_token")?;
        let content = Content::Json(json!({ "user_key": text(&answer, "/detail/user_key")? }));
        self.client.send(Call { who, token: Some(&token), method: Method::POST, path: "/session", content }).await?;
        let until = now.plus_seconds(SIGNED_IN_SECONDS);
        self.badges.insert(who.key, Badge { token: token.clone(), until });
        Ok(token)
    }

    pub(super) fn note(&mut self, name: &str, key: String) {
        self.noted.insert(name.to_owned(), key);
    }

    /// The key of a record that an earlier scene noted.
    pub(super) fn noted(&self, name: &str) -> Told<String> {
        let key = self.noted.get(name).cloned();
        key.ok_or_else(|| StartError::Other(format!("the story has not told of {name} yet")))
    }

    pub(super) fn put_in_stock(&mut self, product: &'static str, unit: Unit) {
        self.stock.entry(product).or_default().push_back(unit);
    }

    /// Takes the oldest unit of a product out of stock.
    pub(super) fn take(&mut self, product: &str) -> Told<Unit> {
        let unit = self.stock.get_mut(product).and_then(VecDeque::pop_front);
        unit.ok_or_else(|| StartError::Other(format!("the story has no {product} left")))
    }

    /// Takes the newest unit of a product out of stock.
    pub(super) fn take_newest(&mut self, product: &str) -> Told<Unit> {
        let unit = self.stock.get_mut(product).and_then(VecDeque::pop_back);
        unit.ok_or_else(|| StartError::Other(format!("the story has no {product} left")))
    }
}

/// An object with one more member.
pub(super) fn with(mut members: Value, name: &str, value: Value) -> Value {
    if let Some(members) = members.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
    members
}

/// A text in an answer.
pub(super) fn text(answer: &Value, pointer: &str) -> Told<String> {
    let text = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| StartError::Other(format!("the demonstration stopped: an answer has no {pointer}")))
}

/// The elements of a list in an answer.
pub(super) fn list<'a>(answer: &'a Value, pointer: &str) -> Told<&'a [Value]> {
    let list = answer.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice);
    list.ok_or_else(|| StartError::Other(format!("the demonstration stopped: an answer has no {pointer}")))
}

/// Traced units in an answer.
pub(super) fn units(answer: &[Value], code: &str) -> Told<Vec<Unit>> {
    let unit = |row: &Value| Ok(Unit { key: text(row, "/serial_key")?, code: text(row, code)? });
    answer.iter().map(unit).collect()
}
