# SPDX-License-Identifier: MIT
"""Puts what the experiments found into the results document."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import bootlab
from bootlab.analysis.guest_clock import clock_notes
from bootlab.analysis.stages import timeline_of
from bootlab.experiments.board_time import row_of
from bootlab.launch.qemu_command import machine_words
from bootlab.model import figures
from bootlab.model.change_text import change_text
from bootlab.model.cmdline import CommandLine
from bootlab.model.comparison import Comparison
from bootlab.model.modelled import DEFAULT_BANDWIDTH, Modelled
from bootlab.model.processors import Processors, QuantumGoal, saved_at, turned_at
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.sample import Spread, goals_ns
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Trial
from bootlab.results.booted_before import booted_before
from bootlab.results.document import (
    ApplicabilityData,
    Artefact,
    BootSummary,
    FinalSystem,
    Kind,
    Rejected,
    RunDocument,
    StackResult,
    StackStepRow,
    not_modelled,
)
from bootlab.store.runs import now

if TYPE_CHECKING:
    from bootlab.experiments.base import Base
    from bootlab.experiments.stacked import Stacked
    from bootlab.experiments.trials import Applicability as Said
    from bootlab.store.handover import HandedOver
    from bootlab.techniques.base import Technique


def compared(run_id: str, system: SystemDescription, started: str, found: Comparison) -> RunDocument:
    """Return the results document of a comparison."""
    exact = system.clock.mode == "exact"
    return RunDocument(
        kind="compare",
        id=run_id,
        system_name=system.name,
        started=started,
        finished=now(),
        base=BootSummary(clock="virtual" if exact else "wall"),
        mode=system.clock.mode,
        shift=system.clock.shift if exact else None,
        bootlab_version=bootlab.__version__,
        goal=system.goal.console,
        comparison=found,
        processors=system.processors,
        not_modelled=not_modelled(system.processors) if exact else (),
    )


def of_recording(recording: Recording, *, name: str, at: str = "") -> RunDocument:
    """Return the results document of one recording without its system: what is known of it is in it. `at`: when."""
    meta = recording.meta
    exact = meta.mode == "exact"
    return RunDocument(
        kind="boot",
        id=name,
        system_name=meta.system_name,
        started=at,
        finished=at,
        base=summary(recording),
        mode=meta.mode,
        shift=meta.shift if exact else None,
        emulator_version=meta.emulator_version,
        bootlab_version=bootlab.__version__,
        processors=meta.processors,
        not_modelled=not_modelled(meta.processors) if exact else (),
    )


def summary(
    recording: Recording, diagnosis: Diagnosis | None = None, system: SystemDescription | None = None
) -> BootSummary:
    """Summarise a recording with its timeline, and what its clock and its diagnostic boot's sleeps say of its waits."""
    boot_summary = BootSummary.of(recording, timeline_of(recording, diagnosis, system))
    return msgspec.structs.replace(boot_summary, notes=(*boot_summary.notes, *clock_notes(recording, diagnosis)))


def base_summary(base: Base) -> BootSummary:
    """Summarise a base with its diagnosis, where its goal comes under dithers, and what gain that lets one see."""
    boot_summary = summary(base.recording, base.diagnosis, base.system)
    return msgspec.structs.replace(boot_summary, spread=base.spread, visible_gain_ns=base.visible_gain_ns)


def with_samples(base: BootSummary, trials: Iterable[Trial]) -> BootSummary:
    """Return a noisy base with the boots of it that trials were compared with: one boot alone would be another number.

    An exact base has its boots under dithers already.
    """
    most = max((trial.base_samples_ns for trial in trials), key=len, default=())
    return (
        msgspec.structs.replace(base, samples_ns=most)
        if base.clock == "wall" and len(most) > len(base.samples_ns)
        else base
    )


def results(
    kind: Kind, run_id: str, system: SystemDescription, started: str, base: BootSummary, *, modelled_for: Recording
) -> RunDocument:
    """Start a results document from its base."""
    exact = system.clock.mode == "exact"
    path = system.path or "SYSTEM.toml"
    row = row_of(system.costs, "base", modelled_for)
    meta = modelled_for.meta
    return RunDocument(
        kind=kind,
        id=run_id,
        system_name=system.name,
        started=started,
        finished=now(),
        base=base,
        mode=system.clock.mode,
        shift=meta.shift,
        emulator_version=meta.emulator_version,
        bootlab_version=bootlab.__version__,
        goal=system.goal.console,
        processors=meta.processors,
        not_modelled=not_modelled(meta.processors) if exact else (),
        # A real board's times hold its console and its loads already.
        modelled=None
        if meta.board or system.costs is not None
        else _modelled("base", Modelled(bandwidth_bytes_per_s=DEFAULT_BANDWIDTH), modelled_for),
        costs=system.costs,
        board=(row,) if row is not None else (),
        reproduce=(f"bootlab {kind} {path}",),
    )


def notes(base: Base) -> tuple[str, ...]:
    """Say how the base was established: its boots under dithers."""
    sentences: list[str] = []
    if base.spread is not None and base.rule is not None and base.visible_gain_ns is not None:
        sentences.append(
            f"{base.spread.boots} boots of the base, each with another neutral change (a dither), reached the goal "
            f"between {base.spread.first_ns / 1e6:.3f} and {base.spread.last_ns / 1e6:.3f} ms. A gain of "
            f"{base.visible_gain_ns / 1e6:.3f} ms would be found in nine of ten cases; a change without effect is "
            f"called faster or slower in at most {100 * base.rule.error_rate:.1f} % of cases"
        )
    if left_out := [number for number in range(max(base.dithers)) if number not in base.dithers]:
        what = figures.counted(len(left_out), "neutral change")
        sentences.append(
            f"with {what} the base itself fails, or has its goal on another clock: left out for all systems"
        )
    if base.rule is None and base.undithered:
        sentences.append("the replay has no dithered boots: no variant can be called faster or slower")
    if base.system.board is not None:
        sentences.append("a board's diagnosis is its log: techniques that need the agent's report are unknown here")
    elif base.undiagnosed:
        sentences.append(f"the diagnostic boot failed, so techniques that need it are unknown here: {base.undiagnosed}")
    elif base.diagnosis is None:
        loud = "; what its kernel says is taken from boots with loglevel=7 in the place of quiet" if base.loud else ""
        sentences.append(f"no diagnostic boot: the system has no root tree for the agent{loud}")
    return tuple(sentences)


def ended_notes(ended: str, stacked: Stacked) -> tuple[str, ...]:
    """Say that a run was cut short, for the reason `ended`, and what its result is worth; nothing of a whole one."""
    if not ended:
        return ()
    if not stacked.changes:
        return (f"{ended}: no change is proved yet; the same command goes on",)
    return (f"{ended}: what stands below is proved, the rest was not tried; the same command goes on",)


def failed_stack_note(stacked: Stacked) -> str:
    """Say how boots of the stacked system ended that failed under a dither; "" where all reached the goal."""
    ends = [boot.meta.outcome.value for boot in stacked.boots if not boot.ok]
    if not ends:
        return ""
    counted = ", ".join(f"{ends.count(end)} {end}" for end in dict.fromkeys(ends))
    return f"{len(ends)} of {len(stacked.boots)} boots of the stacked system failed ({counted}): do not rely on it"


def failed_base_note(ends: tuple[str, ...]) -> str:
    """Say how boots of the base ended that failed and were made again."""
    counted = ", ".join(f"{ends.count(end)} {end}" for end in dict.fromkeys(ends))
    return f"boots of the base that failed and were made again: {counted}. They are in no time; a variant is not blamed"


def quantum_notes(goals: tuple[QuantumGoal, ...], processors: Processors) -> tuple[str, ...]:
    """Say how far the base's goals lie apart with the quanta, and which gains turn into losses."""
    own_ns = processors.quantum_ns or 0
    base = [goal.goal_ns for goal in goals if goal.subject == "base" and goal.goal_ns is not None]
    quanta = ", ".join(f"{q / 1000:g}" for q in dict.fromkeys(goal.quantum_ns for goal in goals))
    sentences = []
    if len(base) > 1:
        sentences.append(
            f"the base's goals with quanta of {quanta} us lie {(max(base) - min(base)) / 1e6:.3f} ms apart: each is "
            "one schedule of the same system. Verdicts are those of the system's own quantum"
        )
    for subject in dict.fromkeys(goal.subject for goal in goals if goal.subject != "base"):
        for quantum_ns in turned_at(goals, subject, own_ns):
            saved, there = saved_at(goals, subject, own_ns) or 0, saved_at(goals, subject, quantum_ns) or 0
            sentences.append(
                f"{subject}: {saved / 1e6:+.3f} ms saved with a quantum of {own_ns / 1000:g} us, {there / 1e6:+.3f} ms "
                f"with {quantum_ns / 1000:g} us (one boot each): smaller than what the schedule decides"
            )
    return tuple(sentences)


def _modelled(subject: str, table: Modelled, recording: Recording) -> Modelled:
    meta = recording.meta
    image = meta.artefact_bytes.get("kernel", 0) + meta.artefact_bytes.get("initramfs", 0)
    return table.with_boot(subject, console_bytes=meta.console_bytes, image_bytes=image)


def applicability(said: tuple[Said, ...], chosen: tuple[Technique, ...]) -> tuple[ApplicabilityData, ...]:
    """List what each technique said."""
    by_id = {t.id: t for t in chosen}
    return tuple(
        ApplicabilityData(
            id=s.technique,
            title=by_id[s.technique].title,
            answer=s.applies.answer,
            reason=s.applies.reason + (" (forced)" if s.forced else ""),
            evidence=s.applies.evidence,
            risk=by_id[s.technique].risk,
            stage=by_id[s.technique].stage,
        )
        for s in said
    )


def with_stack(
    base: RunDocument,
    stacked: Stacked,
    diagnosis: Diagnosis | None,
    faster: HandedOver,
    final_system: SystemDescription,
) -> RunDocument:
    """Add the stack to a results document."""
    steps: list[StackStepRow] = []
    rejected: list[Rejected] = []
    tried_before: set[str] = set()
    for step in stacked.steps:
        change_id = step.change.id
        again = step.phase == "late" or change_id in tried_before
        tried_before.add(change_id)
        if step.kept and step.after_ns is not None:
            steps.append(
                StackStepRow(
                    change_id=change_id,
                    before_ns=step.before_ns,
                    after_ns=step.after_ns,
                    retried=again,
                    evidence=step.effect.evidence if step.effect is not None else "",
                    each=step.effect.each if step.effect is not None else {},
                    key=step.key,
                    before=step.before,
                    after=step.after,
                    what=change_text(step.change) if base.trial(change_id) is None else "",
                    members=tuple(change.id for change in step.members),
                    board=step.board,
                )
            )
        else:
            rejected.append(
                Rejected(
                    change_id=change_id,
                    reason=step.reason,
                    verdict=step.verdict,
                    stack_ns=step.before_ns,
                    goal_ns=step.after_ns,
                    retried=again,
                    members=tuple(change.id for change in step.members),
                    key=step.key,
                    before=step.before,
                    after=step.after,
                )
            )
    row = row_of(base.costs, "stack", stacked.recording)
    final = msgspec.structs.replace(
        summary(stacked.recording, diagnosis, final_system),
        spread=Spread.of(goals_ns(stacked.boots)) if len(stacked.boots) > 1 else None,
        failed_boots=tuple(boot.meta.outcome for boot in stacked.boots if not boot.ok),
    )
    return msgspec.structs.replace(
        base,
        notes=(),
        stack=StackResult(
            steps=tuple(steps),
            rejected=booted_before(rejected, base.trials),
            leave_one_out=stacked.left_out,
            final=final,
            changes=stacked.changes,
            system=_final_system(base, stacked, faster),
        ),
        modelled=_modelled("stack", base.modelled or Modelled(), stacked.recording) if base.costs is None else None,
        board=base.board if row is None else (*base.board, row),
        reproduce=(*base.reproduce, f"bootlab boot {faster.files['system']}"),
    )


def _final_system(base: RunDocument, stacked: Stacked, faster: HandedOver) -> FinalSystem:
    meta = stacked.recording.meta
    return FinalSystem(
        cmdline=faster.cmdline,
        booted_with=_besides(meta.cmdline, faster.cmdline),
        machine=machine_words(meta.launch) if meta.launch else (),
        base_machine=machine_words(base.base.launch) if base.base.launch else (),
        artefacts=tuple(
            Artefact(
                name=name,
                path=faster.files[name],
                size_bytes=Path(faster.files[name]).stat().st_size,
                sha256=meta.artefact_sha256.get(name, ""),
            )
            for name in ("kernel", "initramfs", "root")
            if name in faster.files
        ),
        system_path=faster.files["system"],
    )


def _besides(booted: str, handed: str) -> tuple[str, ...]:
    """Return the words of the booted command line that are not handed over."""
    own = {str(param) for param in CommandLine.parse(handed).params}
    return tuple(str(p) for p in CommandLine.parse(booted).params if str(p) not in own)
