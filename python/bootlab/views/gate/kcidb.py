# SPDX-License-Identifier: MIT
"""A gate as a KCIDB report (schema 5.3): one checkout, one build, a test a quantity. Plain JSON."""

from __future__ import annotations

import re
import statistics
from typing import Any

import msgspec

from bootlab.errors import UserError
from bootlab.history.gate import GateAnswer, GateResult, ModelledSides
from bootlab.views.gate.text import sentence

_ORIGIN = re.compile(r"[a-z0-9_]+")
_NOT_IN_PATH = re.compile(r"[^a-zA-Z0-9_-]+")
_STATUS = {GateAnswer.PASSED: "PASS", GateAnswer.FAILED: "FAIL", GateAnswer.UNDECIDED: "ERROR"}
_BUDGETS = {"kept": "PASS", "broken": "FAIL", "unknown": "MISS"}


def report(found: GateResult, *, origin: str, revision: str, at: str, unique: str) -> dict[str, Any]:
    """Return the report. `origin`: the CI system's name in KCIDB; `unique`: what no other report of it has.

    Measured times are DONE with a number in seconds, budgets and the gate PASS or FAIL. Raise UserError.
    """
    if not _ORIGIN.fullmatch(origin):
        raise UserError(f"--kcidb-origin {origin!r}: only a-z, 0-9 and _ are allowed", hint="--kcidb-origin my_ci")
    build = f"{origin}:{_plain(unique)}"
    checkout = f"{origin}:{_plain(revision or unique)}"
    common = {"build_id": build, "origin": origin, "start_time": at}
    tests: list[dict[str, Any]] = [
        common
        | {
            "id": f"{build}/gate",
            "path": "boot",
            "status": _STATUS[found.answer],
            "comment": _plain(sentence(found)),
            "misc": {"bootlab": {"boots": list(found.boots), "clock": found.clock, "odd": list(found.odd)}},
        }
    ]
    for one in found.compared:
        if one.modelled is not None:
            tests += [common | test for test in _at_both_ends(build, one.name, one.modelled)]
        elif one.new_ns:
            misc = {"base_ns": list(one.base_ns), "new_ns": list(one.new_ns)}
            tests.append(
                common | _measured(build, one.name, statistics.median(one.new_ns)) | {"misc": {"bootlab": misc}}
            )
    named = {one.name for one in found.compared}
    for name, values in found.measured.items():
        if values and name not in named:
            tests.append(common | _measured(build, name, statistics.median(values)))
    for number, result in enumerate(found.budgets, start=1):
        tests.append(
            common
            | {
                "id": f"{build}/budget/{number}",
                "path": f"boot.{_segment(result.budget.name)}.budget",
                "status": _BUDGETS[result.kept],
                "comment": _plain(f"limit {result.budget.limit}: {result.kept}: {result.why}"),
            }
        )
    return {
        "version": {"major": 5, "minor": 3},
        "checkouts": [{"id": checkout, "origin": origin, "comment": _plain(revision)}],
        "builds": [{"id": build, "origin": origin, "checkout_id": checkout, "start_time": at}],
        "tests": tests,
    }


def render(document: dict[str, Any]) -> bytes:
    """Write a report as JSON."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _measured(build: str, name: str, ns: float) -> dict[str, Any]:
    return {
        "id": f"{build}/{_plain(name)}",
        "path": f"boot.{_segment(name)}",
        "status": "DONE",
        "number": {"value": ns / 1e9, "unit": "s", "prefix": "metric"},
    }


def _at_both_ends(build: str, name: str, sides: ModelledSides) -> list[dict[str, Any]]:
    """Return a modelled time as two tests: a test has one number."""
    named = (("base_ns", sides.base_ns), ("new_ns", sides.new_ns))
    ends = {side: [round(ns.low), round(ns.high)] for side, ns in named}
    misc = {"misc": {"bootlab": {"modelled": True, **ends}}}
    new = (("at least", sides.new_ns.low), ("at most", sides.new_ns.high))
    return [_measured(build, f"{name} {end}", round(ns)) | misc for end, ns in new]


def _segment(name: str) -> str:
    return _NOT_IN_PATH.sub("_", name).strip("_") or "unnamed"


def _plain(text: str) -> str:
    return text.replace("\0", "").strip()[:500]
