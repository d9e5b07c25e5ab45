//! The table in `docs/benchmarks.md`.

use std::fmt::Write;

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

    pub fn write(&self, file: &str) {
        let mut text = String::from(
            "# Benchmarks\n\nWritten by `make bench`. Absolute figures belong to the machine below; what travels is the ratio of \
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
    /// Compares the figures that the goal names: a ratio of at least so much, a time under so much.
    fn misses_its_goal(&self) -> bool {
        let least = self.goal.strip_prefix("at least ").and_then(leading_number);
        let low = least.zip(leading_number(&self.ratio)).is_some_and(|(least, ratio)| ratio < least);
        let most = self.goal.split_once("under ").and_then(|(_, most)| in_millis(most));
        let slow = most.zip(self.time()).is_some_and(|(most, time)| time >= most);
        low || slow
    }

    /// The measured time, in milliseconds: its median or 99th percentile if it has one.
    fn time(&self) -> Option<f64> {
        let behind = ["p99 ", "median "].iter().find_map(|word| self.measured.split_once(word));
        in_millis(behind.map_or(&self.measured, |(_, time)| time))
    }
}

/// The time at the beginning of a text.
fn in_millis(text: &str) -> Option<f64> {
    let (number, rest) = text.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    match rest.split(|letter: char| !letter.is_alphabetic()).next()? {
        "ms" => Some(number),
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
