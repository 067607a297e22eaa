# SPDX-License-Identifier: MIT
"""Results as files."""

from __future__ import annotations

import pytest

from bootlab.errors import UserError
from bootlab.timers import saved, stress
from bootlab.timers.stress import StressPlace
from tests.timers.samples import HEAD, ROW, output


def test_a_result_survives_its_file(tmp_path):
    result = stress.parse(output(HEAD, ROW), StressPlace(name="x", clock="wall", facts={"a": "b"}))
    (tmp_path / "r.json").write_bytes(saved.encode(result))
    assert saved.load(tmp_path / "r.json") == result


def test_the_lines_that_were_printed_are_read_too(tmp_path):
    (tmp_path / "lines").write_bytes(output(HEAD, ROW))
    assert saved.load(tmp_path / "lines").rows[0].timers == 1000


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\x00", b"[" * 5000, b'{"format":"bootlab-results"}'])
def test_anything_else_is_refused(tmp_path, content):
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(UserError, match="not a result of"):
        saved.load(tmp_path / "f")


def test_another_version_is_refused(tmp_path):
    result = stress.parse(output(HEAD, ROW), StressPlace(name="x", clock="wall"))
    (tmp_path / "f").write_bytes(saved.encode(result).replace(b'"version": 2', b'"version": 3', 1))
    with pytest.raises(UserError, match="version 3"):
        saved.load(tmp_path / "f")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        saved.load(tmp_path / "none")
