//! The table in `docs/benchmarks.md`.

use std::fmt::Write;

#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
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
            "# Benchmarks\n\nWritten by `make bench`. Absolute figures belong to the machine below; what travels is the ratio \
             against a floor measured in the same run. Load generator, server and database share the machine's cores.\n\n",
        );
        let _ = writeln!(text, "Machine: {}.\n", machine());
        let _ = writeln!(text, "| Engine | Work | Measured | Floor | Ratio | Goal |\n|---|---|---|---|---|---|");
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                row.engine, row.work, row.measured, row.floor, row.ratio, row.goal
            );
        }
        std::fs::write(file, text).expect("docs is there");
        println!("written to {file}");
    }
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
