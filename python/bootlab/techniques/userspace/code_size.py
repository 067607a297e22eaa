# SPDX-License-Identifier: MIT
"""How large the programs' code is, and how fast."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Risk
from bootlab.techniques.program import ProgramTechnique, sums_differ, total


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


class UnusedSections(ProgramTechnique):
    """A linker takes objects whole; with a section for each function it can leave single ones out."""

    id = "unused-sections"
    title = "Unused functions left out"
    what = "Compiles with `-ffunction-sections -fdata-sections` and links with `--gc-sections`."
    why = "Code that is not in the file is not read, unpacked, mapped or relocated."
    when_not = "Shared libraries export everything: exported functions count as used. It pays with static linking."
    cost = "Slower linking; sections that only a linker script collects must be marked KEEP there."
    because = "the linker takes whole object files, used or not"
    ways = (
        (
            "gc-sections",
            SetProgramBuild(cflags=("-ffunction-sections", "-fdata-sections"), ldflags=("-Wl,--gc-sections",)),
        ),
    )
    references = ("ld(1): --gc-sections", "gcc(1): -ffunction-sections")

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the size of the code in the files, which must shrink."""
        found = sums_differ(old, new, lambda elf: elf.text_bytes, "bytes of code")
        grown = sum(f.elf.text_bytes for f in new.own) > sum(f.elf.text_bytes for f in old.own)
        return Effect(found.shown and not grown, f"{found.evidence}: nothing left out" if grown else found.evidence)


class StripPrograms(ProgramTechnique):
    """Symbols and debugging information are never read by a running program, but packed and unpacked with it."""

    id = "strip-programs"
    title = "Programs stripped"
    what = "Runs `strip` on every ELF file that was built."
    why = "In an initramfs every byte is unpacked; from flash every byte is read ahead with its neighbours."
    when_not = "The program reads its own symbols (a profiler, backtraces with names)."
    cost = "Crash dumps need the unstripped files; keep them."
    risk = Risk(debuggability="backtraces and debuggers on the target show no names")
    because = "the files contain symbols that nothing reads at run time"
    ways = (("strip", SetProgramBuild(strip=True)),)
    references = ("strip(1)",)

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the symbol tables that are gone."""
        still = next((file.path for file in new.own if not file.elf.stripped), None)
        if still is not None:
            return Effect(False, f"{still} still has a symbol table")
        if all(file.elf.stripped for file in old.own):
            return Effect(False, "no file had a symbol table before either")
        was, now = (total(built, lambda elf: elf.file_bytes) for built in (old, new))
        return Effect(True, f"symbol tables gone from {len(new.own)} files: {was} -> {now} bytes")


TECHNIQUES = (
    ProgramOptimisation(),
    UnusedSections(),
    StripPrograms(),
)
