// SPDX-License-Identifier: MIT
//! The systemd journal in export format (`journalctl -o export`), text and binary fields, as JSON (`-o json`,
//! `json-pretty`, `json-seq`, `json-sse`), and in `-o verbose`.
//!
//! Format: systemd's "Journal Export Formats". Message ids: `src/systemd/sd-messages.h`.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

use serde::Serialize;

pub use super::journal_boot::{Boot, JournalLine};
use super::journal_verbose::{self, Entry};
use super::systemd_analyze::StartupTime;
use crate::readers::skipped::Skipped;

/// A longer field is cut (and its rest dropped).
pub const MAX_FIELD_BYTES: usize = 64 * 1024;
/// Fields of one entry that are kept.
pub const MAX_FIELDS: usize = 256;
/// Boots kept.
pub const MAX_BOOTS: usize = 1000;
/// Lines and units kept, of all boots together.
pub const MAX_KEPT: usize = 1_000_000;
/// Bytes of messages kept, of all boots together.
pub const MAX_KEPT_BYTES: usize = 256 << 20;

const UNIT_STARTING: &str = "7d4958e842da4a758f6c1cdc7b36dcc5";
const UNIT_STARTED: &str = "39f53479d3a045ac8e11786248231fbf";
const UNIT_FAILED: &str = "be02cf6855d2428ba40df7e9d022f03d";
const UNIT_STOPPING: &str = "de5b426a63be47a7b6ac3eaac82e2f6f";
const UNIT_STOPPED: &str = "9d1aaa27d60140bd96365438aad20286";
const STARTUP_FINISHED: &str = "b07a249cd024414a82dd00cd181378ff";

/// All boots of a file, in order of appearance.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Journal {
    /// Boots.
    pub boots: Vec<Boot>,
    /// What was left out, and why.
    pub skipped: Skipped,
}

/// What the head of a file says about being such an export: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let stamped = |key: &[u8]| memchr::memmem::find(head, key).is_some();
    if json_start(head).is_some() {
        let found = stamped(b"\"__REALTIME_TIMESTAMP\"") || stamped(b"\"__MONOTONIC_TIMESTAMP\"");
        return found.then_some(1.0);
    }
    if journal_verbose::detect(head) {
        return Some(1.0);
    }
    let has = |key: &[u8]| head.starts_with(key) || memchr::memmem::find(head, &[b"\n", key].concat()).is_some();
    match (has(b"__REALTIME_TIMESTAMP="), has(b"__MONOTONIC_TIMESTAMP=")) {
        (true, true) => Some(1.0),
        (false, false) => None,
        _ => Some(0.7),
    }
}

/// Reads up to LF into `line`, keeping at most [`MAX_FIELD_BYTES`]; false at the end of the input.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, cut: &mut bool) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(any);
        }
        any = true;
        let newline = memchr::memchr(b'\n', buffer);
        let end = newline.unwrap_or(buffer.len());
        let room = MAX_FIELD_BYTES - line.len();
        line.extend_from_slice(&buffer[..end.min(room)]);
        *cut |= end > room;
        let used = newline.map_or(end, |at| at + 1);
        reader.consume(used);
        if newline.is_some() {
            return Ok(true);
        }
    }
}

/// Reads a binary value: 64-bit length, bytes, LF. `None` when the input ends inside it.
fn read_binary(reader: &mut impl BufRead, cut: &mut bool) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    if let Err(error) = reader.read_exact(&mut length) {
        return if error.kind() == io::ErrorKind::UnexpectedEof {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let length = u64::from_le_bytes(length);
    let mut value = Vec::new();
    let kept = reader
        .by_ref()
        .take(length.min(MAX_FIELD_BYTES as u64))
        .read_to_end(&mut value)? as u64;
    if kept < length {
        *cut = true;
        let rest = length - kept;
        if io::copy(&mut reader.by_ref().take(rest), &mut io::sink())? < rest {
            return Ok(None);
        }
    }
    let mut newline = [0; 1];
    let ended = reader.read(&mut newline)?;
    Ok((ended == 1 && newline[0] == b'\n').then_some(value))
}

#[derive(Default)]
struct Reader {
    journal: Journal,
    index: HashMap<String, usize>,
    kept: usize,
    kept_bytes: usize,
}

fn text<'a>(entry: &'a Entry, key: &str) -> Option<std::borrow::Cow<'a, str>> {
    entry.get(key.as_bytes()).map(|value| String::from_utf8_lossy(value))
}

/// A field in microseconds, as nanoseconds.
fn micros(entry: &Entry, key: &str) -> Option<i64> {
    text(entry, key)?.trim().parse::<i64>().ok()?.checked_mul(1000)
}

/// A name without blanks and control characters, so that it stands for itself in a line.
fn is_word(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.@/()+".contains(&b))
}

/// `systemd[1]`: who wrote an entry.
fn sender(entry: &Entry) -> Option<String> {
    let name = text(entry, "SYSLOG_IDENTIFIER").or_else(|| text(entry, "_COMM"))?;
    let pid = text(entry, "SYSLOG_PID").or_else(|| text(entry, "_PID"));
    let pid = pid.filter(|pid| (1..=10).contains(&pid.len()) && pid.bytes().all(|b| b.is_ascii_digit()));
    let pid = pid.map_or_else(String::new, |pid| format!("[{pid}]"));
    is_word(&name).then(|| format!("{name}{pid}"))
}

impl Reader {
    fn entry(&mut self, entry: &Entry) {
        if entry.is_empty() {
            return;
        }
        let boot_id = text(entry, "_BOOT_ID").unwrap_or_default();
        let known = self.index.get(boot_id.as_ref()).copied();
        let index = match known {
            Some(index) => index,
            None if self.journal.boots.len() >= MAX_BOOTS => {
                self.journal.skipped.add("entry of a boot beyond the limit", 1);
                return;
            }
            None => {
                let index = self.journal.boots.len();
                self.index.insert(boot_id.to_string(), index);
                self.journal.boots.push(Boot {
                    boot_id: boot_id.to_string(),
                    ..Boot::default()
                });
                index
            }
        };
        let boot = &mut self.journal.boots[index];
        boot.entries += 1;
        let Some(at_ns) = micros(entry, "__MONOTONIC_TIMESTAMP") else {
            self.journal.skipped.add("entry without a monotonic stamp", 1);
            return;
        };
        boot.bounds_ns = Some(
            boot.bounds_ns
                .map_or((at_ns, at_ns), |(low, high)| (low.min(at_ns), high.max(at_ns))),
        );
        if self.kept >= MAX_KEPT || self.kept_bytes >= MAX_KEPT_BYTES {
            self.journal.skipped.add("entry beyond the limit", 1);
            return;
        }
        let message = text(entry, "MESSAGE").unwrap_or_default().into_owned();
        self.kept_bytes += message.len();
        if boot.host.is_empty() {
            boot.host = text(entry, "_HOSTNAME")
                .filter(|name| is_word(name))
                .unwrap_or_default()
                .into_owned();
        }
        if text(entry, "_TRANSPORT").as_deref() == Some("kernel") {
            let printk =
                micros(entry, "_SOURCE_MONOTONIC_TIMESTAMP").or_else(|| micros(entry, "_SOURCE_BOOTTIME_TIMESTAMP"));
            self.kept += 1;
            boot.lines.push(JournalLine {
                at_ns: printk.unwrap_or(at_ns),
                from_printk: printk.is_some(),
                sender: String::new(),
                text: message,
            });
            return;
        }
        if let Some(sender) = sender(entry).filter(|_| !message.is_empty()) {
            self.kept += 1;
            boot.lines.push(JournalLine {
                at_ns,
                from_printk: false,
                sender,
                text: message,
            });
        }
        if let Some(id) = text(entry, "MESSAGE_ID") {
            // The manager's own stamp is nearer to the event than the journal's.
            let at_ns = micros(entry, "_SOURCE_MONOTONIC_TIMESTAMP").unwrap_or(at_ns);
            self.kept += 1;
            Self::message(boot, &id, entry, at_ns);
        }
    }

    fn message(boot: &mut Boot, id: &str, entry: &Entry, at_ns: i64) {
        if id == STARTUP_FINISHED {
            // User managers say the same of themselves; only the system's has the kernel's time or pid 1.
            if text(entry, "_PID").is_some_and(|pid| pid != "1") {
                return;
            }
            let part = |key: &str| micros(entry, key).and_then(|ns| u64::try_from(ns).ok());
            let mut startup = text(entry, "MESSAGE")
                .and_then(|text| StartupTime::parse(text.strip_prefix("Startup finished in ")?))
                .unwrap_or_default();
            startup.kernel_ns = part("KERNEL_USEC").or(startup.kernel_ns);
            startup.initrd_ns = part("INITRD_USEC").or(startup.initrd_ns);
            startup.userspace_ns = part("USERSPACE_USEC").or(startup.userspace_ns);
            boot.startup = Some(startup);
            boot.startup_finished_ns = Some(at_ns);
            return;
        }
        let Some(name) = text(entry, "UNIT") else { return };
        if !matches!(
            id,
            UNIT_STARTING | UNIT_STARTED | UNIT_FAILED | UNIT_STOPPING | UNIT_STOPPED
        ) {
            return;
        }
        let result = text(entry, "JOB_RESULT").map(std::borrow::Cow::into_owned);
        let unit = boot.unit(&name);
        let field = match id {
            UNIT_STARTING => &mut unit.activating_ns,
            UNIT_STARTED => &mut unit.activated_ns,
            UNIT_STOPPING => &mut unit.deactivating_ns,
            _ => &mut unit.deactivated_ns,
        };
        // The first start is the boot's; what is restarted later is not.
        let first = field.is_none();
        field.get_or_insert(at_ns);
        if first && matches!(id, UNIT_STARTED | UNIT_FAILED) {
            let result = result.unwrap_or_else(|| if id == UNIT_FAILED { "failed" } else { "done" }.to_owned());
            unit.result = Some(result);
            let start = unit.activating_ns.zip(unit.activated_ns);
            unit.time_ns = start.and_then(|(from, to)| u64::try_from(to - from).ok());
        }
    }
}

/// The entry in JSON that a line begins with: behind the record separator of `json-seq` or the `data:` of `json-sse`.
fn json_start(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(b"\x1e").unwrap_or(line);
    let line = line.strip_prefix(b"data:").unwrap_or(line).trim_ascii_start();
    line.starts_with(b"{").then_some(line)
}

/// Reads the rest of an entry that `json-pretty` wrote on several lines.
fn read_pretty(reader: &mut impl BufRead, text: &mut Vec<u8>, cut: &mut bool) -> io::Result<()> {
    let mut line = Vec::new();
    for _ in 0..MAX_FIELDS * 4 {
        if !read_line(reader, &mut line, cut)? {
            break;
        }
        text.push(b'\n');
        text.extend_from_slice(&line);
        if line.starts_with(b"}") {
            break;
        }
    }
    Ok(())
}

/// The fields of an entry in JSON. Binary values are lists of bytes; repeated fields are lists, of which the first counts.
fn json_entry(text: &[u8]) -> Option<Entry> {
    use serde_json::Value;
    fn bytes(value: &Value) -> Option<Vec<u8>> {
        match value {
            Value::String(text) => Some(text.clone().into_bytes()),
            Value::Number(number) => Some(number.to_string().into_bytes()),
            Value::Array(list) if list.iter().all(Value::is_u64) => {
                list.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect()
            }
            Value::Array(list) => list.first().filter(|first| !first.is_array()).and_then(bytes),
            _ => None,
        }
    }
    let Value::Object(fields) = serde_json::from_slice(text).ok()? else {
        return None;
    };
    let kept = fields.iter().take(MAX_FIELDS);
    Some(
        kept.filter_map(|(key, value)| Some((key.clone().into_bytes(), bytes(value)?)))
            .collect(),
    )
}

/// Reads an export. One entry is in memory at a time, besides the boots' own lists.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R) -> io::Result<Journal> {
    let mut reader = BufReader::with_capacity(256 * 1024, reader);
    let mut state = Reader::default();
    let mut entry = Entry::new();
    let (mut line, mut cut_fields, mut verbose) = (Vec::new(), 0_u64, false);
    loop {
        let mut cut = false;
        if !read_line(&mut reader, &mut line, &mut cut)? {
            break;
        }
        if line.is_empty() {
            state.entry(&entry);
            entry.clear();
            continue;
        }
        if let Some(begun) = journal_verbose::header(&line) {
            state.entry(&entry);
            (entry, verbose) = (begun, true);
            continue;
        }
        if verbose {
            let field = journal_verbose::field(&line).filter(|_| entry.len() < MAX_FIELDS);
            if let Some((key, value)) = field {
                entry.entry(key.to_vec()).or_insert_with(|| value.to_vec());
            }
            continue;
        }
        if let Some(start) = json_start(&line) {
            let mut json = start.to_vec();
            if start == b"{" {
                read_pretty(&mut reader, &mut json, &mut cut)?;
            }
            cut_fields += u64::from(cut);
            match json_entry(&json) {
                Some(found) => state.entry(&found),
                None => state.journal.skipped.note("no entry in JSON", &line),
            }
            continue;
        }
        let (key, value) = if let Some(equals) = memchr::memchr(b'=', &line) {
            (line[..equals].to_vec(), line[equals + 1..].to_vec())
        } else {
            let key = line.clone();
            if !key.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                state.journal.skipped.note("no field of the export format", &line);
                continue;
            }
            let Some(value) = read_binary(&mut reader, &mut cut)? else {
                state.journal.skipped.note("binary field that does not end", &key);
                break;
            };
            (key, value)
        };
        cut_fields += u64::from(cut);
        if entry.len() < MAX_FIELDS {
            entry.entry(key).or_insert(value);
        } else {
            state.journal.skipped.add("field beyond the limit of an entry", 1);
        }
    }
    state.entry(&entry);
    state.journal.skipped.add("field cut (too long)", cut_fields);
    Ok(state.journal)
}
