# SPDX-License-Identifier: MIT
"""An optimisation of real machines, killed with SIGKILL at random instants: it ends as an undisturbed one.

The guest is a kernel of a few hundred bytes that waits as long as its command line says: a boot takes half a second.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bootlab.results import file as results_file
from tests.conftest import REPOSITORY
from tests.experiments.optimize.test_resume import KILLS, found, handed_over, lines
from tests.mini_kernel import mini_kernel


def start(store: Path, log: Path, kernel: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": f"{REPOSITORY / 'python'}:{REPOSITORY}"}
    command = [sys.executable, "-m", "tests.integration.killable_boots", str(store), str(log), str(kernel)]
    return subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def ended(child: subprocess.Popen[str]) -> Path:
    said, _ = child.communicate(timeout=500)
    assert child.returncode == 0
    return Path(said)


def recordings(store: Path) -> dict[str, float]:
    """Return when each recording that is kept was written."""
    return {path.parent.name: path.stat().st_mtime for path in (store / "boots").glob("[!.]*/recording.json")}


@pytest.mark.qemu
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_killed_ten_times_real_boots_end_as_if_undisturbed(tmp_path):
    kernel = mini_kernel(tmp_path / "kernel", "\r\nstart\r\n", "idle", text_after="GOAL\r\n", obeys=True)
    whole = ended(start(tmp_path / "whole", tmp_path / "whole.log", kernel))
    made = [line for line in lines(tmp_path / "whole.log") if line != "ready"]
    assert len(made) == len(set(made)) > KILLS
    store, log, rng = tmp_path / "cut", tmp_path / "cut.log", random.Random(19)
    kept: dict[str, float] = {}
    kills = 0
    while kills < KILLS:
        child = start(store, log, kernel)
        wanted = len(lines(log)) + 1 + rng.randrange(max(1, len(made) // KILLS))
        while child.poll() is None and len(lines(log)) < wanted:
            time.sleep(0.002)
        # Somewhere in the boot that has just begun, or behind it.
        time.sleep(rng.random() * 0.6)
        if child.poll() is not None:
            break
        # bootlab alone, as the kernel's killer does it: the machine must not outlive it.
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        kills += 1
        now = recordings(store)
        assert {key: now.get(key) for key in kept} == kept, "a boot that was kept is as it was"
        kept = now
        for run in (store / "runs").glob("*/results.json"):
            results_file.load(run)
    cut = ended(start(store, log, kernel))
    begun = [line for line in lines(log) if line != "ready"]
    assert kills >= KILLS - 2, "it ended before it could be killed so often"
    assert not [line for line in begun if line.startswith("again")], "a boot that was kept is made again"
    assert set(begun) == set(made)
    assert len(begun) - len(made) <= kills, "only the boot that was under way begins twice"
    assert recordings(store).keys() == recordings(tmp_path / "whole").keys()
    assert handed_over(cut) == handed_over(whole)
    assert found(cut) == found(whole)
    assert len(list((store / "runs").iterdir())) == 1, "one campaign, one folder"
    assert not list((store / "boots").glob(".*.*.*")), "nothing half-made is left"
