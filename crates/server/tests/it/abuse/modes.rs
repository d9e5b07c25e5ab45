//! Files on disk are for the service's own user, whoever made the folder that they are in.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use testkit::{Engine, Method, Site, block_on};

/// A folder that somebody made for everybody to see.
fn open_folder(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
}

/// All below a folder, with their modes.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let facts = entry.metadata().unwrap();
        found.push((entry.path().display().to_string(), facts.permissions().mode() & 0o7777));
        if facts.is_dir() {
            found.extend(modes(&entry.path()));
        }
    }
    found
}

fn files_are_private(engine: Engine) {
    block_on(async {
        let root = tempfile::tempdir().unwrap();
        let (data, media) = (root.path().join("data"), root.path().join("media"));
        open_folder(&data);
        open_folder(&media);
        let site = Site::start_with(engine, |settings| {
            settings.media_root = Some(media.clone());
            if engine == Engine::Sqlite {
                settings.data = Some(data.clone());
            }
        })
        .await;
        let admin = site.admin().await;
        let large = vec![7; 6 * 1024 * 1024];
        for file in [b"small".as_slice(), &large] {
            admin.upload(Method::POST, "/media/create", &[], &[("file", "a.bin", file)]).await.expect(200);
        }
        let stored = modes(&media);
        assert!(stored.len() >= 4, "{stored:?}");
        let made = if engine == Engine::Sqlite { modes(&data) } else { Vec::new() };
        for (path, mode) in stored.into_iter().chain(made) {
            let wanted = if Path::new(&path).is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, wanted, "{path}: {mode:o}");
        }
        site.stop().await;
    });
}

#[test]
fn files_are_private_sqlite() {
    files_are_private(Engine::Sqlite);
}

#[test]
fn files_are_private_postgres() {
    files_are_private(Engine::Postgres);
}
