"""Compile the programs for size or for speed, or all at once."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Risk
from bootlab.techniques.program import ProgramTechnique, sums_differ


class ProgramOptimisation(ProgramTechnique):
    """The sign depends on how much is read and how much of it is executed."""

    id = "program-optimisation"
    title = "Compiler optimisation of programs"
    what = "Compiles with `-Os`, `-O2` or `-O3`, or with `-O2 -flto`, which compiles a program as a whole."
    why = "A smaller file is read, unpacked and paged in sooner; faster code shortens the program's computations."
    when_not = "The program computes little before the goal and its file is small: then nothing changes."
    cost = "Everything must be built again; `-flto` takes longer and needs the archiver's plug-in for static libraries."
    risk = Risk(runtime="code built with -Os executes more instructions for the same work")
    because = "another level may be smaller or faster"
    ways = (
        ("Os", SetProgramBuild(cflags=("-Os",))),
        ("O2", SetProgramBuild(cflags=("-O2",))),
        ("O3", SetProgramBuild(cflags=("-O3",))),
        ("lto", SetProgramBuild(cflags=("-O2", "-flto"), ldflags=("-flto", "-O2"))),
    )
    references = ("gcc(1): -O, -flto",)

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the size of the code in the files."""
        return sums_differ(old, new, lambda elf: elf.text_bytes, "bytes of code")
