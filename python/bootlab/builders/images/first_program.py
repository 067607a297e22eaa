"""Whether the program that a kernel starts first can start: the mistakes that end in `error -2` and `error -8`."""

from __future__ import annotations

import struct
from pathlib import Path

from bootlab.errors import UserError
from bootlab.model.architecture import Arch
from bootlab.model.tree import Entry, FileTree

_LINKS_MAX = 40
_HEAD_BYTES = 4096
_DEPTH_MAX = 5
# e_machine (elf(5), include/uapi/linux/elf-em.h) and the class that a processor runs.
_MACHINES: dict[Arch, frozenset[int]] = {
    "x86_64": frozenset({62, 3}),
    "arm": frozenset({40}),
    "arm64": frozenset({183, 40}),
    "riscv64": frozenset({243}),
}
_NAMES = {3: "i386", 8: "MIPS", 40: "ARM", 62: "x86-64", 183: "AArch64", 243: "RISC-V"}
_PT_INTERP = 3


def check(tree: FileTree, path: str, arch: Arch) -> None:
    """Follow a program through links, `#!` and the dynamic loader. Raise UserError with what is missing or wrong."""
    entries = tree.as_dict()
    trail = path
    for _ in range(_DEPTH_MAX):
        entry = _resolve(entries, path, trail)
        if entry.kind != "file":
            raise UserError(f"{trail} is a {entry.kind}, no program", hint="name a program: init=/sbin/init in cmdline")
        if not entry.mode & 0o111:
            raise UserError(f"{trail} is not executable (mode {entry.mode:04o})", hint='give it mode = "0755"')
        head = _head(entry)
        if head[:2] == b"#!":
            words = head[2:].split(b"\n", 1)[0].split()
            if not words:
                raise UserError(f"{trail} names no interpreter behind #!", hint="write #!/bin/sh")
            path = words[0].decode("utf-8", "replace")
        elif head[:4] == b"\x7fELF":
            loader = _loader(head, trail, arch)
            if loader is None:
                return
            path = loader
        else:
            raise UserError(f"{trail} is neither an ELF program nor a script", hint="a script starts with #!/bin/sh")
        trail = f"{path} (interpreter of {trail})"
    raise UserError(f"{trail}: interpreters of interpreters", hint="the kernel gives up after a few")


def _resolve(entries: dict[str, Entry], path: str, trail: str) -> Entry:
    for _ in range(_LINKS_MAX):
        parts = [part for part in path.split("/") if part]
        at = ""
        for number, part in enumerate(parts):
            if part in {".", ".."}:
                at = at if part == "." else at.rpartition("/")[0]
                continue
            at += f"/{part}"
            entry = entries.get(at)
            if entry is not None and entry.kind == "symlink":
                target = entry.target or ""
                base = "" if target.startswith("/") else at.rpartition("/")[0] + "/"
                path = "/".join((base + target, *parts[number + 1 :]))
                break
            if entry is None and number == len(parts) - 1:
                raise UserError(f"{trail} is not in the tree", hint="put it there, or name another init in cmdline")
        else:
            if at in entries:
                return entries[at]
            raise UserError(f"{trail} is not in the tree", hint="put it there, or name another init in cmdline")
    raise UserError(f"{trail}: symbolic links in a loop", hint="ls -l each of them")


def _head(entry: Entry) -> bytes:
    if entry.source is None:
        return (entry.text or "").encode()[:_HEAD_BYTES]
    try:
        with Path(entry.source).open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError as error:
        raise UserError(f"{entry.source} cannot be read: {error.strerror}", hint=f"ls -l {entry.source}") from error


def _loader(head: bytes, trail: str, arch: Arch) -> str | None:
    try:
        (machine,) = struct.unpack_from("<H", head, 18)
        if machine not in _MACHINES[arch]:
            raise UserError(
                f"{trail} is a program for {_NAMES.get(machine, f'machine {machine}')}; the machine is {arch}",
                hint="the kernel would answer error -8; take the program of the right architecture",
            )
        wide = head[4] == 2
        (table,) = struct.unpack_from("<Q" if wide else "<I", head, 32 if wide else 28)
        size, count = struct.unpack_from("<HH", head, 54 if wide else 42)
        for number in range(count):
            at = table + number * size
            (kind,) = struct.unpack_from("<I", head, at)
            if kind == _PT_INTERP:
                (offset,) = struct.unpack_from("<Q" if wide else "<I", head, at + (8 if wide else 4))
                return head[offset:].split(b"\0", 1)[0].decode("utf-8", "replace") or None
    except struct.error:
        raise UserError(f"{trail} is a broken ELF file", hint="build or copy it again") from None
    return None
