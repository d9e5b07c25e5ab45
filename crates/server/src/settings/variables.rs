//! Variables that have no effect because somebody misspelled their name, or whose value is wrong.

use std::error::Error;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};

use super::{Settings, nearest};

const PREFIX: &str = "TRACEWRIGHT_";

/// A sentence for each of these variables that nothing reads. Values are not repeated: one may be a password.
pub fn unknown_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let names = Settings::FIELDS.iter().map(|(name, _)| *name).chain(["config"]);
    let known: Vec<String> = names.map(str::to_ascii_uppercase).collect();
    let mut found: Vec<String> = variables
        .filter_map(|(name, value)| {
            let name = name.to_str()?.strip_prefix(PREFIX)?;
            if known.iter().any(|known| known == name) || is_of_kubernetes(name, &value.to_string_lossy()) {
                return None;
            }
            let near = nearest(name, known.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean {PREFIX}{near}?")).unwrap_or_default();
            Some(format!("the variable {PREFIX}{name} is unknown and has no effect{hint}"))
        })
        .collect();
    found.sort();
    found
}

/// A sentence about the variable whose value is of the wrong type, if that is the error. Left alone, clap would name a flag
/// that is not among the arguments. A secret is text of any kind, so its value is never wrong in this way and never repeated.
pub fn wrong_variable(error: &clap::Error, mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    // Such as `--listen <ADDRESS:PORT>`.
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let flag = argument.split(' ').next()?;
    let name = flag.strip_prefix("--")?.replace('-', "_");
    let known = Settings::FIELDS.iter().any(|(known, _)| *known == name);
    let is_flag = |given: OsString| given.to_str().is_some_and(|given| given.split('=').next() == Some(flag));
    if !known || arguments.any(is_flag) {
        return None;
    }
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.as_str(),
        _ => "",
    };
    let reason = match (error.source(), error.get(ContextKind::ValidValue)) {
        (Some(reason), _) => reason.to_string(),
        (None, Some(ContextValue::Strings(allowed))) => format!("it must be {}", allowed.join(" or ")),
        (None, _) => "it can't be used".to_owned(),
    };
    Some(format!("the variable {PREFIX}{} is wrong: '{value}': {reason}", name.to_ascii_uppercase()))
}

/// Kubernetes tells every container the addresses of services. For a service named tracewright, or tracewright-db, the
/// variables begin like ours.
fn is_of_kubernetes(rest: &str, value: &str) -> bool {
    // The name of the service may come first.
    let ends_with = |text: &str, end: &str| text == end || text.ends_with(&format!("_{end}"));
    let is_address = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let names_a_port = rest.starts_with("SERVICE_PORT_") || rest.contains("_SERVICE_PORT_");
    ends_with(rest, "SERVICE_HOST")
        || ends_with(rest, "SERVICE_PORT")
        || names_a_port
        || (ends_with(rest, "PORT") && is_address)
        || is_port_with_protocol(rest)
}

/// `PORT_8080_TCP`, optionally followed by `_PROTO`, `_PORT` or `_ADDR`.
fn is_port_with_protocol(rest: &str) -> bool {
    let rest = ["_PROTO", "_PORT", "_ADDR"].iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
    let mut words = rest.rsplit('_');
    let protocol = words.next().is_some_and(|word| ["TCP", "UDP", "SCTP"].contains(&word));
    let number = words.next().is_some_and(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()));
    protocol && number && words.next() == Some("PORT")
}

#[cfg(test)]
mod tests {
    use clap::Args;

    use super::*;

    fn told(variables: &[(&str, &str)]) -> Vec<String> {
        unknown_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn misspelled_variables_are_told_with_the_nearest_name() {
        let found = told(&[
            ("TRACEWRIGHT_LISTEN", "127.0.0.1:1"),
            ("TRACEWRIGHT_CONFIG", "x"),
            ("PATH", "/bin"),
            ("TRACEWRIGHT_DATABASE_URL", "postgres://u:secret@h/x"),
            ("TRACEWRIGHT_DATABSE", "x"),
            ("TRACEWRIGHT_JWT_SECRETS", "secret"),
            ("TRACEWRIGHT_PORT", "8080"),
        ]);
        assert_eq!(
            found,
            [
                "the variable TRACEWRIGHT_DATABASE_URL is unknown and has no effect; did you mean TRACEWRIGHT_DATABASE?",
                "the variable TRACEWRIGHT_DATABSE is unknown and has no effect; did you mean TRACEWRIGHT_DATABASE?",
                "the variable TRACEWRIGHT_JWT_SECRETS is unknown and has no effect; did you mean TRACEWRIGHT_JWT_SECRET?",
                "the variable TRACEWRIGHT_PORT is unknown and has no effect",
            ]
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_told_by_the_name_of_its_variable() {
        let told = |wrong: &str, given: &[&str]| {
            let command = Settings::augment_args(clap::Command::new("tracewright"));
            let error = command.try_get_matches_from(["tracewright", wrong]).unwrap_err();
            wrong_variable(&error, given.iter().map(OsString::from))
        };
        let memory = "--request-memory-bytes=1G";
        assert_eq!(
            told(memory, &["serve"]).as_deref(),
            Some("the variable TRACEWRIGHT_REQUEST_MEMORY_BYTES is wrong: '1G': invalid digit found in string")
        );
        assert_eq!(told(memory, &["serve", memory]), None);
        assert_eq!(told(memory, &["serve", "--request-memory-bytes", "1G"]), None);
        assert_eq!(
            told("--media-s3-path-style=no", &["serve"]).as_deref(),
            Some("the variable TRACEWRIGHT_MEDIA_S3_PATH_STYLE is wrong: 'no': it must be true or false")
        );
        assert_eq!(told("--nonsense", &["serve"]), None);
    }

    #[test]
    fn what_kubernetes_says_of_services_is_none_of_ours() {
        let found = told(&[
            ("TRACEWRIGHT_SERVICE_HOST", "10.0.0.7"),
            ("TRACEWRIGHT_SERVICE_PORT", "8080"),
            ("TRACEWRIGHT_SERVICE_PORT_HTTP", "8080"),
            ("TRACEWRIGHT_PORT", "tcp://10.0.0.7:8080"),
            ("TRACEWRIGHT_PORT_8080_TCP", "tcp://10.0.0.7:8080"),
            ("TRACEWRIGHT_PORT_8080_TCP_PROTO", "tcp"),
            ("TRACEWRIGHT_PORT_8080_TCP_PORT", "8080"),
            ("TRACEWRIGHT_PORT_8080_TCP_ADDR", "10.0.0.7"),
            ("TRACEWRIGHT_DB_SERVICE_HOST", "10.0.0.8"),
            ("TRACEWRIGHT_DB_SERVICE_PORT_PG", "5432"),
            ("TRACEWRIGHT_DB_PORT_5432_TCP_ADDR", "10.0.0.8"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
