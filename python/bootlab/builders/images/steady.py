# SPDX-License-Identifier: MIT
"""A library preloaded before image programs that have no option against the host's clock, UUIDs and inode numbers."""

from __future__ import annotations

from bootlab.builders import guest_program
from bootlab.data import source_folder

_NAME = "steady"
_FLAGS = ("-O2", "-std=gnu11", "-shared", "-fPIC", "-s")


def search_paths(needed_for: str) -> dict[str, str]:
    """Return variables of the environment that preload it. Raise ToolMissing or EnvironmentFault when it is not built.

    The library goes by its name, and its folder by itself: in LD_PRELOAD a space in a path would end it.
    """
    source = source_folder(_NAME, f"{_NAME}.c", top="host") / f"{_NAME}.c"
    built = guest_program.build(_NAME, [source], guest_program.host_arch(), _FLAGS, needed_for=needed_for)
    return {"LD_LIBRARY_PATH": str(built.parent), "LD_PRELOAD": built.name}
