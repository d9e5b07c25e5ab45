//! The cookie in which a browser keeps the token of the web console, where no script can read it. A browser adds it to whatever
//! request any page causes, so it counts only for requests that the console itself can have sent.

use axum::http::{HeaderMap, HeaderValue, Method, header};

/// The console sends it with the value 1. A page of another origin can't, unless the service allows it to.
pub const CONSOLE: &str = "x-tracewright-console";

const NAME: &str = "tracewright";
/// Browsers take a cookie of this name only over https, for this host alone and for all of its addresses.
const HTTPS_NAME: &str = "__Host-tracewright";

/// Files are served outside `/api`, so it is for all addresses.
const ALWAYS: &str = "Path=/; HttpOnly; SameSite=Strict";

/// The header by which a browser keeps a token for so many seconds.
pub fn keep(token: &str, seconds: i64, https: bool) -> Option<HeaderValue> {
    let (name, more) = if https { (HTTPS_NAME, "; Secure") } else { (NAME, "") };
    let mut cookie = HeaderValue::try_from(format!("{name}={token}; Max-Age={seconds}; {ALWAYS}{more}")).ok()?;
    cookie.set_sensitive(true);
    Some(cookie)
}

/// The headers by which a browser forgets the token, however it was kept.
pub fn forget() -> [HeaderValue; 2] {
    [
        HeaderValue::from_static("tracewright=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"),
        HeaderValue::from_static("__Host-tracewright=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure"),
    ]
}

/// Whether the console itself can have sent the request. Other pages of the same site, such as those of another port, count as
/// strangers: a browser that knows says `same-origin`. What somebody opens from outside a page, such as a bookmark, has `none`
/// and can only read.
pub fn is_from_console(method: &Method, headers: &HeaderMap) -> bool {
    let reads = method == Method::GET || method == Method::HEAD;
    let mut sites = headers.get_all("sec-fetch-site").iter();
    let is_ours = sites.all(|site| site == "same-origin" || (reads && site == "none"));
    is_ours && (reads || headers.get(CONSOLE).is_some_and(|value| value == "1"))
}

/// The token in the cookie. If there are several of its name, somebody else has set one: none of them counts. Nor does one, over https,
/// that another host could have set.
pub(super) fn token(headers: &HeaderMap, https: bool) -> Option<&str> {
    let mut secure = values(headers, HTTPS_NAME).peekable();
    let value = if https || secure.peek().is_some() { only(secure) } else { only(values(headers, NAME)) };
    std::str::from_utf8(value?).ok()
}

fn only<T>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// As bytes: the cookies of others may hold anything.
fn values<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a [u8]> {
    let cookies = headers.get_all(header::COOKIE).iter().map(HeaderValue::as_bytes);
    let pairs = cookies.flat_map(|value| value.split(|byte| *byte == b';'));
    pairs.filter_map(move |pair| pair.trim_ascii().strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(sent: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn one_cookie_of_ours_counts_among_others() {
        for (sent, found) in [
            ("tracewright=a.b.c", Some("a.b.c")),
            ("theme=dark; tracewright=a.b.c ;café=ü", Some("a.b.c")),
            ("tracewright=a; __Host-tracewright=b", Some("b")),
            ("tracewright=a; tracewright=b", None),
            ("tracewright=a; __Host-tracewright=b; __Host-tracewright=c", None),
            ("Tracewright=a; xtracewright=a; tracewright2=a; tracewright", None),
            ("tracewright=", Some("")),
            ("", None),
        ] {
            assert_eq!(token(&headers(&[("cookie", sent)]), false), found, "{sent}");
        }
        assert_eq!(token(&headers(&[("cookie", "tracewright=a"), ("cookie", "tracewright=a")]), false), None);
        assert_eq!(token(&HeaderMap::new(), false), None);
    }

    #[test]
    fn over_https_only_the_name_counts_that_no_other_host_can_set() {
        for (sent, found) in [
            ("tracewright=a", None),
            ("__Host-tracewright=b", Some("b")),
            ("tracewright=a; __Host-tracewright=b", Some("b")),
            ("__Host-tracewright=b; __Host-tracewright=c", None),
        ] {
            assert_eq!(token(&headers(&[("cookie", sent)]), true), found, "{sent}");
        }
    }

    /// Headers, whether a request with them may read by cookie, and whether it may act.
    type Case<'a> = (&'a [(&'static str, &'a str)], bool, bool);

    #[test]
    fn only_the_console_acts_and_only_its_origin_reads() {
        let (site, console) = ("sec-fetch-site", (CONSOLE, "1"));
        let cases: [Case<'_>; 9] = [
            (&[], true, false),
            (&[console], true, true),
            (&[(CONSOLE, "0")], true, false),
            (&[(site, "same-origin"), console], true, true),
            (&[(site, "same-origin")], true, false),
            (&[(site, "none"), console], true, false),
            (&[(site, "same-site"), console], false, false),
            (&[(site, "cross-site"), console], false, false),
            (&[(site, "same-origin"), (site, "cross-site"), console], false, false),
        ];
        for (sent, reads, acts) in cases {
            let headers = headers(sent);
            for method in [Method::GET, Method::HEAD] {
                assert_eq!(is_from_console(&method, &headers), reads, "{method} {sent:?}");
            }
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                assert_eq!(is_from_console(&method, &headers), acts, "{method} {sent:?}");
            }
        }
    }

    #[test]
    fn no_script_reads_it_and_no_other_site_sends_it() {
        let kept = |https| keep("a.b.c", 60, https).unwrap().to_str().unwrap().to_owned();
        assert_eq!(kept(false), "tracewright=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Strict");
        assert_eq!(kept(true), "__Host-tracewright=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure");
        for (https, forgotten) in [false, true].into_iter().zip(forget()) {
            let expected = kept(https).replace("a.b.c", "").replace("=60;", "=0;");
            assert_eq!(forgotten.to_str().unwrap(), expected, "only the same cookie is replaced");
        }
    }
}
