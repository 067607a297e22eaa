# SPDX-License-Identifier: MIT
"""Compression: every format comes back, gives the same bytes twice, and fits what the kernel takes."""

import bz2
import gzip
import lzma
import subprocess
import time

import pytest

from bootlab.builders import compress as module
from bootlab.builders.compress import LEVELS, available, compress
from bootlab.errors import EnvironmentFault, ToolMissing

DATA = b"".join(b"%d:" % (n * n % 9973) for n in range(40_000))


@pytest.fixture
def plain(tmp_path):
    (tmp_path / "plain").write_bytes(DATA)
    return tmp_path / "plain"


def back(data: bytes, compression: str) -> bytes:
    here = {"none": bytes, "gzip": gzip.decompress, "bzip2": bz2.decompress, "lzma": lzma.decompress}
    here["xz"] = lzma.decompress
    if compression in here:
        return here[compression](data)
    tool = {"lzo": "lzop", "lz4": "lz4", "zstd": "zstd"}[compression]
    return subprocess.run([tool, "-dc"], input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize("compression", available())
def test_there_and_back(plain, tmp_path, compression):
    levels = LEVELS[compression]
    for level in {None, levels.start, levels.stop - 1} if levels else {None}:
        size = compress(plain, tmp_path / "out", compression, level)
        data = (tmp_path / "out").read_bytes()
        assert size == len(data)
        assert back(data, compression) == DATA


@pytest.mark.parametrize("compression", available())
def test_an_empty_file(tmp_path, compression):
    (tmp_path / "empty").touch()
    compress(tmp_path / "empty", tmp_path / "out", compression)
    assert back((tmp_path / "out").read_bytes(), compression) == b""


@pytest.mark.parametrize("compression", available())
def test_the_same_bytes_twice(plain, tmp_path, compression, monkeypatch):
    compress(plain, tmp_path / "one", compression)
    if compression == "lzo":
        # lzop writes the second of the run into its header.
        start = time.time()
        while int(time.time()) == int(start):
            time.sleep(0.02)
        plain.chmod(0o600)
    compress(plain, tmp_path / "two", compression)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_gzip_carries_no_time_and_no_name(plain, tmp_path):
    compress(plain, tmp_path / "out", "gzip")
    assert (tmp_path / "out").read_bytes()[:8] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00"


def test_xz_is_checked_by_crc32(plain, tmp_path):
    compress(plain, tmp_path / "out", "xz")
    assert (tmp_path / "out").read_bytes()[:8] == b"\xfd7zXZ\x00\x00\x01"


@pytest.mark.skipif("zstd" not in available(), reason="no zstd: scripts/setup-debian.sh run")
def test_the_window_of_zstd_is_no_larger_than_the_data(plain, tmp_path):
    compress(plain, tmp_path / "out", "zstd")
    said = subprocess.run(["zstd", "-lv", tmp_path / "out"], capture_output=True, text=True, check=True).stdout
    window = next(line for line in said.splitlines() if line.startswith("Window Size"))
    assert f"({len(DATA)} B)" in window
    assert "Check: None" in said or "XXH64" not in said


def test_a_tool_that_is_not_there(plain, tmp_path, monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda _: None)
    assert available() == ("none", "gzip", "bzip2", "lzma", "xz")
    with pytest.raises(ToolMissing) as caught:
        compress(plain, tmp_path / "out", "lz4")
    assert "apt-get install lz4" in caught.value.hint


def test_a_tool_that_fails(plain, tmp_path, monkeypatch):
    (tmp_path / "zstd").write_text("#!/bin/sh\necho no luck >&2\nexit 3\n")
    (tmp_path / "zstd").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match="code 3: no luck"):
        compress(plain, tmp_path / "out", "zstd")


def test_a_full_disk(plain):
    with pytest.raises(EnvironmentFault, match="No space left"):
        compress(plain, module.Path("/dev/full"), "gzip")
