//! Objects as files below a folder.

use std::path::Path;

use object_store::local::LocalFileSystem;

use super::owner::MARKER;
use super::{is_aged, is_object_name};
use crate::sqlite::make_private_folder;

pub(super) fn open(folder: &Path) -> std::io::Result<LocalFileSystem> {
    make_private_folder(folder)?;
    let objects = LocalFileSystem::new_with_prefix(folder).map_err(std::io::Error::other)?;
    Ok(objects.with_fsync(true))
}

/// Files of our own making that are old enough to be leftovers, relative to the folder; uploads that were never finished
/// are among them, which the object store itself does not list.
pub(super) fn aged_objects(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(facts) = entry.metadata() else { continue };
            if facts.is_dir() {
                // A folder with a mark of its own is another site's.
                if !path.join(MARKER).exists() {
                    folders.push(path);
                }
            } else if facts.modified().is_ok_and(is_aged)
                && entry.file_name().to_str().is_some_and(is_object_name)
                && let Some(relative) = path.strip_prefix(folder).ok().and_then(Path::to_str)
            {
                found.push(relative.to_owned());
            }
        }
    }
    found
}
