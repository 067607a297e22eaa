#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks the time of goals and marks with lines that no well-behaved system prints.

First, random lines of colours, CR, backspaces, broken UTF-8 and pieces of the goal, in writes cut anywhere: the goal's
and a mark's stamp must be that of the byte which completes the text, as the shortest beginning of the line tells that
shows it and goes on to show it. Then real boots in QEMU of lines that once went wrong: what is printed behind the goal
must not move it by an instruction.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.mini_kernel import mini_kernel  # noqa: E402

from bootlab.builders.cache import Cache, default_folder  # noqa: E402
from bootlab.launch.marks import console_marks  # noqa: E402
from bootlab.launch.watch import ConsoleWatch  # noqa: E402
from bootlab.model.cmdline import CommandLine  # noqa: E402
from bootlab.model.recording import Recording  # noqa: E402
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription  # noqa: E402
from bootlab.recordings.console import text_of  # noqa: E402
from bootlab.recordings.stamps import Stamps  # noqa: E402
from bootlab.targets.qemu import QemuTarget  # noqa: E402

PIECES = (
    *(b"\x1b[32m", b"\x1b[0m", b"\x1b[2J", b"\x1bM", b"\x1b(B", b"\x1b]0;t\x07", b"\x1b[", b"\x1b", b"\x1b]"),
    *(b"\b", b"\r", b"\0", b"\t", b"\xff", b"\xe4u", b"\xe2\x82", b"\xf0\x9f\x98", "ü€😀".encode()),
    *(b"G", b"GO", b"GOA", b"AL", b"L", b"GOAL", b".", b" ", b"x"),
)
# What once got the time of its line's end, or of another place in it; @@ stands for bytes that are no UTF-8.
LINES = (
    ("l@@uft, frame 1 ready", r"frame \d+ ready"),
    ("\x1b[32mloading " + "." * 40, r"loading [.]{40}"),
    ("\r\x1b[KGO\x1b[0mAL", "GOAL"),
    ("3\b2\b1\b0 go", "0 go"),
    ("x" * 20_000 + " GOAL", "GOAL"),
)


def random_line(dice: random.Random) -> bytes:
    return b"".join(dice.choice(PIECES) for _ in range(dice.randint(1, 14)))


def completed(line: bytes) -> int | None:
    """Return how many bytes of a line it takes to show the goal for good; None: it does not show it."""
    length = len(line) + 1
    while length and "GOAL" in text_of(line[: length - 1]):
        length -= 1
    return length if length <= len(line) else None


def wrong_line(dice: random.Random, system: SystemDescription) -> bytes | None:
    """Print a few random lines in random pieces; return the console where a time is wrong."""
    lines = [random_line(dice) for _ in range(dice.randint(1, 3))]
    raw = b"\n".join(lines) + b"\n"
    at, expected = 0, None
    for line in lines:
        if (length := completed(line)) is not None:
            expected = at + length
            break
        at += len(line) + 1
    watch, begin = ConsoleWatch(None, system), 0
    while begin < len(raw):
        end = begin + dice.randint(1, 9)
        watch.feed(raw[begin:end])
        begin = end
    ends = np.arange(1, len(raw) + 1)
    marks = console_marks(system, Stamps(ends=ends, ns=ends, insns=ends, marks={}), raw, {})
    found = (watch.goal.match_end_bytes if watch.goal else None, marks[0].ns if marks else None)
    return None if found == (expected, expected) else raw


def booted(work: Path, name: str, line: str, goal: str, behind: str) -> Recording:
    image = mini_kernel(work / f"{name}.kernel", "begin\r\n" + line + behind + "\r\n", "idle")
    image.write_bytes(image.read_bytes().replace(b"@@", b"\xe4\xff"))
    system = SystemDescription(
        name=name,
        kernel=Kernel(image=str(image)),
        goal=Goal(console=goal),
        machine=Machine(memory_mib=32),
        cmdline=CommandLine.parse("console=ttyS0"),
    )
    target = QemuTarget(Cache(default_folder()))
    return target.boot(target.plan(system), work / name, stop=threading.Event())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--consoles", type=int, default=20_000, help="random consoles (20000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-boots", action="store_true", help="random consoles alone")
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    system = SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="GOAL"), marks=(("m", "GOAL"),))
    wrong = [raw for _ in range(asked.consoles) if (raw := wrong_line(dice, system)) is not None]
    print(f"{asked.consoles} consoles: {len(wrong)} with a goal or a mark at another byte")
    for raw in wrong[:5]:
        print(f"  {raw!r}")
    moved = 0
    with tempfile.TemporaryDirectory() as name:
        for number, (line, goal) in enumerate(() if asked.no_boots else LINES):
            boots = [booted(Path(name), f"{number}-{at}", line, goal, more) for at, more in enumerate(("", "." * 24))]
            times = [(boot.meta.goal_ns, boot.meta.goal_insns) for boot in boots]
            same = times[0] == times[1] and None not in times[0]
            moved += not same
            print(f"{line[-40:]!r}: goal {'at' if same else 'MOVED:'} {times}")
    return 1 if wrong or moved else 0


if __name__ == "__main__":
    raise SystemExit(main())
