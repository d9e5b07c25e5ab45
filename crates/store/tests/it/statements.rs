//! Every statement of the source is read by both engines.

use std::path::Path;

use store::{Sql, StoreError, Tx};

/// The literals of all `sql!("…")` below a folder.
fn statements(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            statements(&path, found);
        } else {
            let source = std::fs::read_to_string(&path).unwrap();
            let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let source = code.join("\n");
            for (at, _) in source.match_indices("sql!(") {
                let rest = source[at + "sql!(".len()..].trim_start();
                if let Some(literal) = rest.strip_prefix('"') {
                    let text = literal.split('"').next().unwrap();
                    assert!(!text.contains('\\'), "{}: no escapes in statements", path.display());
                    found.push((path.display().to_string(), text.to_owned()));
                }
            }
        }
    }
}

#[test]
fn both_engines_can_prepare_every_statement() {
    let mut found = Vec::new();
    statements(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 25, "only {} statements were found", found.len());
    super::on_both(async |db| {
        for (file, text) in &found {
            let sql = Sql::raw(text.clone());
            let read = db.write("prepare", async move |tx: &mut Tx| tx.prepare(sql.clone()).await);
            let read: Result<(), StoreError> = read.await;
            if let Err(error) = read {
                panic!("{file}\n{text}\n{error:?}");
            }
        }
    });
}
