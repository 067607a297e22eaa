# SPDX-License-Identifier: MIT
"""A file with its digest beside it: of what was made, whole or made again."""

from __future__ import annotations

import logging
import platform
from pathlib import Path

import pytest

from bootlab.builders import guest_program
from bootlab.recordings import seal
from tests.recordings import flips

MADE = b"a program's bytes"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    fresh = tmp_path / "fresh"
    fresh.write_bytes(MADE)
    seal.put_in_place(fresh, tmp_path / "made")
    return tmp_path / "made"


def test_what_was_made_holds(file: Path):
    assert seal.holds(file)
    assert file.read_bytes() == MADE


def test_no_flipped_bit_holds(file: Path, caplog: pytest.LogCaptureFixture):
    for raw in flips.every(MADE):
        file.write_bytes(raw)
        assert not seal.holds(file)
    assert f"{file} is damaged" in caplog.text
    file.write_bytes(MADE)
    said = seal.beside(file).read_bytes()
    # The last byte ends the line: it is no part of the digest.
    for raw in flips.every(said[:-1]):
        seal.beside(file).write_bytes(raw)
        assert not seal.holds(file)


def test_without_a_digest_or_a_file_nothing_holds(file: Path):
    seal.beside(file).unlink()
    assert not seal.holds(file)
    assert not seal.holds(file.with_name("none"))


def test_a_damaged_program_for_guests_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    if platform.machine() != "x86_64":
        pytest.skip("the compiler of this machine builds for another architecture")
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path))
    source = tmp_path / "one.c"
    source.write_text("int main(void) { return 0; }\n")
    first = guest_program.build("one", [source], "x86_64", ("-Os",), needed_for="a test")
    whole = first.read_bytes()
    first.write_bytes(flips.flipped(whole, 8000))
    with caplog.at_level(logging.WARNING, "bootlab"):
        again = guest_program.build("one", [source], "x86_64", ("-Os",), needed_for="a test")
    assert again == first
    assert again.read_bytes() == whole
    assert f"{first.name} is damaged" in caplog.text
