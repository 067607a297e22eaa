"""A recording's folder: whole, packed, damaged, of another version."""

from __future__ import annotations

import lzma
import os

import msgspec
import numpy as np
import pytest

from bootlab.errors import UserError
from bootlab.model.recording import Mark, Meta, Outcome
from bootlab.targets import recording_dir
from bootlab.targets.stamps import Stamps

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
    path = folder / recording_dir.RECORDING_FILE
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | changes))


def cut(path, size):
    os.truncate(path, size)


DAMAGE = {
    "no recording.json": lambda f: (f / "recording.json").unlink(),
    "no console": lambda f: (f / "console.log").unlink(),
    "cut json": lambda f: cut(f / "recording.json", 50),
    "not an object": lambda f: (f / "recording.json").write_bytes(b"[1]"),
    "newer version": lambda f: rewrite(f, version=2),
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
