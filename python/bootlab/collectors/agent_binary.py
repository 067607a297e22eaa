"""bootlab's agent as a static program, built once with the machine's C compiler."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from bootlab.builders.cache import default_folder
from bootlab.errors import EnvironmentFault, ToolMissing


def source_folder() -> Path:
    """Return the folder with the agent's source: in the installed package or in a checkout."""
    here = Path(__file__).resolve()
    for candidate in (here.parents[1] / "guest" / "agent", here.parents[3] / "guest" / "agent"):
        if (candidate / "agent.c").is_file():
            return candidate
    raise EnvironmentFault(
        "the source of bootlab's agent is not installed with this bootlab", hint="install bootlab from its checkout"
    )


def agent_path() -> Path:
    """Return the agent for x86_64, built at first use. Raise ToolMissing or EnvironmentFault."""
    folder = source_folder()
    digest = hashlib.sha256()
    sources = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
    for source in sources:
        digest.update(source.read_bytes())
    made = default_folder() / "agent" / f"agent-{digest.hexdigest()[:16]}"
    if made.is_file():
        return made.resolve()
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise ToolMissing("cc", package="gcc libc6-dev", needed_for="to build the agent of diagnostic boots")
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        fresh = Path(work) / "agent"
        command = [compiler, "-Os", "-static", "-s", "-o", str(fresh), *(str(s) for s in sources if s.suffix == ".c")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()
            raise EnvironmentFault(
                f"the compiler refused bootlab's agent: {words[0] if words else 'without a word'}",
                hint="is libc6-dev installed? (apt-get install libc6-dev)",
            )
        fresh.replace(made)
    return made.resolve()
