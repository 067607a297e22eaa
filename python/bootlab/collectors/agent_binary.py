"""bootlab's agent as a static program, built once for each architecture with the machine's C compilers."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from bootlab.builders.cache import default_folder
from bootlab.errors import EnvironmentFault, ToolMissing
from bootlab.model.architecture import ARCHITECTURES, Arch


def source_folder() -> Path:
    """Return the folder with the agent's source: in the installed package or in a checkout."""
    here = Path(__file__).resolve()
    for candidate in (here.parents[1] / "guest" / "agent", here.parents[3] / "guest" / "agent"):
        if (candidate / "agent.c").is_file():
            return candidate
    raise EnvironmentFault(
        "the source of bootlab's agent is not installed with this bootlab", hint="install bootlab from its checkout"
    )


def compiler_name(arch: Arch) -> str:
    """Return the name of the C compiler that builds for an architecture: the machine's own, or a cross compiler."""
    facts = ARCHITECTURES[arch]
    return "cc" if platform.machine() in facts.host_names else facts.compiler


def _compiler_for(arch: Arch) -> str:
    name = compiler_name(arch)
    compiler = shutil.which(name) or (shutil.which("gcc") if name == "cc" else None)
    if compiler is None:
        raise ToolMissing(
            name, package=_packages(arch), needed_for=f"to build the agent of diagnostic boots for {arch}"
        )
    return compiler


def agent_path(arch: Arch = "x86_64") -> Path:
    """Return the agent for an architecture, built at first use. Raise ToolMissing or EnvironmentFault."""
    folder = source_folder()
    digest = hashlib.sha256()
    sources = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
    for source in sources:
        digest.update(source.read_bytes())
    made = default_folder() / "agent" / f"agent-{arch}-{digest.hexdigest()[:16]}"
    if made.is_file():
        return made.resolve()
    compiler = _compiler_for(arch)
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        fresh = Path(work) / "agent"
        command = [compiler, "-Os", "-static", "-s", "-o", str(fresh), *(str(s) for s in sources if s.suffix == ".c")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()
            raise EnvironmentFault(
                f"the compiler refused bootlab's agent: {words[0] if words else 'without a word'}",
                hint=f"is its C library installed? (apt-get install {_packages(arch)})",
            )
        fresh.replace(made)
    return made.resolve()


def _packages(arch: Arch) -> str:
    facts = ARCHITECTURES[arch]
    return "gcc libc6-dev" if platform.machine() in facts.host_names else facts.compiler_packages
