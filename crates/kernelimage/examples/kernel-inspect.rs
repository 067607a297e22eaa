// SPDX-License-Identifier: MIT
//! Prints what an image is, as JSON; with `--symbols`, its symbols as `System.map` has them.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = arguments.first().is_some_and(|first| first == "--symbols");
    if list {
        arguments.remove(0);
    }
    let [path] = arguments.as_slice() else {
        eprintln!("usage: kernel-inspect [--symbols] IMAGE");
        return ExitCode::from(2);
    };
    match run(path, list) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: &str, list: bool) -> Result<String, Box<dyn std::error::Error>> {
    let image = std::fs::read(path)?;
    let limits = kernelimage::Limits::default();
    if !list {
        return Ok(serde_json::to_string_pretty(&kernelimage::inspect(&image, &limits))?);
    }
    let lines: Vec<String> = kernelimage::symbols(&image, &limits)?
        .iter()
        .map(|symbol| format!("{:016x} {} {}", symbol.address, symbol.kind, symbol.name))
        .collect();
    Ok(lines.join("\n"))
}
