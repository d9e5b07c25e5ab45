use domain::key::{ImportKey, MediaKey};
use store::attachments::{files, media_files};
use store::{Db, StoreError, Tx, imports};

use super::run;
use super::samples::{NOW, PAGE, text};

fn folder(subfolder: &str) -> files::Folder {
    files::Folder { bucket: "product", object_key: "P".to_owned(), subfolder: subfolder.to_owned() }
}

pub(super) async fn run(db: &Db) {
    run!(db, tx:
        files::find(tx, &folder(""), "a"),
        files::named(tx, &folder(""), &text("a")),
        files::clear(tx, &folder(""), &text("a")),
        files::remove(tx, &folder(""), &text("a")),
        files::clear_records(tx, "product", &text("P")),
        files::of_records(tx, "product", &text("P")),
        files::list(tx, &folder(""), true, &PAGE),
        files::list(tx, &folder("a"), true, &PAGE),
        files::list(tx, &folder("a"), false, &PAGE),
        media_files::find(tx, MediaKey(1)),
        media_files::lock(tx, MediaKey(1)),
        media_files::lock_all(tx, &[1]),
        media_files::linked(tx, &text("Step/1")),
        imports::find(tx, "products", ImportKey(1), NOW),
    );
}
