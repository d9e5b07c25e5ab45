//! The web console as the binary serves it, and the cookie that keeps its token.

mod cookie;
mod ending;
mod serving;

use reqwest::Method;
use testkit::{Answer, Person, Site};

/// What the console sends with everything it does.
const CONSOLE: (&str, &str) = ("x-tracewright-console", "1");

/// Hands the token of a person in, as the console does.
async fn hand_in(site: &Site, person: &Person, more: &[(&str, &str)]) -> reqwest::Response {
    let token = person.token.as_ref().unwrap();
    let request = client().post(format!("{}/console/session", site.base())).bearer_auth(token);
    let request = more.iter().chain([&CONSOLE]).fold(request, |request, (name, value)| request.header(*name, *value));
    request.send().await.unwrap()
}

/// The cookies that a browser is told to keep.
fn cookies(answer: &reqwest::Response) -> Vec<String> {
    answer.headers().get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap().to_owned()).collect()
}

/// Hands the token of a person in and gives the cookie as the browser sends it back.
async fn cookie_of(site: &Site, person: &Person) -> String {
    let answer = hand_in(site, person, &[]).await;
    assert_eq!(answer.status(), 204);
    let kept = cookies(&answer);
    assert_eq!(kept.len(), 1, "{kept:?}");
    kept[0].split(';').next().unwrap().to_owned()
}

/// A request without a token of its own, but with these headers.
async fn ask(site: &Site, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
    let visitor = site.visitor("");
    let request = visitor.request(method, path);
    visitor.send(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
}

/// What is asked for is what comes: nothing is unpacked on the way.
fn client() -> reqwest::Client {
    reqwest::Client::builder().no_gzip().no_proxy().build().unwrap()
}
