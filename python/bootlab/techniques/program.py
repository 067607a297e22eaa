# SPDX-License-Identifier: MIT
"""Techniques that build the root tree's programs another way share how they ask and how they prove it.

The proof has two parts. The files that were booted are kept as facts with the recording (`programs.json`): loader,
flags, relocations. And the booted system was seen to run from them: its processes have them mapped.
"""

from __future__ import annotations

import abc
from collections.abc import Callable

from bootlab.model.change import Change, SetProgramBuild
from bootlab.model.program import BuiltFile, BuiltPrograms, ElfFacts, Program
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Technique
from bootlab.techniques.evidence import quote

Ways = tuple[tuple[str, SetProgramBuild], ...]


class ProgramTechnique(Technique):
    """Proposes ways of building (`ways`), each under a label; leaves out those that all programs are built in."""

    stage = "userspace"
    proof = "diagnosis"
    needs_diagnosis = True
    rests_on = ("initramfs",)
    because: str
    ways: Ways

    def applies(self, context: Context) -> Applies:
        """Yes when the system builds programs, and a way is left in which they are not built yet."""
        programs = context.system.programs
        if not programs:
            return Applies.no("bootlab builds no program of this system", "no [programs] in the system file")
        if why := self.why_not(context):
            return Applies.no(why, programs[0].path)
        if not self.left(context):
            return Applies.no("they are built so already", built_as(programs[0]))
        return Applies.yes(self.because, built_as(programs[0]))

    def why_not(self, context: Context) -> str:
        """Return why there is nothing to gain, or "". For techniques that look at more than the flags."""
        del context
        return ""

    def left(self, context: Context) -> Ways:
        """Return the ways in which at least one program is not built yet."""
        return tuple((label, op) for label, op in self.ways if op.apply(context.system) != context.system)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each way that is left."""
        alone = len(self.ways) == 1
        return tuple(
            Change(technique=self.id, ops=(op,), label="" if alone else label) for label, op in self.left(context)
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the files that were booted, and by the processes that ran from them."""
        old, new = before.recording.programs, after.recording.programs
        if not old.files or not new.files:
            return Effect(False, "the recording does not say which programs were built for it")
        shown = self.shown(old, new)
        if not shown.shown:
            return shown
        seen = self.seen(before, after)
        if not seen.shown:
            return Effect(False, f"{shown.evidence}; but {seen.evidence}")
        return Effect(True, f"{shown.evidence}; {seen.evidence}")

    @abc.abstractmethod
    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Compare what the booted files say of themselves."""

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Say what the booted system showed: that a process runs from the files built."""
        del before
        return running(after)


def built_as(program: Program) -> str:
    """Say how a program is built, in one line."""
    flags = " ".join((*program.cflags, *program.ldflags))
    return quote(f"{program.path}: {program.libc}, {program.link}, {flags}")


def total(built: BuiltPrograms, fact: Callable[[ElfFacts], int]) -> int:
    """Return the sum of a fact over the files that other flags can change."""
    return sum(fact(file.elf) for file in built.own)


def sums_differ(old: BuiltPrograms, new: BuiltPrograms, fact: Callable[[ElfFacts], int], words: str) -> Effect:
    """Prove an effect by the sum of a fact over the files built: `symbolic relocations: 4000 -> 12`."""
    was, now = total(old, fact), total(new, fact)
    text = f"{words}: {was} -> {now}"
    return Effect(was != now, text if was != now else f"{words}: {was}, with and without the change")


def mappings(evidence: Evidence) -> tuple[str, ...]:
    """Return the lines that tell which process had which file mapped; empty without a diagnostic boot."""
    if evidence.diagnosis is None:
        return ()
    return tuple(evidence.diagnosis.proc.get("maps", "").splitlines())


def mapped(evidence: Evidence, path: str) -> str:
    """Return the line by which a process had a file mapped, or "" ."""
    return next((quote(line) for line in mappings(evidence) if line.rstrip().endswith(f" {path}")), "")


def running(evidence: Evidence) -> Effect:
    """Prove that the booted system ran a program that was built: it is mapped, or was read where it has ended."""
    if evidence.diagnosis is None:
        return Effect(False, "no diagnostic boot of this system was made")
    programs = evidence.recording.programs.programs
    for program in programs:
        if line := mapped(evidence, program.path):
            return Effect(True, f"running: {line}")
    for program in programs:
        if _was_read(evidence, program):
            return Effect(True, f"{program.path} was read")
    return Effect(False, "no program that was built was running or read in the booted system")


def _was_read(evidence: Evidence, file: BuiltFile) -> bool:
    return evidence.diagnosis is not None and any(f.path == file.path and f.read for f in evidence.diagnosis.files)


def relocated(before: Evidence, after: Evidence) -> Effect:
    """Prove an effect by what the loader counted before `main`; by the running program where it counted nothing.

    Only glibc's loader counts. A program that is started twice counts twice.
    """
    seen = running(after)
    if not seen.shown or before.diagnosis is None or after.diagnosis is None:
        return seen
    was, now = _counted(before), _counted(after)
    if was is None or now is None:
        return seen
    if was == now:
        return Effect(False, f"the loader looked up as many symbols before main as before: {was[0]}, {was[1]} relative")
    return Effect(True, f"looked up before main: {was[0]} -> {now[0]}, relative: {was[1]} -> {now[1]}; {seen.evidence}")


def _counted(evidence: Evidence) -> tuple[int, int] | None:
    found = evidence.diagnosis.loading if evidence.diagnosis is not None else ()
    if not found:
        return None
    return sum(one.relocations or 0 for one in found), sum(one.relative or 0 for one in found)
