# SPDX-License-Identifier: MIT
"""SquashFS is read as mksquashfs made it, by each of its packers; what is damaged is an error, and no crash."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab import _core
from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.file_view import FileView
from bootlab.formats.squashfs import SquashFiles


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with files of several blocks, with holes, and links."""
    chance = random.Random(7)
    folder = tmp_path / "tree"
    (folder / "many").mkdir(parents=True)
    words = [chance.randbytes(chance.randrange(2, 9)) for _ in range(300)]
    (folder / "large").write_bytes(b"".join(chance.choice(words) for _ in range(90_000)))
    (folder / "random").write_bytes(chance.randbytes(300_001))
    (folder / "hole").write_bytes(bytes(200_000) + b"end")
    (folder / "empty").write_bytes(b"")
    for number in range(300):
        (folder / "many" / f"file-{number}").write_text(str(number))
    (folder / "link").symlink_to("many/file-7")
    return folder


def made(tree: Path, packer: str) -> Path:
    if (
        shutil.which("mksquashfs") is None
        or shutil.which({"gzip": "true", "xz": "true", "lzo": "true"}.get(packer, packer)) is None
    ):
        pytest.skip("its tools are not there")
    image = tree.with_suffix(f".{packer}")
    words = ["mksquashfs", str(tree), str(image), "-comp", packer, "-b", "64K", "-quiet", "-no-progress"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return image


@pytest.mark.parametrize("packer", ["gzip", "xz", "lzo", "lz4", "zstd"])
def test_files_are_those_that_were_packed(tree, packer):
    view = FileView(SquashFiles(RawFile(made(tree, packer))))
    assert view.names("/") == ("empty", "hole", "large", "link", "many", "random")
    assert len(view.names("/many")) == 300
    for name in ("empty", "hole", "large", "random", "many/file-299"):
        assert view.data(f"/{name}") == (tree / name).read_bytes()
    assert view.part("/large", 100_000, 70_000) == (tree / "large").read_bytes()[100_000:170_000]
    assert view.link("/link") == "many/file-7"
    assert view.text("/link") == "7"


def test_what_is_damaged_is_an_error(tree, tmp_path):
    data = bytearray(made(tree, "gzip").read_bytes())
    chance = random.Random(3)
    for _ in range(60):
        hurt = bytearray(data)
        for _ in range(6):
            hurt[chance.choice([chance.randrange(96), chance.randrange(len(data) - 9000, len(data))])] = (
                chance.randrange(256)
            )
        (tmp_path / "hurt").write_bytes(hurt)
        try:
            view = FileView(SquashFiles(RawFile(tmp_path / "hurt")))
            for name in view.names("/"):
                view.data(f"/{name}")
        except UserError:
            continue


@pytest.mark.parametrize("damaged", [b"\x15abcd", b"\x12a\x40\xff\x11\0\0", b""])
def test_a_block_of_lzo_that_is_cut_off_is_an_error(damaged):
    with pytest.raises(_core.CoreError):
        _core.unpacked_block("lzo", damaged, 100)
    assert _core.unpacked_block("lzo", b"\x15abcd\x11\0\0", 100) == b"abcd"
