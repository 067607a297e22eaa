# SPDX-License-Identifier: MIT
"""bootlab's agent as a static program, built once for each architecture with the machine's C compilers."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.guest_program import build, compiler_name
from bootlab.data import source_folder
from bootlab.model.architecture import Arch

__all__ = ["agent_path", "compiler_name"]


def agent_path(arch: Arch = "x86_64") -> Path:
    """Return the agent for an architecture, built at first use. Raise ToolMissing or EnvironmentFault."""
    folder = source_folder("agent", "agent.c")
    sources = sorted([*folder.glob("*.c"), *folder.glob("*.h")])
    return build("agent", sources, arch, ("-Os", "-static", "-s"), needed_for="to build the agent of diagnostic boots")
