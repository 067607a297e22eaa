# SPDX-License-Identifier: MIT
"""Proof out of recordings: the kernel's messages of one booted system, and what changed between two."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

import msgspec

from bootlab import _core
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Answer, Applies, Evidence

MAX_LINE_CHARS = 2048
"""printk's own limit for a line is half of it (LOG_LINE_MAX): longer ones are noise, and patterns stay cheap."""

MAX_QUOTE_CHARS = 200
"""Evidence is quoted in tables and pages; a hostile line is cut there."""

SILENT = (
    "the console does not carry the kernel's messages (quiet, loglevel= or no console=), "
    "and no diagnostic boot of this system was made"
)
"""Why a message that is absent from a console proves nothing."""

# Printed by every architecture at level info: mm/page_alloc.c mem_init_print_info(), init/initramfs.c.
_INFO_LEVEL = re.compile(r"Memory: \d+K/\d+K available|Trying to unpack rootfs image|Unpacking initramfs\.\.\.")
_UNKNOWN_PARAMETERS = re.compile(r'Unknown kernel command line parameters "([^"]*)')


class Booted(Protocol):
    """What Context and Evidence have in common: a system and what its boots recorded."""

    @property
    def system(self) -> SystemDescription:
        """Return the system that was booted."""

    @property
    def recording(self) -> Recording:
        """Return its timing boot."""

    @property
    def diagnosis(self) -> Diagnosis | None:
        """Return its diagnostic boot, if one was made."""

    @property
    def loud(self) -> Recording | None:
        """Return its boot with `loglevel=7` in the place of `quiet`, if one was made."""


def bare(text: str) -> str:
    """Return a console line without printk's level and stamp, cut at `MAX_LINE_CHARS`."""
    return _core.kernel_message(text[:MAX_LINE_CHARS])


def quote(text: str) -> str:
    """Return a line as evidence: printable characters only, and not endless."""
    clean = "".join(c if c.isprintable() else "?" for c in text.strip())
    return clean if len(clean) <= MAX_QUOTE_CHARS else clean[: MAX_QUOTE_CHARS - 1] + "…"


def quoted(pattern: str) -> str:
    """Return a regular expression as people read it in a sentence: between slashes, with every character it has."""
    return f"/{pattern}/"


class KernelLog(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's messages from the fullest source there is.

    `complete`: messages of level info are among them, so that a message which is absent was not printed.
    """

    lines: tuple[str, ...]
    source: str
    complete: bool

    @classmethod
    def of(cls, booted: Booted) -> KernelLog:
        """Take the diagnostic boot's log where there is one, else what the console carried, best without `quiet`."""
        if booted.diagnosis is None:
            if booted.loud is not None:
                return msgspec.structs.replace(cls.of_console(booted.loud), source="console of a boot with loglevel=7")
            return cls.of_console(booted.recording)
        recording = booted.diagnosis.recording
        lines = booted.diagnosis.log or tuple(line.text for line in recording.lines)
        messages = recording.once(("messages", lines), lambda: tuple(bare(line) for line in lines))
        return cls(lines=messages, source="diagnostic boot", complete=bool(lines))

    @classmethod
    def of_console(cls, recording: Recording) -> KernelLog:
        """Take what the console of one boot carried."""
        lines = recording.once("messages", lambda: tuple(bare(line.text) for line in recording.lines))
        complete = any(_INFO_LEVEL.search(line) for line in lines)
        return cls(lines=lines, source="console of the timing boot", complete=complete)

    @classmethod
    def pair(cls, before: Booted, after: Booted) -> tuple[KernelLog, KernelLog]:
        """Take both logs from the same kind of source where that is possible.

        A diagnostic boot sets parameters of its own and shows messages of level debug, which no console does.
        """
        if before.diagnosis is not None and after.diagnosis is not None:
            return cls.of(before), cls.of(after)
        consoles = cls.of_console(before.recording), cls.of_console(after.recording)
        if all(log.complete for log in consoles):
            return consoles
        return cls.of(before), cls.of(after)

    def match(self, pattern: str) -> re.Match[str] | None:
        """Return the first match of a regular expression, or None."""
        compiled = re.compile(pattern)
        return next((m for line in self.lines if (m := compiled.search(line))), None)

    def line(self, pattern: str) -> str:
        """Return the first line that a regular expression finds, fit to be quoted; "" when there is none."""
        found = self.match(pattern)
        return quote(found.string) if found else ""

    def count(self, pattern: str) -> int:
        """Return how many lines a regular expression finds."""
        compiled = re.compile(pattern)
        return sum(1 for line in self.lines if compiled.search(line))

    def why_silent(self) -> str:
        """Say why an absent message proves nothing; "" when it does."""
        return "" if self.complete else SILENT

    def absent(self, reason: str, evidence: str = "") -> Applies:
        """Answer no because of a message that is not there; unknown where that proves nothing."""
        return Applies.no(reason, evidence) if self.complete else self.unknown(reason)

    def unknown(self, reason: str, evidence: str = "") -> Applies:
        """Answer unknown: for this reason, or because the messages are not there at all."""
        if self.complete:
            return Applies.unknown(reason, evidence)
        return Applies(Answer.UNKNOWN, SILENT, evidence, silent=True)


def rejected(booted: Booted, key: str) -> str:
    """Return the kernel's own line that says it does not know this parameter, or "" (init/main.c, since 5.13)."""
    for line in KernelLog.of(booted).lines:
        if found := _UNKNOWN_PARAMETERS.search(line):
            words = [word.partition("=")[0].replace("-", "_") for word in found[1].split()]
            if key.replace("-", "_") in words:
                return quote(line)
    return ""


def appeared(before: Booted, after: Booted, pattern: str) -> Effect:
    """Prove an effect by a kernel message that only the changed system prints."""
    old, new = KernelLog.pair(before, after)
    found = new.line(pattern)
    if not found:
        return Effect(False, new.why_silent() or f"the kernel never printed {quoted(pattern)} ({new.source})")
    if old.line(pattern):
        return Effect(False, f"the kernel printed it without the change too: {found}")
    if silent := old.why_silent():
        return Effect(False, f"before the change: {silent}")
    return Effect(True, f"{found} ({new.source})")


def vanished(before: Booted, after: Booted, pattern: str) -> Effect:
    """Prove an effect by a kernel message that the changed system no longer prints."""
    old, new = KernelLog.pair(before, after)
    was = old.line(pattern)
    if not was:
        return Effect(
            False, old.why_silent() or f"the kernel never printed {quoted(pattern)}, with or without the change"
        )
    if still := new.line(pattern):
        return Effect(False, f"the kernel still prints: {still}")
    if silent := new.why_silent():
        return Effect(False, f"with the change: {silent}")
    return Effect(True, f"gone ({new.source}): {was}")


def differs(before: Booted, after: Booted, pattern: str) -> Effect:
    """Prove an effect by what the pattern's first group caught: both systems print it, with another value."""
    old, new = KernelLog.pair(before, after)
    was, now = old.match(pattern), new.match(pattern)
    if was is None or now is None:
        log = old if was is None else new
        return Effect(False, log.why_silent() or f"the kernel never printed {quoted(pattern)} ({log.source})")
    if was[1] == now[1]:
        return Effect(False, f"unchanged: {quote(now.string)}")
    return Effect(True, f"{quote(was.string)} -> {quote(now.string)}")


def interval_ns(lines: Iterable[tuple[str, int | None]], start: str, end: str) -> int | None:
    """Return the time from the last line before `end` that `start` finds to the first line that `end` finds.

    Lines come as text and nanoseconds on any one clock. An empty `start` means the line before; an empty `end` the
    line after. None: a line or its stamp is missing.
    """
    first = re.compile(start) if start else None
    last = re.compile(end) if end else None
    opened: int | None = None
    for text, ns in lines:
        if opened is not None and (last is None or last.search(text)):
            return None if ns is None else ns - opened
        if first is None or first.search(text):
            opened = ns
    return None


def _console_times(recording: Recording) -> list[tuple[str, int | None]]:
    stamped = all(line.first_ns is not None for line in recording.lines)
    return [(line.text[:MAX_LINE_CHARS], line.first_ns if stamped else line.printk_ns) for line in recording.lines]


def _log_times(log: tuple[str, ...]) -> list[tuple[str, int | None]]:
    return [(line[:MAX_LINE_CHARS], _core.kernel_stamp_ns(line[:MAX_LINE_CHARS])) for line in log]


def interval_shrank(
    before: Booted, after: Booted, start: str, end: str, *, least_ns: int, at_most_ns: int | None = None
) -> Effect:
    """Prove a silent effect by the interval it works in, which must be shorter by `least_ns` and end up short.

    Only for changes to which the kernel says nothing. Any change moves the timer ticks, so that an interval in which
    the kernel waits differs by whole ticks (4 ms at CONFIG_HZ=250) from boot to boot: ask for more than that, or for
    a wait that is gone altogether (`at_most_ns`).
    """
    recordings = before.recording, after.recording
    if any(recording.meta.mode != "exact" for recording in recordings):
        return Effect(False, "the kernel prints nothing about it, and only exact mode can show it by its interval")
    sources = [(_console_times(recordings[0]), _console_times(recordings[1]))]
    if before.diagnosis is not None and after.diagnosis is not None:
        sources.append((_log_times(before.diagnosis.log), _log_times(after.diagnosis.log)))
    if before.loud is not None and after.loud is not None:
        sources.append((_console_times(before.loud), _console_times(after.loud)))
    span = f"from {quoted(start) if start else 'the line before'} to {quoted(end) if end else 'the next line'}"
    for old, new in sources:
        was, now = interval_ns(old, start, end), interval_ns(new, start, end)
        if was is not None and now is not None:
            gone = was - now >= least_ns and (at_most_ns is None or now <= at_most_ns)
            return Effect(gone, f"{span}: {was / 1e6:.3f} ms -> {now / 1e6:.3f} ms")
    silent = KernelLog.of(before).why_silent() or KernelLog.of(after).why_silent()
    return Effect(False, silent or f"no such interval {span} in both logs")


def never_called(before: Evidence, after: Evidence, function: str) -> Effect:
    """Prove an effect by the mark of a kernel function that only the base calls. Both boots reached their goal."""
    was, now = before.recording.mark(function), after.recording.mark(function)
    if was is None:
        return Effect(False, f"no boot marked {function}(): the kernel has no such symbol, or it was not watched")
    if now is not None:
        return Effect(False, f"{function}() is still called, at {now.ns / 1e6:.3f} ms")
    if after.recording.mark("start-kernel") is None or not after.recording.ok:
        return Effect(False, f"the changed system's boot has no marks, so none for {function}()")
    return Effect(True, f"{function}() was called at {was.ns / 1e6:.3f} ms, and is no longer called")


def either(*effects: Effect) -> Effect:
    """Return the first effect that is shown, or all the reasons why none is."""
    for effect in effects:
        if effect.shown:
            return effect
    reasons = dict.fromkeys(effect.evidence for effect in effects)
    return Effect(False, "; ".join(reasons))
