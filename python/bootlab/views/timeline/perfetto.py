"""Perfetto's protobuf trace, hand-encoded: TrackDescriptor and TrackEvent packets and nothing else.

Field numbers from Perfetto's `protos/perfetto/trace/trace_packet.proto`, `track_event/track_descriptor.proto`,
`track_event/track_event.proto` and `track_event/debug_annotation.proto`; wire format from the Protocol Buffers
encoding guide. Times are nanoseconds from power-on.
"""

from __future__ import annotations

from collections.abc import Iterator

from bootlab.views.timeline.tracks import Slice, Trace, Track

TRACE_PACKET = 1
PACKET_TIMESTAMP = 8
PACKET_SEQUENCE_ID = 10
PACKET_TRACK_EVENT = 11
PACKET_SEQUENCE_FLAGS = 13
PACKET_TRACK_DESCRIPTOR = 60
DESCRIPTOR_UUID = 1
DESCRIPTOR_NAME = 2
DESCRIPTOR_PROCESS = 3
DESCRIPTOR_PARENT = 5
DESCRIPTOR_CHILD_ORDERING = 11
DESCRIPTOR_RANK = 12
PROCESS_PID = 1
PROCESS_NAME = 6
EVENT_DEBUG_ANNOTATION = 4
EVENT_TYPE = 9
EVENT_TRACK_UUID = 11
EVENT_CATEGORIES = 22
EVENT_NAME = 23
ANNOTATION_STRING = 6
ANNOTATION_NAME = 10

SLICE_BEGIN, SLICE_END, INSTANT = 1, 2, 3
ORDER_EXPLICIT = 3
STATE_CLEARED = 1
SEQUENCE = 1


def encode(trace: Trace) -> bytes:
    """Write a trace for ui.perfetto.dev or `trace_processor`."""
    return b"".join(_message(TRACE_PACKET, packet) for packet in _packets(trace))


def _packets(trace: Trace) -> Iterator[bytes]:
    first = _number(PACKET_SEQUENCE_FLAGS, STATE_CLEARED)
    roots = {name: number for number, name in enumerate(trace.processes, 1)}
    for name, uuid in roots.items():
        process = _number(PROCESS_PID, uuid) + _text(PROCESS_NAME, name)
        body = _number(DESCRIPTOR_UUID, uuid) + _message(DESCRIPTOR_PROCESS, process)
        body += _number(DESCRIPTOR_CHILD_ORDERING, ORDER_EXPLICIT)
        yield _message(PACKET_TRACK_DESCRIPTOR, body) + _number(PACKET_SEQUENCE_ID, SEQUENCE) + first
        first = b""
    for rank, track in enumerate(trace.tracks):
        uuid = len(roots) + 1 + rank
        body = _number(DESCRIPTOR_UUID, uuid) + _text(DESCRIPTOR_NAME, track.name)
        body += _number(DESCRIPTOR_PARENT, roots[track.process]) + _number(DESCRIPTOR_RANK, rank)
        yield _message(PACKET_TRACK_DESCRIPTOR, body) + _number(PACKET_SEQUENCE_ID, SEQUENCE)
        yield from _events(track, uuid)


def _events(track: Track, uuid: int) -> Iterator[bytes]:
    pending: list[int] = []
    for piece in sorted(track.slices, key=lambda s: (s.start_ns, -s.duration_ns)):
        while pending and pending[-1] <= piece.start_ns:
            yield _end(pending.pop(), uuid)
        yield _begin(piece, track.name, uuid)
        pending.append(piece.start_ns + piece.duration_ns)
    while pending:
        yield _end(pending.pop(), uuid)
    for instant in sorted(track.instants, key=lambda i: i.ns):
        yield _event(instant.ns, INSTANT, uuid, _labels(instant.name, track.name, instant.detail))


def _begin(piece: Slice, category: str, uuid: int) -> bytes:
    return _event(piece.start_ns, SLICE_BEGIN, uuid, _labels(piece.name, category, piece.detail))


def _end(ns: int, uuid: int) -> bytes:
    return _event(ns, SLICE_END, uuid, b"")


def _labels(name: str, category: str, detail: tuple[tuple[str, str], ...]) -> bytes:
    notes = (_text(ANNOTATION_NAME, key) + _text(ANNOTATION_STRING, value) for key, value in detail)
    annotations = b"".join(_message(EVENT_DEBUG_ANNOTATION, note) for note in notes)
    return _text(EVENT_CATEGORIES, category) + _text(EVENT_NAME, name) + annotations


def _event(ns: int, kind: int, uuid: int, labels: bytes) -> bytes:
    event = _number(EVENT_TYPE, kind) + _number(EVENT_TRACK_UUID, uuid) + labels
    # A negative instant (before power-on) cannot be written: the field is unsigned.
    stamp = _number(PACKET_TIMESTAMP, max(0, ns))
    return stamp + _message(PACKET_TRACK_EVENT, event) + _number(PACKET_SEQUENCE_ID, SEQUENCE)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode("utf-8", "replace"))


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
