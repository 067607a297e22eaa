// SPDX-License-Identifier: MIT
//! Finds a tree's source files and scans them, on all processors.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use crate::assembly::scan_assembly;
use crate::c::scan_c;
use crate::definition::Definition;

/// No kernel source comes near it.
const MAX_FILE_BYTES: u64 = 64 << 20;
const MAX_FILES: usize = 500_000;

/// A source file, as it stands in the folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    /// Its path below the tree.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub changed_ns: u64,
}

/// The `.c` and `.S` files that a kernel for one architecture may be built from, in the order of their paths.
/// Folders of other architectures and of programs are left out; links are not followed.
// `.s` is what a compiler writes, `.S` what a person does.
#[allow(clippy::case_sensitive_file_extension_comparisons)]
pub fn source_files(tree: &Path, srcarch: &str) -> Vec<SourceFile> {
    let mut out = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(tree.join(&folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                if wanted(&path, srcarch) {
                    folders.push(path);
                }
            } else if kind.is_file() && (path.ends_with(".c") || path.ends_with(".S")) && out.len() < MAX_FILES {
                let Ok(facts) = entry.metadata() else {
                    continue;
                };
                let changed = facts.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                out.push(SourceFile {
                    path,
                    bytes: facts.len(),
                    changed_ns: changed.map_or(0, |since| since.as_nanos() as u64),
                });
            }
        }
    }
    out.sort();
    out
}

fn wanted(folder: &str, srcarch: &str) -> bool {
    if folder.starts_with('.') || matches!(folder, "Documentation" | "tools" | "scripts" | "samples" | "LICENSES") {
        return false;
    }
    match folder.strip_prefix("arch/") {
        // UML is built from x86 files, 32-bit PowerPC from 64-bit ones; one folder an architecture otherwise.
        Some(rest) => rest.split('/').next() == Some(srcarch),
        None => true,
    }
}

/// What each of the files defines, in their order.
pub fn scan_tree(tree: &Path, files: &[SourceFile]) -> Vec<Vec<Definition>> {
    let next = AtomicUsize::new(0);
    let out = Mutex::new(vec![Vec::new(); files.len()]);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(number) else {
                    return;
                };
                let found = scan_file(tree, file);
                if let Ok(mut all) = out.lock() {
                    all[number] = found;
                }
            });
        }
    });
    out.into_inner().unwrap_or_default()
}

#[allow(clippy::case_sensitive_file_extension_comparisons)]
fn scan_file(tree: &Path, file: &SourceFile) -> Vec<Definition> {
    if file.bytes > MAX_FILE_BYTES {
        return Vec::new();
    }
    let Ok(text) = fs::read(tree.join(&file.path)) else {
        return Vec::new();
    };
    if file.path.ends_with(".S") {
        scan_assembly(&text)
    } else {
        scan_c(&text)
    }
}
