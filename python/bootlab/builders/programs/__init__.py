"""Programs of the root tree: built from source, with the shared libraries they need."""

from bootlab.builders.programs.builder import BuiltProgram, ProgramBuilder
from bootlab.builders.programs.installed import built_programs, facts_file, with_built_programs

__all__ = ["BuiltProgram", "ProgramBuilder", "built_programs", "facts_file", "with_built_programs"]
