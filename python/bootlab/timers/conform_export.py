# SPDX-License-Identifier: MIT
"""Verdicts of timerconform for other programs: TAP 14 and JUnit XML."""

from __future__ import annotations

from bootlab.timers.conform import AssertionCheck, ConformResult
from bootlab.views.junit import Case, document
from bootlab.views.shown_text import one_line

_SKIPPED = frozenset({"unsupported", "untested", "unresolved"})


def tap(result: ConformResult) -> bytes:
    """Make a TAP document; what is undefined and known deviations are `TODO`, which fail nobody."""
    lines = ["TAP version 14", f"1..{len(result.checks)}"]
    for position, check in enumerate(result.checks, start=1):
        good = check.verdict in {"pass", *_SKIPPED}
        # A '#' would begin a directive.
        words = f"{check.number} {check.function}: {check.assertion}".replace("#", "")
        lines.append(f"{'ok' if good else 'not ok'} {position} - {one_line(words, 300)}{_directive(check)}")
        lines += ["  ---", f"  verdict: {check.verdict}", f"  status: {check.status}"]
        lines += [f"  reference: '{_quoted(check.reference)}'", f"  evidence: '{_quoted(check.evidence)}'", "  ..."]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _directive(check: AssertionCheck) -> str:
    if check.verdict in _SKIPPED:
        return f" # SKIP {check.verdict}"
    if check.verdict == "deviation":
        return " # TODO known deviation"
    return " # TODO undefined by POSIX" if check.verdict == "fail" and not check.wrong else ""


def _quoted(text: str) -> str:
    return one_line(text, 500).replace("'", "''")


def junit(result: ConformResult) -> bytes:
    """Make a JUnit document, one case an assertion."""
    cases = [
        Case(
            f"bootlab.timers.{check.function}",
            f"{check.number} {check.assertion}",
            failure=f"{check.reference}: {check.evidence}" if check.wrong else "",
            skipped=f"{check.verdict}: {check.evidence}" if check.verdict in _SKIPPED else "",
        )
        for check in result.checks
    ]
    return document([("bootlab timers conform", cases)])
