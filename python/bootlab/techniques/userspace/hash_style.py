"""Choose the hash table that symbols are searched in."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Published
from bootlab.techniques.program import ProgramTechnique, Ways


class HashStyle(ProgramTechnique):
    """The GNU table has a filter in front, which answers most searches that find nothing."""

    id = "hash-style"
    title = "Symbol hash table"
    what = "Links with those of `--hash-style=gnu`, `sysv` and `both` that the programs do not have."
    why = (
        "A lookup goes through the libraries in turn; with the GNU table, a filter ends most of them without "
        "comparing names."
    )
    when_not = "A loader from before 2006 reads the files: it knows only the old table."
    cost = "None; `both` takes the space of two tables."
    because = "the programs have another kind of symbol table now"
    ways = tuple((style, SetProgramBuild(ldflags=(f"-Wl,--hash-style={style}",))) for style in ("gnu", "sysv", "both"))
    published = (Published("dynamic linking about 50 % faster with the GNU table", "desktop programs", "elinux.org"),)
    references = ("ld(1): --hash-style", "https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html")

    def left(self, context: Context) -> Ways:
        """Leave out the style that all files have already."""
        styles = {_style(file.elf.hash_styles) for file in context.recording.programs.own if file.elf.hash_styles}
        return tuple(way for way in super().left(context) if styles != {way[0]})

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by DT_HASH and DT_GNU_HASH of the files: a loader can only search what is there."""
        was, now = (
            sorted({_style(file.elf.hash_styles) for file in built.own if file.elf.hash_styles}) for built in (old, new)
        )
        text = f"hash tables: {', '.join(was) or 'none'} -> {', '.join(now) or 'none'}"
        return Effect(was != now, text if was != now else f"hash tables: {', '.join(was) or 'none'}, as before")


def _style(styles: tuple[str, ...]) -> str:
    return "both" if len(styles) > 1 else styles[0]
