"""Link the programs statically."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Published, Risk
from bootlab.techniques.program import ProgramTechnique, mapped, running


class StaticLinking(ProgramTechnique):
    """No loader, no libraries to find, map and relocate."""

    id = "static-linking"
    title = "Static linking"
    what = (
        "Links the programs with `-static`. Another variant uses `-static-pie`, which can be placed anywhere in memory."
    )
    why = "The kernel starts the program directly: no library is searched for, opened, mapped or relocated."
    when_not = "Many programs share the libraries; a program loads plug-ins (dlopen) or looks up users and hosts (NSS)."
    cost = (
        "Every program contains a copy of what it uses of each library. To fix a library, all programs must be "
        "built again."
    )
    risk = Risk(
        function=("with glibc, dlopen and the name service do not work, or still need the shared libraries"),
        runtime="programs do not share the memory of libraries",
    )
    because = "the programs are linked with shared libraries"
    ways = (("static", SetProgramBuild(link="static")), ("static-pie", SetProgramBuild(link="static-pie")))
    published = (Published("-20 ms, root file system -22 %", "BeagleBone Black", "Bootlin boot-time training"),)
    references = ("ld(1): -static", "gcc(1): -static-pie")

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the program header that names a loader: it is gone."""
        was = next((file for file in old.programs if file.elf.interpreter), None)
        if was is None:
            return Effect(False, "the programs named no loader before either (PT_INTERP)")
        still = next((file for file in new.programs if file.elf.interpreter), None)
        if still is not None:
            return Effect(False, f"{still.path} names a loader: {still.elf.interpreter}")
        needed = {name for file in old.own for name in file.elf.needed}
        return Effect(True, f"PT_INTERP {was.elf.interpreter} is gone from {was.path}, with {len(needed)} libraries")

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the processes: none still maps the loader."""
        loaders = [file.elf.interpreter for file in before.recording.programs.programs if file.elf.interpreter]
        for loader in loaders:
            if line := mapped(after, loader):
                return Effect(False, f"a process still has the loader mapped: {line}")
        return running(after)
