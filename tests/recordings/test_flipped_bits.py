# SPDX-License-Identifier: MIT
"""No flipped bit of a kept file is read as another value, and none ends in anything but a sentence."""

from __future__ import annotations

from functools import partial

import msgspec
import numpy as np
import pytest

from bootlab.builders.kbuild import built, objects
from bootlab.builders.kbuild.built import BuildFacts
from bootlab.builders.kbuild.objects import ObjectSize, ObjectSizes
from bootlab.builders.kbuild.workspace import Done
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.builders.loader import built as loader_built
from bootlab.builders.loader.built import LoaderFacts
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench, SilentObserver
from bootlab.formats.archive import Unpacked
from bootlab.logs.delay_loop import LogMachine
from bootlab.logs.lpj_value import StoredLpj
from bootlab.model.accesses import Access, Accesses
from bootlab.model.recording import Mark, Meta, Outcome
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings import recording_dir, sealed
from bootlab.recordings.files import RECORDING_FILE
from bootlab.recordings.stamps import Stamps
from bootlab.results import file as results_file
from bootlab.results.document import BootSummary, RunDocument
from bootlab.store import accesses_file, lpj_file
from tests.experiments.fake_bench import MS, FakeTarget, additive, system
from tests.recordings import flips

CONSOLE = b"[    0.000001] first\r\nl\xc3\xa4uft\nlast"
ENDS = np.arange(1, len(CONSOLE) + 1)
STAMPS = Stamps(ends=ENDS, ns=ENDS * 1000, insns=ENDS * 7, marks={})


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernel.config").write_text("CONFIG_A=y\n")
    (tmp_path / "trace.bin").write_bytes(b"trace of functions")
    meta = Meta(key="k", outcome=Outcome.HANG, reason="läuft", goal_ns=1582629382, artefact_bytes={"kernel": 3})
    recording_dir.save(tmp_path, meta, (Mark("goal", 5, 2, "g"),), CONSOLE, STAMPS)
    return tmp_path


def read(load):
    """Return what a file is read as, or the sentence with which it is refused."""
    try:
        return load()
    except UserError as fault:
        return fault if fault.hint else None


def test_every_bit_of_a_recordings_document(folder):
    path = folder / RECORDING_FILE
    raw, before = path.read_bytes(), recording_dir.load(folder, whole=True, key="k")
    for changed in flips.every(raw):
        flips.put(path, changed)
        said = read(lambda: recording_dir.load(folder, key="k"))
        assert said == before or (isinstance(said, UserError) and str(folder) in said.message)


@pytest.mark.parametrize("name", ["console.log", "stamps.npz", "kernel.config", "trace.bin"])
def test_bits_of_a_recordings_other_files(folder, name):
    raw = (folder / name).read_bytes()
    for changed in flips.some(raw, 200):
        flips.put(folder / name, changed)
        with pytest.raises(recording_dir.DamagedRecording, match=name):
            recording_dir.load(folder, whole=True)


def test_a_version_does_not_switch_the_check_off(folder):
    path = folder / RECORDING_FILE
    older = path.read_bytes().replace(b'"version": 3', b'"version": 1').replace(b"1582629382", b"3582629382")
    for text in (older, older.replace(b'"digest"', b'"digesu"')):
        path.write_bytes(text)
        with pytest.raises(recording_dir.DamagedRecording):
            recording_dir.load(folder)


def test_a_recording_without_digests_says_that_nothing_proves_it(folder):
    path = folder / RECORDING_FILE
    plain = msgspec.json.decode(path.read_bytes())
    del plain["files"], plain["digest"]
    path.write_bytes(msgspec.json.encode(plain | {"version": 1}))
    assert "no digests" in recording_dir.load(folder).meta.notes[-1]


def test_a_file_that_nobody_recorded_is_not_read(folder):
    (folder / "loader.config").write_text("CONFIG_B=y\n")
    with pytest.raises(recording_dir.DamagedRecording, match=r"loader\.config"):
        recording_dir.load(folder)


RESULTS = RunDocument(
    kind="boot", id="r", system_name="s", started="2026-01-01T00:00:00+00:00", finished="2026-01-01T00:00:01+00:00",
    base=BootSummary(key="k", goal_ns=3582629382, cmdline="quiet läuft"),
)  # fmt: skip


def test_every_bit_of_a_run_s_results():
    raw = results_file.encode(RESULTS)
    for changed in flips.every(raw):
        said = read(partial(results_file.decode, changed, source="results.json"))
        assert said == RESULTS or (isinstance(said, UserError) and "results.json" in said.message)


def test_results_without_a_digest_are_read_and_said_to_be_so():
    plain = msgspec.json.decode(results_file.encode(RESULTS))
    del plain["digest"]
    with pytest.raises(UserError, match="damaged"):
        results_file.decode(msgspec.json.encode(plain), source="r")
    older = results_file.decode(msgspec.json.encode(plain | {"version": 1}), source="r")
    assert older.base == RESULTS.base
    assert "no digest" in older.notes[-1]
    # Written again, they are of the version that is written.
    assert results_file.decode(results_file.encode(older), source="r").notes == older.notes


ONE = ObjectSize(path="mm/slub.o", text=4)
KEPT = {
    "facts of an image": (KernelInfo(kind="bzImage", symbols={"start_kernel": 0xFFFFFFFF81000000}), None),
    "a kernel": (
        BuildFacts(arch="arm", image="zImage", source="s", compiler="gcc", sizes_bytes={"zImage": 5}),
        built._FORM,
    ),
    "its objects": (ObjectSizes(kernel=ONE, objects=(ONE,)), objects._FORM),
    "a boot loader": (LoaderFacts(source="s", compiler="gcc", sizes_bytes={"u": 5}), loader_built._FORM),
    "kept objects": (Done(config={"HZ": "100"}, patches="", objects=3), None),
    "an archive": (Unpacked(FileTree((("/init", Entry(kind="file", mode=0o755)),)), ("gzip",)), None),
}


@pytest.mark.parametrize(("value", "form"), KEPT.values(), ids=KEPT)
def test_bits_of_what_the_cache_knows(tmp_path, value, form):
    path = tmp_path / "kept.json"
    sealed.keep(path, value)
    for changed in flips.some(path.read_bytes(), 1500):
        flips.put(path, changed)
        said = sealed.kept(path, type(value), form)
        assert said is None or said == value


STORED = StoredLpj(lpj=311296, hz=100, kernel="6.1.192", board=LogMachine(model="V2P-CA9"), shift=4)
SEEN = Accesses(seen=(Access(path="/bin/läuft", method="atime", kind="read"),))


def test_bits_of_a_stored_value(tmp_path):
    path = tmp_path / "lpj.json"
    lpj_file.save(STORED, path)
    for changed in flips.some(path.read_bytes(), 1500):
        flips.put(path, changed)
        said = read(lambda: lpj_file.load(path))
        assert said == STORED or isinstance(said, UserError)


def test_bits_of_a_list_of_used_files(tmp_path):
    path = tmp_path / "used.json"
    for changed in flips.some(accesses_file.text_of(SEEN), 1500):
        flips.put(path, changed)
        said = read(lambda: accesses_file.load(path))
        assert said == SEEN or isinstance(said, UserError)


def test_damage_heals(tmp_path):
    """Each time the boot is made again, told, set aside, and the next one takes what was made."""
    told = []

    class Observer(SilentObserver):
        def boot_again(self, label, why):
            told.append(why)

    target = FakeTarget(additive(100))
    with Bench(target, tmp_path) as bench:
        bench.boot(system(), "x")
        place = bench.place(target.plan(system()).key)
    raw = (place / "recording.json").read_bytes()
    changes = list(flips.some(raw, 40))
    # A byte that no text may hold: it raised UnicodeDecodeError in every command on the store.
    changes.append(raw.replace(b'"cmdline": "base"', b'"cmdline": "ba\xf3e"'))
    for number, changed in enumerate(changes, 1):
        flips.put(place / "recording.json", changed)
        for _ in range(2):
            with Bench(target, tmp_path, observer=Observer()) as bench:
                assert bench.boot(system(), "x").meta.goal_ns == 100 * MS
        assert len(target.booted) == len(told) + 1 == number + 1
        aside = tmp_path / "boots" / ".damaged" / place.name
        assert str(aside) in told[-1]
        assert (aside / "recording.json").read_bytes() == changed


def test_a_recording_of_another_key_is_not_taken(tmp_path):
    target = FakeTarget(additive(100, a=10))
    with Bench(target, tmp_path) as bench:
        bench.boot(system("a"), "x")
        bench.place(target.plan(system("a")).key).rename(bench.place(target.plan(system()).key))
    with Bench(target, tmp_path) as bench:
        assert bench.boot(system(), "x").meta.goal_ns == 100 * MS
    assert len(target.booted) == 2
