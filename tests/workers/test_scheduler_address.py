# SPDX-License-Identifier: MIT
"""Where a scheduler is: addresses, its file, and everything that is neither."""

from __future__ import annotations

import threading

import pytest

from bootlab.errors import EnvironmentFault, UserError
from bootlab.workers.scheduler_address import address_of, scheduler_file

WRITTEN = '{"type": "Scheduler", "id": "x", "address": "tcp://10.0.0.7:41234", "services": {}, "workers": {}}'


@pytest.mark.parametrize("scheduler", ["tcp://10.0.0.7:8786", "tls://host:1", "host:8786", "tcp://[::1]:8786"])
def test_an_address_is_taken_as_it_is(scheduler):
    assert scheduler_file(scheduler) is None
    assert address_of(scheduler, 0) == scheduler


@pytest.mark.parametrize("form", ["file:{}", "file://{}"])
def test_a_schedulers_file_gives_its_address(form, tmp_path):
    path = tmp_path / "a scheduler#1.json"
    path.write_text(WRITTEN)
    assert scheduler_file(form.format(path)) == path
    assert address_of(form.format(path), 0) == "tcp://10.0.0.7:41234"


def test_the_file_of_a_scheduler_that_starts_later_is_awaited(tmp_path):
    path = tmp_path / "scheduler.json"
    path.write_text(WRITTEN[:40])
    later = threading.Timer(0.3, path.write_text, [WRITTEN])
    later.start()
    assert address_of(f"file:{path}", 60) == "tcp://10.0.0.7:41234"
    later.join()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"address": 7}', '{"type": "Scheduler"}', "\x00\xff"])
def test_another_file_is_refused_and_named(text, tmp_path):
    path = tmp_path / "scheduler.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(EnvironmentFault, match="is not the file of a scheduler") as caught:
        address_of(f"file:{path}", 0)
    assert str(path) in caught.value.message


def test_without_the_file_it_says_how_to_start_a_scheduler(tmp_path):
    with pytest.raises(EnvironmentFault, match="there is no file of a scheduler") as caught:
        address_of(f"file:{tmp_path}/none.json", 0)
    assert f"dask scheduler --port 0 --scheduler-file {tmp_path}/none.json" in caught.value.hint
    with pytest.raises(EnvironmentFault, match="Is a directory"):
        address_of(f"file:{tmp_path}", 0)


@pytest.mark.parametrize("scheduler", ["", "file:", "file://", "folder:/shared/jobs", "/shared/jobs", "host"])
def test_what_names_no_scheduler_is_refused_with_both_forms(scheduler):
    with pytest.raises(UserError) as caught:
        address_of(scheduler, 0)
    assert "tcp://HOST:8786, or file:PATH" in caught.value.hint
