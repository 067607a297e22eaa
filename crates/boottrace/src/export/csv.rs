// SPDX-License-Identifier: MIT
//! A flat table (RFC 4180): one row for each span, instant and counter value.

use std::io::{self, Write};

use crate::text::printable as text;
use crate::timeline::tracks::Timeline;

/// One cell. Text that a spreadsheet would take for a formula gets an apostrophe in front.
fn cell(value: &str) -> String {
    let value = text::printable(value);
    let formula = value.starts_with(['=', '+', '-', '@']);
    let value = if formula {
        format!("'{value}")
    } else {
        value.into_owned()
    };
    if value.contains([',', '"', ';']) || value.starts_with(' ') || value.ends_with(' ') {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value
    }
}

/// Column names, in order. Times are nanoseconds; `details` is `key=value` pairs split by `; `.
pub const HEADER: &str = "clock,track,kind,name,category,start_ns,end_ns,duration_ns,value,unit,details";

fn details(args: &[(String, String)]) -> String {
    let pairs: Vec<String> = args.iter().map(|(k, v)| format!("{k}={v}")).collect();
    cell(&pairs.join("; "))
}

/// Writes a timeline as a table, lines ended by CR LF.
///
/// # Errors
/// Those of `out`.
pub fn write<W: Write>(timeline: &Timeline, mut out: W) -> io::Result<()> {
    let clock = cell(&timeline.clock);
    write!(out, "{HEADER}\r\n")?;
    for track in &timeline.tracks {
        let name = cell(&track.name);
        for span in &track.spans {
            let end = span.end_ns.map_or_else(String::new, |ns| ns.to_string());
            let duration = span.duration_ns().map_or_else(String::new, |ns| ns.to_string());
            write!(
                out,
                "{clock},{name},span,{},{},{},{end},{duration},,,{}\r\n",
                cell(&span.name),
                cell(&span.category),
                span.start_ns,
                details(&span.args)
            )?;
        }
        for instant in &track.instants {
            write!(
                out,
                "{clock},{name},instant,{},{},{},,,,,{}\r\n",
                cell(&instant.name),
                cell(&instant.category),
                instant.at_ns,
                details(&instant.args)
            )?;
        }
        for counter in &track.counters {
            let (label, unit) = (cell(&counter.name), cell(&counter.unit));
            for (at_ns, value) in &counter.points {
                write!(out, "{clock},{name},counter,{label},,{at_ns},,,{value},{unit},\r\n")?;
            }
        }
    }
    out.flush()
}
