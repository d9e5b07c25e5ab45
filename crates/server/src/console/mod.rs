//! The web console: its files, which the binary carries, and the cookie that keeps the token of whoever uses it.

mod files;
mod session;

use std::collections::HashMap;
use std::sync::Arc;

use api::ApiError;
use api::fixed::Fixed;
use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;

pub(crate) use session::routes as session_routes;

/// A file of the console: its address and what it holds.
pub type ConsoleFile = (&'static str, &'static [u8]);

/// Those that this binary was built with; see `build.rs`.
static EMBEDDED: &[ConsoleFile] = include!(concat!(env!("OUT_DIR"), "/console.rs"));

const INDEX: &str = "/index.html";

/// Below these nothing is an address of the console's own.
const OTHERS: [&str; 4] = ["/api", "/assets", "/console", "/media"];

/// The files of the web console, if there are any.
pub struct Console(HashMap<&'static str, Arc<Fixed>>);

impl Console {
    /// Those that this binary was built with.
    pub fn embedded() -> Self {
        Self::of(EMBEDDED)
    }

    /// Those of a list, among which there may be others in packed form: `x.js.br` and `x.js.gz` beside `x.js`.
    pub fn of(files: &[ConsoleFile]) -> Self {
        Self(files::answers(files))
    }

    pub(crate) fn is_there(&self) -> bool {
        self.0.contains_key(INDEX)
    }

    /// Every address that nothing else answers at.
    pub(crate) fn routes(self) -> Router {
        let console = Arc::new(self);
        let answer = async move |request: Request| {
            let (parts, _) = request.into_parts();
            console.answer(&parts).await
        };
        Router::new().route("/", any(answer.clone())).route("/{*path}", any(answer))
    }

    async fn answer(&self, request: &Parts) -> Response {
        let reads = request.method == Method::GET || request.method == Method::HEAD;
        let file = self.0.get(request.uri.path());
        match file.or_else(|| self.page(request)) {
            Some(found) if reads => {
                let mut answer = found.clone().answer(&request.headers).await;
                if file.is_none() {
                    // Others get an error here, in JSON.
                    answer.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
                }
                answer
            }
            Some(_) => ([(header::ALLOW, "GET,HEAD")], ApiError::method_not_allowed()).into_response(),
            None => ApiError::not_found("This address was").into_response(),
        }
    }

    /// The index finds out by itself which page an address is, so every page can be opened anew.
    fn page(&self, request: &Parts) -> Option<&Arc<Fixed>> {
        let is_other = OTHERS.iter().any(|other| is_below(request.uri.path(), other));
        self.0.get(INDEX).filter(|_| !is_other && takes_page(&request.headers))
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether the client takes a page. A program that asks for JSON at a wrong address should be told so.
fn takes_page(headers: &HeaderMap) -> bool {
    let asked = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds = asked.flat_map(|value| value.split(',')).filter_map(|kind| kind.split(';').next()).peekable();
    kinds.peek().is_none() || kinds.any(|kind| ["text/html", "text/*", "*/*"].contains(&kind.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_asks_for_json_gets_no_page() {
        for (sent, takes) in [
            ("text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("*/*", true),
            ("image/png, text/*;q=0.1", true),
            ("application/json", false),
        ] {
            let headers = [(header::ACCEPT, HeaderValue::from_static(sent))].into_iter().collect();
            assert_eq!(takes_page(&headers), takes, "{sent}");
        }
        assert!(takes_page(&HeaderMap::new()));
    }

    #[test]
    fn folders_of_others_are_told_from_names_that_begin_alike() {
        assert!(is_below("/api", "/api") && is_below("/api/x", "/api") && is_below("/api/", "/api"));
        assert!(!is_below("/apiary", "/api") && !is_below("/x/api", "/api"));
    }

    /// Whoever builds the console gets it, and nobody gets half of it.
    #[test]
    fn what_the_binary_carries_is_whole_or_nothing() {
        let console = Console::embedded();
        assert_eq!(console.is_there(), !EMBEDDED.is_empty());
        assert!(cfg!(feature = "console") || !console.is_there());
    }
}
