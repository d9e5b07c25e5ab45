//! The ranges of numeric settings. Outside of them the service would start and be useless.

use std::ops::RangeInclusive;

use super::{SettingError, Settings};

const MIB: u64 = 1024 * 1024;
const TIB: u64 = MIB * MIB;

const RANGES: &[(&str, RangeInclusive<u64>)] = &[
    ("database_connections", 1..=10_000),
    ("write_group", 1..=100_000),
    ("login_max_failures", 1..=1_000_000),
    ("login_max_failures_per_address", 1..=1_000_000),
    ("login_window_seconds", 1..=31_536_000),
    ("max_connections", 1..=1_000_000),
    ("max_connections_per_address", 1..=1_000_000),
    ("max_streams", 1..=1_000_000),
    ("max_streams_per_user", 1..=1_000_000),
    ("upload_limit_bytes", 1..=TIB),
    // A body of the usual size fits several times.
    ("request_memory_bytes", 16 * MIB..=TIB),
    ("upload_seconds", 1..=2_592_000),
];

/// Seconds may have a fraction here.
const CLIENT_TIMEOUT: RangeInclusive<f64> = 0.001..=86_400.0;
/// Clients and proxies may rely on a sign of life every 15 seconds.
const STREAM_QUIET: RangeInclusive<f64> = 0.01..=15.0;

pub(super) fn range_of(name: &str) -> Option<&'static RangeInclusive<u64>> {
    RANGES.iter().find(|(known, _)| *known == name).map(|(_, range)| range)
}

impl Settings {
    pub(super) fn figures_out_of_range(&self) -> impl Iterator<Item = SettingError> {
        let wide = |value: Option<usize>| value.map(|value| value as u64);
        let given = [
            ("database_connections", wide(self.database_connections)),
            ("write_group", wide(self.write_group)),
            ("login_max_failures", self.login_max_failures.map(u64::from)),
            ("login_max_failures_per_address", self.login_max_failures_per_address.map(u64::from)),
            ("login_window_seconds", self.login_window_seconds.map(u64::from)),
            ("max_connections", self.max_connections.map(u64::from)),
            ("max_connections_per_address", self.max_connections_per_address.map(u64::from)),
            ("max_streams", self.max_streams.map(u64::from)),
            ("max_streams_per_user", self.max_streams_per_user.map(u64::from)),
            ("upload_limit_bytes", self.upload_limit_bytes),
            ("request_memory_bytes", wide(self.request_memory_bytes)),
            ("upload_seconds", self.upload_seconds.map(u64::from)),
        ];
        let whole = given.into_iter().filter_map(|(name, value)| {
            let (value, range) = (value?, range_of(name)?);
            let reason = format!("it must be from {} to {}, not {value}", range.start(), range.end());
            (!range.contains(&value)).then_some(SettingError::Value { name, reason })
        });
        let times = [
            ("client_timeout_seconds", self.client_timeout_seconds, CLIENT_TIMEOUT),
            ("stream_quiet_seconds", self.stream_quiet_seconds, STREAM_QUIET),
        ];
        let times = times.into_iter().filter_map(|(name, seconds, range)| {
            let seconds = seconds.filter(|seconds| !range.contains(seconds))?;
            let reason = format!("it must be from {} to {}, not {seconds}", range.start(), range.end());
            Some(SettingError::Value { name, reason })
        });
        whole.chain(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole number without a range would be accepted unchecked.
    #[test]
    fn every_whole_number_has_a_range() {
        for (name, kind) in Settings::FIELDS {
            assert_eq!(matches!(*kind, "usize" | "u32" | "u64"), range_of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_page_of_settings_has_these_ranges() {
        let page = include_str!("../../../../docs/settings.md");
        for (name, range) in RANGES {
            let (name, figures) = (format!("`{name}`"), format!("| {} | {} |", range.start(), range.end()));
            assert!(page.lines().any(|line| line.contains(&name) && line.ends_with(&figures)), "{name} {figures}");
        }
    }

    #[test]
    fn figures_outside_of_their_range_are_refused_by_name() {
        for (name, range) in RANGES {
            let with = |value: u64| {
                let table: toml::Table = format!("{name} = {value}").parse().unwrap();
                let settings: Settings = serde::Deserialize::deserialize(table).unwrap();
                settings.figures_out_of_range().map(|fault| fault.to_string()).collect::<Vec<_>>()
            };
            assert!(with(*range.start()).is_empty() && with(*range.end()).is_empty(), "{name}");
            for bad in [range.start() - 1, range.end() + 1] {
                let wanted = format!(
                    "the setting {name} is wrong: it must be from {} to {}, not {bad}",
                    range.start(),
                    range.end()
                );
                assert_eq!(with(bad), [wanted]);
            }
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            let bad = Some(bad);
            let settings = Settings { client_timeout_seconds: bad, stream_quiet_seconds: bad, ..Settings::default() };
            assert_eq!(settings.figures_out_of_range().count(), 2, "{bad:?}");
        }
    }
}
