# SPDX-License-Identifier: MIT
"""What ELF files say of themselves, against readelf; and files that are broken."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.builders.programs.elf import NotElf, is_elf, read
from tests.examples import examples

SOURCE = """
int exported(void) { return 1; }
static int hidden(void) { return 2; }
int (*const table[])(void) = { exported, hidden, exported };
extern int printf(const char *, ...);
int say(void) { return printf("%d", exported() + hidden()); }
"""
GCC = shutil.which("gcc")
ARM = shutil.which("arm-linux-gnueabihf-gcc")


def library(folder: Path, *flags: str, compiler: str | None = GCC) -> Path:
    if compiler is None:
        pytest.skip("no such compiler here: scripts/setup-debian.sh boards")
    (folder / "x.c").write_text(SOURCE)
    made = folder / "libx.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, folder / "x.c", *flags], check=True)
    return made


def counted(path: Path) -> tuple[int, int, int]:
    """Count relocations as readelf prints them: relative, symbolic, of the PLT."""
    text = subprocess.run(["readelf", "-rW", path], capture_output=True, text=True, check=True).stdout
    relative = symbolic = plt = 0
    part = ""
    for line in text.splitlines():
        part = line if line.startswith("Relocation section") else part
        if re.match(r"[0-9a-f]{8,16} ", line):
            if ".plt" in part:
                plt += 1
            elif "RELATIV" in line:
                relative += 1
            else:
                symbolic += 1
    return relative, symbolic, plt


@pytest.mark.parametrize("compiler", [GCC, ARM], ids=["x86_64", "arm"])
@pytest.mark.parametrize("flags", [(), ("-Wl,-Bsymbolic",), ("-fvisibility=hidden",), ("-fno-plt",)], ids=str)
def test_relocations_as_readelf_counts_them(tmp_path, flags, compiler):
    made = library(tmp_path, *flags, compiler=compiler)
    found = read(made).relocations
    assert (found.relative, found.symbolic, found.plt) == counted(made)


def test_flags_and_names(tmp_path):
    facts = read(library(tmp_path, "-Wl,-z,now", "-Wl,-soname,libx.so.1", "-Wl,--hash-style=sysv", "-Wl,-Bsymbolic"))
    assert (facts.kind, facts.soname, facts.hash_styles) == ("library", "libx.so.1", ("sysv",))
    assert (facts.bind_now, facts.symbolic, facts.interpreter) == (True, True, None)
    assert facts.needed == ("libc.so.6",)
    lazy = read(library(tmp_path, "-Wl,-z,lazy", "-Wl,--hash-style=both", "-Wl,-rpath,/opt/lib:$ORIGIN"))
    assert (lazy.bind_now, lazy.symbolic, lazy.hash_styles) == (False, False, ("gnu", "sysv"))
    assert lazy.search_path == ("/opt/lib", "$ORIGIN")
    assert lazy.exported == 3
    assert lazy.imported >= 1


@pytest.mark.parametrize("flag", ["-marm", "-mthumb"])
def test_the_instruction_set_of_arm_functions(tmp_path, flag):
    facts = read(library(tmp_path, flag, "-nostdlib", compiler=ARM))
    several = facts.thumb_functions if flag == "-mthumb" else facts.arm_functions
    assert several == 3
    assert facts.thumb_functions + facts.arm_functions == several
    assert not facts.stripped


def test_a_stripped_file_tells_as_much(tmp_path):
    made = library(tmp_path)
    before = read(made)
    subprocess.run(["strip", made], check=True)
    after = read(made)
    assert (before.stripped, after.stripped) == (False, True)
    assert (after.relocations, after.needed, after.exported) == (before.relocations, before.needed, before.exported)


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"#!/bin/sh\n", b"\x7fELF\x02\x01" + bytes(100), b"\x7fELF\x07\x09" + bytes(99)]
)
def test_what_is_none(tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    assert is_elf(path) == content.startswith(b"\x7fELF")
    try:
        read(path)
    except NotElf:
        return
    assert content[6:] == bytes(100), "an empty table of everything is an ELF file that says nothing"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elf")
    return library(folder).read_bytes(), folder / "damaged"


@examples(150)
@given(at=st.integers(0, 5000), byte=st.integers(0, 255), cut=st.integers(0, 20000))
def test_damage_is_an_answer_or_an_error_but_no_crash(whole, at, byte, cut):
    data, path = whole
    damaged = bytearray(data[: max(cut, 64)])
    damaged[at % len(damaged)] = byte
    path.write_bytes(bytes(damaged))
    with contextlib.suppress(NotElf):
        read(path)
