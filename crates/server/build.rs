//! Lists the files of the web console, which the binary carries. There are none without the feature `console`, or before
//! `scripts/build-console` has built it: then the service says so on its start page.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    if env::var_os("CARGO_FEATURE_CONSOLE").is_some() {
        let dist = folder("CARGO_MANIFEST_DIR")?.join("../../console/dist");
        // Cargo watches only what is there, and builds anew each time what is not.
        let _ = fs::create_dir_all(&dist);
        println!("cargo::rerun-if-changed={}", dist.display());
        if dist.is_dir() {
            collect(&dist, "", &mut files)?;
        }
    }
    files.sort();
    let mut list = "&[\n".to_owned();
    for (address, file) in files {
        writeln!(list, "    ({address:?}, include_bytes!({file:?})),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    fs::write(folder("OUT_DIR")?.join("console.rs"), list)
}

fn folder(variable: &str) -> io::Result<PathBuf> {
    env::var_os(variable).map(Into::into).ok_or_else(|| io::Error::other(format!("Cargo sets no {variable}")))
}

/// All files below a folder, by their address. Hidden ones are notes of whoever built them.
fn collect(folder: &Path, address: &str, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let address = format!("{address}/{name}");
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            collect(&path, &address, files)?;
        } else {
            files.push((address, path.display().to_string()));
        }
    }
    Ok(())
}
