# SPDX-License-Identifier: MIT
"""Rows and table of benchmarks/first_contact_stacks.py: what is not faster, what failed, what was cut off."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import first_contact_stacks as stacks
from benchmarks.first_contact_base import Built

ROW = {"system": "a", "base_ms": 9687.722, "final_ms": 9687.79, "changes": [], "boots": 9, "bare": "yes"}
LOST = "the base did not reach its goal"
FINAL = {"spread": {"median_ns": 60_000_000}, "goal_ns": 61_000_000}
CHANGES = [{"technique": "quiet", "label": ""}, {"technique": "initramfs-compression", "label": "lz4"}]


def cells(*rows: stacks.Row) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in stacks.table(list(rows)).splitlines()[2:]]


def test_a_stack_that_keeps_nothing_is_not_faster():
    assert cells(ROW) == [["a", "9687.722", "9687.790", "not faster", "none", "9", "yes"]]


def test_the_changes_stand_by_their_names():
    assert cells(ROW | {"final_ms": 7915.747, "changes": ["crypto-selftests", "quiet"]}) == [
        ["a", "9687.722", "7915.747", "18.3%", "crypto-selftests, quiet", "9", "yes"]
    ]


def test_of_two_rows_of_a_system_the_last_counts():
    cut = {"system": "a", "failed": "stack", "cut_off_s": 9, "said": "no end within 9 s"}
    assert cells(cut) == [["a", "", "", "", "", "", "stack failed: no end within 9 s"]]
    assert len(cells(cut, ROW)) == 1


@pytest.mark.parametrize("results", [{}, {"base": None}, {"base": {"goal_ns": None}, "stack": None}, "none"])
def test_a_run_without_a_stack_is_a_row(results: object, tmp_path: Path):
    text = "" if results == "none" else json.dumps({"results": results})
    done = subprocess.CompletedProcess([], 4, text, LOST)
    assert stacks.row_of(tmp_path, done) == {"failed": "stack", "exit_code": 4, "said": LOST}


def test_a_stack_is_a_row_of_its_medians(tmp_path: Path):
    run = {"id": "r", "base": {"spread": None, "goal_ns": 100_000_000}, "stack": {"final": FINAL, "changes": CHANGES}}
    row = stacks.row_of(tmp_path, subprocess.CompletedProcess([], 0, json.dumps({"results": run}), ""))
    assert (row["base_ms"], row["final_ms"], row["changes"]) == (100, 60, ["quiet", "initramfs-compression:lz4"])


def test_a_call_that_was_cut_off_leaves_a_row_and_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def late(_folder: Path, verb: str, *_words: str, limit_s: float) -> subprocess.CompletedProcess[str]:
        if verb == "stack":
            raise subprocess.TimeoutExpired("stack", limit_s)
        return subprocess.CompletedProcess([], 0, "", "")

    out, calls = tmp_path / "rows.json", []
    monkeypatch.setattr(stacks, "bootlab", late)
    monkeypatch.setattr(stacks, "made", lambda *_words: calls.append(1) or Built(()))
    monkeypatch.setattr(sys, "argv", ["stacks", str(tmp_path), "--out", str(out), "--limit-s", "5", "a"])
    assert stacks.main() == 0
    assert stacks.main() == 0
    assert len(calls) == 2
    row = json.loads(out.read_text())[0]
    assert (row["system"], row["failed"], row["cut_off_s"], row["said"]) == ("a", "stack", 5, "no end within 5 s")
