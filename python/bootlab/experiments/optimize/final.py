# SPDX-License-Identifier: MIT
"""The final checks: commands of the user's that run in the result, and say there what they said in the base.

They are too dear, or too many, to run for every variant. So they run in the base when a search begins, where a mistake
in one shows at once, for every kernel that is shrunk, and in the result. Behind them come bootlab's own
(bootlab.experiments.optimize.sanity). A result that fails one gives changes back until it passes.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable

import msgspec

from bootlab.collectors.diagnosis import CheckOutput, check_output
from bootlab.errors import UserError
from bootlab.experiments.base import Base, NoReportError, begin_check, require_report, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.optimize.halving import take_most
from bootlab.experiments.optimize.parts import most_that_works, parts_of
from bootlab.experiments.optimize.sanity import Sanity, why_refused
from bootlab.experiments.stacked import Stacked
from bootlab.experiments.trial import GROUNDS, EndedByHost, grounded, require_told
from bootlab.model.change import Change, apply_all
from bootlab.model.contrast import Contrast
from bootlab.model.question import Question
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription

_NOT_RUN = {126: "it cannot be executed", 127: "there is no such program", None: "it did not end"}


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """The result that passes. `kept`: what went back into the tree, and `back`: changes that were given back; why.

    `contrasts`: what bootlab's own checks say of it and of the base.
    """

    stacked: Stacked
    back: dict[str, str] = {}
    kept: dict[str, str] = {}
    questions: tuple[Question, ...] = ()
    contrasts: tuple[Contrast, ...] = ()


class FinalChecks:
    """Commands with what they say in the base."""

    def __init__(self, bench: Bench, base: Base, commands: tuple[str, ...]) -> None:
        """Run each in the base. Raise UserError for one that cannot be run there: it would check nothing."""
        self._bench, self._base = bench, base
        self._words = tuple(words_of(command) for command in commands)
        if self._words:
            bench.phase("final checks in the base", len(self._words))
        self._said = tuple(self._in_base(words) for words in self._words)
        self._questions: list[Question] = []
        self._sanity: Sanity | None = None
        self._changes: tuple[Change, ...] = ()
        self._contrasts: tuple[Contrast, ...] = ()

    def _in_base(self, words: tuple[str, ...]) -> CheckOutput:
        name = shlex.join(words)
        output = self._output(self._base.system, self._base.recording, words, "base")
        if output is None:
            raise UserError(
                f"the final check {name!r} cannot be run: bootlab packs no root tree that could hold its agent",
                hint="list the console lines in [check], and raise limits.check_s if they come late; leave --final out",
            )
        if output.exit_status in _NOT_RUN:
            raise UserError(
                f"the final check {name!r} does not run in the base: {_NOT_RUN[output.exit_status]}",
                hint='give a program of the system with its whole path: --final "/usr/bin/self-test --all"',
            )
        return output

    def _output(
        self, system: SystemDescription, timing: Recording, words: tuple[str, ...], label: str
    ) -> CheckOutput | None:
        begun = begin_check(self._bench, _checking(system, words), timing, f"{label}: {words[0]}")
        if begun is None:
            return None
        made = self._bench.wait(begun)
        if made.by_host:
            raise EndedByHost(
                f"the host ended the boot of a final check: {made.meta.reason}", hint="run the same command again"
            )
        require_report(system, made, f"the final check {shlex.join(words)!r} was not run")
        return check_output(made)

    def why_broken(self, system: SystemDescription, recording: Recording, label: str) -> str:
        """Say which final check tells a system from the base, or ""."""
        for words, said in zip(self._words, self._said, strict=True):
            try:
                found = self._output(system, recording, words, label)
            except NoReportError as fault:
                return fault.message
            if found == said:
                continue
            name = f"the final check {shlex.join(words)!r}"
            if found is None:
                return f"{name} cannot be run"
            if found.exit_status != said.exit_status:
                return f"{name} ended with {found.exit_status}, in the base with {said.exit_status}"
            pairs = itertools.zip_longest(said.lines, found.lines, fillvalue="")
            old, new = next(pair for pair in pairs if pair[0] != pair[1])
            return f"{name} printed {new[:120]!r}, in the base {old[:120]!r}"
        return ""

    def passed(self, stacked: Stacked, over: Callable[[], str], sanity: Sanity | None = None) -> Passed:
        """Return the result if it passes, or as much of it as does. `sanity`: bootlab's own checks; None: no time."""
        self._sanity, self._changes = sanity, stacked.changes
        if not self._words and sanity is None:
            return Passed(stacked=stacked)
        self._bench.phase("final checks", len(self._words) + 1)
        broken = self._fails(self._system(stacked.changes), stacked.recording, "result")
        if self._words:
            checked = f"final checks of the result: {', '.join(shlex.join(words) for words in self._words)}"
            self._questions.append(Question(what=checked, broken=broken, key=stacked.recording.meta.key))
        if not broken:
            if self._words:
                self._bench.decided(f"  final checks: {len(self._words)} passed")
            return Passed(stacked=stacked, questions=tuple(self._questions), contrasts=self._contrasts)
        self._bench.decided(f"  the result fails: {broken}")
        found = take_most(stacked.changes, self._why_not)
        taken, kept = list(found.taken), dict[str, str]()
        for change, _ in found.left:
            if parts_of(change):
                part = most_that_works(self._bench, self._system(tuple(taken)), change, self._why, over=over)
                taken += [part.change] if part.change is not None else []
                kept |= part.kept
                self._questions += part.questions
        boots = DitheredBoots(self._bench, self._system(tuple(taken)), "result", dithers=self._base.dithers)
        made = boots.wait(len(stacked.boots) or 1)
        back = {change.id: reason for change, reason in found.left}
        rows = tuple(
            msgspec.structs.replace(row, kept=False, reason=f"given back: {back[row.change_id]}")
            if row.change_id in back
            else row
            for row in stacked.left_out
        )
        stacked = msgspec.structs.replace(
            stacked, changes=tuple(taken), left_out=rows, recording=made[0], boots=tuple(made)
        )
        self._fails(self._system(tuple(taken)), made[0], "result")
        return Passed(
            stacked=stacked, back=back, kept=kept, questions=tuple(self._questions), contrasts=self._contrasts
        )

    def _why_not(self, taken: tuple[Change, ...], group: tuple[Change, ...]) -> str:
        system = self._system((*taken, *group))
        label = f"result with {len(taken) + len(group)} changes"
        try:
            recording = self._bench.boot(system, label)
            broken = self._why(system, recording, label)
        except GROUNDS as fault:
            self._questions.append(Question(what=label, broken=grounded(fault)[1]))
            return self._questions[-1].broken
        require_told(broken, label)
        self._questions.append(Question(what=label, broken=broken, key=recording.meta.key))
        self._bench.decided(f"  {label}: {broken or 'passes'}")
        return broken

    def _why(self, system: SystemDescription, recording: Recording, label: str) -> str:
        return why_lost(self._bench, self._base, system, recording, label) or self._fails(system, recording, label)

    def _fails(self, system: SystemDescription, recording: Recording, label: str) -> str:
        """Say which check tells a system from the base: one of the user's, or of bootlab's own; ""."""
        if (broken := self.why_broken(system, recording, label)) or self._sanity is None:
            return broken
        self._contrasts = self._sanity.contrasts(system, recording, label, self._changes)
        return why_refused(self._contrasts)

    def _system(self, changes: tuple[Change, ...]) -> SystemDescription:
        return apply_all(self._base.system, changes)


def words_of(command: str) -> tuple[str, ...]:
    """Part a command as a shell does. Raise UserError for one that is none."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as fault:
        raise UserError(f"the final check {command!r} is not a command: {fault}", hint="close the quotes") from fault
    if not words or any("\n" in word for word in words):
        raise UserError(
            f"the final check {command!r} is not a command: it is empty, or has several lines",
            hint="put a longer script into a file of the system",
        )
    return words


def _checking(system: SystemDescription, words: tuple[str, ...]) -> SystemDescription:
    return msgspec.structs.replace(system, check=msgspec.structs.replace(system.check, command=words))
