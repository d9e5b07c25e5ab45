use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::Answer;
use crate::ledger::Ledger;

/// Somebody who calls the service, signed in or not.
#[derive(Debug, Clone)]
pub struct Person {
    pub(crate) http: reqwest::Client,
    pub(crate) base: String,
    pub key: String,
    pub username: String,
    pub token: Option<String>,
    pub(crate) ledger: Ledger,
}

/// A multipart body. The client claims that every file is a page, which must not be believed.
pub fn form(fields: &[(&'static str, &str)], files: &[(&'static str, &str, &[u8])]) -> Form {
    let form = fields.iter().fold(Form::new(), |form, (name, value)| form.text(*name, (*value).to_owned()));
    files.iter().fold(form, |form, (part, name, bytes)| {
        let file = Part::bytes(bytes.to_vec()).file_name((*name).to_owned()).mime_str("text/html").expect("a type");
        form.part(*part, file)
    })
}

impl Person {
    /// The same person at another node.
    pub fn at(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// The same person at the node where another is.
    pub fn beside(&self, other: &Self) -> Self {
        self.at(&other.base)
    }

    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// A request below `/api`, to be changed before it is sent.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}/api{path}", self.base));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let answer = Answer::read(self.http.execute(request).await.expect("an answer")).await;
        if let Some(path) = path.strip_prefix("/api") {
            self.ledger.note(&method, path, self.token.as_ref(), &answer);
        }
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PATCH, path).json(&body)).await
    }

    /// Sends files, each under the name of its part, and fields before them.
    pub async fn upload(
        &self,
        method: Method,
        path: &str,
        fields: &[(&'static str, &str)],
        files: &[(&'static str, &str, &[u8])],
    ) -> Answer {
        self.send(self.request(method, path).multipart(form(fields, files))).await
    }

    /// A file, by its address below the root.
    pub async fn media(&self, path: &str) -> reqwest::Response {
        let request = self.http.get(format!("{}{path}", self.base));
        let request = match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let answer = request.send().await.expect("an answer");
        if let Some(path) = answer.url().path().strip_prefix("/api") {
            self.ledger.note_read(path, answer.status().as_u16());
        }
        answer
    }

    /// `POST /auth` with this password, whatever comes of it.
    pub async fn try_sign_in(&self, password: &str) -> Answer {
        let form = [("username", self.username.as_str()), ("password", password)];
        self.send(self.request(Method::POST, "/auth").form(&form)).await
    }

    /// Signs in; the person returned carries the new token.
    pub async fn sign_in(&self, password: &str) -> Person {
        let answer = self.try_sign_in(password).await.expect(200);
        let token = answer.body["access_token"].as_str().expect("a token");
        let key = answer.body["detail"]["user_key"].as_str().expect("a key");
        Person { token: Some(token.to_owned()), key: key.to_owned(), ..self.clone() }
    }

    /// Opens a session and gives its key.
    pub async fn open_session(&self) -> String {
        let started = self.post("/session", serde_json::json!({ "user_key": self.key })).await.detail();
        started["session_key"].as_str().expect("a key").to_owned()
    }
}
