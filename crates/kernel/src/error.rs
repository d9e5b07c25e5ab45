//! Every error a client can see, in the one form of the contract: `{"detail": …}`. The cause of an unexpected one goes to
//! the log under an `error_id`; it can't reach the client, since nothing here can print it.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::Fault;
use domain::collection::Collection;
use domain::fault::{Faults, MOST_FAULTS, bounded};
use domain::key::KeysExhausted;
use domain::rule::Refused;
use serde_json::{Value, json};
use store::{Constraint, StoreError, TxError, describe};

use crate::random::random_hex;
use crate::seldom::Seldom;

#[derive(Debug)]
pub enum ApiError {
    /// What the client is told.
    Refused(Box<Refusal>),
    /// The database failed; becomes a refusal when it is answered, since the transaction may still be tried again.
    Store(StoreError),
}

#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    detail: Value,
    header: Option<(HeaderName, HeaderValue)>,
}

/// What exactly was wrong with who is asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthorized {
    /// Missing, expired, revoked or unknown token.
    Token,
    /// Wrong password, unknown or disabled user: one answer for all of them.
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

    /// With what was sent in the place of keys that no record can have.
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
            Unauthorized::Credentials => ("credentials", "The username or the password is wrong."),
            Unauthorized::Owner => ("owner", "This belongs to another user."),
        };
        let detail = json!({ "message": message, "code": code });
        let scheme = HeaderValue::from_static("Bearer");
        Self::with_header(StatusCode::UNAUTHORIZED, detail, header::WWW_AUTHENTICATE, scheme)
    }

    /// A product that the address names by its key is not there: a replaced bill of materials answers it so.
    pub fn product_unauthorized() -> Self {
        let scheme = HeaderValue::from_static("Bearer");
        let detail = json!({ "message": "The product was not found." });
        Self::with_header(StatusCode::UNAUTHORIZED, detail, header::WWW_AUTHENTICATE, scheme)
    }

    /// Forbidden, with data that says why.
    pub fn forbidden_with(message: &str, data: Value) -> Self {
        Self::new(StatusCode::FORBIDDEN, with_message(message, data))
    }

    /// The caller lacks the operation's scope.
    pub fn scope(required: &str) -> Self {
        let message = format!("This needs the scope {required}.");
        Self::new(StatusCode::FORBIDDEN, json!({ "message": message, "required_scope": required }))
    }

    pub fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, json!({ "message": message }))
    }

    /// A record is not there.
    pub fn missing(record: Collection) -> Self {
        Self::not_found(&format!("The {} was", record.noun()))
    }

    /// Something else is not there: "The subfolder was".
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, json!(format!("{what} not found.")))
    }

    pub fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, json!("This address does not take that method."))
    }

    pub fn bad_request(message: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, json!(message))
    }

    /// The same with data that says more.
    pub fn bad_request_with(message: &str, data: Value) -> Self {
        Self::new(StatusCode::BAD_REQUEST, with_message(message, data))
    }

    pub fn body_cut() -> Self {
        Self::bad_request("The body ended before it was complete.")
    }

    /// The record was changed since the revision that the caller knows.
    pub fn precondition() -> Self {
        Self::new(StatusCode::PRECONDITION_FAILED, json!("The record has another revision by now."))
    }

    /// A rule of the domain refuses it; `data` says more.
    pub fn rule(error_type: &str, message: &str, data: Value) -> Self {
        let mut detail = with_message(message, data);
        detail["error_type"] = json!(error_type);
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    pub fn conflict(message: &str) -> Self {
        Self::new(StatusCode::CONFLICT, json!(message))
    }

    /// A conflict with data that says more.
    pub fn conflict_with(message: &str, data: Value) -> Self {
        Self::new(StatusCode::CONFLICT, with_message(message, data))
    }

    /// Something named in the request is absent; `data` says what.
    pub fn not_found_with(message: &str, data: Value) -> Self {
        Self::new(StatusCode::NOT_FOUND, with_message(message, data))
    }

    pub fn too_large(limit: u64) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, json!(format!("The body is larger than {limit} bytes.")))
    }

    /// What was sent is more than can be taken; the message says of what.
    pub fn too_much(message: &str) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, json!(message))
    }

    pub fn content_type(wanted: &str) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, json!(format!("Send the body as {wanted}.")))
    }

    /// A part of a file is asked for that it does not have.
    pub fn range(size: u64) -> Self {
        let detail = json!(format!("The file has {size} bytes."));
        let value = HeaderValue::try_from(format!("bytes */{size}")).unwrap_or(HeaderValue::from_static("bytes */0"));
        Self::with_header(StatusCode::RANGE_NOT_SATISFIABLE, detail, header::CONTENT_RANGE, value)
    }

    pub fn too_many_tries(wait_seconds: i64) -> Self {
        let detail = json!(format!("Too many failed tries. Try again in {wait_seconds} seconds."));
        Self::with_header(StatusCode::TOO_MANY_REQUESTS, detail, header::RETRY_AFTER, wait_seconds.into())
    }

    pub fn validation(faults: Vec<Fault>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, json!(bounded(faults, MOST_FAULTS)))
    }

    /// A fault of a header.
    pub fn header(name: &str, kind: &'static str, why: &str, sent: &str) -> Self {
        Self::validation(vec![Fault::new(kind, &["header".into(), name.into()], why, &json!(sent))])
    }

    /// Refuses when there are any faults.
    pub fn check(faults: Faults) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Self::validation(faults.into_vec())) }
    }

    pub fn unavailable() -> Self {
        Self::unavailable_because("The service can't reach its database right now. Try again shortly.")
    }

    /// The same in the words that fit the cause: each of them is for somebody else to mend.
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
            _ => Self::unavailable(),
        }
    }

    fn unavailable_because(message: &str) -> Self {
        let detail = json!({ "message": message });
        Self::with_header(StatusCode::SERVICE_UNAVAILABLE, detail, header::RETRY_AFTER, 2.into())
    }

    /// Other bodies have all the memory that there is for them.
    pub fn busy() -> Self {
        Self::unavailable_because("Too many large requests at once. Try again shortly.")
    }

    /// The same, or a conflict when a new record's key is taken.
    #[must_use]
    pub fn or_key_taken(self) -> Self {
        match self.constraint() {
            Some(Constraint::KeyTaken) => Self::conflict("The key is taken."),
            _ => self,
        }
    }

    /// The rule of the database that was broken, if that is what happened.
    pub fn constraint(&self) -> Option<Constraint> {
        match self {
            ApiError::Store(error) => error.constraint(),
            ApiError::Refused(_) => None,
        }
    }

    /// Whether it was not begun because its client had gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        matches!(self, ApiError::Store(StoreError::Abandoned))
    }

    /// Whether it is certain that nothing was committed. A connection lost in the commit leaves it open.
    pub fn is_certain(&self) -> bool {
        !matches!(self, ApiError::Store(StoreError::Unavailable(_) | StoreError::Panicked))
    }

    /// Something broke that is not the client's doing; `what` and the cause go to the log only.
    pub fn internal(what: &str, cause: Option<&StoreError>) -> Self {
        let error_id = random_hex::<8>();
        let chain = cause.map(|cause| describe(cause));
        tracing::error!(error_id, what, cause = chain, "unexpected error");
        let message = match cause {
            Some(StoreError::Full(_)) => "The disk is full; nothing was changed.".to_owned(),
            Some(StoreError::Damaged(record)) => {
                format!("The stored record {} ({}) is damaged; nothing was changed.", record.key, record.table)
            }
            _ => "Something went wrong; nothing was changed.".to_owned(),
        };
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, json!({ "message": message, "error_id": error_id }))
    }

    /// What a client would be told, as a part of another answer.
    pub fn into_detail(self) -> Value {
        self.into_refusal().detail
    }

    fn into_refusal(self) -> Refusal {
        match self {
            ApiError::Refused(refusal) => *refusal,
            ApiError::Store(StoreError::Abandoned) => Self::unavailable().into_refusal(),
            // The log has it once, at the moment it was found.
            ApiError::Store(StoreError::Newer) => Self::unavailable_by(&StoreError::Newer).into_refusal(),
            ApiError::Store(cause @ (StoreError::Unavailable(_) | StoreError::Conflict(_))) => {
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

fn with_message(message: &str, data: Value) -> Value {
    let mut detail = json!({ "message": message });
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
        Self::rule(refused.error_type, &refused.message, refused.data)
    }
}

impl From<journal::Error> for ApiError {
    fn from(error: journal::Error) -> Self {
        match error {
            journal::Error::Refused(refused) => (*refused).into(),
            journal::Error::Forbidden { message, data } => Self::forbidden_with(&message, data),
            journal::Error::Invalid(faults) => Self::validation(faults),
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
