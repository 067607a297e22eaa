# SPDX-License-Identifier: MIT
"""The test definition for LAVA, its steps run as LAVA's shell runs them: parameters as variables, in its repository."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import REPOSITORY

DEFINITION = yaml.safe_load((REPOSITORY / "ci" / "lava-boot-time.yml").read_text(encoding="utf-8"))


def run(folder: Path, code: int, **parameters: str) -> tuple[list[str], str]:
    """Run the steps with a bootlab that ends with `code`; return its words, and what lava-test-case was told."""
    (folder / "ci").mkdir()
    (folder / "bin").mkdir()
    shutil.copy(REPOSITORY / "ci" / "gate.sh", folder / "ci")
    for name, text in (
        ("bootlab", f"printf '%s\\n' \"$@\" > {folder}/words\nexit {code}\n"),
        ("lava-test-case", f'echo "$*" > {folder}/told\n'),
    ):
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}")
        (folder / "bin" / name).chmod(0o755)
    given = DEFINITION["params"] | parameters
    assert given.keys() == DEFINITION["params"].keys(), "every parameter is named in the definition"
    lines = [f"{name}={shlex.quote(value)}" for name, value in given.items()] + DEFINITION["run"]["steps"]
    path = f"{folder}/bin{os.pathsep}{os.environ['PATH']}"
    plain = {"PATH": path, "HOME": str(folder)}
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(lines)], cwd=folder, env=plain, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return (folder / "words").read_text().splitlines(), (folder / "told").read_text().strip()


@pytest.mark.parametrize(("code", "result"), [(0, "pass"), (11, "fail"), (14, "unknown"), (3, "unknown")])
def test_the_answer_of_the_gate_is_a_test_case(tmp_path, code, result):
    assert run(tmp_path, code)[1] == f"gate --result {result}"


def test_parameters_become_words_of_the_gate(tmp_path):
    words, _ = run(tmp_path, 0, SYSTEM="a.toml", AGAINST="b.toml", BUDGET="total=3.2s", ORIGIN="my_ci", REVISION="c0")
    line = " ".join(words)
    assert line.startswith("gate a.toml --against b.toml --budget total=3.2s --annotate lava")
    assert " --kcidb boot-time/kcidb.json --kcidb-origin my_ci --revision c0 " in line
    assert DEFINITION["metadata"]["format"] == "Lava-Test Test Definition 1.0"


def test_a_device_is_asked_for_its_own_boot(tmp_path):
    words, _ = run(tmp_path, 0, RUN="systemd-analyze", BUDGET="kernel=2s")
    assert words[:3] == ["gate", "--run", "systemd-analyze"]
    assert "--kcidb" not in words
