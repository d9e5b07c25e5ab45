//! Log lines: for people on a terminal, JSON otherwise. Every line of a request carries its id.

use std::io::IsTerminal;

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::{SettingError, Settings};

pub fn init(settings: &Settings) -> Result<(), SettingError> {
    let (wanted, json) = (level(settings)?, is_json(settings)?);
    let lines =
        tracing_subscriber::fmt::layer().with_ansi(std::io::stderr().is_terminal()).with_writer(std::io::stderr);
    let lines = if json {
        lines.json().flatten_event(true).with_span_list(false).boxed()
    } else {
        lines.with_target(false).boxed()
    };
    // A second start in one process keeps the log of the first.
    let _ = tracing_subscriber::registry().with(lines.with_filter(wanted)).try_init();
    Ok(())
}

pub(crate) fn level(settings: &Settings) -> Result<Targets, SettingError> {
    let level = settings.log.as_deref().unwrap_or("info");
    targets(level)
        .ok_or_else(|| SettingError::Value { name: "log", reason: format!("{level} is no level such as info") })
}

pub(crate) fn is_json(settings: &Settings) -> Result<bool, SettingError> {
    match settings.log_format.as_deref().unwrap_or("auto") {
        "human" => Ok(false),
        "json" => Ok(true),
        "auto" => Ok(!std::io::stderr().is_terminal()),
        other => {
            let reason = format!("{other} is none of human, json, auto");
            Err(SettingError::Value { name: "log_format", reason })
        }
    }
}

/// Levels, alone or per part. A lone word that is not a level would be read as the name of a part.
fn targets(text: &str) -> Option<Targets> {
    let known = |part: &str| part.contains('=') || part.trim().parse::<LevelFilter>().is_ok();
    if !text.split(',').all(known) {
        return None;
    }
    text.parse().ok()
}
