# SPDX-License-Identifier: MIT
"""A system file made by looking at what people have, and by a first boot of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.api.store_folder import default_store
from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import BootlabError, cannot_write
from bootlab.hints.failure import hint_for
from bootlab.model.recording import Recording
from bootlab.sources.look import Looker
from bootlab.systemfile import load, template
from bootlab.systemfile.goals import from_boot
from bootlab.systemfile.loader import default_unpack_dir
from bootlab.systemfile.printed import Printed
from bootlab.systemfile.proposal import SystemProposal, propose
from bootlab.systemfile.written import written

if TYPE_CHECKING:
    from bootlab.experiments.bench import Observer
    from bootlab.model.system import SystemDescription
    from bootlab.sources.facts import SourceFacts


__all__ = ["Described", "describe", "template"]


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """What was written. `recording`: of the first boot; None when there was none. `trouble`: why it showed no goal."""

    path: Path
    proposal: SystemProposal
    recording: Recording | None = None
    trouble: str = ""


def describe(
    sources: list[Path],
    path: Path,
    *,
    log: Path | None = None,
    entry: str = "",
    boot: bool = True,
    store: Path | None = None,
    cache: Path | None = None,
    observer: Observer | None = None,
) -> Described:
    """Look at sources and a boot log, write a system file, boot it once, and write goal and marks of that boot.

    `entry`: the boot entry to take of an image with several, by number or a part of its title.
    What is taken out of images goes into a folder beside the file. Raise UserError for sources that do not boot;
    a boot that fails is no error: the file says so.
    """
    kept = Cache(cache if cache is not None else default_folder())
    looker = Looker(path.with_suffix(".files"), kept, default_unpack_dir(), entry)
    found = looker.all(sources, log)
    proposal = propose(found, path.stem)
    _write(path, proposal)
    if not boot:
        return Described(path=path, proposal=proposal)
    return _booted(path, proposal, found, store or default_store(), kept, observer)


def _booted(
    path: Path, proposal: SystemProposal, found: SourceFacts, store: Path, cache: Cache, observer: Observer | None
) -> Described:
    from bootlab.experiments import first_boot
    from bootlab.experiments.bench import bench_for

    system = load(path)
    recording: Recording | None = None
    try:
        with bench_for(system, store, cache, jobs=1, observer=observer) as bench:
            recording = first_boot.first_boot(bench, system)
            proposal, trouble = _with_goal(proposal, recording, system, found)
            if trouble:
                return _in_trouble(path, proposal, trouble, recording)
            _write(path, proposal)
            trouble = _not_as_said(proposal, first_boot.looked_for(bench, load(path)))
    except BootlabError as error:
        trouble = f"{error.message}; {error.hint}" if error.hint else error.message
    if trouble:
        return _in_trouble(path, proposal, trouble, recording)
    return Described(path=path, proposal=proposal, recording=recording)


def _with_goal(
    proposal: SystemProposal, recording: Recording, system: SystemDescription, found: SourceFacts
) -> tuple[SystemProposal, str]:
    """Return the proposal with goal, marks and notes of a first boot; and why the boot shows none, "" if it does."""
    from bootlab.experiments import first_boot

    printed = Printed(
        tuple(line.text for line in recording.lines),
        first_boot.time_in(recording),
        first_boot.begin_of_user_space(recording),
        first_boot.begin_in_line(recording),
    )
    goals = from_boot(printed, found.root) if first_boot.went_well(recording) else None
    notes = (*proposal.notes, *first_boot.notes(recording))
    if goals is None:
        return proposal, f"{recording.meta.reason}: {hint_for(recording, system)}"
    unmounted = first_boot.never_mounted(recording, system)
    if goals.stuck or (unmounted and goals.goal.of_shell):
        where = " in the initramfs, and the root that was given was never mounted" if unmounted else ""
        what = f"the system waits for a person{where}: it says {goals.stuck or goals.goal.pattern!r}"
        return proposal, f"{what}; {hint_for(recording, system)}"
    if unmounted and goals.goal.kind == "unknown":
        # What an initramfs says last on its way is no first use: that it waits for the root, for one.
        last = f"its initramfs says last {goals.goal.pattern!r}"
        return proposal, f"the root that was given was never mounted: {last}; {hint_for(recording, system)}"
    if unmounted:
        notes = ("the root that was given was never mounted: all that was booted is the initramfs", *notes)
    return msgspec.structs.replace(proposal, goals=goals, notes=notes), ""


def _not_as_said(proposal: SystemProposal, recording: Recording) -> str:
    """Return how a boot that looks for the goal differs from what was announced; "" where it does not."""
    goal, meta = proposal.goals.goal, recording.meta
    if not recording.ok:
        return f"the goal {goal.pattern!r} was looked for in the first boot: {meta.reason or meta.outcome.value}"
    if goal.ns is not None and meta.goal_ns != goal.ns:
        return f"the goal {goal.pattern!r} came at {meta.goal_ns} ns, not at {goal.ns} ns, in a boot that looked for it"
    return ""


def _in_trouble(path: Path, proposal: SystemProposal, trouble: str, recording: Recording | None) -> Described:
    note = f"the first boot showed no goal: {trouble}"
    guessed = msgspec.structs.replace(proposal.goals, sure=False)
    _write(path, msgspec.structs.replace(proposal, goals=guessed, notes=(note, *proposal.notes)))
    return Described(path=path, proposal=proposal, recording=recording, trouble=trouble)


def _write(path: Path, proposal: SystemProposal) -> None:
    try:
        path.write_text(written(proposal, path.parent), encoding="utf-8")
    except OSError as error:
        raise cannot_write(f"{path} cannot be written", error, path.parent) from error
