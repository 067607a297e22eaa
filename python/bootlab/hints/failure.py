# SPDX-License-Identifier: MIT
"""Why a boot probably failed, read off its console: the next thing to try, named by what the machine said last."""

from __future__ import annotations

import difflib
import re

from bootlab import _core
from bootlab.hints import loader as loader_hint
from bootlab.hints import program as program_hint
from bootlab.hints import user_space as user_space_hint
from bootlab.model.console_port import printed_elsewhere
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings.console import of_the_kernel

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
    (
        r"Out of memory: Killed process \d+ \((?P<what>[^)]*)\)|System is deadlocked on memory",
        user_space_hint.OUT_OF_MEMORY,
    ),
    (r"Press .?Enter.? (?:for|to)|Give root password for maintenance", "user space stopped to ask a question"),
    (
        r"(?:can't access tty; job control turned off|/bin/sh: )",
        "the machine is in a shell: the first program, or the script that prints the goal, did not run",
    ),
)
# init/do_mounts.c lists what is there: "fe00           16384 vda", with " driver: virtio_blk" behind whole devices.
_THERE = re.compile(r"[0-9a-f]{4,5} +\d+ (?P<name>[a-z][a-z0-9!]*)\b")
_NAMES_MAX = 6
# kernel/exit.c: the status as wait(2) has it.
_INIT_ENDED = re.compile(r"Attempted to kill init! exitcode=0x(?P<status>[0-9a-f]{8})")
# What QEMU says of a machine that it cannot make (softmmu/vl.c, hw/core/machine.c).
_REFUSED = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        ("unsupported machine type", "machine.type: `qemu-system-… -machine help` lists the machines of this emulator"),
        ("unable to find CPU model", "machine.cpu: `qemu-system-… -machine TYPE -cpu help` lists those of the machine"),
        ("[Ii]nvalid SMP CPUs|max CPUs supported", "lower machine.cpus"),
        ("RAM size|too much memory|ram size|more than .* RAM", "change machine.memory_mib to what the message says"),
        ("cannot set up guest memory|Cannot allocate memory", "lower machine.memory_mib: this host has no such memory"),
        ("is not a valid device model name", "machine.extra: `qemu-system-… -device help` lists the devices"),
    )
)
_SILENT_BOARD = (
    "compare [goal] of the board's file with the last line above; if the board is busy and says nothing, raise "
    "limits.stall_s there"
)
_KNOWN = tuple((re.compile(pattern), text) for pattern, text in _SAID)


def hint_for(recording: Recording, system: SystemDescription | None = None) -> str:
    """Return the next thing to try after a boot that failed: by its console, else by how it ended."""
    outcome = recording.meta.outcome
    if outcome is Outcome.GOAL:
        return ""
    if outcome in {Outcome.HANG, Outcome.NO_GOAL, Outcome.PANIC, Outcome.TIME_LIMIT, Outcome.NO_CONSOLE}:
        found = likely_cause(recording, system)
        if found:
            return found
        if outcome is Outcome.HANG and recording.meta.board:
            return _SILENT_BOARD
    if outcome is Outcome.CANNOT_START:
        return next((text for pattern, text in _REFUSED if pattern.search(recording.meta.reason)), outcome.hint)
    return outcome.hint


def likely_cause(recording: Recording, system: SystemDescription | None = None) -> str:
    """Return what the console shows of the cause, or an empty text: of a boot that ended, or of one that goes on."""
    goal = system.goal.sought if system is not None else ""
    lines = recording.lines[-_LINES_MAX:]
    return (
        _near_goal(recording, goal)
        or loader_hint.waits(recording.lines)
        or _other_devices(recording)
        or user_space_hint.crash(lines)
        or _said(recording)
        or _first_program_ended(recording)
        or _printed_elsewhere(recording, system)
        or _stuck(recording)
        or _slow_clock(recording)
        or user_space_hint.ended_by_itself(lines, goal)
        or program_hint.cannot_run(lines)
        or user_space_hint.repeats(lines)
        or (user_space_hint.silent(lines, goal) if goal and not _panicked(recording) else "")
    )


def _panicked(recording: Recording) -> bool:
    return recording.meta.outcome is Outcome.PANIC


def _said(recording: Recording) -> str:
    for line in reversed(recording.lines[-_LINES_MAX:]):
        for pattern, text in _KNOWN:
            match = pattern.search(line.text)
            if match is not None:
                what = (match.groupdict().get("what") or "").strip()[:80]
                return text.format(what=what or "it")
    return ""


def _other_devices(recording: Recording) -> str:
    """Name the block devices that the kernel has when it does not find its root."""
    lines = recording.lines[-_LINES_MAX:]
    for number, line in enumerate(lines):
        asked = re.search(r"VFS: Cannot open root device \"(?P<what>[^\"]+)\"", line.text)
        if asked is None:
            continue
        behind = (_THERE.match(_core.kernel_message(later.text)) for later in lines[number + 1 :])
        names = [f"/dev/{match['name']}" for match in behind if match is not None]
        if names:
            return f"there is no {asked['what'][:80]}; the kernel has {', '.join(names[:_NAMES_MAX])}: correct root="
    return ""


def _first_program_ended(recording: Recording) -> str:
    """Say how the first program ended, and what user space said last."""
    lines = recording.lines[-_LINES_MAX:]
    for number, line in enumerate(lines):
        found = _INIT_ENDED.search(line.text)
        if found is None:
            continue
        status = int(found["status"], 16)
        how = f"by signal {status & 0x7F}" if status & 0x7F else f"with status {status >> 8 & 0xFF}"
        own = (before.text for before in reversed(lines[:number]) if before.text.strip())
        last = next((text for text in own if not of_the_kernel(text)), "")
        behind = f"; the last line before: {_quoted(last)}" if last else ""
        # sh(1): a command that cannot be run, and one that is not there.
        missing = how in {"with status 126", "with status 127"}
        rest = "; a command of it is not in the tree, or cannot run" if missing else ""
        return f"the first program ended {how}{behind}: it must keep running{rest}"
    return ""


def _printed_elsewhere(recording: Recording, system: SystemDescription | None) -> str:
    """Name the console that programs write to, where that is a screen and not the port that is read."""
    if system is None or recording.meta.outcome is Outcome.PANIC:
        return ""
    return printed_elsewhere(system.cmdline)


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
    if shift is None or shift <= _SHIFT_USUAL or recording.meta.ended_by != "virtual-time":
        return ""
    return (
        f"clock.shift = {shift} makes each instruction {1 << shift} ns, so {1_000_000_000 >> shift:,} instructions are "
        "a second of virtual time: take a smaller shift, or raise limits.stall_virtual_s and limits.virtual_s"
    )


def _quoted(text: str) -> str:
    return repr(text.strip()[:120])
