# SPDX-License-Identifier: MIT
"""ROMFS: every tree is read back as the kernel reads it; what it does not keep is what its documentation says."""

import io
import stat
import struct

import pytest
from hypothesis import given

from bootlab.builders.images import romfs
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree
from tests.builders.images.trees import expected, trees
from tests.examples import examples

TYPES = {1: stat.S_IFDIR, 2: stat.S_IFREG, 3: stat.S_IFLNK, 4: stat.S_IFBLK, 5: stat.S_IFCHR, 7: stat.S_IFIFO}


def packed(tree: FileTree) -> bytes:
    out = io.BytesIO()
    size = romfs.write(tree, out)
    assert size == len(out.getvalue())
    return out.getvalue()


def summed(data: bytes) -> int:
    return sum(struct.unpack(f">{len(data) // 4}I", data)) & 0xFFFFFFFF


def unpacked(image: bytes) -> dict[str, tuple[int, bool, bytes, int, int]]:
    assert image[:8] == b"-rom1fs-"
    assert struct.unpack_from(">I", image, 8)[0] == len(image)
    assert len(image) % 1024 == 0
    assert summed(image[:512]) == 0
    found = {}

    def folder(path: str, at: int) -> None:
        names = []
        while at:
            behind, info, size, _ = struct.unpack_from(">IIII", image, at)
            name = image[at + 16 : image.index(b"\0", at + 16)]
            head = 16 + (len(name) + 16) // 16 * 16
            assert summed(image[at : at + head]) == 0
            names.append(name)
            kind, following = behind & 7, behind & ~15
            if name not in {b".", b".."}:
                here = f"{path}/{name.decode()}"
                if kind == 0:
                    at = info
                    behind, info, size, _ = struct.unpack_from(">IIII", image, at)
                    head = 16 + (image.index(b"\0", at + 16) - at) // 16 * 16
                    kind = behind & 7
                content = image[at + head : at + head + size]
                device = (info >> 16, info & 0xFFFF) if kind in {4, 5} else (0, 0)
                found[here] = (TYPES[kind], bool(behind & 8), content, *device)
                if kind == 1:
                    folder(here, info)
            at = following
        assert names[:2] == [b".", b".."]

    folder("", 16 + 16)
    return found


@given(tree=trees())
@examples(60)
def test_every_tree_is_read_back(tree):
    want = {}
    for path, (mode, _, _, content, major, minor) in expected(tree).items():
        kind = stat.S_IFMT(mode)
        executable = kind == stat.S_IFDIR or (kind == stat.S_IFREG and bool(mode & 0o111))
        want[path] = (kind, executable, content, major, minor)
    assert unpacked(packed(tree)) == want


def test_a_name_that_the_kernel_would_cut_is_refused():
    with pytest.raises(UserError, match="127 bytes"):
        packed(FileTree.of({"/" + "n" * 128: Entry(kind="file", text="")}))


def test_a_file_of_4_gb_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(4 << 30)
    with pytest.raises(UserError, match="2 GiB"):
        packed(FileTree.of({"/large": Entry(kind="file", source=str(tmp_path / "large"))}))
