"""The stamp plugin: built once for the QEMU found, kept in the cache, done without where that fails."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from bootlab.targets.emulator import Emulator

_SOURCES = ("bootlab-stamp.c", "plugin-api.h", "stamp-file.h")


class Plugin(msgspec.Struct, frozen=True):
    """The shared object, or None with the reason why there is none."""

    path: str | None
    digest: str = ""
    reason: str = ""


def source_folder() -> Path | None:
    """Return the folder with the plugin's source: in the installed package or in a checkout."""
    here = Path(__file__).resolve()
    candidates = (here.parents[1] / "qemu-plugin", here.parents[3] / "qemu-plugin")
    return next((c for c in candidates if (c / _SOURCES[0]).is_file()), None)


def prepare(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin for this emulator, built at first use. Never raises: bootlab works without, and says so."""
    if os.environ.get("BOOTLAB_NO_PLUGIN"):
        return Plugin(None, reason="switched off by BOOTLAB_NO_PLUGIN")
    folder = source_folder()
    if folder is None:
        return Plugin(None, reason="the plugin's source is not installed with this bootlab")
    digest = hashlib.sha256(str(emulator.plugin_api).encode())
    for name in _SOURCES:
        digest.update((folder / name).read_bytes())
    name = digest.hexdigest()[:16]
    made = cache_folder / "plugin" / f"bootlab-stamp-{name}.so"
    if not made.is_file():
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return Plugin(None, reason="no C compiler to build it with (apt-get install gcc libc6-dev)")
        try:
            reason = _build(compiler, folder, emulator.plugin_api, made)
        except OSError as fault:
            reason = f"it cannot be kept in {made.parent}: {fault.strerror}"
        if reason:
            return Plugin(None, reason=reason)
    return Plugin(str(made), digest=name)


def _build(compiler: str, folder: Path, api: int, made: Path) -> str:
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        out = Path(work) / "plugin.so"
        command = [compiler, "-O2", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
        command += [f"-DBOOTLAB_PLUGIN_API={api}", "-o", str(out), str(folder / _SOURCES[0])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()
            return f"the compiler refused it: {words[0] if words else 'without a word'}"
        out.replace(made)
    return ""
