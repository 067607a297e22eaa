// SPDX-License-Identifier: MIT
//! Perfetto's own format: a `Trace` of `TrackEvent` packets, encoded by hand (the field numbers are few and frozen).
//!
//! Field numbers: `protos/perfetto/trace/trace_packet.proto`, `track_event/track_event.proto`,
//! `track_event/track_descriptor.proto`, `track_event/counter_descriptor.proto`, `track_event/debug_annotation.proto`,
//! `interned_data/interned_data.proto`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::lanes;
use super::lanes::Edge;
use crate::text::printable as text;
use crate::timeline::tracks::{Counter, Span, Timeline};

const TRACE_PACKET: u32 = 1;
const PACKET_TIMESTAMP: u32 = 8;
const PACKET_SEQUENCE_ID: u32 = 10;
const PACKET_TRACK_EVENT: u32 = 11;
const PACKET_INTERNED_DATA: u32 = 12;
const PACKET_SEQUENCE_FLAGS: u32 = 13;
const PACKET_TRACK_DESCRIPTOR: u32 = 60;

const SEQ_INCREMENTAL_STATE_CLEARED: u64 = 1;
const SEQ_NEEDS_INCREMENTAL_STATE: u64 = 2;

const EVENT_CATEGORY_IIDS: u32 = 3;
const EVENT_DEBUG_ANNOTATIONS: u32 = 4;
const EVENT_TYPE: u32 = 9;
const EVENT_NAME_IID: u32 = 10;
const EVENT_TRACK_UUID: u32 = 11;
const EVENT_DOUBLE_COUNTER: u32 = 44;

const TYPE_SLICE_BEGIN: u64 = 1;
const TYPE_SLICE_END: u64 = 2;
const TYPE_INSTANT: u64 = 3;
const TYPE_COUNTER: u64 = 4;

const TRACK_UUID: u32 = 1;
const TRACK_NAME: u32 = 2;
const TRACK_PARENT_UUID: u32 = 5;
const TRACK_COUNTER: u32 = 8;
const TRACK_CHILD_ORDERING: u32 = 11;
const TRACK_SIBLING_RANK: u32 = 12;
const TRACK_DESCRIPTION: u32 = 14;
const TRACK_SIBLING_MERGE: u32 = 15;
const SIBLING_MERGE_NONE: u64 = 2;
const CHILD_ORDERING_EXPLICIT: u64 = 3;
const COUNTER_UNIT_NAME: u32 = 6;

const ANNOTATION_STRING: u32 = 6;
const ANNOTATION_NAME: u32 = 10;

const INTERNED_CATEGORIES: u32 = 1;
const INTERNED_NAMES: u32 = 2;

const ROOT_UUID: u64 = 1;

/// A protobuf message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
    fn varint(&mut self, field: u32, value: u64) {
        self.raw_varint(u64::from(field) << 3);
        self.raw_varint(value);
    }
    fn double(&mut self, field: u32, value: f64) {
        self.raw_varint(u64::from(field) << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn bytes(&mut self, field: u32, value: &[u8]) {
        self.raw_varint(u64::from(field) << 3 | 2);
        self.raw_varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }
    fn text(&mut self, field: u32, value: &str) {
        self.bytes(field, text::printable(value).as_bytes());
    }
}

struct Writer<W: Write> {
    out: W,
    shift_ns: i64,
    next_uuid: u64,
    names: HashMap<String, u64>,
    categories: HashMap<String, u64>,
    cleared: bool,
}

impl<W: Write> Writer<W> {
    fn packet(&mut self, mut body: Message) -> io::Result<()> {
        body.varint(PACKET_SEQUENCE_ID, 1);
        if self.cleared {
            body.varint(PACKET_SEQUENCE_FLAGS, SEQ_NEEDS_INCREMENTAL_STATE);
        } else {
            body.varint(
                PACKET_SEQUENCE_FLAGS,
                SEQ_INCREMENTAL_STATE_CLEARED | SEQ_NEEDS_INCREMENTAL_STATE,
            );
            self.cleared = true;
        }
        let mut frame = Message::default();
        frame.bytes(TRACE_PACKET, &body.0);
        self.out.write_all(&frame.0)
    }

    fn track(
        &mut self,
        parent: Option<u64>,
        rank: u64,
        name: &str,
        extra: impl FnOnce(&mut Message),
    ) -> io::Result<u64> {
        let uuid = self.next_uuid;
        self.next_uuid += 1;
        let mut descriptor = Message::default();
        descriptor.varint(TRACK_UUID, uuid);
        descriptor.text(TRACK_NAME, name);
        if let Some(parent) = parent {
            descriptor.varint(TRACK_PARENT_UUID, parent);
        }
        descriptor.varint(TRACK_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
        descriptor.varint(TRACK_SIBLING_RANK, rank);
        // Two tasks of one name stay two tracks.
        descriptor.varint(TRACK_SIBLING_MERGE, SIBLING_MERGE_NONE);
        extra(&mut descriptor);
        let mut body = Message::default();
        body.bytes(PACKET_TRACK_DESCRIPTOR, &descriptor.0);
        self.packet(body)?;
        Ok(uuid)
    }

    fn intern(table: &mut HashMap<String, u64>, field: u32, value: &str, fresh: &mut Message) -> u64 {
        if let Some(&iid) = table.get(value) {
            return iid;
        }
        let iid = table.len() as u64 + 1;
        table.insert(value.to_owned(), iid);
        let mut entry = Message::default();
        entry.varint(1, iid);
        entry.text(2, value);
        fresh.bytes(field, &entry.0);
        iid
    }

    fn event(
        &mut self,
        kind: u64,
        track: u64,
        at_ns: i64,
        label: Option<(&str, &str)>,
        args: &[(String, String)],
    ) -> io::Result<()> {
        let mut fresh = Message::default();
        let mut event = Message::default();
        event.varint(EVENT_TYPE, kind);
        event.varint(EVENT_TRACK_UUID, track);
        if let Some((name, category)) = label {
            let iid = Self::intern(&mut self.names, INTERNED_NAMES, name, &mut fresh);
            event.varint(EVENT_NAME_IID, iid);
            if !category.is_empty() {
                let iid = Self::intern(&mut self.categories, INTERNED_CATEGORIES, category, &mut fresh);
                event.varint(EVENT_CATEGORY_IIDS, iid);
            }
        }
        for (key, value) in args {
            let mut annotation = Message::default();
            annotation.text(ANNOTATION_NAME, key);
            annotation.text(ANNOTATION_STRING, value);
            event.bytes(EVENT_DEBUG_ANNOTATIONS, &annotation.0);
        }
        self.timed(at_ns, &event, &fresh)
    }

    fn timed(&mut self, at_ns: i64, event: &Message, fresh: &Message) -> io::Result<()> {
        let mut body = Message::default();
        body.varint(PACKET_TIMESTAMP, at_ns.saturating_add(self.shift_ns).max(0) as u64);
        if !fresh.0.is_empty() {
            body.bytes(PACKET_INTERNED_DATA, &fresh.0);
        }
        body.bytes(PACKET_TRACK_EVENT, &event.0);
        self.packet(body)
    }

    fn spans(&mut self, uuid: u64, name: &str, spans: &[Span]) -> io::Result<()> {
        let lanes = lanes::assign(spans);
        for (number, lane) in lanes.lanes.iter().enumerate() {
            // Slices of one track must nest, so every further lane is a track of its own under the first.
            let track = if number == 0 {
                uuid
            } else {
                self.track(Some(uuid), number as u64, &format!("{name} #{}", number + 1), |_| {})?
            };
            for edge in lane {
                match *edge {
                    Edge::Begin(i) => {
                        let span = &spans[i];
                        let label = Some((span.name.as_str(), span.category.as_str()));
                        self.event(TYPE_SLICE_BEGIN, track, span.start_ns, label, &span.args)?;
                    }
                    Edge::End(i) => {
                        let span = &spans[i];
                        let end_ns = span.end_ns.unwrap_or(span.start_ns).max(span.start_ns);
                        self.event(TYPE_SLICE_END, track, end_ns, None, &[])?;
                    }
                }
            }
        }
        for &i in &lanes.overflow {
            let span = &spans[i];
            let mut args = span.args.clone();
            args.push((
                "duration_ns".into(),
                span.duration_ns().map_or("open".into(), |ns| ns.to_string()),
            ));
            self.event(
                TYPE_INSTANT,
                uuid,
                span.start_ns,
                Some((&span.name, &span.category)),
                &args,
            )?;
        }
        Ok(())
    }
}

/// Writes a timeline as a Perfetto trace.
///
/// Times before zero cannot be written; such a timeline is shifted as a whole, and its description says by how much.
///
/// # Errors
/// Those of `out`.
pub fn write<W: Write>(timeline: &Timeline, out: W) -> io::Result<()> {
    write_all(std::slice::from_ref(timeline), out)
}

/// Writes timelines of different clocks into one trace, each below a track of its own that names its clock.
///
/// # Errors
/// Those of `out`.
pub fn write_all<W: Write>(timelines: &[Timeline], out: W) -> io::Result<()> {
    let mut writer = Writer {
        out,
        shift_ns: 0,
        next_uuid: ROOT_UUID,
        names: HashMap::new(),
        categories: HashMap::new(),
        cleared: false,
    };
    for (rank, timeline) in timelines.iter().enumerate() {
        writer.timeline(timeline, rank as u64)?;
    }
    writer.out.flush()
}

impl<W: Write> Writer<W> {
    fn timeline(&mut self, timeline: &Timeline, rank: u64) -> io::Result<()> {
        let low_ns = timeline.bounds_ns().map_or(0, |(low_ns, _)| low_ns);
        self.shift_ns = if low_ns < 0 { low_ns.saturating_neg() } else { 0 };
        let mut description = format!("clock: {}", timeline.clock);
        if self.shift_ns > 0 {
            let _ = write!(
                description,
                "; shown later by {} ns, so that no time lies before zero",
                self.shift_ns
            );
        }
        for (key, value) in &timeline.args {
            let _ = write!(description, "; {key}: {value}");
        }
        let root_name = format!("{} ({})", timeline.title, timeline.clock);
        let root = self.track(None, rank, &root_name, |d| d.text(TRACK_DESCRIPTION, &description))?;
        for (rank, track) in timeline.tracks.iter().enumerate() {
            let uuid = self.track(Some(root), rank as u64, &track.name, |_| {})?;
            self.spans(uuid, &track.name, &track.spans)?;
            for instant in &track.instants {
                let label = Some((instant.name.as_str(), instant.category.as_str()));
                self.event(TYPE_INSTANT, uuid, instant.at_ns, label, &instant.args)?;
            }
            for (number, counter) in track.counters.iter().enumerate() {
                self.counter(uuid, 1000 + number as u64, counter)?;
            }
        }
        Ok(())
    }

    fn counter(&mut self, parent: u64, rank: u64, counter: &Counter) -> io::Result<()> {
        let id = self.track(Some(parent), rank, &counter.name, |d| {
            let mut descriptor = Message::default();
            descriptor.text(COUNTER_UNIT_NAME, &counter.unit);
            d.bytes(TRACK_COUNTER, &descriptor.0);
        })?;
        for &(at_ns, value) in &counter.points {
            let mut event = Message::default();
            event.varint(EVENT_TYPE, TYPE_COUNTER);
            event.varint(EVENT_TRACK_UUID, id);
            event.double(EVENT_DOUBLE_COUNTER, value);
            self.timed(at_ns, &event, &Message::default())?;
        }
        Ok(())
    }
}
