// SPDX-License-Identifier: MIT
//! Prints what a kernel's source files define: line, kind, name. Files that end with `.S` are assembly.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: definitions FILE...");
        return ExitCode::from(2);
    }
    for path in paths {
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let scan = if Path::new(&path).extension().is_some_and(|ending| ending == "S") {
            kernelsource::scan_assembly
        } else {
            kernelsource::scan_c
        };
        for found in scan(&text) {
            println!("{path}:{} {} {}", found.line, found.kind.letter(), found.name);
        }
    }
    ExitCode::SUCCESS
}
