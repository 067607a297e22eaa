# SPDX-License-Identifier: MIT
"""Texts of system files for tests: the smallest one, one with a line more, and the error of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.errors import SystemFileError
from bootlab.systemfile import loads

MINIMAL = 'name = "demo"\n[kernel]\nimage = "vmlinuz-6.1"\n[goal]\nconsole = "ready"\n'
FILES = "initramfs.files"


def filled(folder: Path) -> Path:
    """Put into a folder what the texts name."""
    (folder / "vmlinuz-6.1").write_bytes(b"kernel")
    (folder / "app").write_bytes(b"app")
    (folder / "app").chmod(0o750)
    (folder / "rootfs" / "etc").mkdir(parents=True)
    (folder / "rootfs" / "etc" / "motd").write_text("hello")
    return folder


def read(folder: Path, text: str, **environ: str):
    return loads(text, path=str(folder / "system.toml"), environ=environ, unpack_dir=folder / "unpacked")


def wrong(folder, text, **environ):
    with pytest.raises(SystemFileError) as caught:
        read(folder, text, **environ)
    error = caught.value
    assert error.path == str(folder / "system.toml")
    assert error.where
    assert str(error).startswith(f"{error.path}: {error.where}: ")
    return error


def after(table: str, line: str) -> str:
    return MINIMAL.replace(f"[{table}]\n", f"[{table}]\n{line}\n") if f"[{table}]" in MINIMAL else (
        f"{MINIMAL}[{table}]\n{line}\n"
    )  # fmt: skip
