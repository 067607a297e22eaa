"""Build the programs as ARM or as Thumb-2 code."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Published, Risk
from bootlab.techniques.program import ProgramTechnique, Ways, total


class ArmInstructionSet(ProgramTechnique):
    """Thumb-2 is about a quarter smaller; ARM code needs fewer instructions for some work."""

    id = "arm-instruction-set"
    title = "ARM or Thumb-2 code"
    what = "Compiles the programs with `-marm` if they are Thumb-2, or with `-mthumb` if they are ARM."
    why = "Smaller code is read, unpacked and paged in sooner; ARM code may execute fewer instructions."
    when_not = "The processor has no Thumb-2 (before ARMv7), or assembly code is written for one of the two."
    cost = "None; the two can call each other."
    risk = Risk(runtime="only the start is measured: the other code may be slower later on")
    architectures = ("arm",)
    because = "the other instruction set may be smaller or faster"
    ways = (("arm", SetProgramBuild(cflags=("-marm",))), ("thumb", SetProgramBuild(cflags=("-mthumb",))))
    published = (Published("root file system 17.9 -> 14.5 MB, about 2 % faster", "ARM", "Bootlin boot-time training"),)
    references = ("gcc(1): -mthumb", "ELF for the Arm Architecture, 5.5.3")

    def left(self, context: Context) -> Ways:
        """Leave out the one that all functions are in already."""
        thumb, arm = _functions(context.recording.programs)
        done = "thumb" if thumb and thumb > arm else "arm" if arm else ""
        return tuple(way for way in super().left(context) if way[0] != done)

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the functions of the symbol tables: bit 0 of the address tells."""
        was, now = _functions(old), _functions(new)
        text = f"Thumb/ARM functions: {was[0]}/{was[1]} -> {now[0]}/{now[1]}"
        turned = (now[0] > now[1]) != (was[0] > was[1])
        return Effect(turned, text if turned else f"{text}: most are of the same set as before")


def _functions(built: BuiltPrograms) -> tuple[int, int]:
    return total(built, lambda elf: elf.thumb_functions), total(built, lambda elf: elf.arm_functions)
