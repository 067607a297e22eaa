# SPDX-License-Identifier: MIT
"""A gate as annotations: GitHub's workflow commands, GitLab's code-quality report, LAVA's signals.

Source of the last: https://docs.lavasoftware.org/lava/writing-tests.html (lava-test-case prints them).
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics

from bootlab.history.gate import GateAnswer, GateResult
from bootlab.views.gate.text import sentence
from bootlab.views.shown_text import one_line

_NOT_IN_CASE = re.compile(r"[^\w.+-]+", re.ASCII)
_LEVELS = {GateAnswer.PASSED: "notice", GateAnswer.FAILED: "error", GateAnswer.UNDECIDED: "warning"}
_SEVERITIES = {"broken": "major", "unknown": "minor"}


def github(found: GateResult) -> str:
    """Return workflow commands, one a line: the answer, then each budget that was not kept, then what was odd."""
    lines = [_command(_LEVELS[found.answer], "boot time", sentence(found))]
    for name, said, kept in _not_kept(found):
        lines.append(_command("error" if kept == "broken" else "warning", f"budget {name}", said))
    lines += [_command("notice", "boot time", said) for said in found.odd]
    return "".join(f"{line}\n" for line in lines)


def lava(found: GateResult) -> str:
    """Return LAVA's signals, one a line: a test case for the answer, one a time that was measured, one a budget."""
    kept = {"kept": "pass", "broken": "fail"}
    answers = {GateAnswer.PASSED: "pass", GateAnswer.FAILED: "fail"}
    values = {name: statistics.median(each) for name, each in found.measured.items() if each}
    cases = [("boot", answers.get(found.answer, "unknown"), "")]
    cases += [(f"boot.{name}", "pass", f" UNITS=seconds MEASUREMENT={ns / 1e9:.9f}") for name, ns in values.items()]
    cases += [(f"budget.{one.budget.name}", kept.get(one.kept, "unknown"), "") for one in found.budgets]
    return "".join(
        f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={_NOT_IN_CASE.sub('_', name)} RESULT={result}{measured}>\n"
        for name, result, measured in cases
    )


def gitlab(found: GateResult, *, path: str) -> str:
    """Return a code-quality report: an empty list where nothing is wrong. `path`: the file that findings point at."""
    issues = []
    if found.answer is not GateAnswer.PASSED:
        severity = "major" if found.answer is GateAnswer.FAILED else "minor"
        issues.append(_issue("boot-time", sentence(found), severity, path))
    issues += [_issue(f"budget-{name}", said, _SEVERITIES[kept], path) for name, said, kept in _not_kept(found)]
    return json.dumps(issues, indent=1) + "\n"


def _not_kept(found: GateResult) -> list[tuple[str, str, str]]:
    return [
        (
            result.budget.name,
            f"{result.budget.name}: limit {result.budget.limit}: {result.kept}: {result.why}",
            result.kept,
        )
        for result in found.budgets
        if result.kept != "kept"
    ]


def _issue(check: str, said: str, severity: str, path: str) -> dict[str, object]:
    return {
        "description": one_line(said, 500),
        "check_name": f"bootlab/{one_line(check, 100)}",
        "fingerprint": hashlib.sha256(f"{check}\0{path}".encode()).hexdigest(),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": 1}},
    }


def _command(level: str, title: str, said: str) -> str:
    data = one_line(said, 500).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    name = one_line(title, 100).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={name}::{data}"
