// SPDX-License-Identifier: MIT
//! The floor plan: a room imports only from the rooms below it, and no two files import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of this crate, the lowest first.
const ROOMS: [&str; 11] = [
    "error", "options", "text", "input", "timeline", "log", "readers", "facts", "costs", "document", "export",
];

/// A module's path (`log::line`) and the paths that its `use` lines name.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src")
}

fn sources(folder: &Path, module: &str, out: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let below = if module.is_empty() {
            name.clone()
        } else {
            format!("{module}::{name}")
        };
        if path.is_dir() {
            sources(&path, &below, out);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&path).expect("text");
            let module = if matches!(name.as_str(), "mod" | "lib") {
                module.to_owned()
            } else {
                below
            };
            out.insert(module, text);
        }
    }
}

/// The code of a file without comments and without its own tests.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// All paths of a tree of names: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn spread(prefix: &str, tree: &str, out: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or_default().trim();
        let path = format!("{prefix}{name}");
        out.push(path.trim_end_matches("::self").to_owned());
        return;
    };
    let inside = &rest[..rest.rfind('}').expect("a closed tree")];
    let prefix = format!("{prefix}{head}");
    let (mut depth, mut from) = (0, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                spread(&prefix, &inside[from..at], out);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !inside[from..].trim().is_empty() {
        spread(&prefix, &inside[from..], out);
    }
}

/// A path as written in `module`, as one from the crate's root; `None` for what is of another crate.
fn from_root(module: &str, is_folder: bool, path: &str, top: &BTreeSet<&str>) -> Option<String> {
    if let Some(path) = path.strip_prefix("crate::") {
        return Some(path.to_owned());
    }
    let mut room: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
    if !path.starts_with("super::") {
        // In the file of a folder, the files of it are named as they are; in the root, the rooms.
        let first = path.trim_start_matches("self::").split("::").next()?;
        let known = if module.is_empty() {
            top.contains(first)
        } else {
            is_folder
        };
        let path = path.trim_start_matches("self::");
        return known.then(|| {
            if module.is_empty() {
                path.to_owned()
            } else {
                format!("{module}::{path}")
            }
        });
    }
    let mut rest = path;
    while let Some(more) = rest.strip_prefix("super::") {
        room.pop();
        rest = more;
    }
    room.push(rest);
    Some(room.join("::"))
}

fn imports(name: &str) -> Imports {
    let mut files = BTreeMap::new();
    sources(&folder(name), "", &mut files);
    let top: BTreeSet<&str> = files
        .keys()
        .map(|module| module.split("::").next().unwrap_or_default())
        .collect();
    let mut out = Imports::new();
    for (module, text) in &files {
        let is_folder = files.keys().any(|other| other.starts_with(&format!("{module}::")));
        let code = code(text);
        let mut paths = Vec::new();
        for statement in code.split(';') {
            let start = statement
                .rfind("use ")
                .filter(|at| *at == 0 || statement.as_bytes()[at - 1].is_ascii_whitespace());
            if let Some(at) = start {
                spread("", &statement[at + 4..], &mut paths);
            }
        }
        // Paths that are written out where they are needed.
        for (at, _) in code.match_indices("crate::") {
            let path = code[at..]
                .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
                .next();
            paths.extend(path.map(|path| path.trim_end_matches(':').to_owned()));
        }
        let found = paths.iter().filter_map(|path| from_root(module, is_folder, path, &top));
        let modules = found.map(|path| longest(&path, &files));
        out.insert(module.clone(), modules.filter(|other| other != module).collect());
    }
    out
}

/// The file that a path leads into.
fn longest(path: &str, files: &BTreeMap<String, String>) -> String {
    let mut path = path;
    loop {
        if path.is_empty() || files.contains_key(path) {
            return path.to_owned();
        }
        // What no file is called stands in the root.
        path = path.rsplit_once("::").map_or("", |(folder, _)| folder);
    }
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

#[test]
fn rooms_import_downwards_only() {
    let place = |module: &str| ROOMS.iter().position(|name| *name == room(module));
    for (module, used) in imports("boottrace") {
        if module.is_empty() {
            continue;
        }
        let here = place(&module).unwrap_or_else(|| panic!("{module} is in no room of the floor plan"));
        for other in used {
            let there = place(&other).unwrap_or_else(|| panic!("{other} is in no room of the floor plan"));
            assert!(there <= here, "{module} imports {other}, which stands above it");
        }
    }
}

#[test]
fn no_two_files_import_each_other() {
    for name in ["boottrace", "kernelimage", "kernelsource", "levels", "bootlab-python"] {
        let graph = imports(name);
        assert!(
            graph.values().map(BTreeSet::len).sum::<usize>() >= 2,
            "{name}: no imports were found"
        );
        let mut left = graph.clone();
        // What imports nothing that is left is taken away until only circles are left.
        loop {
            let done: Vec<String> = left
                .iter()
                .filter(|(_, used)| used.iter().all(|other| !left.contains_key(other)))
                .map(|(m, _)| m.clone())
                .collect();
            if done.is_empty() {
                break;
            }
            for module in done {
                left.remove(&module);
            }
        }
        let open: Vec<String> = left
            .iter()
            .map(|(module, used)| {
                let inside: Vec<&String> = used.iter().filter(|other| left.contains_key(*other)).collect();
                format!("{module} -> {inside:?}")
            })
            .collect();
        assert!(left.is_empty(), "{name} has circles:\n{}", open.join("\n"));
    }
}

#[test]
fn the_reader_of_imports_reads_them() {
    let mut out = Vec::new();
    spread("", "super::{a, b::{self, c as d}, e::f}", &mut out);
    assert_eq!(out, ["super::a", "super::b", "super::b::c", "super::e::f"]);
    let top = BTreeSet::from(["log"]);
    assert_eq!(
        from_root("log::line", false, "super::stamp::digits", &top).as_deref(),
        Some("log::stamp::digits")
    );
    assert_eq!(from_root("log::line", false, "std::io", &top), None);
    assert_eq!(from_root("", true, "log::Clock", &top).as_deref(), Some("log::Clock"));
    let graph = imports("boottrace");
    assert!(graph["log::prefix"].contains("log::stamp"));
    assert!(graph["costs::waits"].contains("text::shorten"));
}
