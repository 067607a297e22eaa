# SPDX-License-Identifier: MIT
"""Edges out of a logic analyser's file: sigrok's CSV and session (.sr), and VCD of anybody's."""

from __future__ import annotations

import configparser
import csv
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError

_MAX_BYTES = 512 << 20
_MAX_EDGES = 1_000_000
_RATE = re.compile(r"([\d.]+)\s*([kMG]?)Hz", re.IGNORECASE)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_UNITS_NS = {"time": 1e9, "seconds": 1e9, "milliseconds": 1e6, "microseconds": 1e3, "nanoseconds": 1.0}
_VCD_UNITS_NS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0, "ps": 1e-3, "fs": 1e-6}


class Edge(msgspec.Struct, frozen=True):
    """One edge: nanoseconds since the capture began, and whether the level rose."""

    ns: int
    rising: bool


class Edges(msgspec.Struct, frozen=True):
    """The edges of every channel, and the time between two samples (0 where the file does not say it)."""

    channels: dict[str, tuple[Edge, ...]]
    step_ns: float = 0.0

    def first(self, name: str, *, rising: bool) -> Edge | None:
        """Return the first edge of a kind on a channel. Raise UserError for a channel that the file does not have."""
        if name not in self.channels:
            known = ", ".join(sorted(self.channels)) or "none"
            raise UserError(f"the capture has no channel {name!r}", hint=f"channels in it: {known}")
        return next((edge for edge in self.channels[name] if edge.rising is rising), None)


def read_edges(path: Path) -> Edges:
    """Read a capture. Raise UserError for what is none, or is larger than 512 MiB."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(f"{path} is larger than {_MAX_BYTES >> 20} MiB", hint="capture less, or at a lower rate")
        with path.open("rb") as file:
            head = file.read(4)
        if head == b"PK\x03\x04":
            return _session(path)
        with path.open(encoding="utf-8", errors="replace", newline="") as text:
            return _vcd(text) if head[:1] == b"$" else _csv(text)
    except OSError as fault:
        raise UserError(f"{path}: {fault.strerror}", hint="did the capture's command write it?") from fault
    except (ValueError, KeyError, configparser.Error, zipfile.BadZipFile, csv.Error, IndexError) as fault:
        raise UserError(
            f"{path} is not a capture that bootlab can read: {fault}",
            hint="write CSV, VCD or .sr: sigrok-cli -o FILE.csv -O csv",
        ) from fault


class _Levels:
    """Collects edges from levels that are told one after another."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._last: list[bool | None] = [None] * len(names)
        self._found: list[list[Edge]] = [[] for _ in names]
        self._count = 0

    def tell(self, channel: int, ns: float, level: bool) -> None:
        last, self._last[channel] = self._last[channel], level
        if last is None or last == level:
            return
        self._count += 1
        if self._count > _MAX_EDGES:
            raise ValueError(f"more than {_MAX_EDGES} edges")
        self._found[channel].append(Edge(round(ns), level))

    def edges(self, step_ns: float) -> Edges:
        return Edges({n: tuple(e) for n, e in zip(self._names, self._found, strict=True)}, step_ns)


def _rate_ns(text: str) -> float:
    found = _RATE.search(text)
    return 1e9 / (float(found[1]) * _TIMES[found[2].lower()]) if found else 0.0


def _csv(text: Iterator[str]) -> Edges:
    names: list[str] = []
    step_ns, unit_ns, levels, number = 0.0, 0.0, None, 0
    for row in csv.reader(text):
        line = ",".join(row)
        if line.startswith(("#", ";")):
            if "Samplerate:" in line:
                step_ns = _rate_ns(line)
            elif "Channels (" in line:
                names = [name.strip() for name in line.partition("):")[2].split(",") if name.strip()]
            continue
        if not row or not line.strip():
            continue
        if levels is None:
            if not _is_number(row[0]):
                unit_ns = _UNITS_NS.get(row[0].strip().lower(), 0.0)
                labels = [word.strip() for word in row[1 if unit_ns else 0 :]]
                # sigrok's row of units says `logic` for each; a row of names says names.
                names = names if names and set(labels) <= {"logic", "Logic"} else labels
                levels = _Levels(names)
                continue
            names = names or [f"D{n}" for n in range(len(row))]
            levels = _Levels(names)
        ns = float(row[0]) * unit_ns if unit_ns else number * step_ns
        if not unit_ns and not step_ns:
            raise ValueError("it has neither a time column nor a sample rate")
        for channel, word in enumerate(row[1 if unit_ns else 0 :][: len(names)]):
            levels.tell(channel, ns, float(word) > 0.5)
        number += 1
    if levels is None or not number:
        raise ValueError("it holds no samples")
    return levels.edges(step_ns)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _vcd(text: io.TextIOBase | Iterator[str]) -> Edges:
    names: list[str] = []
    by_code: dict[str, int] = {}
    unit_ns, now, levels, definitions = 1.0, 0.0, None, ""
    for line in text:
        if levels is None:
            definitions += line
            if len(definitions) > 1 << 20:
                raise ValueError("its head does not end")
            if "$enddefinitions" not in line:
                continue
            scale = re.search(r"\$timescale\s+(\d+)\s*([munpf]?s)", definitions)
            unit_ns = int(scale[1]) * _VCD_UNITS_NS[scale[2]] if scale else 1.0
            for code, name in re.findall(r"\$var\s+\S+\s+1\s+(\S+)\s+(\S+)", definitions):
                by_code[code] = len(names)
                names.append(name)
            levels = _Levels(names)
            continue
        for word in line.split():
            if word[0] == "#":
                now = int(word[1:]) * unit_ns
            elif word[0] in "01" and word[1:] in by_code:
                levels.tell(by_code[word[1:]], now, word[0] == "1")
    if levels is None:
        raise ValueError("it has no $enddefinitions")
    return levels.edges(unit_ns)


def _session(path: Path) -> Edges:
    import numpy as np  # noqa: PLC0415 - only for this form

    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > _MAX_BYTES:
            raise ValueError(f"unpacked it is larger than {_MAX_BYTES >> 20} MiB")
        head = configparser.ConfigParser()
        head.read_string(archive.read("metadata").decode("utf-8", "replace"))
        device = head["device 1"]
        step_ns, unit = _rate_ns(device["samplerate"]), int(device.get("unitsize", "1"))
        if not step_ns or not 1 <= unit <= 8:
            raise ValueError("it has no sample rate, or samples of no usual size")
        stem = device.get("capturefile", "logic-1")
        pieces = [n for n in archive.namelist() if n == stem or re.fullmatch(re.escape(stem) + r"-\d+", n)]
        pieces.sort(key=lambda n: int(n[len(stem) + 1 :] or 0))
        raw = b"".join(archive.read(piece) for piece in pieces)
    numbers = {int(key[5:]): name for key, name in device.items() if re.fullmatch(r"probe\d+", key)}
    samples = np.frombuffer(raw[: len(raw) // unit * unit], dtype=np.uint8).reshape(-1, unit)
    channels: dict[str, tuple[Edge, ...]] = {}
    for number, name in sorted(numbers.items()):
        bits = (samples[:, (number - 1) // 8] >> ((number - 1) % 8)) & 1
        at = np.flatnonzero(np.diff(bits.astype(np.int8)))[:_MAX_EDGES]
        channels[name] = tuple(Edge(round((int(i) + 1) * step_ns), bool(bits[i + 1])) for i in at)
    return Edges(channels, step_ns)
