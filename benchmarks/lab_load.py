#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many boards at once on one host: what `bootlab boot --board` costs it, and whether every boot is told right.

Usage: lab_load.py OUT.json [--boards 20] [--boots 3]

Each board is a virtual one, and each boot a program of its own, as in CI: `bootlab boot --board FILE --json`. All
boards boot at the same time. CPU time is that of these programs with the readers that they start, not of the virtual
boards. On a busy host wall times say little; CPU time and verdicts do not depend on it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from bootlab.systemfile.board_template import board_template

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.running_board import RunningBoard


def described(board: RunningBoard, file: Path) -> Path:
    """Write the board's file."""
    words = shlex.join(board.switch_words).replace('"', '\\"')
    text = board_template("camera", device=str(board.wiring.tty), on=f"{words} on", off=f"{words} off")
    file.write_text(text.replace("login:", "camera: ready"), encoding="utf-8")
    return file


def boots(file: Path, store: Path, count: int, found: list[dict[str, Any]]) -> None:
    """Boot one board so many times, one after the other."""
    for _ in range(count):
        words = [sys.executable, "-m", "bootlab.cli", "boot", "--board", str(file), "--store", str(store), "--json"]
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert running.stderr is not None
        said = running.stderr.read()
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        found.append(
            {
                "exit_code": running.returncode,
                "cpu_s": round(used.ru_utime + used.ru_stime, 3),
                "peak_mib": round(used.ru_maxrss / 1024, 1),
                "said": said[-300:] if running.returncode else "",
            }
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--boots", type=int, default=3)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, ExitStack() as open_boards:
        folder = Path(name)
        files = []
        for number in range(options.boards):
            board = RunningBoard(folder / f"board{number}", seed=number)
            files.append(described(open_boards.enter_context(board), folder / f"board{number}.toml"))
        threads = [
            threading.Thread(target=boots, args=(file, folder / f"store{n}", options.boots, found))
            for n, file in enumerate(files)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    cpu = [one["cpu_s"] for one in found]
    told = {
        "format": "lab-load",
        "version": 1,
        "boards": options.boards,
        "boots": len(found),
        "reached_goal": sum(one["exit_code"] == 0 for one in found),
        "cpu_s_median": round(median(cpu), 2),
        "cpu_s_most": max(cpu),
        "peak_mib_most": max(one["peak_mib"] for one in found),
        "cores": os.cpu_count(),
        "load_average": [round(load, 1), round(os.getloadavg()[0], 1)],
        "failed": [one for one in found if one["exit_code"]],
    }
    options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=1))
    return 0 if told["reached_goal"] == len(found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
