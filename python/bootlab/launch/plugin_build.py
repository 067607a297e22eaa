# SPDX-License-Identifier: MIT
"""A TCG plugin compiled once for a version of the interface, and kept in the cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from bootlab import host_packages
from bootlab.data import source_folder
from bootlab.recordings import seal


class Plugin(msgspec.Struct, frozen=True):
    """The shared object, or None with the reason why there is none. `digest`: of its sources and the interface."""

    path: str | None
    digest: str = ""
    reason: str = ""


def built(sources: tuple[str, ...], api: int, cache_folder: Path) -> Plugin:
    """Return the plugin of these files of qemu-plugin/, the first of which names it.

    Raise EnvironmentFault without them, OSError where nothing can be kept.
    """
    folder = source_folder("", sources[0], top="qemu-plugin")
    digest = hashlib.sha256(str(api).encode())
    for source in sources:
        digest.update((folder / source).read_bytes())
    name = digest.hexdigest()[:16]
    made = cache_folder / "plugin" / f"{Path(sources[0]).stem}-{name}.so"
    if not seal.holds(made):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return Plugin(None, reason=f"no C compiler to build it with ({host_packages.install('gcc libc6-dev')})")
        if reason := _compile(compiler, folder, api, sources, made):
            return Plugin(None, reason=reason)
    return Plugin(str(made), digest=name)


def _compile(compiler: str, folder: Path, api: int, sources: tuple[str, ...], made: Path) -> str:
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        out = Path(work) / "plugin.so"
        command = [compiler, "-O2", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
        command += [f"-DBOOTLAB_PLUGIN_API={api}", "-flto", "-Wl,-z,lazy", "-o", str(out)]
        command += [*(str(folder / source) for source in sources if source.endswith(".c")), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()
            return f"the compiler refused it: {words[0] if words else 'without a message'}"
        seal.put_in_place(out, made)
    return ""
