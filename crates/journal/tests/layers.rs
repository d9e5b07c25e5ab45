//! The modules of the journal are layers: imports go down only. `src/lib.rs` has the picture.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up; modules of one layer do not import each other.
const LAYERS: &[&[&str]] = &[
    &["error"],
    &["event"],
    &["act"],
    &["effects"],
    &["postable"],
    &["events"],
    &["post", "offline"],
    &["bulk"],
    &["catalogue"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The source files below `src`, each with its path and its text without tests.
fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&root, &mut found);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        (path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"), code)
    };
    found.into_iter().map(read).collect()
}

/// What follows a path such as `crate::`, wherever it occurs, alone or in braces.
fn named<'a>(code: &'a str, path: &'a str) -> impl Iterator<Item = &'a str> {
    code.split(path).skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => outer_names(group),
        None => vec![name(rest)],
    })
}

fn name(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The first name of each path in braces, whatever braces are in it.
fn outer_names(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            ',' if depth == 0 => {
                found.push(name(group[start..at].trim_start()));
                start = at + 1;
            }
            '}' if depth == 0 => {
                found.push(name(group[start..at].trim_start()));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    found
}

#[test]
fn names_in_braces_are_found() {
    let code = "use crate::{Error, act::{Act, Author}, events::production}; use crate::post::Posted;";
    assert_eq!(named(code, "crate::").collect::<Vec<_>>(), ["Error", "act", "events", "post"]);
}

#[test]
fn imports_go_down_only() {
    let mut seen = 0;
    for (file, code) in files() {
        let own = file.split(['/', '.']).next().unwrap_or_default();
        let Some(here) = layer(own) else { continue };
        for module in named(&code, "crate::") {
            let Some(there) = layer(module) else { continue };
            seen += 1;
            assert!(there < here || module == own, "{file} imports crate::{module}, which is not below it");
        }
    }
    assert!(seen > 100, "only {seen} imports were found");
}

#[test]
fn an_event_imports_no_other_event() {
    for (file, code) in files().into_iter().filter(|(file, _)| file.starts_with("events/") && !file.ends_with("mod.rs"))
    {
        assert!(!code.contains("crate::events"), "{file}");
        assert!(!code.contains("super::"), "{file}");
    }
}
