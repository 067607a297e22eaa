# SPDX-License-Identifier: MIT
"""`bootlab stack` on systems that bootlab never saw, and their hand-over booted by QEMU alone.

The systems are those of first_contact_boots.py. Each is made, given to `bootlab new --from`, stacked, and `boot.sh` of
the faster system is run without bootlab until the console shows the goal. One system at a time; a row is kept as soon
as it is known, and a second call goes on where one stopped. Failures are rows too; what was cut off by `--limit-s` is
tried again by the next call. Needs what first_contact_boots.py needs.

    .venv/bin/python benchmarks/first_contact_stacks.py FOLDER --out ROWS.json [--ids ID,ID] [NAME…]
    .venv/bin/python benchmarks/first_contact_stacks.py FOLDER --out ROWS.json --table
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from benchmarks.first_contact_base import Base, Built, bootlab  # noqa: E402
from benchmarks.first_contact_boots import EVERY  # noqa: E402
from benchmarks.kept_rows import KeptRows  # noqa: E402

BARE_S = 600
STACK_S = 3 * 3600
Row = dict[str, Any]


def stacked(folder: Path, built: Built, ids: list[str], limit_s: float = STACK_S, jobs: int = 1) -> Row:
    """Describe and stack a system; return its row, or at which step it failed. `ids`: techniques; none: all.

    `limit_s`: so long each of the two may take. `jobs`: boots at a time.
    """
    given = [word for path in built.given for word in ("--from", str(path))]
    step = "new"
    try:
        if (
            not (folder / "it.toml").exists()
            and (made := bootlab(folder, "new", "it.toml", *given, limit_s=limit_s)).returncode
        ):
            return {"failed": "new", "exit_code": made.returncode, "said": (made.stderr or made.stdout)[-300:]}
        step = "stack"
        done = bootlab(folder, "stack", "it.toml", *ids, "--json", "-j", str(jobs), limit_s=limit_s)
    except subprocess.TimeoutExpired:
        return {"failed": step, "cut_off_s": limit_s, "said": f"no end within {limit_s:g} s"}
    return row_of(folder, done)


def row_of(folder: Path, done: subprocess.CompletedProcess[str]) -> Row:
    """Return what `bootlab stack --json` in this folder came to."""
    try:
        run = json.loads(done.stdout)["results"]
    except (ValueError, KeyError):
        run = {}
    base, stack = middle_ns(run.get("base")), run.get("stack") or {}
    final = middle_ns(stack.get("final"))
    if base is None or final is None:
        return {"failed": "stack", "exit_code": done.returncode, "said": done.stderr[-300:]}
    return {
        "exit_code": done.returncode,
        "base_ms": base / 1e6,
        "final_ms": final / 1e6,
        "changes": [":".join(filter(None, (one["technique"], one["label"]))) for one in stack["changes"]],
        "boots": sum(1 for _ in (folder / ".bootlab").rglob("recording.json")),
        "run": run["id"],
    }


def middle_ns(boot: Row | None) -> int | None:
    """Return where a boot's goal comes: the median under dithers, else that of the one boot; None where none came."""
    boot = boot or {}
    found = (boot.get("spread") or {}).get("median_ns") or boot.get("goal_ns")
    return int(found) if found is not None else None


def boots_bare(folder: Path, run: str) -> str:
    """Run the hand-over's script without bootlab; return "yes", or what came in the place of the goal."""
    goal = re.compile(tomllib.loads((folder / "it.toml").read_text())["goal"]["console"])
    script = folder / ".bootlab" / "runs" / run / "faster" / "boot.sh"
    if not script.exists():
        return "no script"
    process = subprocess.Popen(
        [str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        return _waited(process, goal, folder / "bare.txt")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _waited(process: subprocess.Popen[bytes], goal: re.Pattern[str], kept: Path) -> str:
    heard, end = b"", time.monotonic() + BARE_S
    assert process.stdout is not None
    while time.monotonic() < end:
        if not select.select([process.stdout], [], [], 1)[0]:
            continue
        new = os.read(process.stdout.fileno(), 1 << 16)
        heard += new
        kept.write_bytes(heard)
        lines = heard.decode(errors="replace").replace("\r", "").split("\n")
        if any(goal.search(line) for line in lines):
            return "yes"
        if not new:
            return f"no: it ended with {lines[-2:]}"
    return f"no goal within {BARE_S} s"


def table(rows: list[Row]) -> str:
    """Return the last row of each system as Markdown."""
    text = "| system | base, ms | stack, ms | less | changes | boots | hand-over boots in QEMU alone |\n"
    text += "|---|---:|---:|---:|---|---:|---|\n"
    for row in {row["system"]: row for row in rows}.values():
        if "failed" in row:
            text += f"| {row['system']} | | | | | | {row['failed']} failed: {' '.join(row['said'].split())[-200:]} |\n"
            continue
        faster = bool(row["changes"]) and row["final_ms"] < row["base_ms"]
        less = f"{1 - row['final_ms'] / row['base_ms']:.1%}" if faster else "not faster"
        text += f"| {row['system']} | {row['base_ms']:.3f} | {row['final_ms']:.3f} | {less} | "
        text += f"{', '.join(row['changes']) or 'none'} | {row['boots']} | {row['bare']} |\n"
    return text


def main() -> int:
    """Stack the systems that are named, or all; those that have a row are left out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for base root, images and runs; made if it is not there")
    parser.add_argument("--out", type=Path, required=True, help="the rows")
    parser.add_argument("--ids", default="", help="the techniques, with commas; default: all that apply")
    parser.add_argument("--jobs", type=int, default=1, help="boots at a time")
    parser.add_argument("--limit-s", type=float, default=STACK_S, help="host time for `stack`, and for `new` before it")
    parser.add_argument("--table", action="store_true", help="print the kept rows alone")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_intermixed_args()
    kept, folder = KeptRows(asked.out), asked.folder.absolute()
    for name in () if asked.table else asked.names or EVERY:
        if any(row["system"] == name and "cut_off_s" not in row for row in kept.rows):
            continue
        at = folder / f"stack-{re.sub(r'[^A-Za-z0-9]+', '-', name)}"
        at.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        ids = asked.ids.split(",") if asked.ids else []
        row = stacked(at, made(name, folder, at), ids, asked.limit_s, asked.jobs)
        if "failed" not in row:
            row["bare"] = boots_bare(at, row["run"])
        kept.add({"system": name, "ids": ids, **row, "host_s": round(time.monotonic() - begin)})
        print(kept.rows[-1], flush=True)
    print(table(kept.rows))
    return 0


def made(name: str, folder: Path, at: Path) -> Built:
    """Make a system, or take what an earlier call made of it: only the files that are given are looked at again."""
    kept = at / "given.json"
    if kept.exists():
        return Built(tuple(Path(path) for path in json.loads(kept.read_text())))
    built = EVERY[name](Base(folder), at)
    kept.write_text(json.dumps([str(path) for path in built.given]))
    return built


if __name__ == "__main__":
    sys.exit(main())
