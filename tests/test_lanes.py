# SPDX-License-Identifier: MIT
"""The lanes of the tests: each verb of the README and each claim has a telling test; none runs twice."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bootlab.cli.verb_list import VERBS

REPOSITORY = Path(__file__).resolve().parents[1]
TESTS = REPOSITORY / "tests"
# What the README says beside its verbs, in the words of the marks.
CLAIMS = {
    "equal under load": "every boot repeats to the instruction, however busy the host is",
    "no effect is no gain": "a change that took no effect never counts as a gain",
    "broken is not faster": "a system that lost its function never counts as faster",
    "killed and continued": "a command that was killed continues, and makes no boot twice",
    "endings": "a boot that fails is told, with what it said last",
    "from power-on": "boots through boot loaders, on one time axis",
    "processors": "several processors, each boot equal",
    "disks": "boots from disks repeat",
    "architectures": "ARM, AArch64, RISC-V and x86",
    "timers": "timers inside booted kernels, the same table twice",
}


def telling() -> dict[str, set[str]]:
    """Return which files have a telling test for a claim or a verb, out of the sources: nothing is imported."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "telling" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.telling":
                for word in node.args:
                    assert isinstance(word, ast.Constant), f"{path}: {ast.unparse(node)}"
                    found.setdefault(word.value, set()).add(str(path.relative_to(TESTS)))
    return found


def verbs_of_the_readme() -> set[str]:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"^```(?:sh|console)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
             for line in block.splitlines()]  # fmt: skip
    return {match[1] for line in lines if (match := re.match(r"(?:\$ )?bootlab ([a-z]+)", line))}


def test_each_verb_of_the_readme_and_each_claim_has_a_telling_test():
    marked = telling()
    verbs = verbs_of_the_readme()
    assert len(verbs) >= 10
    assert verbs | set(CLAIMS) <= set(marked)
    assert set(marked) <= set(VERBS) | set(CLAIMS)


@pytest.mark.parametrize(
    "path", [".ci/run", ".gitlab-ci.yml", *(f".github/workflows/{name}.yml" for name in ("change", "night", "week"))]
)
def test_what_continuous_integration_makes_exists(path):
    targets = set(re.findall(r"^([a-z0-9 -]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    known = {word for line in targets for word in line.split()}
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    # Not the package of that name.
    made = set(re.findall(r"(?:^|[-:|0-9] )make ([a-z][a-z0-9-]+)", text, re.MULTILINE))
    assert made or ".ci/run" in text
    assert made <= known


def test_the_longest_files_are_there_and_named_once():
    names = (TESTS / "longest_files.txt").read_text(encoding="utf-8").split()
    assert len(names) == len(set(names))
    assert [name for name in names if not (TESTS / name).is_file()] == []


def test_continuous_integration_says_no_early_and_runs_nothing_twice():
    text = (REPOSITORY / ".ci/run").read_text(encoding="utf-8")
    steps = [line.split(None, 3)[2:] for line in text.splitlines() if re.match(r"step \d+ make (check|test)", line)]
    assert steps == [
        ["make", "check EXAMPLES=all"],
        ["make", "test AFTER=check"],
        ["make", "test-all AFTER=test"],
    ]
