# SPDX-License-Identifier: MIT
"""What is true of real logs, read by eye: nothing that is told of them is wrong. The logs are not in the repository."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.logs import gauge

FOLDERS = [Path(os.environ[name]) for name in ("BOOTLAB_CASES", "BOOTLAB_LOGS") if os.environ.get(name)]


@pytest.mark.parametrize(
    ("entry", "file"), [pytest.param(entry, file, id=entry["path"]) for entry, file in gauge.logs(FOLDERS)] or [
        pytest.param(None, None, marks=pytest.mark.skip(reason="no folder of logs (BOOTLAB_CASES)"))
    ]
)  # fmt: skip
def test_nothing_is_told_wrong(entry: dict[str, Any], file: Path):
    told = gauge.judge(entry, file)
    assert [f"{one.what}: {one.why}" for one in told if one.how == "wrong"] == []
    right = sum(one.how == "right" for one in told)
    assert right * 2 >= len(told), [one for one in told if one.how != "right"]


def test_facts_are_well_formed():
    known = {
        "path", "source", "boots", "boot", "outcome", "zero", "stages", "more", "at_least", "end", "startup",
        "initcalls", "costs", "not", "length", "kernel_length", "units",
    }  # fmt: skip
    for file in gauge.FACTS.glob("*.toml"):
        entries = tomllib.loads(file.read_text(encoding="utf-8"))["log"]
        assert len({entry["path"] for entry in entries}) == len(entries)
        for entry in entries:
            assert set(entry) <= known, entry["path"]
            assert entry["boots"] >= 0


def test_the_gauge_tells_wrong_from_silent(tmp_path: Path):
    log = tmp_path / "x.log"
    log.write_text(
        "[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1\n"
        "[    0.500000] Freeing unused kernel memory: 1M\n"
        "[    0.900000] systemd[1]: systemd 229 running in system mode.\n"
    )
    entry = {"path": "x.log", "boots": 2, "stages": {"user-space-start": 500, "first-use": 1000, "kernel-start": 700}}
    told = {one.what: one.how for one in gauge.judge(entry, log)}
    assert told["boots"] == "wrong"
    assert told["user-space-start"] == "right"
    assert told["first-use"] == "silent"
    assert told["kernel-start"] == "wrong"
