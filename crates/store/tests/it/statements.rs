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
