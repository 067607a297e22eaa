# SPDX-License-Identifier: MIT
"""A recording's folder: whole, packed, damaged, of another version."""

from __future__ import annotations

import lzma
import os

import msgspec
import numpy as np
import pytest

from bootlab.errors import UserError
from bootlab.model.recording import Mark, Meta, Outcome
from bootlab.recordings import recording_dir
from bootlab.recordings.files import RECORDING_FILE
from bootlab.recordings.stamps import Stamps

CONSOLE = b"[    0.000001] first\r\nsecond line\nlast"
COLUMNS = ("ends", "ns", "insns")
ENDS = np.arange(1, len(CONSOLE) + 1)
STAMPS = Stamps(ends=ENDS, ns=ENDS * 1000, insns=ENDS * 7, marks={})


@pytest.fixture
def folder(tmp_path):
    meta = Meta(key="k", outcome=Outcome.HANG, reason="why", goal_ns=5, artefact_bytes={"kernel": 3})
    recording_dir.save(tmp_path, meta, (Mark("goal", 5, 2, "g"),), CONSOLE, STAMPS)
    return tmp_path


def test_what_was_saved_is_loaded(folder):
    recording = recording_dir.load(folder)
    assert recording.meta.outcome is Outcome.HANG
    assert recording.meta.artefact_bytes == {"kernel": 3}
    assert recording.console == CONSOLE
    assert [m.name for m in recording.marks] == ["goal"]
    assert recording.lines[1].first_ns == 23_000
    assert recording.path == str(folder)


def test_packed_every_line_keeps_its_times(folder):
    before = recording_dir.load(folder)
    recording_dir.pack(folder)
    assert not (folder / "console.log").exists()
    after = recording_dir.load(folder)
    assert after.console == CONSOLE
    assert [(x.text, x.first_ns, x.insns) for x in after.lines] == [(x.text, x.first_ns, x.insns) for x in before.lines]
    recording_dir.pack(folder)
    assert recording_dir.load(folder).lines == after.lines


def test_without_stamps(tmp_path):
    recording_dir.save(tmp_path, Meta(), (), CONSOLE, None)
    assert all(x.first_ns is None for x in recording_dir.load(tmp_path).lines)
    recording_dir.pack(tmp_path)
    assert recording_dir.load(tmp_path).console == CONSOLE


def rewrite(folder, **changes):
    path = folder / RECORDING_FILE
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | changes))


def cut(path, size):
    os.truncate(path, size)


DAMAGE = {
    "no recording.json": lambda f: (f / "recording.json").unlink(),
    "no console": lambda f: (f / "console.log").unlink(),
    "cut json": lambda f: cut(f / "recording.json", 50),
    "not an object": lambda f: (f / "recording.json").write_bytes(b"[1]"),
    "newer version": lambda f: rewrite(f, version=99),
    "other format": lambda f: rewrite(f, format="something"),
    "wrong type": lambda f: rewrite(f, meta={"goal_ns": "soon"}),
    "unknown outcome": lambda f: rewrite(f, meta={"outcome": "great"}),
    "empty stamps": lambda f: cut(f / "stamps.npz", 0),
    "cut stamps": lambda f: cut(f / "stamps.npz", 200),
    "stamps of rubbish": lambda f: (f / "stamps.npz").write_bytes(b"PK\3\4" + b"x" * 500),
    "stamps without a column": lambda f: np.savez(f / "stamps.npz", ends=ENDS, ns=ENDS),
    "stamps of other lengths": lambda f: np.savez(f / "stamps.npz", ends=ENDS, ns=ENDS, insns=ENDS[:3]),
    "stamps in a square": lambda f: np.savez(f / "stamps.npz", **dict.fromkeys(COLUMNS, ENDS[:4].reshape(2, 2))),
    "stamps of words": lambda f: np.savez(f / "stamps.npz", **dict.fromkeys(COLUMNS, np.array(["a"]))),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_an_error_that_says_where(folder, damage):
    damage(folder)
    with pytest.raises(UserError, match=folder.name) as caught:
        recording_dir.load(folder)
    assert caught.value.hint


@pytest.mark.parametrize("size", [0, 10, 40])
def test_a_packed_console_that_is_cut(folder, size):
    recording_dir.pack(folder)
    cut(folder / "console.log.xz", size)
    with pytest.raises(UserError, match=r"console\.log\.xz is damaged"):
        recording_dir.load(folder)


def test_a_packed_console_that_never_ends(folder, monkeypatch):
    monkeypatch.setattr(recording_dir, "_CONSOLE_MAX_BYTES", 1 << 16)
    (folder / "console.log").unlink()
    (folder / "console.log.xz").write_bytes(lzma.compress(b"\0" * (1 << 20)))
    with pytest.raises(UserError, match="damaged"):
        recording_dir.load(folder)


def edited(name, change):
    def edit(folder):
        path = folder / name
        path.write_bytes(change(path.read_bytes()))

    return edit


ALTERED = {
    "console cut off": edited("console.log", lambda raw: raw[:-4]),
    "console altered": edited("console.log", lambda raw: raw.replace(b"second", b"sec0nd")),
    "goal_ns edited": edited("recording.json", lambda raw: raw.replace(b'"goal_ns": 5', b'"goal_ns": 4')),
    "outcome edited": edited("recording.json", lambda raw: raw.replace(b'"outcome": "hang"', b'"outcome": "goal"')),
    "a mark edited": edited("recording.json", lambda raw: raw.replace(b'"insns": 2', b'"insns": 1')),
    "a digest edited": edited("recording.json", lambda raw: raw.replace(b'"console.log": "', b'"console.log": "0')),
    "stamps of other times": lambda f: np.savez(f / "stamps.npz", ends=ENDS, ns=ENDS * 999, insns=ENDS * 7),
    "stamps gone": lambda f: (f / "stamps.npz").unlink(),
    "configuration altered": edited("kernel.config", lambda raw: raw.replace(b"=y", b"=m")),
}


@pytest.fixture
def complete(tmp_path):
    (tmp_path / "kernel.config").write_text("CONFIG_A=y\n")
    (tmp_path / "trace.bin").write_bytes(b"trace")
    meta = Meta(key="k", outcome=Outcome.HANG, goal_ns=5)
    recording_dir.save(tmp_path, meta, (Mark("goal", 5, 2, "g"),), CONSOLE, STAMPS)
    return tmp_path


@pytest.mark.parametrize("alter", ALTERED.values(), ids=ALTERED)
def test_what_was_altered_is_found(complete, alter):
    before = {path.name: path.read_bytes() for path in complete.iterdir()}
    recording_dir.load(complete, whole=True)
    alter(complete)
    assert {path.name: path.read_bytes() for path in complete.iterdir()} != before, "it was altered"
    with pytest.raises(recording_dir.DamagedRecording, match="is damaged"):
        recording_dir.load(complete)


def test_a_file_that_is_not_read_is_looked_at_when_all_is(complete):
    (complete / "trace.bin").write_bytes(b"trice")
    assert recording_dir.load(complete).console == CONSOLE
    with pytest.raises(recording_dir.DamagedRecording, match=r"trace\.bin is damaged"):
        recording_dir.load(complete, whole=True)


def test_a_packed_recording_is_whole(complete):
    recording_dir.pack(complete)
    assert recording_dir.load(complete, whole=True).console == CONSOLE
    edited("console.log.xz", lambda raw: lzma.compress(b"another"))(complete)
    with pytest.raises(recording_dir.DamagedRecording):
        recording_dir.load(complete)


def test_a_recording_of_the_first_version_is_read_without_digests(folder):
    path = folder / RECORDING_FILE
    plain = msgspec.json.decode(path.read_bytes())
    del plain["files"], plain["digest"]
    path.write_bytes(msgspec.json.encode(plain | {"version": 1}))
    assert recording_dir.load(folder, whole=True).meta.goal_ns == 5


def test_the_layout_of_the_document_does_not_matter(folder):
    path = folder / RECORDING_FILE
    path.write_bytes(msgspec.json.format(path.read_bytes(), indent=7))
    assert recording_dir.load(folder).meta.goal_ns == 5


def test_restated(complete):
    kept = recording_dir.load(complete)
    again = recording_dir.restate(complete, kept, msgspec.structs.replace(kept.meta, reason="other"))
    assert again.meta.reason == "other"
    assert recording_dir.load(complete, whole=True) == again
