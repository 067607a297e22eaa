# SPDX-License-Identifier: MIT
"""What a console tells of a user space that came to no goal: it ended the machine, repeats itself, fell silent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from bootlab import _core
from bootlab.model import figures
from bootlab.model.recording import RUN_INIT, Line
from bootlab.recordings.console import of_the_kernel

# init/main.c: run_init_process().
_RUN = re.compile(RUN_INIT)
# kernel/reboot.c, arch/x86/kernel/reboot.c.
_ENDED = re.compile(r"reboot: (?P<how>machine restart|Restarting system|Power down|System halted)")
_HOW = {
    "machine restart": "restarted the machine",
    "Restarting system": "restarted the machine",
    "Power down": "switched the machine off",
    "System halted": "halted the machine",
}
_SWITCHED_OFF = "reboot: Power down"
_CRASHED = re.compile(
    r"(?:BUG: kernel NULL pointer dereference|BUG: unable to handle|Unable to handle kernel|Internal error: Oops).*"
)
# arch/{x86,arm,arm64,riscv}/kernel: how each names the instruction that crashed.
_PLACE = re.compile(r"(?:RIP: [0-9a-f]{4}:|PC is at |\bpc : |\bepc : )(?P<function>[A-Za-z_][\w.]*)\+0x", re.IGNORECASE)
_PLACE_WITHIN_LINES = 40
# mm/oom_kill.c
_OUT_OF_MEMORY = re.compile(r"Out of memory: Killed process \d+ \((?P<what>[^)]{1,40})\)")
OUT_OF_MEMORY = "the memory ran out ({what} was killed): raise machine.memory_mib, or make the initramfs smaller"
_NUMBER = re.compile(r"\d+")
_REPEATS_LEAST = 5
_LOOKED_AT = 40


def crash(lines: Sequence[Line]) -> str:
    """Name the function in which the kernel crashed first."""
    for number, line in enumerate(lines):
        crashed = _CRASHED.search(line.text)
        if crashed is None:
            continue
        for near in lines[number : number + _PLACE_WITHIN_LINES]:
            if (place := _PLACE.search(near.text)) is not None:
                function = place["function"]
                return (
                    f"the kernel crashed in {function} (line {line.number}: {_quoted(crashed[0])}): `bootlab where "
                    f"{function} --source LINUX` names the option that it belongs to"
                )
        return f"the kernel crashed: line {line.number}, {_quoted(crashed[0])}"
    return ""


def ended_by_itself(lines: Sequence[Line], goal: str = "") -> str:
    """Say that user space ended the machine, and after which words; or why an end that is the goal was another one."""
    switched_off = bool(goal) and re.search(goal, _SWITCHED_OFF) is not None
    for number, line in enumerate(lines):
        if (found := _ENDED.search(line.text)) is not None:
            if switched_off and found["how"] == "System halted":
                return "the kernel halted the machine: no driver in it switches this machine off"
            last = _last_words(lines[:number])
            behind = f" after {_quoted(last)}" if last else ", without a word"
            return (
                f"user space {_HOW[found['how']]}{behind}, before the goal: is there a reboot, poweroff or watchdog "
                "in a script, or the end of a first program?"
            )
    return ""


def repeats(lines: Sequence[Line]) -> str:
    """Name a line that comes again and again at the end: a program that waits for what never comes.

    Alone, or with a few others in turn, as what a program tries and what the kernel says to it.
    """
    texts = [_plain(line.text) for line in lines[-_LOOKED_AT:] if line.text.strip()]
    last = texts[-1] if texts else ""
    counts = Counter(texts)
    # The beginning of the first turn may be seen, and the end of the last one missing.
    again = [text for text, count in counts.items() if count >= _REPEATS_LEAST]
    alone = counts[last] >= len(texts) / 2
    in_turn = last in again and sum(counts[text] for text in again) == len(texts) == _LOOKED_AT
    if counts[last] < _REPEATS_LEAST or not (alone or in_turn):
        return ""
    shown = {_plain(line.text): line.text for line in lines[-_LOOKED_AT:]}
    own = next((text for text in reversed(again) if not of_the_kernel(shown[text])), last)
    more = f", with {figures.counted(len(again) - 1, 'other line')}," if len(again) > 1 else ""
    waits = "a program waits for something that this system does not have"
    return f"{_quoted(shown[own])}{more} comes again and again: {waits}"


def _plain(text: str) -> str:
    """Return a line without what differs each time: its stamp, and numbers where the kernel prints it."""
    message = _core.kernel_message(text).strip()
    return _NUMBER.sub("0", message) if message != text.strip() else message


def memory_ran_out(lines: Sequence[Line]) -> str:
    """Name the program that the kernel killed when the memory ran out: it will not come back."""
    found = next((match for line in lines if (match := _OUT_OF_MEMORY.search(line.text))), None)
    return OUT_OF_MEMORY.format(what=found["what"]) if found is not None else ""


def silent(lines: Sequence[Line], goal: str) -> str:
    """Say that user space ran, how many lines it printed, and which was the last; "" while the kernel starts."""
    at = next((number for number, line in enumerate(lines) if _RUN.search(line.text)), None)
    path = _RUN.search(lines[at].text) if at is not None else None
    # With `quiet` the kernel does not say when it starts the first program.
    behind = lines[at + 1 :] if at is not None else _behind_the_kernel(lines)
    said = [line for line in behind if line.text.strip() and not of_the_kernel(line.text)]
    if said:
        none = "its one line does not match" if len(said) == 1 else f"none of its {len(said)} lines matches"
        return (
            f"user space ran, but {none} the goal {goal!r}; it said last {_quoted(said[-1].text)}: is the program that "
            "prints the goal started, and does it print on the console?"
        )
    if path is None:
        return ""
    return f"{path[1]} was started and printed nothing: does it print on the console, and what does it wait for?"


def _behind_the_kernel(lines: Sequence[Line]) -> Sequence[Line]:
    stamped = [number for number, line in enumerate(lines) if of_the_kernel(line.text)]
    return lines[stamped[0] :] if stamped else ()


def _last_words(lines: Sequence[Line]) -> str:
    texts = (line.text for line in reversed(lines) if line.text.strip())
    return next((text for text in texts if not of_the_kernel(text)), "")


def _quoted(text: str) -> str:
    return repr(text.strip()[:120])
