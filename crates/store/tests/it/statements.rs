//! Every statement of the source is read by both engines.

use std::path::Path;

use store::{Sql, StoreError, Tx};

/// The files of the store, without comments that have lines of their own: path, text.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            found.push((path.display().to_string(), code.join("\n")));
        }
    }
    found
}

/// The literals of all `sql!("…")`.
fn statements() -> Vec<(String, Sql)> {
    let mut found = Vec::new();
    for (path, source) in sources() {
        for (at, _) in source.match_indices("sql!(") {
            let rest = source[at + "sql!(".len()..].trim_start();
            if let Some(literal) = rest.strip_prefix('"') {
                let text = literal.split('"').next().unwrap();
                assert!(!text.contains('\\'), "{path}: no escapes in statements");
                found.push((path.clone(), Sql::raw(text.to_owned())));
            }
        }
    }
    found
}

/// The statements that are made from the columns of records.
fn made() -> Vec<(String, Sql)> {
    let (records, statements) = store::made_statements();
    let declared: usize = sources()
        .iter()
        .filter(|(path, _)| !path.ends_with("src/columns.rs"))
        .flat_map(|(_, source)| source.lines())
        .filter(|line| line.starts_with("columns! {") || line.starts_with("record! {"))
        .count();
    assert_eq!(records, declared, "`made_statements` has to name every record");
    statements.into_iter().map(|sql| ("made by columns.rs".to_owned(), sql)).collect()
}

/// How a text locks rows.
const LOCKING: [&str; 6] = ["{lock}", "{skip_locked}", "for update", "for no key update", "for share", "for key share"];

/// Where texts lock rows without saying which: only `.locked(Rows::…)` tells `Tx` to look at the order.
fn unranked(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in LOCKING.iter().flat_map(|locking| source.match_indices(locking)) {
        let (before, rest) = source.split_at(at);
        let statement = before.rfind("sql!(").is_some_and(|start| before[start..].matches('"').count() == 1);
        let end = rest.find('"').unwrap_or(rest.len());
        let behind: String = rest[end..].split_whitespace().collect();
        if !(statement && behind.trim_start_matches(['"', ',']).starts_with(").locked(Rows::")) {
            found.push(&source[before.rfind('\n').unwrap_or(0)..at + end]);
        }
    }
    found
}

#[test]
fn every_statement_that_locks_rows_says_which() {
    for (path, source) in sources() {
        // The one spells the tokens, the other adds them where it is told which rows.
        if !path.ends_with("src/dialect.rs") && !path.ends_with("src/sql.rs") {
            assert_eq!(unranked(&source), Vec::<&str>::new(), "{path}");
        }
    }
}

#[test]
fn a_lock_without_rank_is_found() {
    let ranked = r#"tx.all(sql!("select key from job {lock}").locked(Rows::Job), &[])"#;
    assert!(unranked(ranked).is_empty());
    assert_eq!(unranked(&ranked.replace(".locked(Rows::Job)", "")).len(), 1);
    assert_eq!(unranked(r#"Sql::raw("select key from job for update")"#).len(), 1);
}

/// What SQLite does not report when it writes: `RightsVersion` would not notice.
fn is_silent(text: &str) -> bool {
    let all_rows = ["token", "user_account"].iter().any(|table| {
        text.match_indices(&format!("delete from {table}")).any(|(at, found)| {
            let rest = text[at + found.len()..].trim_start();
            !rest.starts_with("where") && !rest.starts_with('_')
        })
    });
    all_rows || text.contains("or replace") || text.contains("replace into")
}

#[test]
fn no_statement_changes_tokens_or_users_in_silence() {
    for (file, text) in statements().into_iter().chain(made()) {
        assert!(!is_silent(&format!("{text:?}")), "{file}: {text:?}");
    }
    assert!(is_silent("delete from token") && is_silent("insert or replace into user_account values ($1)"));
    assert!(!is_silent("delete from token where key = $1") && !is_silent("delete from token_use"));
}

#[test]
fn both_engines_can_prepare_every_statement() {
    let mut found = statements();
    assert!(found.len() > 25, "only {} statements were found", found.len());
    found.extend(made());
    super::on_both(async |db| {
        for (file, text) in &found {
            let sql = text.clone();
            let read = db.write("prepare", async move |tx: &mut Tx| tx.prepare(sql.clone()).await);
            let read: Result<(), StoreError> = read.await;
            if let Err(error) = read {
                panic!("{file}\n{text:?}\n{error:?}");
            }
        }
    });
}
