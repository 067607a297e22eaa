// SPDX-License-Identifier: MIT
//! The container: versions 6 and 7, plain or compressed.
//!
//! Format: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::rc::Rc;

use super::error::Error;
use super::format::Formats;
use super::packing::Packing;
use super::ring::Layout;
use super::source::{Cursor, Source};

/// Symbols and the like larger than this are refused.
const MAX_SECTION_BYTES: u64 = 256 << 20;
const MAX_CPUS: u64 = 4096;
const MAX_OPTIONS: usize = 100_000;

const OPTION_DONE: u64 = 0;
const OPTION_BUFFER: u64 = 3;
const OPTION_TRACECLOCK: u64 = 4;
const OPTION_UNAME: u64 = 5;
const OPTION_HEADER_INFO: u64 = 16;
const OPTION_FTRACE_EVENTS: u64 = 17;
const OPTION_EVENT_FORMATS: u64 = 18;
const OPTION_KALLSYMS: u64 = 19;
const OPTION_PRINTK: u64 = 20;
const OPTION_CMDLINES: u64 = 21;

/// Where the records of one processor are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuData {
    /// Processor.
    pub cpu: u32,
    /// Offset in the file.
    pub offset: u64,
    /// Bytes in the file.
    pub size: u64,
    /// Stored as packed chunks.
    pub packed: bool,
}

/// What stands before the records.
#[derive(Debug, Clone)]
pub struct Header {
    /// 6 or 7.
    pub version: u32,
    /// Page size of the traced machine.
    pub page_size: u64,
    /// How sections are packed.
    pub packing: Packing,
    /// Layout of a ring-buffer page.
    pub layout: Layout,
    /// Event formats.
    pub formats: Formats,
    /// Format texts that made no sense.
    pub bad_formats: u64,
    /// Symbols, sorted by address.
    pub symbols: Vec<(u64, Box<[u8]>)>,
    /// Task names.
    pub comms: HashMap<i64, Rc<[u8]>>,
    /// `trace_printk()` formats by address.
    pub printk: HashMap<u64, Vec<u8>>,
    /// Where the records are (of the top instance).
    pub cpus: Vec<CpuData>,
    /// Other trace instances in the file, which are not read.
    pub other_instances: u64,
    /// The clock of the stamps, as the kernel names it (`local`, `global`, `mono` ...); empty when not said.
    pub clock: String,
    /// `uname` of the traced machine.
    pub uname: String,
}

fn lossy(bytes: &[u8]) -> String {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

impl Header {
    /// Reads everything up to the records.
    pub fn read<R: Read + Seek>(source: &mut Source<R>) -> Result<Self, Error> {
        let magic = source.bytes(10, "the magic value").map_err(|_| Error::Magic)?;
        if magic != b"\x17\x08\x44tracing" {
            return Err(Error::Magic);
        }
        let version = read_text(source, "the version")?;
        source.order.big = source.number(1, "the header")? == 1;
        let _long_size = source.number(1, "the header")?;
        let page_size = source.number(4, "the header")?;
        if !(64..=1 << 20).contains(&page_size) {
            return Err(Error::Damaged { what: "the page size" });
        }
        let mut header = Self {
            version: if version == b"6" { 6 } else { 7 },
            page_size,
            packing: Packing::Plain,
            layout: Layout::default(),
            formats: Formats::default(),
            bad_formats: 0,
            symbols: Vec::new(),
            comms: HashMap::new(),
            printk: HashMap::new(),
            cpus: Vec::new(),
            other_instances: 0,
            clock: String::new(),
            uname: String::new(),
        };
        match &version[..] {
            b"6" => header.read_v6(source)?,
            b"7" => header.read_v7(source)?,
            other => return Err(Error::Version(lossy(other))),
        }
        Ok(header)
    }

    fn read_v6<R: Read + Seek>(&mut self, source: &mut Source<R>) -> Result<(), Error> {
        self.header_info(source)?;
        let count = source.number(4, "event formats")?;
        for _ in 0..count {
            self.format(source)?;
        }
        let systems = source.number(4, "event systems")?;
        for _ in 0..systems {
            read_text(source, "event systems")?;
            let count = source.number(4, "event formats")?;
            for _ in 0..count {
                self.format(source)?;
            }
        }
        let size = source.number(4, "symbols")?;
        let symbols = sized(source, size, "symbols")?;
        self.kallsyms(&symbols);
        let size = source.number(4, "printk formats")?;
        let printk = sized(source, size, "printk formats")?;
        self.printk_formats(&printk);
        let size = source.number(8, "task names")?;
        let comms = sized(source, size, "task names")?;
        self.command_lines(&comms);
        let cpus = source.number(4, "processors")?;
        if cpus > MAX_CPUS {
            return Err(Error::Damaged {
                what: "the number of processors",
            });
        }
        let mut kind = source.bytes(10, "the data kind")?;
        if kind == b"options  \0" {
            for _ in 0..MAX_OPTIONS {
                let id = source.number(2, "options")?;
                if id == OPTION_DONE {
                    break;
                }
                let size = source.number(4, "options")?;
                let data = sized(source, size, "options")?;
                match id {
                    OPTION_BUFFER => self.other_instances += 1,
                    OPTION_TRACECLOCK => self.clock = selected_clock(&lossy(&data)),
                    OPTION_UNAME => self.uname = lossy(&data),
                    _ => {}
                }
            }
            kind = source.bytes(10, "the data kind")?;
        }
        match &kind[..] {
            b"flyrecord\0" => {}
            b"latency  \0" => return Err(Error::LatencyText),
            _ => return Err(Error::Damaged { what: "the data kind" }),
        }
        for cpu in 0..cpus {
            let offset = source.number(8, "processors")?;
            let size = source.number(8, "processors")?;
            self.cpus.push(CpuData {
                cpu: cpu as u32,
                offset,
                size,
                packed: false,
            });
        }
        Ok(())
    }

    fn header_info<R: Read + Seek>(&mut self, source: &mut Source<R>) -> Result<(), Error> {
        source.bytes(12, "header_page")?;
        let size = source.number(8, "header_page")?;
        let page = sized(source, size, "header_page")?;
        self.page_layout(&page);
        source.bytes(13, "header_event")?;
        let size = source.number(8, "header_event")?;
        sized(source, size, "header_event")?;
        Ok(())
    }

    fn format<R: Read + Seek>(&mut self, source: &mut Source<R>) -> Result<(), Error> {
        let size = source.number(8, "event formats")?;
        let text = sized(source, size, "event formats")?;
        self.bad_formats += u64::from(!self.formats.add(&text));
        Ok(())
    }

    fn read_v7<R: Read + Seek>(&mut self, source: &mut Source<R>) -> Result<(), Error> {
        let name = read_text(source, "the compression")?;
        read_text(source, "the compression")?;
        self.packing = match &name[..] {
            b"none" | b"" => Packing::Plain,
            b"zlib" => Packing::Zlib,
            b"zstd" => Packing::Zstd,
            other => return Err(Error::Compression(lossy(other))),
        };
        let mut next = source.number(8, "the first options")?;
        let mut options: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut seen = Vec::new();
        // A damaged file may lead in circles.
        while next != 0 && !seen.contains(&next) && seen.len() < 1000 {
            seen.push(next);
            let section = self.section(source, next)?;
            let mut cursor = Cursor::new(&section, source.order);
            next = 0;
            while cursor.left() >= 6 && options.len() < MAX_OPTIONS {
                let id = cursor.number(2, "options")?;
                let size = cursor.number(4, "options")?;
                let data = cursor.bytes(size, "options")?;
                if id == OPTION_DONE {
                    next = Cursor::new(data, source.order).number(8, "options")?;
                    break;
                }
                options.push((id, data.to_vec()));
            }
        }
        for (id, data) in &options {
            self.option(source, *id, data)?;
        }
        Ok(())
    }

    fn option<R: Read + Seek>(&mut self, source: &mut Source<R>, id: u64, data: &[u8]) -> Result<(), Error> {
        let order = source.order;
        match id {
            OPTION_TRACECLOCK if self.clock.is_empty() => self.clock = selected_clock(&lossy(data)),
            OPTION_UNAME => self.uname = lossy(data),
            OPTION_BUFFER => self.buffer(source, data)?,
            OPTION_HEADER_INFO..=OPTION_CMDLINES => {
                let offset = Cursor::new(data, order).number(8, "options")?;
                let section = self.section(source, offset)?;
                let mut cursor = Cursor::new(&section, order);
                match id {
                    OPTION_HEADER_INFO => {
                        cursor.bytes(12, "header_page")?;
                        let size = cursor.number(8, "header_page")?;
                        let page = cursor.bytes(size, "header_page")?;
                        self.page_layout(page);
                    }
                    OPTION_FTRACE_EVENTS => self.formats_of(&mut cursor)?,
                    OPTION_EVENT_FORMATS => {
                        for _ in 0..cursor.number(4, "event systems")? {
                            cursor.text("event systems")?;
                            self.formats_of(&mut cursor)?;
                        }
                    }
                    OPTION_KALLSYMS | OPTION_PRINTK | OPTION_CMDLINES => {
                        let size = cursor.number(if id == OPTION_CMDLINES { 8 } else { 4 }, "texts")?;
                        let text = cursor.bytes(size, "texts")?;
                        match id {
                            OPTION_KALLSYMS => self.kallsyms(text),
                            OPTION_PRINTK => self.printk_formats(text),
                            _ => self.command_lines(text),
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn formats_of(&mut self, cursor: &mut Cursor) -> Result<(), Error> {
        for _ in 0..cursor.number(4, "event formats")? {
            let size = cursor.number(8, "event formats")?;
            let text = cursor.bytes(size, "event formats")?;
            self.bad_formats += u64::from(!self.formats.add(text));
        }
        Ok(())
    }

    fn buffer<R: Read + Seek>(&mut self, source: &mut Source<R>, data: &[u8]) -> Result<(), Error> {
        let mut cursor = Cursor::new(data, source.order);
        let offset = cursor.number(8, "the buffer option")?;
        let name = cursor.text("the buffer option")?;
        let clock = lossy(cursor.text("the buffer option")?);
        // The top instance has no name; without one, the first instance is read.
        if !self.cpus.is_empty() {
            self.other_instances += 1;
            if !name.is_empty() {
                return Ok(());
            }
            self.cpus.clear();
        }
        self.clock = clock;
        self.page_size = cursor.number(4, "the buffer option")?;
        if !(64..=1 << 20).contains(&self.page_size) {
            return Err(Error::Damaged { what: "the page size" });
        }
        let count = cursor.number(4, "the buffer option")?;
        source.seek(offset, "the buffer section")?;
        source.number(2, "the buffer section")?;
        let packed = source.number(2, "the buffer section")? & 1 == 1;
        for _ in 0..count.min(MAX_CPUS) {
            let cpu = cursor.number(4, "the buffer option")? as u32;
            let offset = cursor.number(8, "the buffer option")?;
            let size = cursor.number(8, "the buffer option")?;
            self.cpus.push(CpuData {
                cpu,
                offset,
                size,
                packed,
            });
        }
        Ok(())
    }

    fn section<R: Read + Seek>(&self, source: &mut Source<R>, offset: u64) -> Result<Vec<u8>, Error> {
        source.seek(offset, "a section")?;
        source.number(2, "a section")?;
        let packed = source.number(2, "a section")? & 1 == 1;
        source.number(4, "a section")?;
        let size = source.number(8, "a section")?;
        if !packed {
            return sized(source, size, "a section");
        }
        let packed_size = source.number(4, "a section")?;
        let plain_size = source.number(4, "a section")?;
        if plain_size > MAX_SECTION_BYTES {
            return Err(Error::Damaged {
                what: "the size of a section",
            });
        }
        let bytes = sized(source, packed_size, "a section")?;
        self.packing.unpack(&bytes, plain_size, "a section")
    }
}

/// `[local] global counter` or a plain name: the name of the clock in use.
fn selected_clock(text: &str) -> String {
    let inside = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(name, _)| name);
    inside.unwrap_or(text).trim().to_owned()
}

fn sized<R: Read + Seek>(source: &mut Source<R>, size: u64, what: &'static str) -> Result<Vec<u8>, Error> {
    if size > MAX_SECTION_BYTES {
        return Err(Error::Damaged { what });
    }
    source.bytes(size, what)
}

fn read_text<R: Read + Seek>(source: &mut Source<R>, what: &'static str) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    loop {
        match source.number(1, what)? {
            0 => return Ok(text),
            _ if text.len() >= 4096 => return Err(Error::Damaged { what }),
            byte => text.push(byte as u8),
        }
    }
}
