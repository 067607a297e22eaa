#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots of the virtual board with injected faults: is each told from every other, and how right are the stamps?

Words: `--boots N` (200), `--seed N`, `--json FILE`, `--socket` (the console behind a TCP port, not a pseudo-terminal).
Every boot is kept in the file: what the board did, what bootlab said, and how far each piece's stamp lies from the
instant at which the board sent it.

A stamp is right if it lies between the board's two looks at the clock, just before and just behind its write; else its
error is the distance to the nearer of them. Both clocks are CLOCK_MONOTONIC_RAW. Limits: no fault that is told wrong,
no boot lost, no board left on; the median error of the stamps at most 0.5 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from bootlab.boards import reader
from bootlab.boards.choose import board_target
from bootlab.boards.target import BoardTarget
from bootlab.boards.virtual.script import FAULTS
from bootlab.builders.cache import Cache
from bootlab.model.real_board import Board
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal, SystemDescription
from bootlab.systemfile.board import BoardFile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.running_board import RunningBoard

EXPECTED = {"": Outcome.GOAL, **FAULTS}
PACKAGE = Path(reader.__file__).parents[3]
SHARE = 0.05
"""Of each fault: eleven of them leave a bit less than half of the boots good."""


class Watched(BoardTarget):
    """The target, keeping the raw stamps of its last boot."""

    arrivals: reader.Arrivals | None = None

    def _record(self, plan: Any, folder: Path, *rest: Any) -> Any:
        Watched.arrivals = reader.arrivals(folder)
        return super()._record(plan, folder, *rest)


def errors_ms(sent: list[dict[str, Any]], came: reader.Arrivals) -> list[float]:
    """Return each piece's error. Pieces and stamps are matched by counting bytes from the end, where none is lost."""
    if not sent or not len(came.ends) or any(note["lost"] for note in sent):
        return []
    before = int(came.ends[-1]) - sum(note["bytes"] for note in sent)
    if before < 0:
        return []
    found, at = [], before
    for note in sent:
        at += note["bytes"]
        index = int(came.ends.searchsorted(at, side="left"))
        ns = int(came.raw_ns[index])
        wrong = max(note["from_ns"] - ns, ns - note["to_ns"], 0)
        found.append(wrong / 1e6)
    return found


def target_of(board: Board, system: SystemDescription, folder: Path) -> BoardTarget:
    """Return the target whose stamps are kept."""
    made = board_target(board, Cache(folder / "cache"), system)
    assert isinstance(made, BoardTarget)
    made.__class__ = Watched
    return made


def portable(reason: str, folder: Path) -> str:
    """Return the reason without the paths of this machine: the interpreter, the checkout, the folder."""
    for path, word in ((sys.executable, "python"), (str(PACKAGE), ""), (str(folder), "")):
        reason = reason.replace(path + ("" if word else "/"), word)
    return reason


def one_boot(target: BoardTarget, system: SystemDescription, board: RunningBoard, folder: Path) -> dict[str, Any]:
    """Boot once and say what happened on both sides."""
    known = sum(1 for _ in board.truth())
    began = time.monotonic()
    recording = target.boot(target.plan(system), folder, stop=threading.Event())
    took_s = time.monotonic() - began
    notes = [note for number, note in enumerate(board.truth()) if number >= known]
    ons = [note for note in notes if note["event"] == "on"]
    fault = ons[0]["fault"] if ons else "?"
    refused = any(note["event"] == "power-failed" for note in notes) and not ons
    expected = Outcome.POWER_FAILED if refused else EXPECTED.get(fault, Outcome.GOAL)
    sent = [note for note in notes if note["event"] == "sent" and ons and note["boot"] == ons[0]["boot"]]
    # At another rate the bytes on the wire are not those that were sent, nor as many.
    exact = recording.ok and Watched.arrivals is not None
    return {
        "fault": "power" if refused else fault,
        "outcome": recording.meta.outcome.value,
        "reason": portable(recording.meta.reason, folder.parent),
        "right": recording.meta.outcome is expected,
        "baud": ons[0]["baud"] if ons else None,
        "baud_named": f"speaks {ons[0]['baud']} baud" in recording.meta.reason if fault == "baud" else None,
        "goal_ns": recording.meta.goal_ns,
        "took_s": round(took_s, 3),
        "off": board.ask("status").startswith("ok off"),
        "recording_bytes": sum(p.stat().st_size for p in Path(str(recording.path)).iterdir()),
        "errors_ms": [round(e, 4) for e in errors_ms(sent, Watched.arrivals)] if exact and Watched.arrivals else [],
    }


def summary_of(boots: list[dict[str, Any]], load: list[float]) -> dict[str, Any]:
    """Return the figures of the boots so far."""
    wrong = [b for b in boots if not b["right"]]
    errors = np.asarray([e for b in boots for e in b["errors_ms"]])
    shares = (50, 90, 99, 99.9, 100)
    spread = {f"p{share:g}": round(float(np.percentile(errors, share)), 4) for share in shares} if len(errors) else {}
    return {
        "boots": len(boots),
        "told_right": len(boots) - len(wrong),
        "by_fault": {f: sum(1 for b in boots if b["fault"] == f) for f in sorted({b["fault"] for b in boots})},
        "baud_named": [b["baud_named"] for b in boots if b["baud_named"] is not None],
        "left_on": sum(1 for b in boots if not b["off"]),
        "stamps": len(errors),
        "stamp_error_ms": spread,
        "within_half_ms": round(float((errors <= 0.5).mean()), 5) if len(errors) else None,
        "median_boot_s": round(float(np.median([b["took_s"] for b in boots])), 3),
        "median_recording_bytes": int(np.median([b["recording_bytes"] for b in boots])),
        "load_average": [round(x, 1) for x in (*load, os.getloadavg()[0])],
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def keep(path: Path, boots: list[dict[str, Any]], load: list[float]) -> None:
    """Write what there is: a run that is cut off keeps its boots."""
    head = {"format": "bootlab-benchmark", "version": 1, "name": "board", "summary": summary_of(boots, load)}
    path.write_text(json.dumps(head | {"boots": boots}, separators=(",", ":")) + "\n", encoding="utf-8")


def main() -> int:
    """Boot, print and keep the figures; return 1 where a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boots", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=float, default=2.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--socket", action="store_true")
    options = parser.parse_args()
    faults = tuple((name, SHARE) for name in EXPECTED if name)
    boots: list[dict[str, Any]] = []
    load = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wiring = {"seed": options.seed, "speed": options.speed, "faults": faults, "power_fails": 0.03}
        with RunningBoard(folder / "board", **wiring, port=0 if options.socket else None) as board:
            file = BoardFile(board=board.board(), goal=Goal(console="camera: ready"))
            system = file.system()
            target = target_of(file.board, system, folder)
            for number in range(options.boots):
                boots.append(one_boot(target, system, board, folder / str(number)))
                if options.json:
                    keep(options.json, boots, load)
                print(f"{number + 1:4} {boots[-1]['fault'] or 'good':12} {boots[-1]['outcome']}", flush=True)
    summary, wrong = summary_of(boots, load), [b for b in boots if not b["right"]]
    spread = summary["stamp_error_ms"]
    print(json.dumps(summary, indent=1))
    for boot in wrong:
        print(f"told wrong: {boot['fault']} as {boot['outcome']}: {boot['reason']}")
    kept = not wrong and not summary["left_on"] and spread and spread["p50"] <= 0.5
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
