// SPDX-License-Identifier: MIT
//! From the bytes of a log to the answer that the page draws.

use bootpage::page::PagePart;
use bootpage::{page, told, Page, Told};
use boottrace::{analyze, Document, Limits, Options};
use serde::Serialize;

/// A browser gives a page less memory than a program has.
const LIMITS: (u64, usize) = (512 << 20, 64 << 20);

#[derive(Serialize)]
struct Answer {
    page: Page,
    told: Told,
    text: String,
}

/// Reads a log. Gives the document, and the answer as JSON; the error is a sentence.
pub fn read(name: &str, log: &[u8]) -> Result<(Document, Vec<u8>), String> {
    let limits = Limits {
        input_bytes: LIMITS.0,
        text_bytes: LIMITS.1,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let document = analyze(name, log, &options).map_err(|error| error.to_string())?;
    let mut page = page(&document, None, None);
    for part in &mut page.parts {
        part.get_or_insert_with(elsewhere);
    }
    let told = told(&document);
    let text = bootpage::thread_text(&document, &told);
    let answer = serde_json::to_vec(&Answer { page, told, text }).map_err(|error| error.to_string())?;
    Ok((document, answer))
}

/// Stands for a part that only the command line shows.
fn elsewhere() -> PagePart {
    PagePart {
        title: "A trace or another tool's report".to_owned(),
        alerts: vec![
            "This page shows boots and what systemd tells of them. `bootlab analyze FILE --html page.html` shows this part too."
                .to_owned(),
        ],
        ..PagePart::default()
    }
}
