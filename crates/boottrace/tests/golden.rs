// SPDX-License-Identifier: MIT
//! Golden pairs: every file of `golden/<kind>/` must give the JSON beside it. `BLESS=1 cargo test --test golden` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use boottrace::document::invariants::broken;
use boottrace::{analyze, Options};

fn logs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut found = Vec::new();
    for format in fs::read_dir(root).unwrap() {
        for file in fs::read_dir(format.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|e| e != "json") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_log_gives_its_document() {
    let logs = logs();
    assert!(logs.len() >= 20, "only {} golden logs were found", logs.len());
    let mut differing = Vec::new();
    for log in logs {
        let name = log.file_stem().unwrap().to_string_lossy().into_owned();
        let document = analyze(&name, &fs::read(&log).unwrap(), &Options::default()).unwrap();
        let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
        let golden = log.with_extension("json");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&golden, &text).unwrap();
        }
        if fs::read_to_string(&golden).unwrap_or_default() != text {
            differing.push(log);
        }
    }
    assert!(
        differing.is_empty(),
        "these differ (compare, then BLESS=1): {differing:?}"
    );
}

#[test]
fn a_document_reads_back_as_it_was_written() {
    for log in logs() {
        let document = analyze("x", &fs::read(&log).unwrap(), &Options::default()).unwrap();
        let text = serde_json::to_string(&document).unwrap();
        let mut back: boottrace::Document = serde_json::from_str(&text).unwrap();
        // Look-alikes and split parameters live in the document's own lists, not in the boots.
        assert_eq!(serde_json::to_string(&back).unwrap(), text, "{}", log.display());
        back.version += 1;
        assert_ne!(back, document);
    }
}

#[test]
fn every_document_can_be() {
    for log in logs() {
        let options = Options {
            keep_lines: true,
            ..Options::default()
        };
        let document = analyze("x", &fs::read(&log).unwrap(), &options).unwrap();
        assert_eq!(broken(&document), Vec::<String>::new(), "{}", log.display());
    }
}
