# SPDX-License-Identifier: MIT
"""Files over a URL: whole or not at all, found by their contents, and a boot that is made of them."""

from __future__ import annotations

import hashlib
import threading
import uuid
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.emulator import Emulator
from bootlab.model.launch import InMemory, Launch, LoadedFirst, LoadedPlugin, Medium
from bootlab.model.recording import Meta, Outcome
from bootlab.recordings import recording_dir
from bootlab.recordings.files import RECORDING_FILE
from bootlab.workers.scheduled_job import Job, boot_job
from bootlab.workers.shared_boots import files_of, kept_elsewhere
from bootlab.workers.shared_files import SharedFiles
from tests.experiments.fake_bench import SYSTEM

pytest.importorskip("fsspec", reason="pip install 'bootlab[dask]'")


@pytest.fixture(params=["memory", "file"])
def url(request, tmp_path):
    return f"memory://{uuid.uuid4().hex}" if request.param == "memory" else f"file://{tmp_path}/bucket"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _recorded(folder: Path, outcome: Outcome = Outcome.GOAL, console: bytes = b"g\n") -> Path:
    folder.mkdir()
    recording_dir.save(folder, Meta(key="k", outcome=outcome, goal_ns=1), (), console, None)
    return folder


def test_a_file_comes_back_by_its_contents(url, tmp_path):
    (tmp_path / "kernel").write_bytes(b"kernel")
    SharedFiles(url).put(tmp_path / "kernel", _sha256(b"kernel"))
    cache = Cache(tmp_path / "cache")
    taken = SharedFiles(url).take(_sha256(b"kernel"), ".bin", cache)
    assert taken.read_bytes() == b"kernel"
    assert taken.suffix == ".bin"
    assert taken.is_relative_to(cache.root)
    taken.write_bytes(b"damaged here")
    assert SharedFiles(url).take(_sha256(b"kernel"), ".bin", Cache(tmp_path / "cache")).read_bytes() == b"kernel"


def test_other_contents_are_refused(url, tmp_path):
    (tmp_path / "x").write_bytes(b"something else")
    SharedFiles(url).put(tmp_path / "x", _sha256(b"kernel"))
    with pytest.raises(EnvironmentFault, match="other contents"):
        SharedFiles(url).take(_sha256(b"kernel"), "", Cache(tmp_path / "cache"))
    assert list((tmp_path / "cache" / "shared").iterdir()) == []


def test_what_is_not_there_says_where(url, tmp_path):
    with pytest.raises(EnvironmentFault, match="cannot use") as caught:
        SharedFiles(url).take(_sha256(b"kernel"), "", Cache(tmp_path / "cache"))
    assert url in str(caught.value)


def test_a_recording_counts_only_when_it_is_whole(url, tmp_path, monkeypatch):
    shared = SharedFiles(url)
    folder = _recorded(tmp_path / "r")
    real = shared._write

    def cut(path, there):
        if path.name == RECORDING_FILE:
            raise OSError("killed")
        real(path, there)

    monkeypatch.setattr(shared, "_write", cut)
    with pytest.raises(EnvironmentFault, match="killed"):
        shared.keep(folder, "k")
    assert SharedFiles(url).attempts("k") == ()
    monkeypatch.undo()
    attempt = shared.keep(folder, "k")
    assert SharedFiles(url).attempts("k") == (attempt,)
    SharedFiles(url).fetch("k", attempt, tmp_path / "back")
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {
        p.name: p.read_bytes() for p in (tmp_path / "back").iterdir()
    }


def test_a_damaged_recording_is_not_taken(tmp_path):
    shared = SharedFiles(f"file://{tmp_path}/bucket")
    attempt = shared.keep(_recorded(tmp_path / "r"), "k")
    (tmp_path / "bucket" / "boots" / "k" / attempt / "console.log").write_bytes(b"other\n")
    with pytest.raises(UserError, match="damaged"):
        shared.fetch("k", attempt, tmp_path / "back")
    assert not (tmp_path / "back").exists()
    assert kept_elsewhere(shared, "k", tmp_path / ".k.1.2.3") is None


@pytest.mark.parametrize(
    ("outcome", "taken"), [(Outcome.GOAL, True), (Outcome.PANIC, True), (Outcome.INTERRUPTED, False)]
)
def test_only_answers_are_taken_from_others(tmp_path, outcome, taken):
    shared = SharedFiles(f"file://{tmp_path}/bucket")
    shared.keep(_recorded(tmp_path / "r", outcome), "k")
    shared.keep(tmp_path / "r", "k-3")
    found = kept_elsewhere(shared, "k", tmp_path / ".k.1.2.3")
    assert (found is not None) == taken
    assert (tmp_path / ".k.1.2.3").exists() == taken
    assert kept_elsewhere(shared, "k-3", tmp_path / ".k-3.1.2.3") is None, "asked for anew"


def test_stopping(url):
    shared = SharedFiles(url)
    assert not shared.stop_asked("k")
    shared.ask_to_stop("k")
    assert SharedFiles(url).stop_asked("k")
    shared.forget_stop("k")
    shared.forget_stop("k")
    assert not shared.stop_asked("k")


def test_an_unknown_kind_of_url_has_a_hint():
    with pytest.raises(EnvironmentFault, match="cannot use nonsense://x") as caught:
        SharedFiles("nonsense://x")
    assert "fsspec" in caught.value.hint


class _Target:
    """Notes what a worker was given, and writes it into the recording as a real one does."""

    def __init__(self, seen: list[BootPlan]) -> None:
        self.seen = seen

    def boot(self, plan, folder, *, stop, progress=None):
        self.seen.append(plan)
        assert isinstance(stop, threading.Event)
        folder.mkdir()
        meta = Meta(key=plan.key, outcome=Outcome.GOAL, goal_ns=1, command=plan.command, launch=plan.launch)
        recording_dir.save(folder, meta, (), b"g\n", None)
        return recording_dir.load(folder)


def test_a_worker_boots_copies_and_records_what_was_planned(tmp_path, monkeypatch):
    """No path of the worker is in the recording, and no path of the planner is used."""
    there = tmp_path / "planner"
    there.mkdir()
    names = ("vmlinuz", "root.cpio.gz", "board.dtb", "card.sd", "stamp.so", "kernel.config", "u-boot", "image")
    for name in names:
        (there / name).write_bytes(name.encode())
    launch = Launch(
        emulator="/planner/qemu",
        arch="arm",
        machine="vexpress-a9",
        cpu="cortex-a9",
        memory_mib=64,
        kernel=str(there / "vmlinuz"),
        initramfs=str(there / "root.cpio.gz"),
        dtb=str(there / "board.dtb"),
        media=(Medium(file=str(there / "card.sd"), bus="sd"),),
        plugins=(LoadedPlugin(file=str(there / "stamp.so"), arguments=("shift=4",)),),
        loader=LoadedFirst(
            file=str(there / "u-boot"),
            instead_of="firmware",
            memory=(InMemory(file=str(there / "image"), address=0x100),),
        ),
    )
    plan = BootPlan(
        system=SYSTEM,
        purpose="timing",
        launch=launch,
        key="k",
        info=KernelInfo(),
        sizes_bytes={},
        sha256={"kernel": _sha256(b"vmlinuz"), "initramfs": _sha256(b"root.cpio.gz")},
        emulator_version="7",
        carried=(("kernel.config", str(there / "kernel.config")),),
    )
    assert sorted(Path(path).name for path in files_of(plan)) == sorted(names)
    url = f"file://{tmp_path}/bucket"
    shared = SharedFiles(url)
    files = tuple((path, _sha256(Path(path).read_bytes())) for path in files_of(plan))
    for path, sha256 in files:
        shared.put(Path(path), sha256)
    for name in names:
        (there / name).unlink()
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "worker"))
    monkeypatch.setattr(
        "bootlab.launch.emulator.find",
        lambda _machine: Emulator("/worker/qemu", "7", (7, 2, 0)),
    )
    seen: list[BootPlan] = []
    job = Job(
        plan=plan,
        folder=str(there / ".k.1.2.3"),
        cache=str(there),
        opener=lambda _system, _cache: _Target(seen),
        url=url,
        files=files,
    )
    attempt = boot_job(job)
    used = seen[0].launch
    assert used is not None
    assert used.emulator == "/worker/qemu"
    for path in files_of(seen[0]):
        assert Path(path).is_relative_to(tmp_path / "worker")
    assert used.loader is not None
    assert Path(used.loader.memory[0].file).read_bytes() == b"image"
    assert Path(used.initramfs or "").read_bytes() == b"root.cpio.gz"
    shared.fetch("k", attempt, tmp_path / "back")
    recording = recording_dir.load(tmp_path / "back", whole=True)
    assert recording.meta.launch == launch
    assert recording.meta.command == plan.command
    written = (tmp_path / "back" / RECORDING_FILE).read_text()
    assert str(tmp_path / "worker") not in written
    assert "/worker/qemu" not in written
    assert list((tmp_path / "worker" / "new").iterdir()) == [], "nothing is left on the worker but its copies"
