# SPDX-License-Identifier: MIT
"""Reads traces back: Perfetto's packets with a tiny reader of protobuf, Chrome's JSON as it is."""

import json
from typing import Any, NamedTuple


class Event(NamedTuple):
    """What stands on a track: `kind` span or instant; times in nanoseconds; `track`: names from the process down."""

    track: tuple[str, ...]
    kind: str
    name: str
    category: str
    start_ns: int
    duration_ns: int
    detail: tuple[tuple[str, str], ...] = ()


def fields(data: bytes) -> dict[int, list[Any]]:
    """Return the fields of a message by number: varints as numbers, everything else as bytes."""
    out: dict[int, list[Any]] = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        else:
            assert key & 7 == 2
            length, at = _varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length
        out.setdefault(key >> 3, []).append(value)
    return out


def packets(data: bytes) -> list[dict[int, list[Any]]]:
    """Return the packets of a Perfetto trace."""
    top = fields(data)
    assert set(top) == {1}
    return [fields(packet) for packet in top[1]]


def perfetto(data: bytes) -> list[Event]:
    """Return the events of a Perfetto trace. Slices must nest and end on their track, in the order of time."""
    tracks: dict[int, tuple[str, ...]] = {}
    interned: dict[int, dict[int, str]] = {1: {}, 2: {}}
    found: list[Event] = []
    opened: dict[int, list[Event]] = {}
    last: dict[int, int] = {}
    for packet in packets(data):
        for table in packet.get(12, []):
            for kind, entries in fields(table).items():
                for entry in map(fields, entries):
                    interned[kind][entry[1][0]] = entry[2][0].decode()
        if 60 in packet:
            track = fields(packet[60][0])
            tracks[track[1][0]] = (*tracks.get(track.get(5, [0])[0], ()), track[2][0].decode())
        if 11 in packet:
            event, ns = fields(packet[11][0]), packet[8][0]
            uuid, kind = event[11][0], event[9][0]
            if kind == 2:
                begun = opened[uuid].pop()
                found.append(begun._replace(duration_ns=ns - begun.start_ns))
                last[uuid] = ns
                continue
            detail = tuple((f[10][0].decode(), f[6][0].decode()) for f in map(fields, event.get(4, [])))
            name, category = interned[2][event[10][0]], interned[1][event[3][0]]
            made = Event(tracks[uuid], "span" if kind == 1 else "instant", name, category, ns, 0, detail)
            if kind == 1:
                assert ns >= last.get(uuid, 0)
                last[uuid] = ns
                opened.setdefault(uuid, []).append(made)
            else:
                found.append(made)
    assert not any(opened.values())
    return found


def chrome(data: bytes) -> list[Event]:
    """Return the events of Chrome's JSON, times in nanoseconds."""
    events = json.loads(data)["traceEvents"]
    names = {(e["pid"], e["tid"], e["name"]): e["args"]["name"] for e in events if "name" in e.get("args", {})}
    kinds = {"X": "span", "i": "instant"}
    return [
        Event(
            (names[e["pid"], 0, "process_name"], names[e["pid"], e["tid"], "thread_name"]),
            kinds[e["ph"]], e["name"], e["cat"], round(e["ts"] * 1000), round(e.get("dur", 0) * 1000),
            tuple(e["args"].items()),
        )
        for e in events
        if e["ph"] != "M"
    ]  # fmt: skip


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
