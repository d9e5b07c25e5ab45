//! The processor time of processes, as Linux counts it.

use std::time::Duration;

/// Ticks of 10 ms, the unit of `/proc/<pid>/stat` on every Linux that we know of.
const TICK: Duration = Duration::from_millis(10);

/// Of a process itself.
pub fn time_of(process: u32) -> Duration {
    stat(process).map(|fields| ticks(&fields, 11) + ticks(&fields, 12)).unwrap_or_default()
}

/// Of a process and all its children, those that have ended too.
pub fn children_of(parent: u32) -> Duration {
    let ended = stat(parent).map(|fields| ticks(&fields, 13) + ticks(&fields, 14)).unwrap_or_default();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let running = ids.filter_map(stat).filter(|fields| fields[1] == parent.to_string());
    running.map(|fields| ticks(&fields, 11) + ticks(&fields, 12)).sum::<Duration>() + ended + time_of(parent)
}

/// What follows the name: the state is the first, the parent the second.
fn stat(process: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    Some(rest.split(' ').map(str::to_owned).collect())
}

fn ticks(fields: &[String], index: usize) -> Duration {
    TICK * fields[index].parse::<u32>().unwrap()
}
