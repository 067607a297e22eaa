# SPDX-License-Identifier: MIT
"""A boot that is being made is nobody else's: seen by a lock that the kernel drops, not by a process number."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from bootlab.experiments.bench import Bench, SilentObserver, Stopped
from bootlab.recordings import half_made, lock
from tests.experiments.fake_bench import MS, FakeTarget, additive, system

HOLDER = [sys.executable, "-m", "tests.recordings.holder"]
OWN_NUMBERS = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""A PID namespace, as a container has one."""


def has_namespaces() -> bool:
    return bool(shutil.which("unshare")) and subprocess.run([*OWN_NUMBERS, "true"], check=False).returncode == 0


@contextmanager
def holding(place: Path, *before: str):
    """Have another process make a recording; give that process, and the folder."""
    with subprocess.Popen([*before, *HOLDER, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process, Path(process.stdout.readline().decode().strip())
        finally:
            process.kill()


def gone(path: Path, boots: Path) -> bool:
    """Tell whether sweeping removes a folder, once the kernel has ended who held it."""
    until = time.monotonic() + 30
    while path.exists() and time.monotonic() < until:
        half_made.sweep(boots)
        time.sleep(0.05)
    return not path.exists()


@pytest.fixture
def boots(tmp_path):
    return tmp_path / "boots"


def test_what_is_being_made_stays_and_what_a_killed_process_left_goes(boots):
    with holding(boots / "k") as (process, work):
        half_made.sweep(boots)
        assert (work / "console.log").is_file()
        assert lock.take(boots / ".locks" / "k") is None
        process.kill()
        process.wait()
        assert gone(work, boots)
    free = lock.take(boots / ".locks" / "k")
    assert free is not None
    free.release()
    assert list((boots / ".locks").iterdir()) == []


@pytest.mark.skipif(not has_namespaces(), reason="no PID namespaces for this user")
def test_process_numbers_of_containers_do_not_matter(boots):
    """Who makes it is process 1 of its own namespace, and who sweeps has a number for none of the others."""
    sweep = f"from pathlib import Path; from bootlab.recordings.half_made import sweep; sweep(Path({str(boots)!r}))"
    with holding(boots / "k", *OWN_NUMBERS) as (process, work), holding(boots / "j") as (_, other):
        half_made.sweep(boots)
        subprocess.run([*OWN_NUMBERS, sys.executable, "-c", sweep], check=True)
        assert (work / "console.log").is_file()
        assert (other / "console.log").is_file()
        process.kill()
        process.wait()
        assert gone(work, boots)
        assert (other / "console.log").is_file()


def test_what_another_machine_makes_is_left_for_a_day(boots, monkeypatch):
    """Its lock may be known to that machine alone."""
    with half_made.half_made(boots / "k") as work:
        work.mkdir(parents=True)
        (boots / ".locks" / work.name).unlink()
        monkeypatch.setattr(lock, "this_machine", lambda: "0123456789ab")
        half_made.sweep(boots)
        assert work.is_dir()
        os.utime(work, (1, 1))
        half_made.sweep(boots)
        assert not work.exists()


def test_what_an_older_bootlab_makes_is_left_for_a_day(boots):
    older = boots / ".k.1.2.3"
    (older / "parts").mkdir(parents=True)
    half_made.sweep(boots)
    assert older.is_dir()
    for path in (older / "parts", older):
        os.utime(path, (1, 1))
    half_made.sweep(boots)
    assert not older.exists()


def test_other_folders_are_not_touched(boots):
    names = ["whole", ".machines", ".damaged", ".locks", ".some.thing"]
    for name in names:
        (boots / name).mkdir(parents=True)
    half_made.sweep(boots)
    assert sorted(path.name for path in boots.iterdir()) == sorted(names)


def test_a_file_system_without_locks(boots, monkeypatch, caplog):
    def none(*_arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    work = boots / f".k.{lock.this_machine()}-0123456789ab"
    work.mkdir(parents=True)
    monkeypatch.setattr(lock.fcntl, "flock", none)
    lock._tell_no_locks.cache_clear()
    half_made.sweep(boots)
    assert work.is_dir()
    assert "has no locks" in caplog.text


def test_two_commands_make_a_boot_once(tmp_path):
    waits, told = threading.Event(), []

    class Observer(SilentObserver):
        def boot_progress(self, label, progress):
            if progress.word:
                told.append(progress.word)
                waits.set()

    hold = threading.Event()
    first, second = FakeTarget(additive(100), hold=hold), FakeTarget(additive(100))
    with Bench(first, tmp_path) as one, Bench(second, tmp_path, observer=Observer()) as two:
        made = one.submit(system(), "one")
        while not first.booted:
            time.sleep(0.005)
        waiting = two.submit(system(), "two")
        assert waits.wait(30)
        hold.set()
        assert two.wait(waiting).meta.goal_ns == one.wait(made).meta.goal_ns == 100 * MS
        assert (two.boots_made, two.boots_reused) == (0, 1)
    assert (len(first.booted), second.booted) == (1, [])
    assert told == ["another bootlab makes this boot; waiting for it"]


def test_waiting_can_be_stopped(tmp_path):
    with holding(tmp_path / "boots" / FakeTarget(additive(1)).plan(system()).key):
        bench = Bench(FakeTarget(additive(1)), tmp_path)
        waiting = bench.submit(system(), "x")
        bench._stop.set()
        with pytest.raises(Stopped):
            bench.wait(waiting)
        bench.__exit__(None, None, None)


def test_fresh_boots_of_two_commands_are_not_the_same(tmp_path):
    with Bench(FakeTarget(additive(1)), tmp_path) as one, Bench(FakeTarget(additive(1)), tmp_path) as two:
        numbers = [one.fresh_number(3), two.fresh_number(2), one.fresh_number()]
        assert numbers == [1, 4, 6]
        two.boot(system(), "x", fresh=20)
        assert one.fresh_number() == 21
