# SPDX-License-Identifier: MIT
"""Programs of the root tree: built from source, with the shared libraries they need."""

from typing import TYPE_CHECKING

from bootlab.builders.programs.installed import built_programs, facts_file, with_built_programs

if TYPE_CHECKING:
    from bootlab.builders.programs.builder import BuiltProgram, ProgramBuilder

__all__ = ["BuiltProgram", "ProgramBuilder", "built_programs", "facts_file", "with_built_programs"]


def __getattr__(name: str) -> object:
    """Load the builder at its first use: most systems build no program."""
    if name not in __all__:
        raise AttributeError(f"module 'bootlab.builders.programs' has no attribute {name!r}")
    from bootlab.builders.programs import builder  # noqa: PLC0415

    return getattr(builder, name)
