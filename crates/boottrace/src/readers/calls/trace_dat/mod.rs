// SPDX-License-Identifier: MIT
//! trace-cmd's `trace.dat`: the records of all processors in time order, as [`Events`] and calls.

mod error;
mod file;
mod format;
mod packing;
mod ring;
mod source;
mod texts;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{Read, Seek};

use super::event_line::Context;
use super::events::Events;
use super::names::NameId;
use super::stacks::SpanLimits;
use crate::text::number::signed;
pub use error::Error;
use file::{CpuData, Header};
use format::Format;
use ring::{Page, Record};
use source::Source;

/// Memory for unpacked chunks of all processors together.
const MAX_CHUNKS_BYTES: u64 = 128 << 20;

/// What a file gave.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// What the events told, the calls among them.
    pub events: Events,
    /// Version of the file: 6 or 7.
    pub version: u32,
    /// Clock of the stamps, as the kernel names it; empty when the file does not say.
    pub clock: String,
    /// `uname` of the traced machine, when the file has it.
    pub uname: String,
    /// Processors with data.
    pub cpus: u64,
    /// Records read.
    pub records: u64,
    /// Event formats in the file.
    pub formats: usize,
}

/// What the head of a file says about being a `trace.dat`: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    head.starts_with(b"\x17\x08\x44tracing").then_some(1.0)
}

/// The data of one processor, a page at a time.
struct Cpu {
    data: CpuData,
    page: Page,
    record: Option<Record>,
    /// Offset of the next page or chunk.
    next: u64,
    chunks_left: u64,
    chunk: Vec<u8>,
    chunk_at: usize,
}

struct Decoder<R> {
    source: Source<R>,
    header: Header,
    max_chunk_bytes: u64,
    names: HashMap<u64, NameId>,
    trace: Trace,
}

impl<R: Read + Seek> Decoder<R> {
    fn start(&mut self, data: CpuData) -> Result<Cpu, Error> {
        let mut cpu = Cpu {
            data,
            page: Page::default(),
            record: None,
            next: data.offset,
            chunks_left: 0,
            chunk: Vec::new(),
            chunk_at: 0,
        };
        if data.packed && data.size > 0 {
            self.source.seek(data.offset, "processor data")?;
            cpu.chunks_left = self.source.number(4, "processor data")?;
            cpu.next = self.source.at;
        }
        Ok(cpu)
    }

    fn next_page(&mut self, cpu: &mut Cpu) -> Result<Option<Vec<u8>>, Error> {
        let page_size = self.header.page_size;
        if !cpu.data.packed {
            let end = cpu.data.offset.saturating_add(cpu.data.size).min(self.source.size);
            let size = page_size.min(end.saturating_sub(cpu.next));
            if size < 16 {
                return Ok(None);
            }
            self.source.seek(cpu.next, "processor data")?;
            cpu.next += size;
            return self.source.bytes(size, "processor data").map(Some);
        }
        while cpu.chunk_at >= cpu.chunk.len() {
            if cpu.chunks_left == 0 {
                return Ok(None);
            }
            cpu.chunks_left -= 1;
            self.source.seek(cpu.next, "processor data")?;
            let packed_size = self.source.number(4, "processor data")?;
            let size = self.source.number(4, "processor data")?;
            if size > self.max_chunk_bytes {
                return Err(Error::Damaged {
                    what: "the size of a chunk",
                });
            }
            let packed = self.source.bytes(packed_size, "processor data")?;
            cpu.next = self.source.at;
            cpu.chunk = self.header.packing.unpack(&packed, size, "a chunk of records")?;
            cpu.chunk_at = 0;
        }
        let end = (cpu.chunk_at + page_size as usize).min(cpu.chunk.len());
        let page = cpu.chunk[cpu.chunk_at..end].to_vec();
        cpu.chunk_at = end;
        Ok(Some(page))
    }

    /// Goes to the processor's next record. A damaged rest ends its data, which is counted.
    fn advance(&mut self, cpu: &mut Cpu) {
        loop {
            cpu.record = cpu.page.next_record();
            if cpu.record.is_some() {
                return;
            }
            self.trace
                .events
                .skipped
                .add("damaged page", u64::from(std::mem::take(&mut cpu.page.damaged)));
            match self.next_page(cpu) {
                Ok(Some(bytes)) => {
                    cpu.page = Page::load(bytes, self.header.layout, self.source.order);
                    let lost = &mut self.trace.events.calls.mismatches.lost_events;
                    *lost = lost.saturating_add(cpu.page.missed);
                }
                Ok(None) => return,
                Err(_) => {
                    self.trace
                        .events
                        .skipped
                        .add("processor data that ends too early or does not unpack", 1);
                    return;
                }
            }
        }
    }

    fn symbol(&mut self, address: u64) -> NameId {
        if let Some(&id) = self.names.get(&address) {
            return id;
        }
        let name = self.symbol_text(address);
        let id = self.trace.events.calls.names.intern(&name);
        if self.names.len() < super::names::MAX_NAMES {
            self.names.insert(address, id);
        }
        id
    }

    /// The function an address lies in; the address itself where the file has no symbol below it.
    fn symbol_text(&self, address: u64) -> Vec<u8> {
        let symbols = &self.header.symbols;
        let after = symbols.partition_point(|symbol| symbol.0 <= address);
        match after.checked_sub(1).map(|i| &symbols[i]) {
            Some((_, name)) => name.to_vec(),
            None => format!("{address:#x}").into_bytes(),
        }
    }

    fn record(&mut self, cpu: u32, at_ns: u64, record: &[u8]) {
        self.trace.records += 1;
        let order = self.source.order;
        let id = order.number(record, 2).unwrap_or(0);
        let Some(format) = self.header.formats.get(id) else {
            self.trace.events.skipped.add("record of an unknown event", 1);
            return;
        };
        let pid = format.signed(record, order, "common_pid").unwrap_or(0);
        let comm = self.header.comms.get(&pid).cloned();
        let comm = comm.as_deref().unwrap_or(if pid == 0 { b"<idle>" } else { b"<...>" });
        let context = Context {
            comm,
            pid,
            cpu,
            at_ns: signed(at_ns),
        };
        self.trace.events.count(&context, format.name.as_bytes());
        if self.dispatch(&context, &format, record).is_none() {
            self.trace
                .events
                .skipped
                .add("record without the fields its event should have", 1);
        }
    }

    /// Hands an event on by its name; `None` when a field is missing. Events nobody needs are counted already.
    fn dispatch(&mut self, context: &Context, format: &Format, record: &[u8]) -> Option<()> {
        let order = self.source.order;
        let number = |name: &str| format.number(record, order, name);
        let signed_field = |name: &str| format.signed(record, order, name);
        let text = |name: &str| format.text(record, order, name);
        let at_ns = Some(context.at_ns);
        match format.name.as_str() {
            "funcgraph_entry" | "funcgraph_retaddr_entry" => {
                let name = self.symbol(number("func")?);
                let depth = number("depth")? as u32;
                let events = &mut self.trace.events;
                if let Some(task) = events.task(context) {
                    events.calls.enter(task, name, at_ns, depth);
                }
            }
            "funcgraph_exit" => {
                let depth = number("depth")? as u32;
                let times = number("calltime").zip(number("rettime"));
                let duration_ns = times.filter(|(call, ret)| ret >= call).map(|(call, ret)| ret - call);
                let events = &mut self.trace.events;
                if let Some(task) = events.task(context) {
                    events.calls.exit(task, at_ns, duration_ns, depth);
                }
            }
            "function" => {
                let (ip, parent) = (number("ip")?, number("parent_ip")?);
                let (ip, parent) = (self.symbol_text(ip), self.symbol_text(parent));
                self.trace.events.function(&ip, &parent);
            }
            "initcall_level" => self.trace.events.level(context, text("level")?),
            "initcall_start" => {
                let name = self.symbol_text(number("func")?);
                self.trace.events.initcall_start(context, &name);
            }
            "initcall_finish" => {
                let name = self.symbol_text(number("func")?);
                self.trace.events.initcall_finish(context, &name, signed_field("ret"));
            }
            "sched_switch" => {
                let prev = (signed_field("prev_pid")?, text("prev_comm").unwrap_or(b""));
                let next = (signed_field("next_pid")?, text("next_comm").unwrap_or(b""));
                self.trace.events.switch(context, prev, next);
            }
            "irq_handler_entry" => {
                let line = format!("irq {}", signed_field("irq")?);
                self.trace
                    .events
                    .interrupt_entry(context, &line, text("name").unwrap_or(b""));
            }
            "irq_handler_exit" => {
                let line = format!("irq {}", signed_field("irq")?);
                self.trace.events.interrupt_exit(context, &line);
            }
            "softirq_entry" => {
                let line = softirq(number("vec")?);
                self.trace.events.interrupt_entry(context, &line, line.as_bytes());
            }
            "softirq_exit" => {
                let line = softirq(number("vec")?);
                self.trace.events.interrupt_exit(context, &line);
            }
            "print" => self.trace.events.mark(context, b"print", text("buf")?),
            "console" => self
                .trace
                .events
                .mark(context, b"console", text("msg").or_else(|| text("text"))?),
            "bprint" | "bputs" => {
                // The arguments are packed by the format; the format alone says which message it was.
                let format_text = self
                    .header
                    .printk
                    .get(&number(if format.name == "bputs" { "str" } else { "fmt" })?);
                let message = format_text.map_or(&b"[format not in the file]"[..], |text| text);
                self.trace.events.mark(context, format.name.as_bytes(), message);
            }
            "suspend_resume" | "machine_suspend" => self.trace.events.suspend_events += 1,
            _ => {}
        }
        Some(())
    }
}

/// The kernel's names of its soft interrupts (`include/linux/interrupt.h`), as in the text form of the event.
fn softirq(vector: u64) -> String {
    const NAMES: [&str; 10] = [
        "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
    ];
    NAMES
        .get(vector as usize)
        .map_or_else(|| format!("softirq {vector}"), |name| format!("softirq {name}"))
}

/// Reads a whole file, records of all processors merged by time. Memory holds one page (or chunk) a processor.
///
/// # Errors
/// [`Error`], when the container cannot be read. Damage behind it is counted in the result.
pub fn parse<R: Read + Seek>(reader: R, spans: Option<SpanLimits>) -> Result<Trace, Error> {
    let mut source = Source::new(reader)?;
    let header = Header::read(&mut source)?;
    let cpu_count = header.cpus.len().max(1) as u64;
    let trace = Trace {
        events: Events::new(spans),
        version: header.version,
        clock: header.clock.clone(),
        uname: header.uname.clone(),
        formats: header.formats.len(),
        ..Trace::default()
    };
    let mut decoder = Decoder {
        source,
        header,
        max_chunk_bytes: MAX_CHUNKS_BYTES / cpu_count,
        names: HashMap::new(),
        trace,
    };
    decoder
        .trace
        .events
        .skipped
        .add("format of an event that makes no sense", decoder.header.bad_formats);
    decoder
        .trace
        .events
        .skipped
        .add("other trace instance", decoder.header.other_instances);
    let mut cpus = Vec::new();
    let mut queue = BinaryHeap::new();
    for data in decoder.header.cpus.clone() {
        let mut cpu = decoder.start(data)?;
        decoder.advance(&mut cpu);
        if let Some(record) = cpu.record {
            decoder.trace.cpus += 1;
            queue.push(Reverse((record.at_ns, cpus.len())));
            cpus.push(cpu);
        }
    }
    while let Some(Reverse((at_ns, index))) = queue.pop() {
        let cpu = &mut cpus[index];
        if let Some(record) = cpu.record {
            let number = cpu.data.cpu;
            decoder.record(number, at_ns, cpu.page.record(&record));
        }
        decoder.advance(cpu);
        if let Some(record) = cpu.record {
            queue.push(Reverse((record.at_ns, index)));
        }
    }
    decoder.trace.events.finish();
    Ok(decoder.trace)
}
