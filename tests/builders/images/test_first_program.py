# SPDX-License-Identifier: MIT
"""The first program: what the kernel would only answer with an error number."""

import struct

import pytest

from bootlab.builders.images import first_program
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree


def elf(machine: int, loader: str = "") -> bytes:
    name = loader.encode() + b"\0"
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, 52, 0, 0, 52, 32, 1 if loader else 0, 0, 0, 0)
    return head + struct.pack("<IIIIIIII", 3, 84, 0, 0, len(name), len(name), 4, 1) + name


def tree(tmp_path, **files) -> FileTree:
    entries = {}
    for number, (path, value) in enumerate(files["files"].items()):
        if isinstance(value, bytes):
            (tmp_path / str(number)).write_bytes(value)
            entries[path] = Entry(kind="file", source=str(tmp_path / str(number)))
        else:
            entries[path] = value
    return FileTree.of(entries)


SH = Entry(kind="symlink", target="busybox")
SCRIPT = Entry(kind="file", text="#!/bin/sh -e\n", mode=0o755)


def test_a_script_through_links_to_a_static_program(tmp_path):
    files = {"/init": SCRIPT, "/bin": Entry(kind="symlink", target="usr/bin"), "/usr/bin/sh": SH}
    found = tree(tmp_path, files={**files, "/usr/bin/busybox": elf(40)})
    first_program.check(found, "/init", "arm")


def test_a_dynamic_program_with_its_loader(tmp_path):
    found = tree(tmp_path, files={"/init": elf(40, "/lib/ld.so"), "/lib/ld.so": elf(40)})
    first_program.check(found, "/init", "arm")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"/etc/x": Entry(kind="file", text="")}, "/init is not in the tree"),
        ({"/init": SCRIPT}, r"/bin/sh \(interpreter of /init\) is not in the tree"),
        ({"/init": SCRIPT, "/bin/sh": Entry(kind="symlink", target="sh")}, "symbolic links in a loop"),
        ({"/init": SCRIPT, "/bin/sh": Entry(kind="symlink", target="/bin/a"), "/bin/a": SH}, "is not in the tree"),
        ({"/init": elf(62)}, "is a program for x86-64; the machine is arm"),
        ({"/init": elf(40, "/lib/ld-linux-armhf.so.3")}, "/lib/ld-linux-armhf.so.3 .* is not in the tree"),
        ({"/init": Entry(kind="file", text="#!/bin/sh\n", mode=0o644)}, "not executable"),
        ({"/init": Entry(kind="file", text="echo hello\n", mode=0o755)}, "neither an ELF program nor a script"),
        ({"/init": Entry(kind="dir")}, "is a dir, not a program"),
        ({"/init": Entry(kind="file", text="#!\n", mode=0o755)}, "no interpreter"),
        ({"/init": Entry(kind="file", text="#!/bin/busybox sh\r\n", mode=0o755)}, "ends with a carriage return"),
        ({"/init": Entry(kind="file", text="#!/init\n", mode=0o755)}, "chain of interpreters"),
        ({"/init": b"\x7fELF\x01\x01"}, "broken ELF"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, files, words):
    with pytest.raises(UserError, match=words):
        first_program.check(tree(tmp_path, files=files), "/init", "arm")
