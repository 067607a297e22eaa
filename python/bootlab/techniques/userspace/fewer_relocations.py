"""Give the dynamic loader less to look up."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Published, Risk
from bootlab.techniques.program import ProgramTechnique, relocated, total


class FewerRelocations(ProgramTechnique):
    """What prelink did on the target is done by the linker: names that nobody else may replace are bound at once."""

    id = "fewer-relocations"
    title = "Fewer relocations"
    what = "Links with `-Bsymbolic`, hides symbols that are not exported, or calls without the PLT."
    why = "Each symbolic relocation is a search by name through all libraries, before `main` or at the first call."
    when_not = "A program or LD_PRELOAD replaces symbols of a library, or addresses are compared across libraries."
    cost = "`hidden` needs the interface marked in the source."
    risk = Risk(
        function=(
            "if another library replaces a symbol (malloc, a plug-in's hook), the library itself still uses its own"
        ),
    )
    because = "the loader looks up symbols by name when the programs start"
    ways = (
        ("symbolic", SetProgramBuild(ldflags=("-Wl,-Bsymbolic",))),
        ("hidden", SetProgramBuild(cflags=("-fvisibility=hidden",))),
        ("no-plt", SetProgramBuild(cflags=("-fno-plt",))),
    )
    published = (Published("2479 -> 125 ms by prelink", "ARM9, Panasonic telephone", "elinux.org"),)
    references = (
        "ld(1): -Bsymbolic",
        "gcc(1): -fvisibility, -fno-plt",
        "Drepper: How to write shared libraries",
    )

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the relocations of the files."""
        was, now = _counts(old), _counts(new)
        text = f"relocations (symbolic, PLT, relative): {_text(was)} -> {_text(now)}"
        return Effect(
            was != now, text if was != now else f"relocations (symbolic, PLT, relative): {_text(was)}, as before"
        )

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the relocations that the loader counted, or by the running program where it prints none."""
        return relocated(before, after)


def _counts(built: BuiltPrograms) -> tuple[int, int, int]:
    return (
        total(built, lambda elf: elf.relocations.symbolic),
        total(built, lambda elf: elf.relocations.plt),
        total(built, lambda elf: elf.relocations.relative),
    )


def _text(counts: tuple[int, int, int]) -> str:
    return ", ".join(map(str, counts))
