//! The address of a PostgreSQL database, read as libpq reads it. The driver knows hosts, ports, users and the kind of session
//! that is wanted; how TLS is used is read here.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

use super::tls::{Certificates, Tls};
use crate::error::describe;

/// How much TLS is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SslMode {
    Disable,
    /// Only where the server insists.
    Allow,
    /// Where the server has it.
    Prefer,
    Require,
    /// Only with TLS, by a certificate that is signed by a given root.
    VerifyCa,
    /// Only with TLS, by a certificate that is signed by a given root and is for the host of the address.
    VerifyFull,
}

impl SslMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => SslMode::Disable,
            "allow" => SslMode::Allow,
            "prefer" => SslMode::Prefer,
            "require" => SslMode::Require,
            "verify-ca" => SslMode::VerifyCa,
            "verify-full" => SslMode::VerifyFull,
            _ => return None,
        })
    }
}

/// A database and how it is reached.
pub(super) struct Address {
    /// One for each host, in the order in which they are tried.
    pub(super) hosts: Vec<Server>,
    pub(super) mode: SslMode,
    pub(super) tls: Tls,
    pub(super) any_order: bool,
}

/// One host of an address.
pub(super) struct Server {
    pub(super) config: Config,
    /// For messages.
    pub(super) name: String,
    /// A socket on this machine, where TLS is never used.
    pub(super) local: bool,
}

/// A host that does not answer is given up after so long.
const CONNECT: Duration = Duration::from_secs(5);
/// One that answers has so long for all the rest.
const SIGN_IN: Duration = Duration::from_secs(5);

/// Recursive statements look expensive to the planner; compiling them takes longer than running them. A second process for a statement
/// takes up to 10 ms to start, which only those that read millions of rows are worth.
const PLANNER: &str = "-c jit=off -c parallel_setup_cost=100000";

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, String> {
        let (url, own) = take_own(url)?;
        let mut config: Config = url.parse().map_err(|error| describe(&error))?;
        let options = config.get_options().map(|given| format!("{given} {PLANNER}"));
        config.options(options.as_deref().unwrap_or(PLANNER));
        config.application_name("tracewright");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        // A host that vanished must not be waited for.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(30));
        }
        config.keepalives_idle(Duration::from_secs(15)).keepalives_interval(Duration::from_secs(5));
        let hosts = servers(&config)?;
        let system = own.certificates.root.as_deref() == Some("system");
        let mode = own.mode.unwrap_or(if system { SslMode::VerifyFull } else { SslMode::Prefer });
        if system && mode < SslMode::VerifyFull && mode != SslMode::Disable {
            return Err("sslrootcert=system needs sslmode=verify-full".to_owned());
        }
        let local = hosts.iter().all(|host| host.local);
        let tls = if local || mode == SslMode::Disable { Tls::none() } else { Tls::new(mode, &own.certificates)? };
        let any_order = config.get_load_balance_hosts() == LoadBalanceHosts::Random;
        Ok(Self { hosts, mode, tls, any_order })
    }

    /// The longest that a connection may take: every host may be silent, and under the weak modes be asked twice.
    pub(super) fn patience(&self) -> Duration {
        let each = |host: &Server| *host.config.get_connect_timeout().unwrap_or(&CONNECT) + SIGN_IN;
        self.hosts.iter().map(each).sum()
    }
}

/// What the address says that the driver does not know.
#[derive(Default)]
struct Own {
    mode: Option<SslMode>,
    certificates: Certificates,
}

/// Takes these parts out of the address.
fn take_own(url: &str) -> Result<(String, Own), String> {
    let mut own = Own::default();
    // Before the first @ there may be a password with any character in it.
    let place = url.find('@').unwrap_or(0);
    let Some(question) = url[place..].find('?').map(|at| place + at) else { return Ok((url.to_owned(), own)) };
    let mut kept = Vec::new();
    for pair in url[question + 1..].split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = percent_decode_str(value)
            .decode_utf8()
            .map_err(|_| format!("the value of {name} is not UTF-8"))?
            .into_owned();
        let given = (!value.is_empty()).then_some(value.as_str());
        match name {
            "sslmode" => {
                own.mode = given
                    .map(|value| SslMode::parse(value).ok_or_else(|| format!("{value} is no value of sslmode")))
                    .transpose()?;
            }
            // As other drivers write it.
            "ssl" if value == "true" => own.mode = own.mode.or(Some(SslMode::Require)),
            "sslrootcert" => own.certificates.root = given.map(str::to_owned),
            "sslcert" => own.certificates.own = given.map(PathBuf::from),
            "sslkey" => own.certificates.key = given.map(PathBuf::from),
            // The driver has no name for it; a standby is never writable.
            "target_session_attrs" if value == "primary" => kept.push("target_session_attrs=read-write"),
            _ => kept.push(pair),
        }
    }
    let start = &url[..question];
    let url = if kept.is_empty() { start.to_owned() } else { format!("{start}?{}", kept.join("&")) };
    Ok((url, own))
}

/// The address of each host alone.
fn servers(all: &Config) -> Result<Vec<Server>, String> {
    let (hosts, addresses, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
    let count = hosts.len().max(addresses.len());
    let fits = |length: usize| length == 0 || length == count;
    if count == 0 {
        return Err("it names no host".to_owned());
    }
    if !fits(hosts.len()) || !fits(addresses.len()) || !(fits(ports.len()) || ports.len() == 1) {
        return Err("host, hostaddr and port have to be equally many".to_owned());
    }
    let server = |at: usize| {
        let mut config = without_hosts(all);
        let address = addresses.get(at);
        let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        config.port(port);
        address.into_iter().for_each(|address| {
            config.hostaddr(*address);
        });
        let (name, local) = match hosts.get(at) {
            #[cfg(unix)]
            Some(Host::Unix(folder)) => {
                config.host_path(folder);
                (folder.display().to_string(), address.is_none())
            }
            Some(Host::Tcp(host)) => {
                config.host(host);
                (host.clone(), false)
            }
            // The driver asks for a name where TLS is used.
            None => {
                let host = address.map(ToString::to_string).unwrap_or_default();
                config.host(&host);
                (host, false)
            }
        };
        Server { config, name: format!("{name}:{port}"), local }
    };
    Ok((0..count).map(server).collect())
}

fn without_hosts(all: &Config) -> Config {
    let mut config = Config::new();
    all.get_user().into_iter().for_each(|user| {
        config.user(user);
    });
    all.get_password().into_iter().for_each(|password| {
        config.password(password);
    });
    all.get_dbname().into_iter().for_each(|name| {
        config.dbname(name);
    });
    all.get_options().into_iter().for_each(|options| {
        config.options(options);
    });
    all.get_application_name().into_iter().for_each(|name| {
        config.application_name(name);
    });
    all.get_connect_timeout().into_iter().for_each(|timeout| {
        config.connect_timeout(*timeout);
    });
    all.get_tcp_user_timeout().into_iter().for_each(|timeout| {
        config.tcp_user_timeout(*timeout);
    });
    all.get_keepalives_interval().into_iter().for_each(|interval| {
        config.keepalives_interval(interval);
    });
    all.get_keepalives_retries().into_iter().for_each(|retries| {
        config.keepalives_retries(retries);
    });
    config
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .ssl_negotiation(all.get_ssl_negotiation())
        .target_session_attrs(all.get_target_session_attrs())
        .channel_binding(all.get_channel_binding())
        .load_balance_hosts(all.get_load_balance_hosts());
    config
}

/// The address of a database without its password, for messages.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split('?').next().and_then(|plain| plain.split_once("://")) else {
        return "given by --database".to_owned();
    };
    match rest.rsplit_once('@') {
        Some((credentials, place)) => {
            let user = credentials.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        Address::parse(url).err().unwrap_or_else(|| panic!("{url} was taken"))
    }

    #[test]
    fn messages_never_show_a_password() {
        assert_eq!(without_password("postgres://u:secret@h/db"), "postgres://u@h/db");
        assert_eq!(without_password("postgres://h/db"), "postgres://h/db");
        assert_eq!(without_password("host=h password=secret"), "given by --database");
        assert_eq!(without_password("postgres:///db?host=h&password=secret"), "postgres:///db");
    }

    #[test]
    fn what_the_driver_does_not_know_is_taken_out() {
        let address = "postgres://u:a?b@h1:1,h2:2/db?sslmode=verify-ca&connect_timeout=3&sslrootcert=%2Fa%20b&ssl=true";
        let (url, own) = take_own(address).unwrap();
        assert_eq!(url, "postgres://u:a?b@h1:1,h2:2/db?connect_timeout=3");
        assert_eq!(own.mode, Some(SslMode::VerifyCa));
        assert_eq!(own.certificates.root.as_deref(), Some("/a b"));
        let primary = take_own("postgres://h/db?target_session_attrs=primary").unwrap().0;
        assert_eq!(primary, "postgres://h/db?target_session_attrs=read-write");
    }

    #[test]
    fn every_host_has_its_port() {
        let named = |url: &str| -> Vec<String> {
            Address::parse(url).unwrap().hosts.into_iter().map(|host| host.name).collect()
        };
        assert_eq!(named("postgres://a:1,b/db?sslmode=disable"), ["a:1", "b:5432"]);
        assert_eq!(named("postgres:///db?host=a&host=b&port=7&sslmode=disable"), ["a:7", "b:7"]);
        assert_eq!(named("postgres:///db?hostaddr=127.0.0.1&port=7&sslmode=disable"), ["127.0.0.1:7"]);
        assert!(refused("postgres:///db").contains("no host"));
    }

    #[test]
    fn what_can_not_be_meant_is_refused() {
        assert!(refused("postgres://h/db?sslmode=on").contains("sslmode"));
        assert!(refused("postgres://h/db?sslmode=require&sslrootcert=system").contains("verify-full"));
        assert!(refused("postgres://h/db?sslmode=verify-full&sslrootcert=/is/not/there").contains("/is/not/there"));
        assert!(refused("postgres://h/db?sslmode=require&sslcert=/is/not/there").contains("/is/not/there"));
        assert!(refused("postgres://h/db?sslfoo=1").contains("sslfoo"));
    }

    #[test]
    fn the_roots_of_the_system_are_for_names_too() {
        let address = Address::parse("postgres://h/db?sslrootcert=system");
        // A machine may have no certificates at all.
        if let Ok(address) = address {
            assert_eq!(address.mode, SslMode::VerifyFull);
        }
        assert_eq!(Address::parse("postgres:///db?host=/tmp&sslmode=verify-full").unwrap().mode, SslMode::VerifyFull);
    }
}
