//! One declaration per operation. Routes, rights, the document and the sweep tests come from the list of all of them.

use std::sync::Arc;

use axum::http::{Method, StatusCode};
use domain::scope::Scope;
use store::Commit;

use crate::auth::{Ruling, TicketFor, TokenRules};
use crate::cx::{Cx, PublicCx};
use crate::handler::{Endpoint, Handler};
use crate::trail::Facts;

/// Maximum size of a JSON body unless an operation says otherwise, in bytes.
const BODY_LIMIT: usize = 1024 * 1024;
/// Enough for an event, a list or a whole structure.
pub const LARGE_BODY: usize = 32 * 1024 * 1024;
/// Enough for signing in, which anybody may attempt.
pub const SMALL_BODY: usize = 16 * 1024;

/// The scope of that name, looked up at compile time.
#[macro_export]
macro_rules! scope {
    ($name:literal) => {
        const { domain::scope::Scope::named($name) }
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    Scope(Scope),
}

/// The functional area under which an operation is documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Administration,
    Attachments,
    Collaboration,
    Counting,
    Journal,
    Notification,
    Organisation,
    Process,
    Product,
    Production,
    Quality,
    Security,
    Serial,
    Trace,
    Warehouse,
}

impl Tag {
    pub const ALL: [(Tag, &'static str); 15] = [
        (Tag::Security, "Signing in, sessions and rights."),
        (Tag::Organisation, "People, their passwords and API tokens, and departments."),
        (Tag::Product, "What is made, and of what: products and bills of materials."),
        (Tag::Process, "How it is made: operations, processes, phases and steps."),
        (Tag::Production, "What is being made: work orders, jobs, queues, batches and the time spent on them."),
        (
            Tag::Journal,
            "What happened on the shop floor: events, how they are sent, and the proof that none was altered.",
        ),
        (Tag::Serial, "Units that are traced one by one, what they are made of and what they are part of."),
        (
            Tag::Trace,
            "What a unit was made from and what it went into: traces, recalls, and what was built against what was planned.",
        ),
        (Tag::Warehouse, "Where things are: positions, what they hold, and what moves between them."),
        (Tag::Counting, "Counting what lies there: sessions, who counts what, what was counted, and stock as it was."),
        (
            Tag::Notification,
            "Being told what happens: streams of events, and webhooks, which send events to other programs.",
        ),
        (
            Tag::Collaboration,
            "What people have to look after and to do: issues about what is made, tasks, and messages about both.",
        ),
        (Tag::Quality, "Custom fields and the lists of choice fields."),
        (Tag::Attachments, "Stored files."),
        (Tag::Administration, "Configuration, counters, custom data, tags, the audit log and service-wide operations."),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Tag::Administration => "Administration",
            Tag::Attachments => "Attachments",
            Tag::Collaboration => "Collaboration",
            Tag::Counting => "Counting",
            Tag::Journal => "Journal",
            Tag::Notification => "Notification",
            Tag::Organisation => "Organisation",
            Tag::Process => "Process",
            Tag::Product => "Product",
            Tag::Production => "Production",
            Tag::Quality => "Quality",
            Tag::Security => "Security",
            Tag::Serial => "Serial",
            Tag::Trace => "Trace",
            Tag::Warehouse => "Warehouse",
        }
    }
}

pub struct Operation {
    /// What one would call the function: programs that are generated from the document do, and the audit log.
    pub id: &'static str,
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    pub tag: Tag,
    pub summary: &'static str,
    pub description: &'static str,
    pub status: StatusCode,
    pub errors: Vec<(u16, &'static str)>,
    /// Headers of its own that a good answer has.
    pub headers: &'static [&'static str],
    pub body_limit: usize,
    /// Whether it reads the body a part at a time, and never has all of its values in memory.
    pub piecemeal: bool,
    /// Whether the audit log shows the body.
    pub body_logged: bool,
    /// Maximum number of files in one upload.
    pub files_at_most: u64,
    pub tokens: TokenRules,
    /// Who shares the commit of its change.
    pub commit: Commit,
    /// Whether it must be answered under any load of the database.
    pub urgent: bool,
    /// Whether it leaves an audit log entry.
    pub audited: bool,
    /// Whether it ignores `Idempotency-Key` and runs every time.
    pub every_time: bool,
    /// What a `?ticket=` is for that is accepted instead of a token, if any is.
    pub ticket: Option<TicketFor>,
    pub(crate) endpoint: Arc<dyn Endpoint>,
}

impl Operation {
    /// What the trail of a request needs to know.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            id: self.id,
            method: self.method.clone(),
            path: self.path,
            status: self.status,
            audited: self.audited,
            commit: self.commit,
            body_logged: self.body_logged,
            open_to_all: self.access == Access::Public,
            urgent: self.urgent,
            keeps_answers: self.keeps_answers(),
            declared: self.endpoint.query_names(),
        }
    }

    /// The faults of a JSON body.
    pub fn body_faults(&self, body: &serde_json::Value) -> Vec<domain::Fault> {
        self.endpoint.body_faults(body)
    }

    /// Whether it can change anything; such handlers finish even if the client disconnects.
    pub fn mutates(&self) -> bool {
        self.method != Method::GET
    }

    /// Whether its answer goes on until somebody ends it.
    pub fn endless(&self) -> bool {
        self.endpoint.endless()
    }

    /// Whether an answer may be stored under an `Idempotency-Key`; otherwise the key is ignored.
    pub fn keeps_answers(&self) -> bool {
        self.mutates() && !self.every_time && !self.endpoint.secret()
    }

    /// A repetition is a new act, such as another signature: the operation runs every time.
    #[must_use]
    pub fn every_time(mut self) -> Self {
        self.every_time = true;
        self
    }

    #[must_use]
    pub fn error(mut self, status: u16, when: &'static str) -> Self {
        self.errors.push((status, when));
        self
    }

    /// Declares headers of its own that a good answer has.
    #[must_use]
    pub fn sends(mut self, headers: &'static [&'static str]) -> Self {
        self.headers = headers;
        self
    }

    #[must_use]
    pub fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Reads the body a part at a time.
    #[must_use]
    pub fn piecemeal(mut self) -> Self {
        self.piecemeal = true;
        self
    }

    /// The body may be secret: the audit log shows nothing of it.
    #[must_use]
    pub fn body_unlogged(mut self) -> Self {
        self.body_logged = false;
        self
    }

    #[must_use]
    pub fn files_at_most(mut self, files: u64) -> Self {
        self.files_at_most = files;
        self
    }

    #[must_use]
    pub fn password_reset_token(mut self, ruling: Ruling) -> Self {
        self.tokens.password_reset = ruling;
        self
    }

    #[must_use]
    pub fn api_token(mut self, ruling: Ruling) -> Self {
        self.tokens.api = ruling;
        self
    }

    /// A success creates a record.
    #[must_use]
    pub fn created(mut self) -> Self {
        self.status = StatusCode::CREATED;
        self
    }

    /// The change is large, or is refused after it has written: nobody else should have to wait for it twice.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.commit = Commit::Alone;
        self
    }

    /// Its change is frequent, short, and keeps to one order: those that wait share one transaction.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.commit = Commit::Shared;
        self
    }

    /// It is short, waits for nobody else, and must be answered under any load of the database.
    #[must_use]
    pub fn urgent(mut self) -> Self {
        self.urgent = true;
        self
    }

    /// It changes nothing that anybody would look for in the log: tickets, heartbeats, searches by POST.
    #[must_use]
    pub fn unaudited(mut self) -> Self {
        self.audited = false;
        self
    }

    /// Accepts a ticket for exactly this address instead of a token.
    #[must_use]
    pub fn ticket_too(mut self) -> Self {
        self.ticket = Some(TicketFor::Address);
        self
    }

    /// Accepts a ticket for the topics in its address instead of a token.
    #[must_use]
    pub fn topic_ticket_too(mut self) -> Self {
        self.ticket = Some(TicketFor::Topics);
        self
    }

    #[must_use]
    pub fn expired_token_too(mut self) -> Self {
        self.tokens.expired = true;
        self
    }
}

/// An operation that does not yet say who may call it; `public` or `scope` completes it.
pub struct Draft<C> {
    operation: Operation,
    context: std::marker::PhantomData<C>,
}

impl Draft<PublicCx> {
    pub fn public(self) -> Operation {
        self.operation
    }
}

impl Draft<Cx> {
    pub fn scope(mut self, scope: Scope) -> Operation {
        self.operation.access = Access::Scope(scope);
        self.operation
    }
}

fn draft<Args, H: Handler<Args>>(
    method: Method,
    id: &'static str,
    path: &'static str,
    tag: Tag,
    summary: &'static str,
    handler: H,
) -> Draft<H::Context> {
    let audited = method != Method::GET;
    Draft {
        operation: Operation {
            id,
            method,
            path,
            access: Access::Public,
            tag,
            summary,
            description: "",
            status: StatusCode::OK,
            errors: Vec::new(),
            headers: &[],
            body_limit: BODY_LIMIT,
            piecemeal: false,
            body_logged: true,
            files_at_most: 1,
            tokens: TokenRules { password_reset: Ruling::Forbidden, api: Ruling::Pass, expired: false },
            commit: Commit::Usual,
            urgent: false,
            audited,
            every_time: false,
            ticket: None,
            endpoint: handler.endpoint(),
        },
        context: std::marker::PhantomData,
    }
}

macro_rules! methods {
    ($($name:ident $method:ident),+) => {$(
        pub fn $name<Args, H: Handler<Args>>(
            id: &'static str,
            path: &'static str,
            tag: Tag,
            summary: &'static str,
            handler: H,
        ) -> Draft<H::Context> {
            draft(Method::$method, id, path, tag, summary, handler)
        }
    )+};
}

methods!(get GET, post POST, put PUT, patch PATCH, delete DELETE);
