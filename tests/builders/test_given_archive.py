# SPDX-License-Identifier: MIT
"""An archive that is given boots as the file it is, until something in it is changed."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import msgspec
import pytest

from bootlab.builders import cpio
from bootlab.builders.compress import compress
from bootlab.builders.initramfs import build_initramfs
from bootlab.experiments.dither import dithered
from bootlab.formats.archive import unpacked
from bootlab.model.change import Change, DropFiles, SetCompression
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from bootlab.systemfile.loader import loads

TEXT = 'name = "x"\ntarget = "replay"\n[goal]\nconsole = "ready"\n[initramfs]\narchive = "{}"\n'


@pytest.fixture
def archive(tmp_path) -> Path:
    """Microcode, not packed, and what the kernel needs, packed with xz at its lowest level."""
    early, late = io.BytesIO(), tmp_path / "late"
    cpio.write(FileTree.of({"/kernel/x86/microcode.bin": Entry(kind="file", text="m")}), early)
    with late.open("wb") as out:
        cpio.write(FileTree.of({"/init": Entry(kind="file", text="#!/bin/sh\n"), "/gone": Entry(kind="dir")}), out)
    compress(late, tmp_path / "late.xz", "xz", 0)
    path = tmp_path / "initrd.img"
    path.write_bytes(early.getvalue() + (tmp_path / "late.xz").read_bytes())
    return path


def load(archive: Path, more: str = ""):
    return loads(TEXT.format(archive) + more, unpack_dir=archive.parent / "unpacked")


def test_the_pieces_are_named(archive, tmp_path):
    found = unpacked(archive, tmp_path / "store")
    assert found.pieces == ("none", "xz")
    assert found.compression == "xz"
    assert unpacked(archive, tmp_path / "store") == found


def test_it_boots_as_it_is(archive, cache):
    initramfs = load(archive).initramfs
    assert initramfs is not None
    assert initramfs.compression == "xz"
    assert build_initramfs(initramfs, cache) == archive


def test_a_dither_puts_zeros_behind_it(archive, cache):
    initramfs = dithered(load(archive), 1).initramfs
    assert initramfs is not None
    padded = build_initramfs(initramfs, cache).read_bytes()
    assert padded.startswith(archive.read_bytes())
    assert not any(padded[archive.stat().st_size :])
    assert len(padded) - archive.stat().st_size in range(initramfs.padding_bytes, initramfs.padding_bytes + 4)
    assert len(padded) % 4 == 0


@pytest.mark.parametrize(
    "more", ['compression = "gzip"\n', 'compression = "xz"\nlevel = 9\n', '[initramfs.files]\n"/x" = { dir = true }\n']
)
def test_what_asks_for_another_archive_gets_one(archive, cache, more):
    initramfs = load(archive, more).initramfs
    assert initramfs is not None
    assert build_initramfs(initramfs, cache) != archive


def test_files_over_an_archive_keep_its_compression(archive):
    initramfs = load(archive, '[initramfs.files]\n"/x" = { dir = true }\n').initramfs
    assert initramfs is not None
    assert initramfs.compression == "xz"


@pytest.mark.parametrize("op", [DropFiles(("/gone",)), SetCompression("gzip")])
def test_a_change_packs_it_anew(archive, cache, op):
    system = load(archive)
    changed = Change(technique="t", ops=(op,)).apply(system).initramfs
    assert changed is not None
    made = build_initramfs(changed, cache)
    assert made != archive
    assert changed.as_given is None
    # What was changed back is the file again.
    assert system.initramfs is not None
    assert msgspec.structs.replace(changed, tree=system.initramfs.tree, compression="xz").as_given is not None


def test_a_gzip_archive_is_not_packed_again(tmp_path, cache):
    out = io.BytesIO()
    cpio.write(FileTree.of({"/init": Entry(kind="file", text="x")}), out)
    path = tmp_path / "initramfs.gz"
    path.write_bytes(gzip.compress(out.getvalue(), 1))
    initramfs = load(path).initramfs
    assert initramfs is not None
    assert build_initramfs(initramfs, cache).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("compression", ["none", "gzip", "xz"])
def test_microcode_stays_where_the_kernel_looks_for_it(compression, cache, tmp_path):
    code = "/kernel/x86/microcode/GenuineIntel.bin"
    tree = {code: Entry(kind="file", text="code"), "/init": Entry(kind="file", text="i")}
    packed = build_initramfs(Initramfs(tree=FileTree.of(tree), compression=compression), cache)
    data = packed.read_bytes()
    # lib/earlycpio.c walks from header to header, from the first byte on.
    assert data.startswith(b"070701")
    assert code[1:].encode() + b"\0" in data
    found = unpacked(packed, tmp_path / "store")
    assert found.pieces == (("none",) if compression == "none" else ("none", compression))
    assert {path for path, entry in found.tree.entries if entry.kind == "file"} == set(tree)
