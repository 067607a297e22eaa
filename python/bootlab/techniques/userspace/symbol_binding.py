"""Bind functions at the program's start or at their first call."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Evidence, Risk
from bootlab.techniques.program import ProgramTechnique, Ways, relocated


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
