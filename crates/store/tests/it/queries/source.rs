//! Finds in the source where statements are put together.

use std::collections::BTreeSet;
use std::path::Path;

/// Where the source adds fragments: file, line.
pub(super) fn places() -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            // The first two hold what makes statements, the third adds fragments in its callers' name.
            if path.is_dir() {
                folders.push(path);
            } else if !["columns.rs", "sql.rs", "search.rs"].contains(&path.file_name().unwrap().to_str().unwrap()) {
                let source = std::fs::read_to_string(&path).unwrap();
                let file = format!("crates/store/{}", path.strip_prefix(root).unwrap().display());
                found.extend(fragments(&source).into_iter().map(|line| (file.replace('\\', "/"), line)));
            }
        }
    }
    assert!(found.len() > 200, "only {} places were found", found.len());
    found
}

/// Calls of `Query` and `Update`, by how they begin. What iterators have too counts only with an argument that theirs never have.
const CALLS: [&str; 13] = [
    "Query::new(",
    "::select()",
    "columns::changes(",
    ".filter_if(",
    ".filter_any(",
    ".filter_row(",
    ".only(",
    ".matching(",
    ".matching_either(",
    ".matching_neither(",
    ".ordered(",
    ".set_as(",
    ".set_to(",
];

/// The lines of a source, counted from 1, where a fragment is added.
fn fragments(source: &str) -> BTreeSet<u32> {
    let code = source.split("#[cfg(test)]").next().unwrap();
    let mut at: Vec<usize> = CALLS
        .iter()
        .flat_map(|call| code.match_indices(call))
        .map(|(start, call)| start + call.find(['.', ':']).unwrap())
        .collect();
    for (start, call) in [".filter(", ".join("].iter().flat_map(|call| code.match_indices(*call)) {
        let argument = code[start + call.len()..].trim_start();
        let joins = argument.starts_with("\"join") || argument.starts_with("\"left join");
        let behind_name = argument.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
        let filters = argument.starts_with(['"', '&']) || behind_name.starts_with(',');
        if (call == ".join(" && joins) || (call == ".filter(" && filters) {
            at.push(start);
        }
    }
    for (start, call) in [".all", ".page", ".locked_by", ".maybe"].iter().flat_map(|call| code.match_indices(*call)) {
        let rest = &code[start + call.len()..];
        let rest = if rest.starts_with("::<") {
            rest.split_once(">(").map_or("", |(_, rest)| rest)
        } else {
            rest.strip_prefix('(').unwrap_or("")
        };
        let rest = rest.trim_start();
        if rest.starts_with("tx,") || (call == ".maybe" && rest.starts_with("tx)")) {
            at.push(start);
        }
    }
    at.into_iter().map(|at| code[..at].matches('\n').count() as u32 + 1).collect()
}

#[test]
fn fragments_are_told_from_what_iterators_do() {
    let source = r#"
        Batch::select()
            .filter("(key = {})", key)
            .filter(WITH_WORD, word)
            .maybe::<Batch>(tx)
            .await;
        query = query.join("join tag on tag.key = {}", tag).only("active");
        rows.iter().filter(|row| row.active).filter(is_new).collect::<Vec<_>>().join(", ");
        tx.all(sql!("select key from batch"), &[]).await;
    "#;
    assert_eq!(fragments(source), BTreeSet::from([2, 3, 4, 5, 7]));
}
