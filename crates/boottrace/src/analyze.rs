//! The one way from bytes to a document.

use crate::boot::Boot;
use crate::console::{self, ExternalStamp, Ledger, ReaderCounts};
use crate::document::{Document, NotABoot, Part, DOCUMENT_FORMAT, DOCUMENT_VERSION};
use crate::formats::{self, Format};
use crate::input::Input;
use crate::{Error, Options};

/// Reads `bytes` (packed or not) and says what they hold. `name` is used in messages only.
///
/// # Errors
/// Only when there is nothing to read: see [`Error`]. Damage and oddities are reported in the document.
pub fn analyze(name: &str, bytes: &[u8], options: &Options) -> Result<Document, Error> {
    analyze_stamped(name, bytes, None, options)
}

/// Like [`analyze`], with one stamp of a capturing host or of an emulator for each line.
///
/// # Errors
/// As [`analyze`].
pub fn analyze_stamped(
    name: &str,
    bytes: &[u8],
    stamps: Option<&[ExternalStamp]>,
    options: &Options,
) -> Result<Document, Error> {
    let input = Input::from_bytes(name, bytes, &options.limits)?;
    let detected = formats::detect(&input.bytes).map_or(Format::BootLog, |(format, _)| format);
    let mut document = Document {
        format: DOCUMENT_FORMAT.to_owned(),
        version: DOCUMENT_VERSION,
        name: name.to_owned(),
        input: input.notes.clone(),
        detected,
        lines: 0,
        parts: Vec::new(),
        took: Vec::new(),
        skipped: Vec::new(),
        boot_loop: None,
    };
    match detected {
        Format::BootLog => boot_log(&input, stamps, options, &mut document),
    }
    Ok(document)
}

fn boot_log(input: &Input<'_>, stamps: Option<&[ExternalStamp]>, options: &Options, document: &mut Document) {
    let lines = console::read(&input.bytes, stamps, &options.limits);
    document.lines = u64::from(lines.physical);
    let counts = ReaderCounts::of(&lines);
    let split = console::split(lines, &options.limits);
    let mut ledger = Ledger::default();
    console::left_out(&split, &counts, &mut ledger);
    document.took = console::took(&split, &counts);
    let mut number = 0;
    for log in split.boots {
        let suspend = console::not_a_boot(&log);
        let (from_line, to_line) = log.span();
        number += 1;
        let boot = Boot::from_log(log, number, options);
        for (reason, (count, first)) in &boot.kernel.look_alikes {
            ledger.add(reason, *count, Some(*first));
        }
        if let Some((what, why)) = suspend {
            number -= 1;
            document.parts.push(Part::NotABoot(NotABoot {
                from_line,
                to_line,
                what: what.to_owned(),
                why,
            }));
        } else {
            document.parts.push(Part::Boot(boot));
        }
    }
    let endings: Vec<_> = document.boots().map(|b| b.last_words.clone()).collect();
    document.boot_loop = crate::analysis::boot_loop(&endings);
    document.skipped = ledger.into_skipped();
}
