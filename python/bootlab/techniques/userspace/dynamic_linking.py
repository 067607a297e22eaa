# SPDX-License-Identifier: MIT
"""What the dynamic loader has to do before `main`."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Evidence, Published, Risk
from bootlab.techniques.program import ProgramTechnique, Ways, mapped, relocated, running, total


class SymbolBinding(ProgramTechnique):
    """Lazy binding pays for the functions that are called; immediate binding for all, but each more cheaply."""

    id = "symbol-binding"
    title = "Lazy or immediate binding"
    what = "Links with `-z now` if the programs use lazy binding, or with `-z lazy` if they do not."
    why = (
        "If few functions are called before the goal, lazy binding looks up fewer. If most are, one pass is "
        "cheaper than a trap for each."
    )
    when_not = "Hardening requires `-z relro -z now`: lazy binding leaves a writable table of pointers."
    cost = "Immediate binding needs every function to exist, called or not; lazy binding moves its cost to later."
    risk = Risk(
        security="with lazy binding the table of function pointers stays writable",
        runtime="with lazy binding each function is looked up when it is first called",
    )
    because = "the other way of binding may be cheaper here"
    ways = (
        ("now", SetProgramBuild(ldflags=("-Wl,-z,now",))),
        ("lazy", SetProgramBuild(ldflags=("-Wl,-z,lazy",))),
    )
    references = ("ld(1): -z now, -z lazy", "ld.so(8): LD_BIND_NOW")

    def left(self, context: Context) -> Ways:
        """Leave out the way that all files are bound in already."""
        files = context.recording.programs.own
        done = {"now"} if files and all(file.elf.bind_now for file in files) else set()
        done |= {"lazy"} if files and not any(file.elf.bind_now for file in files) else set()
        return tuple(way for way in super().left(context) if way[0] not in done)

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by DF_BIND_NOW and DF_1_NOW of the files."""
        was, now = (sum(file.elf.bind_now for file in built.own) for built in (old, new))
        return Effect(
            was != now, f"files with BIND_NOW: {was} -> {now}" if was != now else f"files with BIND_NOW: {was}"
        )

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the relocations that the loader counted before `main`."""
        return relocated(before, after)


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


TECHNIQUES = (
    SymbolBinding(),
    HashStyle(),
    UnneededLibraries(),
    FewerRelocations(),
)
