"""Leave functions and data out that nothing refers to."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.program import ProgramTechnique, sums_differ


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
