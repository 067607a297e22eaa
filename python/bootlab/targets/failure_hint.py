"""Why a boot probably failed, read off its console: the next thing to try, named by what the machine said last."""

from __future__ import annotations

import difflib
import re

from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import System

# A line that differs from the goal in so little is meant to be it.
_ALIKE = 0.85
_LINES_MAX = 5000
_LITERAL = re.compile(r"[A-Za-z0-9 _:,/\-]{4,}")
_SHIFT_USUAL = 1

# What the kernel says (init/do_mounts.c, init/main.c, drivers/of), and what to do about it.
_SAID = (
    (
        r"Waiting for root device (?P<what>\S+?)\.*$",
        "the kernel waits for {what}, which no driver provides: is the disk in the machine and its driver built in?",
    ),
    (
        r"VFS: Cannot open root device \"(?:\(null\))?\"",
        "there is neither an initramfs with /init nor root= on the command line: add one of them",
    ),
    (
        r"VFS: Cannot open root device \"(?P<what>[^\"]*)\"",
        "no driver provides the root device {what}: add the disk or card to the machine, or build its driver in",
    ),
    (
        r"VFS: Unable to mount root fs (?:via NFS )?on (?!unknown-block\(0,0\))",
        "the root was found but not mounted: is its file system built in (rootfstype=), is root= the right partition?",
    ),
    (
        r"(?:Warning|warning): unable to open an initial console",
        "there is no /dev/console in the tree: add it (char 5:1), or mount devtmpfs",
    ),
    (
        r"Initramfs unpacking failed: (?P<what>.{1,80})",
        "the initramfs was not unpacked ({what}): is its compression built in (CONFIG_RD_…), and is it complete?",
    ),
    (
        r"No working init found|Requested init (?P<what>\S+) failed",
        "no first program could run: check init= or rdinit=, and run `bootlab rootfs check SYSTEM.toml`",
    ),
    (
        r"(?:ALERT!|Gave up waiting for root).*",
        "the initrd did not find the root: is root= right, and are the disk's modules in the initrd?",
    ),
    (r"Press .?Enter.? (?:for|to)|Give root password for maintenance", "user space stopped to ask a question"),
    (
        r"(?:can't access tty; job control turned off|/bin/sh: )",
        "the machine is in a shell: the first program, or the script that prints the goal, did not run",
    ),
)
_SILENT_BOARD = (
    "compare [goal] of the board's file with the last line above; if the board is busy and says nothing, raise "
    "limits.stall_s there"
)
_KNOWN = tuple((re.compile(pattern), text) for pattern, text in _SAID)


def hint_for(recording: Recording, system: System | None = None) -> str:
    """Return the next thing to try after a boot that failed: by its console, else by how it ended."""
    outcome = recording.meta.outcome
    if outcome is Outcome.GOAL:
        return ""
    if outcome in {Outcome.HANG, Outcome.NO_GOAL, Outcome.PANIC, Outcome.TIME_LIMIT, Outcome.NO_CONSOLE}:
        goal = system.goal.console if system is not None else ""
        found = _near_goal(recording, goal) or _said(recording) or _stuck(recording) or _slow_clock(recording)
        if found:
            return found
        if outcome is Outcome.HANG and recording.meta.board:
            return _SILENT_BOARD
    return outcome.hint


def _said(recording: Recording) -> str:
    for line in reversed(recording.lines[-_LINES_MAX:]):
        for pattern, text in _KNOWN:
            match = pattern.search(line.text)
            if match is not None:
                what = (match.groupdict().get("what") or "").strip()[:80]
                return text.format(what=what or "it")
    return ""


def _near_goal(recording: Recording, goal: str) -> str:
    """Name a line that is the goal but for its case or a letter."""
    if not goal:
        return ""
    lines = recording.lines[-_LINES_MAX:]
    loose = re.compile(goal, re.IGNORECASE)
    for line in lines:
        if loose.search(line.text) is not None:
            return f"line {line.number} has the goal in different case: {_quoted(line.text)}; correct goal.console"
    wanted = max(_LITERAL.findall(goal), key=len, default="").strip()
    if len(wanted) < 6:
        return ""
    best = max(((_likeness(wanted, line.text), line) for line in lines), key=lambda pair: pair[0], default=None)
    if best is None or best[0] < _ALIKE:
        return ""
    return f"line {best[1].number} is nearly the goal {goal!r}: {_quoted(best[1].text)}; is one of them misspelt?"


def _likeness(wanted: str, text: str) -> float:
    """Return how much of a text is found in a line's best place, 0 to 1."""
    if len(set(wanted) & set(text)) < len(set(wanted)) * _ALIKE:
        return 0.0
    size = len(wanted)
    match = difflib.SequenceMatcher(None, wanted, text[:400], autojunk=False).find_longest_match()
    start = max(0, match.b - match.a)
    return max(
        difflib.SequenceMatcher(None, wanted, text[start : start + length], autojunk=False).ratio()
        for length in (size - 1, size, size + 1)
    )


def _stuck(recording: Recording) -> str:
    function = recording.meta.last_initcall.partition("+")[0]
    if not function:
        return ""
    return f"{function} did not return: initcall_blacklist={function} on the command line boots without it"


def _slow_clock(recording: Recording) -> str:
    shift = recording.meta.shift
    if shift is None or shift <= _SHIFT_USUAL or "virtual time" not in recording.meta.reason:
        return ""
    return (
        f"clock.shift = {shift} makes each instruction {1 << shift} ns, so {1_000_000_000 >> shift:,} instructions are "
        "a second of virtual time: take a smaller shift, or raise limits.stall_virtual_s and limits.virtual_s"
    )


def _quoted(text: str) -> str:
    return repr(text.strip()[:120])
