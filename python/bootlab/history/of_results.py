# SPDX-License-Identifier: MIT
"""The times of boots that a CI system keeps: KCIDB reports (JSON) of KernelCI and others, LAVA's results (CSV).

Sources: https://docs.kernelci.org/kcidb (schema 5: `tests`, `builds`, `checkouts`); LAVA's export of test cases
(lava_results_app/utils.py: `testcase_export_fields`).
"""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from bootlab.history.boot_times import REVISION, TOTAL, BootTimes
from bootlab.model.recording import GoalClock, Outcome

_SECONDS = {"s": 1.0, "seconds": 1.0, "ms": 1e-3, "milliseconds": 1e-3, "us": 1e-6, "ns": 1e-9}
_PREFIX = "boot."
_LAVA_FIELDS = frozenset({"name", "job", "suite", "result", "measurement", "unit", "logged"})
_OF_LAVA = "lava"
"""The suite of the dispatcher's own actions, whose durations are the host's; its case `job` says how the job ended."""
_BAD = frozenset({"fail", "error", "FAIL", "ERROR"})


class _Number(msgspec.Struct):
    value: float
    unit: str = ""


class _Test(msgspec.Struct):
    id: str
    build_id: str
    path: str = ""
    status: str = ""
    start_time: str = ""
    number: _Number | None = None
    misc: dict[str, Any] = {}

    @property
    def told(self) -> dict[str, Any]:
        """What bootlab wrote into a report of its own."""
        said = self.misc.get("bootlab", {})
        return said if isinstance(said, dict) else {}


class _Build(msgspec.Struct):
    id: str
    checkout_id: str = ""


class _Checkout(msgspec.Struct):
    id: str
    git_commit_hash: str = ""
    comment: str = ""


class _Report(msgspec.Struct):
    version: dict[str, int]
    checkouts: list[_Checkout] = []
    builds: list[_Build] = []
    tests: list[_Test] = []


def of_results(path: Path) -> tuple[BootTimes, ...]:
    """Return the boots of a KCIDB report or of LAVA's results, the oldest first; () where the file is neither."""
    try:
        if path.suffix == ".json":
            return _dated(_of_report(msgspec.json.decode(path.read_bytes(), type=_Report)))
        if path.suffix == ".csv":
            with path.open(encoding="utf-8", errors="replace", newline="") as text:
                return _dated(_of_lava(list(csv.DictReader(text))))
    except (OSError, ValueError, csv.Error, msgspec.MsgspecError):
        return ()
    return ()


def _dated(boots: list[BootTimes]) -> tuple[BootTimes, ...]:
    return tuple(sorted(boots, key=lambda boot: boot.at))


def _of_report(report: _Report) -> list[BootTimes]:
    """Return a boot a build that has a test `boot` or numbers below it."""
    checkouts = {one.id: one.git_commit_hash or one.comment for one in report.checkouts}
    revisions = {one.id: checkouts.get(one.checkout_id, "") for one in report.builds}
    tests: dict[str, list[_Test]] = defaultdict(list)
    for test in report.tests:
        if test.path == "boot" or test.path.startswith(_PREFIX):
            tests[test.build_id].append(test)
    return [_of_build(build, its, revisions.get(build, "")) for build, its in tests.items()]


def _of_build(build: str, tests: list[_Test], revision: str) -> BootTimes:
    values, clock = {}, "wall"
    for test in tests:
        clock = str(test.told.get("clock", clock))
        if test.number is None or test.number.unit not in _SECONDS or test.told.get("modelled"):
            continue
        own = test.id.removeprefix(f"{build}/") if test.told and test.id.startswith(f"{build}/") else ""
        values[own or _name(test.path)] = _ns(test.number.value, test.number.unit)
    failed = any(test.path == "boot" and test.status in _BAD for test in tests) and TOTAL not in values
    at = min((test.start_time for test in tests if test.start_time), default="")
    return _boot(f"{build} {at}", values, failed=failed, clock=clock, at=at, facts={REVISION: revision})


def _of_lava(rows: list[dict[str, str]]) -> list[BootTimes]:
    """Return a boot a job that has a time of `boot...` among the measurements of its suites."""
    jobs: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        if not row.keys() >= _LAVA_FIELDS:
            return []
        jobs[row["job"]].append(row)
    found = []
    for job, cases in jobs.items():
        values, at = {}, ""
        for case in cases:
            name, unit = case["name"], case["unit"]
            if case["suite"] != _OF_LAVA and name.startswith(_PREFIX) and unit in _SECONDS:
                values[_name(name)] = _ns(float(case["measurement"]), unit)
                at = at or case["logged"]
        ended = next((case["result"] for case in cases if (case["suite"], case["name"]) == (_OF_LAVA, "job")), "")
        if values or ended in _BAD:
            at = at or max(case["logged"] for case in cases)
            found.append(
                _boot(f"lava {job}", values, failed=TOTAL not in values, clock="wall", at=at, facts={"job": job})
            )
    return found


def _boot(key: str, values: dict[str, int], *, failed: bool, clock: str, at: str, facts: dict[str, str]) -> BootTimes:
    known: GoalClock = "virtual" if clock == "virtual" else "printk" if clock == "printk" else "wall"
    return BootTimes(
        key=hashlib.sha256(key.encode()).hexdigest(),
        outcome=Outcome.NO_GOAL if failed else Outcome.GOAL,
        clock=known,
        exact=known == "virtual",
        values=values,
        not_measured={} if TOTAL in values else {TOTAL: "the results have no time of the whole boot"},
        facts={name: said for name, said in facts.items() if said},
        at=_utc(at),
    )


def _utc(at: str) -> str:
    """Return a date in UTC, to be sorted as text. Raise ValueError."""
    if not at:
        return ""
    made = datetime.fromisoformat(at)
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")


def _name(path: str) -> str:
    return path.removeprefix(_PREFIX).replace("_", " ")


def _ns(value: float, unit: str) -> int:
    return round(value * _SECONDS[unit] * 1e9)
