# SPDX-License-Identifier: MIT
"""An optimisation that is killed with SIGKILL at random instants ends as an undisturbed one, and repeats nothing."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bootlab.results import file as results_file
from tests.conftest import REPOSITORY

KILLS = 10


def start(store: Path, log: Path, *killed: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": f"{REPOSITORY / 'python'}:{REPOSITORY}"}
    command = [sys.executable, "-m", "tests.experiments.optimize.killable", str(store), str(log), *killed]
    return subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def finished(store: Path, log: Path) -> Path:
    child = start(store, log)
    said, _ = child.communicate()
    assert child.returncode == 0
    return Path(said)


_RUN = re.compile(rb'(?m)^(Date: | "run": | "made": | "digest": ).*$')


def handed_over(run: Path) -> dict[str, bytes]:
    """Return what was handed over, without what names the run and its time: reports, dates, the seal over them."""
    folder = run / "optimized"
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("report."))
    return {str(path.relative_to(folder)): _RUN.sub(b"", path.read_bytes()) for path in files}


def found(run: Path) -> dict[str, object]:
    """Return the whole results, without names and times of the run, the seal over them and paths of the store."""
    document = json.loads((run / "results.json").read_bytes())
    for key in ("id", "started", "finished", "notes", "digest"):
        document.pop(key)
    text = json.dumps(document, sort_keys=True)
    return json.loads(text.replace(str(run.parents[1]), "STORE").replace(run.name, "RUN"), object_hook=_timeless)


def _timeless(entry: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key not in {"wall_s", "boot_wall_s"}}


@pytest.mark.slow
def test_killed_ten_times_it_ends_as_if_undisturbed(tmp_path):
    whole = finished(tmp_path / "whole", tmp_path / "whole.log")
    distinct = {line for line in lines(tmp_path / "whole.log") if line.startswith("begun")}
    store, log, rng = tmp_path / "cut", tmp_path / "cut.log", random.Random(19)
    kills = 0
    while kills < KILLS:
        # So far into the boots that are still to be made, or shortly behind the start.
        after = 1 + rng.randrange(max(1, len(distinct) // (KILLS - 2)))
        child = start(store, log, str(after), f"{rng.random() * 0.02:.4f}")
        child.communicate()
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGKILL
        kills += 1
        for run in (store / "runs").glob("*/results.json") if (store / "runs").is_dir() else ():
            results_file.load(run)
    cut = finished(store, log)
    made = [line for line in lines(log) if line != "ready"]
    assert kills >= KILLS - 2, "it ended before it could be killed so often"
    assert not [line for line in made if line.startswith("again")], "a boot that was kept is made again"
    assert set(made) == distinct
    # Only what was under way when it was killed begins twice: two machines at a time.
    assert len(made) - len(distinct) <= 2 * kills
    assert handed_over(cut) == handed_over(whole)
    assert found(cut) == found(whole)
    assert len(list((store / "runs").iterdir())) == 1, "one campaign, one folder"
    assert not list(cut.glob(".making-*"))


@pytest.mark.slow
def test_what_a_power_cut_emptied_is_made_again(tmp_path):
    """Names may outlive their bytes: of a store that was cut off every other file is empty, or half there."""
    whole = finished(tmp_path / "whole", tmp_path / "whole.log")
    store, log = tmp_path / "cut", tmp_path / "cut.log"
    child = start(store, log, "30", "0")
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    files = sorted(path for path in store.rglob("*") if path.is_file() and path.stat().st_size)
    assert len(files) > 20
    rng = random.Random(7)
    for path in rng.sample(files, len(files) // 2):
        with path.open("r+b") as file:
            file.truncate(rng.choice((0, path.stat().st_size // 2)))
    cut = finished(store, log)
    assert handed_over(cut) == handed_over(whole)
    assert found(cut) == found(whole)
    assert list((store / "boots" / ".damaged").iterdir()), "what was damaged was seen to be"
