// SPDX-License-Identifier: MIT
//! `dmesg --json`: one object a record in the list `dmesg`, turned back into the kernel's own text.
//!
//! Format: `print_record()` in util-linux' `sys-utils/dmesg.c`: `fac`, `pri`, `time` in seconds, `caller`, `msg`.

use std::fmt::Write as _;
use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::Value;

use super::skipped::Skipped;

/// Bytes read: a kernel's ring buffer is far smaller.
pub const MAX_BYTES: u64 = 256 << 20;

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    /// `<level>[seconds][caller] message`, a line a record.
    pub text: String,
    /// Records without a message.
    pub skipped: Skipped,
    /// Why reading stopped before the end.
    pub problem: Option<String>,
}

#[derive(Deserialize)]
struct Record {
    pri: Option<Value>,
    time: Option<Value>,
    caller: Option<String>,
    msg: Option<String>,
}

/// What the head of a file says about being this JSON: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let rest = head.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"dmesg\"")?.trim_ascii_start();
    let list = rest.strip_prefix(b":")?.trim_ascii_start();
    list.starts_with(b"[").then_some(1.0)
}

impl Records {
    fn record(&mut self, record: &Record) {
        let Some(message) = &record.msg else {
            self.skipped.add("record without a message", 1);
            return;
        };
        if let Some(level) = record.pri.as_ref().and_then(Value::as_u64) {
            let _ = write!(self.text, "<{}>", level & 7);
        }
        if let Some(seconds) = record.time.as_ref().and_then(Value::as_f64).filter(|s| *s >= 0.0) {
            let _ = write!(self.text, "[{seconds:12.6}]");
            if let Some(caller) = record.caller.as_deref().filter(|caller| is_caller(caller)) {
                let _ = write!(self.text, "[{caller:>5}]");
            }
            self.text.push(' ');
        }
        // What a record has behind a newline is no line of its own with a stamp.
        self.text
            .extend(message.chars().map(|c| if c == '\n' { ' ' } else { c }));
        self.text.push('\n');
    }
}

/// `T1`, `C0`.
fn is_caller(text: &str) -> bool {
    let digits = text.strip_prefix(['T', 'C']);
    digits.is_some_and(|digits| (1..=10).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}

struct Whole<'a>(&'a mut Records);
struct List<'a>(&'a mut Records);

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object with the list `dmesg`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "dmesg" {
                map.next_value_seed(List(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(record) = list.next_element::<Record>()? {
            self.0.record(&record);
        }
        Ok(())
    }
}

/// Reads the records. What stands before a cut or a fault is kept.
///
/// ```
/// let json = br#"{"dmesg":[{"pri":5,"time":0.5,"msg":"Linux version 6.1"},{"pri":6,"ti"#;
/// let records = boottrace::readers::dmesg_json::parse(&json[..]).unwrap();
/// assert_eq!(records.text, "<5>[    0.500000] Linux version 6.1\n");
/// assert!(records.problem.is_some());
/// ```
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R) -> io::Result<Records> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let mut records = Records::default();
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    if let Err(error) = json.deserialize_map(Whole(&mut records)) {
        records.problem = Some(format!(
            "the JSON ends or is damaged: {error}; what stands before that was read"
        ));
    }
    Ok(records)
}
