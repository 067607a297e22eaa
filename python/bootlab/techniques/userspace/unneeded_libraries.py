"""Leave out the libraries that are linked and not used."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Risk
from bootlab.techniques.program import ProgramTechnique, mapped, running


class UnneededLibraries(ProgramTechnique):
    """Link lines grow and never shrink: what stands on them is loaded, whether it is called or not."""

    id = "unneeded-libraries"
    title = "Unneeded libraries left out"
    what = "Links with `--as-needed`: the program does not name libraries of which it uses no symbol."
    why = "Each library is searched for, opened, mapped and relocated before `main`."
    when_not = "A library does its work when it is loaded (a constructor), or a program finds its symbols with dlsym."
    cost = "None otherwise."
    risk = Risk(function="a library that is loaded only for its constructor is missing")
    because = "by default a linker keeps every library on its command line"
    ways = (("as-needed", SetProgramBuild(ldflags=("-Wl,--as-needed",))),)
    references = ("ld(1): --as-needed",)

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the DT_NEEDED entries that are gone."""
        gone = _needed(old) - _needed(new)
        if not gone:
            return Effect(False, f"every library is needed: {len(_needed(new))} DT_NEEDED entries, as before")
        return Effect(True, "no longer needed: " + ", ".join(f"{name} by {path}" for path, name in sorted(gone)[:3]))

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the processes: what nobody needs is not mapped."""
        there = {file.path for file in after.recording.programs.files}
        for file in before.recording.programs.files:
            if file.path not in there and (line := mapped(after, file.path)):
                return Effect(False, f"a process still has it mapped: {line}")
        return running(after)


def _needed(built: BuiltPrograms) -> set[tuple[str, str]]:
    return {(file.path, name) for file in built.own for name in file.elf.needed}
