//! The table in `docs/benchmarks.md`.

use std::fmt::Write;
use std::time::Duration;

use crate::load::Figures;
use crate::millis;

#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
    /// The version of PostgreSQL, if it was measured.
    pub postgres: Option<String>,
}

pub struct Row {
    pub engine: &'static str,
    pub work: String,
    pub measured: String,
    pub floor: String,
    pub ratio: String,
    pub goal: &'static str,
}

impl Report {
    pub fn add(&mut self, row: Row) {
        println!("  {}: {} | {} | {}", row.work, row.measured, row.floor, row.ratio);
        self.rows.push(row);
    }

    /// `target` is that of the Makefile.
    pub fn write(&self, file: &str, target: &str) {
        let mut text = format!(
            "# Benchmarks\n\nWritten by `make {target}`. Absolute figures belong to the machine below; what travels is the ratio of \
             what was measured to its floor, which is measured in the same run. Of rates, a higher ratio is better; of times, a \
             lower one. Load generator, server and database share the machine's cores. A goal that was missed says so.\n\n",
        );
        let postgres = self.postgres.as_ref().map_or_else(String::new, |version| format!("; PostgreSQL {version}"));
        let _ = writeln!(text, "Machine: {}{postgres}.\n", machine());
        let _ = writeln!(text, "| Engine | Work | Measured | Floor | Ratio | Goal |\n|---|---|---|---|---|---|");
        for row in &self.rows {
            let missed = if row.misses_its_goal() { "**missed:** " } else { "" };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {missed}{} |",
                row.engine, row.work, row.measured, row.floor, row.ratio, row.goal
            );
        }
        std::fs::write(file, text).expect("docs is there");
        println!("written to {file}");
    }
}

impl Row {
    /// Something that was done several times, with the time of the bare query if there is one.
    pub fn timed(
        engine: &'static str,
        work: String,
        figures: &Figures,
        bare: Option<Duration>,
        goal: &'static str,
    ) -> Self {
        let (median, worst) = (figures.percentile(50), figures.percentile(100));
        Self {
            engine,
            work,
            measured: format!("median {}, worst of {} {}", millis(median), figures.count(), millis(worst)),
            floor: bare.map(|bare| format!("the bare query: {}", millis(bare))).unwrap_or_default(),
            ratio: bare.map(|bare| format!("{:.2}", median.as_secs_f64() / bare.as_secs_f64())).unwrap_or_default(),
            goal,
        }
    }

    /// Something that was done many times, each time with something else.
    pub fn percentiles(engine: &'static str, work: String, figures: &Figures, goal: &'static str) -> Self {
        Self {
            engine,
            work,
            measured: format!("p50 {}, p99 {}", millis(figures.percentile(50)), millis(figures.percentile(99))),
            floor: String::new(),
            ratio: String::new(),
            goal,
        }
    }

    /// Compared with the time of the same among fewer records.
    pub fn grown(self, now: Duration, before: Duration, fewer: &str) -> Self {
        let floor = format!("the same among {fewer}: {}", millis(before));
        Self { floor, ratio: format!("{:.2}", now.as_secs_f64() / before.as_secs_f64()), ..self }
    }

    /// Compares the figures that the goal names: a ratio of at least or at most so much, a time under so much.
    fn misses_its_goal(&self) -> bool {
        let ratio = leading_number(&self.ratio);
        // Frames are shown a little before or after their time.
        if let Some(most) = self.goal.strip_prefix("at most ").and_then(amount) {
            return self.amount().is_some_and(|amount| amount.round() > most);
        }
        let bound = |word: &str| self.goal.strip_prefix(word).and_then(leading_number).zip(ratio);
        let low = bound("at least ").is_some_and(|(least, ratio)| ratio < least);
        let high = bound("at most ").is_some_and(|(most, ratio)| ratio > most);
        let most = self.goal.split_once("under ").and_then(|(_, most)| amount(most));
        let much = most.zip(self.amount()).is_some_and(|(most, amount)| amount >= most);
        low || high || much
    }

    /// What was measured; of times the median or 99th percentile, if there is one.
    fn amount(&self) -> Option<f64> {
        let behind = ["p99 ", "median "].iter().find_map(|word| self.measured.split_once(word));
        amount(behind.map_or(&self.measured, |(_, time)| time))
    }
}

/// The time at the beginning of a text, in milliseconds, or its size, in kilobytes.
fn amount(text: &str) -> Option<f64> {
    let (number, rest) = text.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    match rest.split(|letter: char| !letter.is_alphabetic()).next()? {
        "ms" | "kB" => Some(number),
        "s" => Some(number * 1_000.0),
        _ => None,
    }
}

fn leading_number(text: &str) -> Option<f64> {
    text.split([' ', ',']).next()?.parse().ok()
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let read = |file: &str, label: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(label)).unwrap_or_default().to_owned();
        line.split(':').nth(1).unwrap_or("unknown").trim().to_owned()
    };
    let memory = read("/proc/meminfo", "MemTotal").trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024 / 1024;
    let model = read("/proc/cpuinfo", "model name");
    format!("{cores} cores ({model}), {memory} GiB; SQLite {}", rusqlite::version())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misses(goal: &'static str, measured: &str, ratio: &str) -> bool {
        let row = Row {
            engine: "embedded",
            work: String::new(),
            measured: measured.to_owned(),
            floor: String::new(),
            ratio: ratio.to_owned(),
            goal,
        };
        row.misses_its_goal()
    }

    #[test]
    fn goals_are_compared_with_what_they_name() {
        assert!(misses("at least 0.5", "40 requests/s", "0.49") && !misses("at least 0.5", "40 requests/s", "0.50"));
        assert!(misses("at most 1.5", "median 40.00 ms", "1.51") && !misses("at most 1.5", "median 40.00 ms", "1.50"));
        assert!(misses("under 20 ms", "p50 1.00 ms, p99 20.00 ms", ""));
        assert!(!misses("under 20 ms", "p50 1.00 ms, p99 19.99 ms", ""));
        let frame =
            |longest: &str| misses("at most 50 ms", &format!("{longest} ms the longest frame, p95 16.8 ms"), "1.00");
        assert!(frame("66.7") && !frame("50.1"));
        let both = "at most 4, under 5 s";
        assert!(!misses(both, "median 4.9 s, worst of 3 5.5 s", "3.90"));
        assert!(misses(both, "median 5.1 s, worst of 3 5.5 s", "3.90") && misses(both, "median 1.0 s", "4.10"));
        assert!(misses("under 200 kB", "200.0 kB", "") && !misses("under 200 kB", "199.9 kB", ""));
        assert!(misses("under 50 ms", "50.1 ms the longest frame, p95 17.0 ms", "1.00"));
        assert!(!misses("memory bounded", "3.4 s, at most 163 MiB of memory", ""));
    }
}
