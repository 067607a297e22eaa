# SPDX-License-Identifier: MIT
"""Programs of bootlab's own for a booted machine, built once for each architecture with the machine's C compilers."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bootlab import host_packages
from bootlab.builders.cache import default_folder
from bootlab.errors import EnvironmentFault, ToolMissing
from bootlab.model.architecture import ARCHITECTURES, Arch
from bootlab.recordings import seal


def host_arch() -> Arch:
    """Return the architecture of this machine. Raise EnvironmentFault when it is none that bootlab knows."""
    for facts in ARCHITECTURES.values():
        if platform.machine() in facts.host_names:
            return facts.name
    raise EnvironmentFault(
        f"this machine is a {platform.machine()}, for which bootlab builds no programs",
        hint=f"known: {', '.join(ARCHITECTURES)}; boot a system of one of these",
    )


def compiler_name(arch: Arch) -> str:
    """Return the name of the C compiler that builds for an architecture: the machine's own, or a cross compiler."""
    facts = ARCHITECTURES[arch]
    return "cc" if platform.machine() in facts.host_names else facts.compiler


def build(name: str, sources: Sequence[Path], arch: Arch, flags: Sequence[str], *, needed_for: str) -> Path:
    """Return the program `name`, built of sources (headers count too) at first use.

    Raise ToolMissing or EnvironmentFault.
    """
    digest = hashlib.sha256(" ".join(flags).encode())
    for source in sources:
        digest.update(source.read_bytes())
    made = default_folder() / name / f"{name}-{arch}-{digest.hexdigest()[:16]}"
    if seal.holds(made):
        return made.resolve()
    compiler = compiler_for(arch, needed_for)
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        fresh = Path(work) / name
        inputs = [str(source) for source in sources if source.suffix != ".h"]
        done = subprocess.run(
            [compiler, *flags, "-o", str(fresh), *inputs], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()
            raise EnvironmentFault(
                f"the compiler refused bootlab's {name}: {words[0] if words else 'without a message'}",
                hint=f"is its C library installed? ({host_packages.install(_packages(arch))})",
            )
        seal.put_in_place(fresh, made)
    return made.resolve()


def compiler_for(arch: Arch, needed_for: str) -> str:
    """Return the path of the C compiler for an architecture. Raise ToolMissing."""
    name = compiler_name(arch)
    compiler = shutil.which(name) or (shutil.which("gcc") if name == "cc" else None)
    if compiler is None:
        raise ToolMissing(name, package=_packages(arch), needed_for=f"{needed_for} for {arch}")
    return compiler


def _packages(arch: Arch) -> str:
    facts = ARCHITECTURES[arch]
    return "gcc libc6-dev" if platform.machine() in facts.host_names else facts.compiler_packages
