//! The address that a webhook sends to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Maximum length of an address.
pub const MOST_URL_CHARS: usize = 2_000;
/// Maximum length of a host's name, and of each of its labels.
const MOST_NAME_CHARS: usize = 253;
const MOST_LABEL_CHARS: usize = 63;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    Name(String),
    Address(IpAddr),
}

/// An address in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl {
    pub scheme: Scheme,
    pub host: Host,
    pub port: u16,
    /// Host and port as they were written, for the `Host` header.
    pub authority: String,
    /// Path and query.
    pub target: String,
}

impl WebhookUrl {
    /// Reads an address, or says what is wrong with it. Only the plainest forms are accepted: what two programs could read
    /// differently must not decide where the service connects to.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.chars().count() > MOST_URL_CHARS {
            return Err("An address has at most 2000 characters.");
        }
        if !text.bytes().all(is_plain) {
            return Err("An address has only visible ASCII characters; all others are percent-encoded.");
        }
        let (scheme, rest) = scheme(text).ok_or("An address begins with http:// or https://.")?;
        if rest.contains('#') {
            return Err("An address has no fragment.");
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if authority.contains('@') {
            return Err("An address names no user.");
        }
        let (host, port) = split_port(authority)?;
        let port = port.unwrap_or(match scheme {
            Scheme::Http => 80,
            Scheme::Https => 443,
        });
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self { scheme, host: read_host(host)?, port, authority: authority.to_owned(), target })
    }

    /// What may be logged of it: the rest often holds a token.
    pub fn origin(&self) -> String {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        format!("{scheme}://{}", self.authority)
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte)
}

fn scheme(text: &str) -> Option<(Scheme, &str)> {
    let (name, rest) = text.split_once("://")?;
    let scheme = match name.to_ascii_lowercase().as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        _ => return None,
    };
    Some((scheme, rest))
}

/// The host, and the port if there is one.
fn split_port(authority: &str) -> Result<(&str, Option<u16>), &'static str> {
    let behind_host = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    let Some(colon) = authority[behind_host..].find(':') else { return Ok((authority, None)) };
    let (host, port) = (&authority[..behind_host + colon], &authority[behind_host + colon + 1..]);
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let port = if digits { port.parse::<u16>().ok().filter(|port| *port > 0) } else { None };
    port.map(|port| (host, Some(port))).ok_or("A port is a number from 1 to 65535.")
}

fn read_host(host: &str) -> Result<Host, &'static str> {
    const WRONG_ADDRESS: &str = "An IP address is written as 192.0.2.1 or [2001:db8::1].";
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']').and_then(|inner| inner.parse::<Ipv6Addr>().ok());
        return address.map(|address| Host::Address(address.into())).ok_or(WRONG_ADDRESS);
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    // Programs that look names up take these for addresses, in forms such as 2130706433, 0x7f.1 or 0177.0.0.1.
    if last.starts_with(|first: char| first.is_ascii_digit()) && is_number(last) {
        return host.parse::<Ipv4Addr>().map(|address| Host::Address(address.into())).map_err(|_| WRONG_ADDRESS);
    }
    let is_label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=MOST_LABEL_CHARS).contains(&label.len())
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if host.len() > MOST_NAME_CHARS || !host.split('.').all(is_label) {
        return Err("A host is a name of letters, digits, hyphens and dots, or an IP address.");
    }
    Ok(Host::Name(host.to_ascii_lowercase()))
}

/// Whether a label is a number, decimal or hexadecimal.
fn is_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => label.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> WebhookUrl {
        WebhookUrl::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn an_address_has_its_parts() {
        let url = read("https://Erp.example:8443/hooks/t?plant=1&x=a%20b");
        assert_eq!((url.scheme, url.port), (Scheme::Https, 8443));
        assert_eq!(url.host, Host::Name("erp.example".to_owned()));
        assert_eq!((url.authority.as_str(), url.target.as_str()), ("Erp.example:8443", "/hooks/t?plant=1&x=a%20b"));
        assert_eq!(url.origin(), "https://Erp.example:8443");
        let bare = read("HTTP://erp.example");
        assert_eq!((bare.scheme, bare.port, bare.target.as_str()), (Scheme::Http, 80, "/"));
        assert_eq!((read("https://a?b").port, read("https://a?b").target.as_str()), (443, "/?b"));
        assert_eq!(read("http://192.0.2.1:80/").host, Host::Address("192.0.2.1".parse().unwrap()));
        let six = read("http://[2001:db8::1]:8080/x");
        assert_eq!((six.host, six.port), (Host::Address("2001:db8::1".parse().unwrap()), 8080));
        assert_eq!(read("http://[::ffff:127.0.0.1]/").host, Host::Address("::ffff:127.0.0.1".parse().unwrap()));
        for name in ["localhost", "a-b.c_d.example", "1and1.example", "0xcafe.example", "example.1a"] {
            assert_eq!(read(&format!("http://{name}/")).host, Host::Name(name.to_owned()));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "erp.example",
            "//erp.example",
            "ftp://erp.example",
            "file:///etc/passwd",
            "javascript://x",
            "http:/erp.example",
            "http://",
            "http:///x",
            "http://?x",
            "http://user@erp.example",
            "http://user:pass@erp.example/",
            "http://@erp.example",
            "http://erp.example#x",
            "http://erp.example/ x",
            "http://erp.example/é",
            "http://érp.example",
            "http://erp.example/\n",
            "http://erp.example\\@127.0.0.1/",
            "http://erp example/",
            "http://erp.example:0",
            "http://erp.example:65536",
            "http://erp.example:",
            "http://erp.example:+80",
            "http://erp.example:8o",
            "http://.example",
            "http://a..b",
            "http://erp.example./",
            "http://-a.example",
            "http://a-.example",
            "http://%6cocalhost/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "http://127.0.0.1.",
            "http://127.0.0.256/",
            "http://1.2.3.4.5/",
            "http://0x/",
            "http://erp.0x7f/",
            "http://[127.0.0.1]/",
            "http://[::1",
            "http://[::1]x/",
            "http://[fe80::1%25eth0]/",
            "http://::1/",
            "http://[]/",
        ] {
            assert!(WebhookUrl::parse(text).is_err(), "{text:?}");
        }
        let path = "x".repeat(MOST_URL_CHARS);
        assert!(WebhookUrl::parse(&format!("http://a/{path}")).is_err());
        assert!(WebhookUrl::parse(&format!("http://a/{path}")[..MOST_URL_CHARS]).is_ok());
        assert!(WebhookUrl::parse(&format!("http://{}.example/", "a".repeat(64))).is_err());
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "(https?://)?\\PC{0,60}") {
            let _ = WebhookUrl::parse(&text);
        }

        /// What is accepted names its host in front of everything that could name another one.
        #[test]
        fn the_host_is_what_stands_behind_the_scheme(text in "https?://[a-z0-9.:@/?#%\\[\\]\\\\-]{1,40}") {
            if let Ok(url) = WebhookUrl::parse(&text) {
                let rest = text.split_once("://").unwrap().1;
                prop_assert!(rest.starts_with(&url.authority));
                prop_assert!(!url.authority.contains(['@', '/', '\\', '?', '#', '%']));
                prop_assert!(url.target.starts_with('/'));
            }
        }
    }
}
