# SPDX-License-Identifier: MIT
"""The command that `bootlab worker` becomes."""

from __future__ import annotations

import sys

import pytest

from bootlab.errors import EnvironmentFault
from bootlab.workers import worker_command as command_of
from bootlab.workers.worker_command import worker_command


def test_the_command_of_a_worker(tmp_path, monkeypatch):
    path = tmp_path / "scheduler.json"
    path.write_text('{"address": "tcp://10.0.0.7:41234"}')
    monkeypatch.setattr(command_of, "find_spec", lambda _name: object())
    words = worker_command(f"file:{path}", boots=3, wait_s=60)
    assert words[:4] == [sys.executable, "-m", "distributed.cli.dask_worker", "tcp://10.0.0.7:41234"]
    assert words[words.index("--nthreads") + 1] == "3"
    assert words[words.index("--death-timeout") + 1] == "60"
    assert "--nthreads" not in worker_command("tcp://h:1", boots=None, wait_s=1), "dask counts the cores"


def test_without_dask_there_is_a_hint(monkeypatch):
    monkeypatch.setattr(command_of, "find_spec", lambda _name: None)
    with pytest.raises(EnvironmentFault, match="not installed") as caught:
        worker_command("tcp://h:1", boots=None, wait_s=1)
    assert "bootlab[dask]" in caught.value.hint
