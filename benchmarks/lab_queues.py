#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Six virtual boards under two queues of jobs: is every boot told right, is no board left on, is the right one ill?

Usage: lab_queues.py OUT.json [--boots 200] [--seed 1]

A queue is a program of its own, as a CI runner is: it takes one job after the other, each a boot of a board that it
draws, and waits where the other queue has that board. Two boards are planted ill (each fault in one boot of 20), four
are well (a hang or a panic in one of 40). What a board did stands in its own diary, in the order of its boots; what
bootlab said of them is laid beside it. All boots then stand in a history, whose health marks are read.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from bootlab.boards.choose import board_target
from bootlab.boards.lock import identity_of, lock_is_held
from bootlab.boards.virtual.script import FAULTS
from bootlab.builders.cache import Cache
from bootlab.history.board_health import boards as judged
from bootlab.history.entry import HistoryEntry
from bootlab.history.of_recording import of_recording
from bootlab.model.real_board import Board
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal
from bootlab.recordings import recording_dir
from bootlab.systemfile.board import BoardFile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.running_board import RunningBoard

EXPECTED = {"": Outcome.GOAL, **FAULTS}
BOARDS, QUEUES = 6, 2
ILL = frozenset({"board1", "board4"})
OFTEN = tuple((name, 0.05) for name in FAULTS)
SELDOM = (("hang", 0.0125), ("panic", 0.0125))


def raw_ns() -> int:
    """Return the clock by which a virtual board keeps its diary."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def queue(folder: Path, number: int, boots: int, seed: int) -> None:
    """Run one queue: boots of boards that it draws, each told on a line."""
    files = msgspec.json.decode((folder / "boards.json").read_bytes(), type=list[Board])
    draw = random.Random(f"{seed} {number}")
    for job in range(boots):
        board = draw.choice(files)
        system = BoardFile(board=board, goal=Goal(console="camera: ready")).system()
        target = board_target(board, Cache(folder / f"cache{number}"), system)
        said = {"board": board.name, "queue": number, "began_ns": raw_ns()}
        recording = target.boot(target.plan(system), folder / f"{number}-{job}", stop=threading.Event())
        said |= {"folder": str(recording.path), "end_ns": raw_ns()}
        print(json.dumps(said), flush=True)


def queued(folder: Path, boots: int, seed: int) -> list[dict[str, Any]]:
    """Run all queues at once; return what they said, in the order in which the boots ended."""
    share = [boots // QUEUES + (number < boots % QUEUES) for number in range(QUEUES)]
    words = [sys.executable, __file__, str(folder), "--seed", str(seed)]
    running = [
        subprocess.Popen([*words, "--queue", str(n), "--boots", str(count)], stdout=subprocess.PIPE, text=True)
        for n, count in enumerate(share)
    ]
    lines = [line for one in running for line in one.communicate()[0].splitlines()]
    assert all(one.returncode == 0 for one in running)
    return sorted((json.loads(line) for line in lines), key=lambda said: said["end_ns"])


def beside(boots: list[dict[str, Any]], board: RunningBoard) -> list[dict[str, Any]]:
    """Lay what bootlab said of a board's boots, by their ends, beside what it did: it boots one at a time."""
    did = [(note["at_ns"], note["fault"]) for note in board.truth() if note["event"] == "on"]
    told, last = [], 0
    for boot in boots:
        # A console that nobody can read is tried at other rates, with the power switched off and on for each.
        fault = next(fault for at, fault in did if last < at <= boot["end_ns"])
        waited_s = max(0, last - boot["began_ns"]) / 1e9
        last = boot["end_ns"]
        meta = recording_dir.load(Path(boot["folder"])).meta
        said = {"fault": fault, "outcome": meta.outcome.value, "right": meta.outcome is EXPECTED[fault]}
        told.append(boot | said | {"waited_s": round(waited_s, 3), "reason": meta.reason[:200]})
    return told


def marks(boots: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Put all boots into a history and return what it says of each board's health."""
    entries = []
    for boot in boots:
        times = of_recording(recording_dir.load(Path(boot["folder"])))
        entries.append(HistoryEntry(system="camera", revision="r1", session=boot["folder"], times=times))
    return {one.name: {"ill": one.ill, "failed": len(one.failed), "of": one.judged} for one in judged(entries)}


def summary(boots: list[dict[str, Any]], health: dict[str, dict[str, Any]], left_on: list[str], held: list[str]) -> Any:
    return {
        "format": "bootlab-benchmark",
        "version": 1,
        "name": "lab-queues",
        "boots": len(boots),
        "told_right": sum(boot["right"] for boot in boots),
        "wrong": [boot for boot in boots if not boot["right"]],
        "by_fault": dict(sorted(Counter(boot["fault"] or "good" for boot in boots).items())),
        "by_queue": dict(sorted(Counter(str(boot["queue"]) for boot in boots).items())),
        "waited_for_the_other_queue": sum(boot["waited_s"] > 0 for boot in boots),
        "longest_wait_s": max(boot["waited_s"] for boot in boots),
        "left_on": left_on,
        "locks_held": held,
        "health": health,
        "marks_right": {name for name, one in health.items() if one["ill"]} == ILL,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> int:
    """Boot, print and keep the figures; return 1 where a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--boots", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queue", type=int)
    asked = parser.parse_args()
    if asked.queue is not None:
        queue(asked.out, asked.queue, asked.boots, asked.seed)
        return 0
    with tempfile.TemporaryDirectory() as name, ExitStack() as opened:
        folder = Path(name)
        running = {}
        for number in range(BOARDS):
            faults = OFTEN if f"board{number}" in ILL else SELDOM
            made = RunningBoard(folder / f"board{number}", seed=asked.seed * 100 + number, speed=2.0, faults=faults)
            running[f"board{number}"] = opened.enter_context(made)
        files = [msgspec.structs.replace(board.board(), name=name) for name, board in running.items()]
        (folder / "boards.json").write_bytes(msgspec.json.encode(files))
        said = queued(folder, asked.boots, asked.seed)
        boots = [
            told
            for name, board in running.items()
            for told in beside([one for one in said if one["board"] == name], board)
        ]
        left_on = [name for name, board in running.items() if not board.ask("status").startswith("ok off")]
        held = [board.name for board in files if lock_is_held(identity_of(board))[0]]
        found = summary(boots, marks(boots), left_on, held)
    for boot in found["wrong"]:
        del boot["folder"]
    asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))
    kept = found["told_right"] == len(boots) and found["marks_right"] and not left_on and not held
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
