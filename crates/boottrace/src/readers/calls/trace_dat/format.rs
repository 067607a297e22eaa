// SPDX-License-Identifier: MIT
//! Event formats: the text of `events/<system>/<event>/format`.

use std::collections::HashMap;
use std::rc::Rc;

use super::source::Order;
use crate::text::number::digits;

/// Formats of one file that are kept.
const MAX_FORMATS: usize = 1 << 16;

/// A field of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Offset from the start of the record.
    pub offset: usize,
    /// Size in bytes; 0 for what reaches to the end of the record.
    pub size: usize,
    /// Holds offset and length of the value, in 16 bits each (`__data_loc`, `__rel_loc`).
    pub dynamic: bool,
    /// The dynamic offset counts from behind this field (`__rel_loc`).
    pub relative: bool,
}

/// An event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Format {
    /// Event name.
    pub name: String,
    /// Fields by name.
    pub fields: HashMap<String, Field>,
}

impl Format {
    /// Unsigned value of a field; `None` when the record or the format lacks it.
    pub fn number(&self, record: &[u8], order: Order, name: &str) -> Option<u64> {
        let field = self.fields.get(name)?;
        order.number(record.get(field.offset..)?, field.size)
    }

    /// Signed value of a 4- or 8-byte field.
    pub fn signed(&self, record: &[u8], order: Order, name: &str) -> Option<i64> {
        let size = self.fields.get(name)?.size;
        let value = self.number(record, order, name)?;
        let bytes = value.to_le_bytes();
        // Narrower fields are unsigned in all events read here.
        Some(match size {
            4 => i64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            _ => i64::from_le_bytes(bytes),
        })
    }

    /// Bytes of a text field, up to a NUL.
    pub fn text<'a>(&self, record: &'a [u8], order: Order, name: &str) -> Option<&'a [u8]> {
        let field = self.fields.get(name)?;
        let bytes = if field.dynamic {
            let place = order.number(record.get(field.offset..)?, 4)? as usize;
            let start = (place & 0xffff) + if field.relative { field.offset + 4 } else { 0 };
            record.get(start..start + (place >> 16))?
        } else if field.size == 0 {
            record.get(field.offset..)?
        } else {
            record.get(field.offset..field.offset + field.size)?
        };
        Some(&bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())])
    }
}

/// All events of a file, by id.
#[derive(Debug, Clone, Default)]
pub struct Formats {
    by_id: HashMap<u64, Rc<Format>>,
}

fn number_after(text: &str, key: &str) -> Option<usize> {
    let rest = &text[text.find(key)? + key.len()..];
    let (value, used) = digits(rest.as_bytes());
    (used > 0).then_some(value as usize)
}

/// Name of the C declaration `char comm[16]` or `unsigned long args[]`.
fn declared(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches(']');
    let text = text.split_once('[').map_or(text, |(name, count)| {
        // `__data_loc char[] name` has its brackets in front.
        if count.contains(char::is_alphabetic) && count.contains(' ') {
            count
        } else {
            name
        }
    });
    text.rsplit([' ', ']', '*']).next().filter(|name| !name.is_empty())
}

impl Formats {
    /// Reads one format text; false when it makes no sense.
    pub fn add(&mut self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        let mut format = Format::default();
        let mut id = None;
        for line in text.lines() {
            let line = line.trim();
            if let Some(name) = line.strip_prefix("name:") {
                name.trim().clone_into(&mut format.name);
            } else if let Some(number) = line.strip_prefix("ID:") {
                id = number.trim().parse().ok();
            } else if let Some(rest) = line.strip_prefix("field:") {
                let declaration = rest.split(';').next().unwrap_or("");
                let field = declared(declaration)
                    .zip(number_after(rest, "offset:"))
                    .zip(number_after(rest, "size:"));
                let Some(((name, offset), size)) = field else { continue };
                let relative = declaration.contains("__rel_loc");
                let dynamic = relative || declaration.contains("__data_loc");
                if format.fields.len() < 1000 {
                    format.fields.insert(
                        name.to_owned(),
                        Field {
                            offset,
                            size,
                            dynamic,
                            relative,
                        },
                    );
                }
            }
        }
        let Some(id) = id.filter(|_| !format.name.is_empty() && self.by_id.len() < MAX_FORMATS) else {
            return false;
        };
        self.by_id.insert(id, Rc::new(format));
        true
    }

    /// The event with an id.
    pub fn get(&self, id: u64) -> Option<Rc<Format>> {
        self.by_id.get(&id).cloned()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        assert_eq!(declared("unsigned short common_type"), Some("common_type"));
        assert_eq!(declared("char prev_comm[16]"), Some("prev_comm"));
        assert_eq!(declared("__data_loc char[] level"), Some("level"));
        assert_eq!(declared("const char * fmt"), Some("fmt"));
        assert_eq!(declared("unsigned long args[]"), Some("args"));
        assert_eq!(declared("char comm[TASK_COMM_LEN]"), Some("comm"));
    }
}
