//! Every error a client can see, in the one form of the contract: `{"detail": …}`. The cause of an unexpected error goes to
//! the log under an `error_id`. It can't reach the client, since nothing here can print it.

use domain::ErrorData;
use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Fault;
use domain::collection::Collection;
use domain::fault::{Faults, MOST_FAULTS, bounded};
use domain::key::KeysExhausted;
use domain::rule::{Refused, Rule};
use serde_json::{Value, json};
use store::{Constraint, StoreError, TxError, describe};

use crate::random::random_hex;
use crate::seldom::Seldom;

const KEY_TAKEN: &str = "The key is taken.";

#[derive(Debug)]
pub enum ApiError {
    /// An answer for the client.
    Refused(Box<Refusal>),
    /// The database failed. It becomes a refusal only when it is answered, since the transaction may still be retried.
    Store(StoreError),
}

#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    detail: Value,
    header: Option<(HeaderName, HeaderValue)>,
}

/// Why the caller is not authorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthorized {
    /// Missing, expired, revoked or unknown token.
    Token,
    /// A ticket that is over, for other topics or unknown.
    Ticket,
    /// Wrong password, unknown or disabled user: the same answer for all of them.
    Credentials,
    /// Not your session or account.
    Owner,
}

impl ApiError {
    fn new(status: StatusCode, detail: Value) -> Self {
        Self::Refused(Box::new(Refusal { status, detail, header: None }))
    }

    fn with_header(status: StatusCode, detail: Value, name: HeaderName, value: HeaderValue) -> Self {
        Self::Refused(Box::new(Refusal { status, detail, header: Some((name, value)) }))
    }

    /// Replaces keys that no record can have with what was sent.
    #[must_use]
    pub(crate) fn showing_what_was_sent(mut self, show: impl FnOnce(&mut Value)) -> Self {
        if let Self::Refused(refusal) = &mut self {
            show(&mut refusal.detail);
        }
        self
    }

    pub fn unauthorized(why: Unauthorized) -> Self {
        let (code, message) = match why {
            Unauthorized::Token => ("token", "A valid token is needed: sign in again."),
            Unauthorized::Ticket => ("token", "The ticket has expired, or it is for other topics: ask for a new one."),
            Unauthorized::Credentials => ("credentials", "The username or the password is wrong."),
            Unauthorized::Owner => ("owner", "This belongs to another user."),
        };
        let detail = with_message(message, &ErrorData { code: Some(code), ..ErrorData::default() });
        let scheme = HeaderValue::from_static("Bearer");
        Self::with_header(StatusCode::UNAUTHORIZED, detail, header::WWW_AUTHENTICATE, scheme)
    }

    /// The answer to replacing the bill of materials of a product that doesn't exist, if the address names it by key.
    pub fn product_unauthorized() -> Self {
        let scheme = HeaderValue::from_static("Bearer");
        let detail = json!({ "message": "The product was not found." });
        Self::with_header(StatusCode::UNAUTHORIZED, detail, header::WWW_AUTHENTICATE, scheme)
    }

    /// Forbidden, with data that says why.
    pub fn forbidden_with(message: &str, data: &ErrorData) -> Self {
        Self::new(StatusCode::FORBIDDEN, with_message(message, data))
    }

    /// The caller lacks the operation's scope.
    pub fn scope(required: &str) -> Self {
        Self::forbidden_with(&format!("This needs the scope {required}."), &ErrorData::required_scope(required))
    }

    pub fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, json!({ "message": message }))
    }

    /// 404: the record doesn't exist.
    pub fn missing(record: Collection) -> Self {
        Self::not_found(&format!("The {} was", record.noun()))
    }

    /// 404: something other than a record doesn't exist, for example "The subfolder was".
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, json!(format!("{what} not found.")))
    }

    pub fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, json!("This address does not support that method."))
    }

    pub fn bad_request(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, json!(message))
    }

    /// 400, with data that says more.
    pub fn bad_request_with(message: &str, data: &ErrorData) -> Self {
        Self::new(StatusCode::BAD_REQUEST, with_message(message, data))
    }

    pub fn body_cut() -> Self {
        Self::bad_request("The body ended before it was complete.")
    }

    /// The record has changed since the revision the caller knows.
    pub fn precondition() -> Self {
        Self::new(StatusCode::PRECONDITION_FAILED, json!("The record has another revision by now."))
    }

    /// A rule of the domain refuses the request.
    pub fn rule(rule: &impl Rule, message: impl Into<Cow<'static, str>>) -> Self {
        Refused::new(rule, message).into()
    }

    pub fn conflict(message: &str) -> Self {
        Self::new(StatusCode::CONFLICT, json!(message))
    }

    /// A conflict with data that says more.
    pub fn conflict_with(message: &str, data: &ErrorData) -> Self {
        Self::new(StatusCode::CONFLICT, with_message(message, data))
    }

    /// Something the request names doesn't exist; `data` says what.
    pub fn not_found_with(message: &str, data: &ErrorData) -> Self {
        Self::new(StatusCode::NOT_FOUND, with_message(message, data))
    }

    pub fn too_large(limit: u64) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, json!(format!("The body is larger than {limit} bytes.")))
    }

    /// 413: more was sent or asked for than fits; the message says of what.
    pub fn too_much(message: &str) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, json!(message))
    }

    pub fn content_type(wanted: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, json!(format!("Send the body as {wanted}.")))
    }

    /// The file is not an image of a type that the service takes.
    pub fn image_type() -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, json!("Send the image as JPEG, PNG or WebP."))
    }

    /// The requested range is beyond the end of the file.
    pub fn range(size: u64) -> Self {
        let detail = json!(format!("The file has {size} bytes."));
        let value = HeaderValue::try_from(format!("bytes */{size}")).unwrap_or(HeaderValue::from_static("bytes */0"));
        Self::with_header(StatusCode::RANGE_NOT_SATISFIABLE, detail, header::CONTENT_RANGE, value)
    }

    pub fn too_many_tries(wait_seconds: i64) -> Self {
        let detail = json!(format!("Too many failed attempts. Try again in {wait_seconds} seconds."));
        Self::with_header(StatusCode::TOO_MANY_REQUESTS, detail, header::RETRY_AFTER, wait_seconds.into())
    }

    /// The user has as many streams open as are allowed.
    pub fn too_many_streams() -> Self {
        let detail = json!("You have as many event streams open as are allowed. Close one of them.");
        Self::with_header(StatusCode::TOO_MANY_REQUESTS, detail, header::RETRY_AFTER, 5.into())
    }

    pub fn validation(faults: Vec<Fault>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, json!(bounded(faults, MOST_FAULTS)))
    }

    /// A fault in a header.
    pub fn header(name: &str, kind: &'static str, why: &str, sent: &str) -> Self {
        Self::validation(vec![Fault::new(kind, &["header".into(), name.into()], why, &json!(sent))])
    }

    /// Fails if there are any faults.
    pub fn check(faults: Faults) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Self::validation(faults.into_vec())) }
    }

    pub fn unavailable() -> Self {
        Self::unavailable_because("The service can't reach its database right now. Try again shortly.")
    }

    /// 503, worded for the cause: each cause is for somebody else to fix.
    pub fn unavailable_by(cause: &StoreError) -> Self {
        match cause {
            StoreError::Newer => Self::unavailable_because(
                "This node's version is older than its database: it serves nothing until it is updated.",
            ),
            StoreError::Full(_) => {
                Self::unavailable_because("The disk of the database is full: nothing can be changed right now.")
            }
            cause if cause.is_unwritable() => {
                Self::unavailable_because("The database can't be written: nothing can be changed right now.")
            }
            cause if cause.is_contention() => {
                Self::unavailable_because("Too many change the same records right now. Try again shortly.")
            }
            _ => Self::unavailable(),
        }
    }

    fn unavailable_because(message: &str) -> Self {
        let detail = json!({ "message": message });
        Self::with_header(StatusCode::SERVICE_UNAVAILABLE, detail, header::RETRY_AFTER, 2.into())
    }

    /// 503: other requests have taken all the memory for requests.
    pub fn busy() -> Self {
        Self::unavailable_because("Too many large requests at once. Try again shortly.")
    }

    /// 503: rights that the request relies on have changed each time that it was tried.
    pub fn rights_keep_changing() -> Self {
        Self::unavailable_because("Rights that the request needs keep changing. Try again shortly.")
    }

    /// 503: all users together have as many streams open as this node allows.
    pub fn no_stream_left() -> Self {
        Self::unavailable_because("Too many event streams are open right now. Try again shortly.")
    }

    /// Turns a violated unique key into the conflict "the key of a new record is taken"; other errors stay as they are.
    #[must_use]
    pub fn or_key_taken(self) -> Self {
        match self.constraint() {
            Some(Constraint::KeyTaken) => Self::conflict(KEY_TAKEN),
            _ => self,
        }
    }

    /// The database constraint that was violated, if that is what happened.
    pub fn constraint(&self) -> Option<Constraint> {
        match self {
            ApiError::Store(error) => error.constraint(),
            ApiError::Refused(_) => None,
        }
    }

    /// Whether the request was not started because its client had gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        matches!(self, ApiError::Store(StoreError::Abandoned))
    }

    /// Whether it is certain that nothing was committed. A connection lost during the commit leaves that open.
    pub fn is_certain(&self) -> bool {
        !matches!(self, ApiError::Store(StoreError::Unavailable(_) | StoreError::Panicked))
    }

    /// An unexpected error that is not the client's fault; `what` and the cause go to the log only.
    pub fn internal(what: &str, cause: Option<&StoreError>) -> Self {
        let error_id = random_hex::<8>();
        let chain = cause.map(|cause| describe(cause));
        tracing::error!(error_id, what, cause = chain, "unexpected error");
        let message = match cause {
            Some(StoreError::Full(_)) => "The disk is full; nothing was changed.".to_owned(),
            Some(StoreError::Damaged(record)) => {
                format!("The stored record {} ({}) is damaged; nothing was changed.", record.key, record.table)
            }
            _ => UNEXPECTED.to_owned(),
        };
        Self::unexpected(&message, error_id)
    }

    pub(crate) fn unexpected(message: &str, error_id: String) -> Self {
        let data = ErrorData { error_id: Some(error_id), ..ErrorData::default() };
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, with_message(message, &data))
    }

    /// The error as part of another answer.
    pub fn into_detail(self) -> Value {
        self.into_refusal().detail
    }

    fn into_refusal(self) -> Refusal {
        match self {
            ApiError::Refused(refusal) => *refusal,
            ApiError::Store(StoreError::Abandoned) => Self::unavailable().into_refusal(),
            ApiError::Store(StoreError::Crowded) => Self::busy().into_refusal(),
            ApiError::Store(StoreError::Large) => Self::too_much(
                "What this reads does not fit into the memory for requests: ask for fewer records at a time.",
            )
            .into_refusal(),
            // It was logged when it was found.
            ApiError::Store(StoreError::Newer) => Self::unavailable_by(&StoreError::Newer).into_refusal(),
            ApiError::Store(cause) if cause.is_contention() => {
                static CONTENTION: Seldom = Seldom::new();
                if let Some(times) = CONTENTION.times() {
                    tracing::warn!(times, cause = describe(&cause), "changes of the same records gave up waiting");
                }
                Self::unavailable_by(&cause).into_refusal()
            }
            ApiError::Store(cause @ StoreError::Unavailable(_)) => {
                static UNAVAILABLE: Seldom = Seldom::new();
                if let Some(times) = UNAVAILABLE.times() {
                    tracing::warn!(times, cause = describe(&cause), "database unavailable");
                }
                Self::unavailable_by(&cause).into_refusal()
            }
            ApiError::Store(cause) => Self::internal("database", Some(&cause)).into_refusal(),
        }
    }
}

fn with_message(message: &str, data: &ErrorData) -> Value {
    beside(json!({ "message": message }), json!(data))
}

/// What people are told of an error whose cause is in the log.
pub(crate) const UNEXPECTED: &str = "Something went wrong; nothing was changed.";

/// Both as one object.
fn beside(mut detail: Value, data: Value) -> Value {
    if let (Some(detail), Value::Object(data)) = (detail.as_object_mut(), data) {
        detail.extend(data);
    }
    detail
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        ApiError::Store(error)
    }
}

impl From<KeysExhausted> for ApiError {
    fn from(_: KeysExhausted) -> Self {
        Self::unavailable()
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        let mut detail = beside(json!({ "message": refused.message }), refused.data);
        detail["error_type"] = json!(refused.error_type);
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }
}

impl From<journal::Error> for ApiError {
    fn from(error: journal::Error) -> Self {
        match error {
            journal::Error::Refused(refused) => (*refused).into(),
            journal::Error::Forbidden { message, data } => Self::forbidden_with(&message, &data),
            journal::Error::Invalid(faults) => Self::validation(faults),
            journal::Error::KeyTaken(_) => Self::conflict(KEY_TAKEN),
            journal::Error::Store(error) => error.into(),
            journal::Error::Keys(error) => error.into(),
        }
    }
}

impl TxError for ApiError {
    fn store_error(&self) -> Option<&StoreError> {
        match self {
            ApiError::Store(error) => Some(error),
            ApiError::Refused(_) => None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let refusal = self.into_refusal();
        let mut response = Response::new(Body::from(format!("{{\"detail\":{}}}", refusal.detail)));
        *response.status_mut() = refusal.status;
        response.headers_mut().extend(refusal.header);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}
