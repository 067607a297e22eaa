"""Take the symbol tables out of the programs."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Risk
from bootlab.techniques.program import ProgramTechnique, total


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
