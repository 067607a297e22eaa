# SPDX-License-Identifier: MIT
"""The mistakes that people make, in systems made for real: each is named, with the way out, and most before a boot."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.integration.wrong_systems import CACHE, WRONG, armhf_packages

pytestmark = pytest.mark.qemu
BEFORE = [wrong for wrong in WRONG if not wrong.boots]
# A Linux boots for each of these.
RUNNING = [wrong for wrong in WRONG if wrong.boots]
# They stand still or repeat themselves for as long as they may; that it is long shows nothing more. A host may be busy.
SHORT = "[limits]\nvirtual_s = 45\nstall_virtual_s = 5\nwall_s = 500\nstall_wall_s = 400\n"


def boot(wrong, folder, limits: str = "") -> tuple[int, str]:
    if wrong.arch == "arm" and armhf_packages() is None:
        pytest.skip("BOOTLAB_ARMHF_PACKAGES names no folder with Debian's ARM kernel")
    if (wrong.arch == "arm64" or wrong.id == "foreign-kernel") and not (CACHE / "kernel-arm64").exists():
        pytest.skip('no arm64 kernel here: scripts/fetch-kernel.sh .cache/kernel-arm64 "" arm64')
    (folder / "system.toml").write_text(wrong.make(folder) + limits, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bootlab.cli", "boot", "system.toml"],
        cwd=folder, env={**os.environ, "COLUMNS": "1000"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_there_are_fifteen_and_more_and_each_has_its_own_name():
    assert len({wrong.id for wrong in WRONG}) == len(WRONG) >= 15


@pytest.mark.parametrize("wrong", BEFORE, ids=lambda wrong: wrong.id)
def test_named_before_a_machine_starts(wrong, tmp_path, debian_kernel):
    code, text = boot(wrong, tmp_path)
    assert code == 2, text
    assert wrong.said in text
    assert wrong.hint in text
    assert not list(tmp_path.glob(".bootlab/boots/*/console.log")), "no machine was started"


@pytest.mark.slow
@pytest.mark.parametrize("wrong", RUNNING, ids=lambda wrong: wrong.id)
def test_named_from_the_console(wrong, tmp_path, debian_kernel):
    if wrong.id == "computes":
        pytest.skip("computes for the whole of its limit: test_a_program_that_computes_for_ever has a short one")
    code, text = boot(wrong, tmp_path, SHORT)
    assert code in {41, 42, 43}, text
    assert wrong.said in text
    assert wrong.hint in text
    assert text.count(wrong.said) <= 3, "before its console, while it ran, and at its end"
    assert ("expected: " in text) == bool(wrong.expected)
    assert wrong.expected in text
    (record,) = tmp_path.glob(".bootlab/boots/*/recording.json")
    assert json.loads(record.read_bytes())["meta"].get("host_limit") is not True, "virtual time ended it"


@pytest.mark.slow
def test_a_program_that_computes_for_ever(tmp_path, debian_kernel):
    wrong = next(wrong for wrong in WRONG if wrong.id == "computes")
    code, text = boot(wrong, tmp_path, "[limits]\nstall_virtual_s = 3\n")
    assert code == 42, text
    assert wrong.said in text
