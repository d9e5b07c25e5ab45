use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;

use api::operation::{Access, Operation};
use parking_lot::Mutex;
use reqwest::Method;

use crate::{Answer, Engine, Site};

/// A file to which tests add what was answered to which operation. `scripts/test` sets it for a whole run, and
/// `scripts/check-calls` reads it.
const CALLS: &str = "TEST_CALLS";

/// What was asked of a site, held against its audit log at the end of every test: each operation that could change something
/// left exactly one entry, and no secret is in it.
#[derive(Debug, Clone)]
pub(crate) struct Ledger(Arc<Mutex<Book>>);

#[derive(Debug)]
struct Book {
    engine: Engine,
    /// The test's name, as that of the thread on which the site was started.
    test: String,
    /// Operations with their answers, each once.
    called: BTreeSet<(&'static str, u16)>,
    asked: Vec<Asked>,
    tokens: Vec<String>,
}

#[derive(Debug)]
struct Asked {
    request_id: String,
    operation: &'static str,
    status: u16,
    entries: std::ops::RangeInclusive<usize>,
}

impl Ledger {
    pub(crate) fn new(engine: Engine) -> Self {
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        let (called, asked, tokens) = (BTreeSet::new(), Vec::new(), Vec::new());
        Self(Arc::new(Mutex::new(Book { engine, test, called, asked, tokens })))
    }

    pub(crate) fn note(&self, method: &Method, path: &str, token: Option<&String>, answer: &Answer) {
        let mut book = self.0.lock();
        book.tokens.extend(token.cloned().into_iter().filter(|token| token.len() > 40));
        let Some(operation) = operation(method, path) else { return };
        book.tell(operation, answer.status);
        if !operation.audited {
            return;
        }
        let stopped = answer.status == 401 && answer.body["detail"]["code"] == "token";
        let repeated = answer.header("idempotency-replayed") == "true";
        let entries = match answer.status {
            // A token of the wrong kind is refused with an entry, a bad one without.
            _ if stopped => 0..=1,
            _ if repeated => 0..=0,
            // Who signs in too often leaves one entry in a quarter of an hour.
            429 if operation.access == Access::Public => 0..=1,
            // While the database is away, the entry is in the log only.
            500.. => 0..=1,
            _ => 1..=1,
        };
        book.asked.push(Asked {
            request_id: answer.header("x-request-id").to_owned(),
            operation: operation.id,
            status: answer.status,
            entries,
        });
    }

    /// Notes an answer of which the log knows nothing: something was read.
    pub(crate) fn note_read(&self, path: &str, status: u16) {
        if let Some(operation) = operation(&Method::GET, path) {
            self.0.lock().tell(operation, status);
        }
    }

    pub(crate) async fn check(&self, site: &Site) {
        type Row = (String, String, i64, String);
        let rows: Vec<Row> = site.all("select request_id, operation, status, outcome from audit").await;
        let texts: Vec<(String, String)> = site.all("select path, summary from audit").await;
        let book = self.0.lock();
        for asked in &book.asked {
            let found: Vec<_> = rows.iter().filter(|row| row.0 == asked.request_id).collect();
            assert!(asked.entries.contains(&found.len()), "{asked:?} left {found:?}");
            for (_, operation, status, outcome) in found {
                let expected = match asked.status {
                    200..=299 => "ok",
                    400..=499 => "refused",
                    _ => "failed",
                };
                assert_eq!(
                    (operation.as_str(), *status, outcome.as_str()),
                    (asked.operation, i64::from(asked.status), expected),
                );
            }
        }
        for (path, summary) in texts {
            let text = format!("{path} {summary}");
            let secrets = book.tokens.iter().map(String::as_str).chain(crate::site::SECRETS);
            for secret in secrets {
                assert!(!text.contains(secret), "a secret in the audit log: {text}");
            }
        }
    }
}

impl Book {
    /// Tells those who look at the whole run that this operation has answered so.
    fn tell(&mut self, operation: &Operation, status: u16) {
        let Ok(file) = std::env::var(CALLS) else { return };
        if self.called.insert((operation.id, status)) {
            let line = format!("{} {status} {:?} {}\n", operation.id, self.engine, self.test);
            let mut file = OpenOptions::new().create(true).append(true).open(file).expect("the file of calls");
            // In one piece: other tests write at the same time.
            file.write_all(line.as_bytes()).expect("a line more");
        }
    }
}

fn operation(method: &Method, path: &str) -> Option<&'static Operation> {
    let fits = |operation: &&Operation| {
        let (wanted, asked) = (operation.path.split('/'), path.split('/'));
        operation.method.as_str() == method.as_str()
            && wanted.clone().count() == asked.clone().count()
            && wanted.zip(asked).all(|(wanted, asked)| wanted.starts_with('{') || wanted == asked)
    };
    api::areas::operations().iter().filter(fits).min_by_key(|operation| operation.path.contains('{'))
}
