"""The way of a system's `[[steps]]`: each on top of those before, booted, checked and proved."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab.builders.images.members import root_of, size_of
from bootlab.errors import UserError
from bootlab.experiment import mapped_files
from bootlab.experiment.bench import Bench
from bootlab.experiment.evidence import Base, establish, why_lost
from bootlab.experiment.mapped_files import Process
from bootlab.model.change import Change
from bootlab.model.recording import Recording
from bootlab.model.steps import Step, StepRow, Steps
from bootlab.model.system import System
from bootlab.model.tree import FileTree
from bootlab.model.verdict import Effect
from bootlab.techniques import registry
from bootlab.techniques.base import Technique

_RUN = re.compile(r"Run \S+ as init process")
_RUN_MARKS = ("run-init", "user-space")
_PUBLISHED_ON = "BeagleBone"
_LINKS_MAX = 40
_QUOTED_CHARACTERS = 120
_AROUND = 40


class _Chosen(msgspec.Struct, frozen=True):
    technique: Technique
    change: Change


def climb(bench: Bench, system: System) -> Steps:
    """Boot a system as it is and after each of its steps. Kept boots are not made again.

    A step that does not apply, does not boot or fails the check is left out of what follows, and its row says why.
    Raise UserError for a system without steps, BaseFailedError when it has no goal as it is.
    """
    if not system.steps:
        raise UserError(
            f"{system.name} has no steps",
            hint="add [[steps]] to the system file: docs/how-to/shorten-an-application.md shows some",
        )
    first = here = establish(bench, system, label="as it is", placebo=False)
    rows = [msgspec.structs.replace(_row(bench, first, "as-it-is"), title="as it is", proved=True)]
    for step in system.steps:
        row, reached = _step(bench, first, here, step)
        rows.append(row)
        here = reached or here
    return Steps(
        system=system.name,
        clock=first.recording.meta.goal_clock,
        goal=system.goal.name,
        application=system.application or "",
        rows=tuple(rows),
    )


def _step(bench: Bench, first: Base, here: Base, step: Step) -> tuple[StepRow, Base | None]:
    missed = StepRow(name=step.name, title=step.title or step.name, kept=False, published=step.published)
    try:
        changed, chosen = _changed(step, here)
        recording = bench.boot(changed, step.name)
    except UserError as fault:
        # After minutes of boots, a step that cannot be made shall not take the others' rows with it.
        return msgspec.structs.replace(missed, reason=f"{fault.message}; {fault.hint}".rstrip("; ")), None
    if not recording.ok:
        reason = f"{recording.meta.outcome.value}: {recording.meta.reason}"
        return msgspec.structs.replace(missed, reason=reason, key=recording.meta.key), None
    lost = why_lost(bench, first, changed, recording, step.name)
    if lost:
        return msgspec.structs.replace(missed, reason=lost, key=recording.meta.key), None
    there = establish(bench, changed, label=step.name, placebo=False)
    effect = _effect(step, chosen, here, there)
    row = msgspec.structs.replace(
        _row(bench, there, step.name),
        title=step.title or step.name,
        what=_what(step, chosen, here.system, changed),
        proved=effect.shown,
        proof=effect.evidence,
        published=step.published or _published(chosen),
    )
    return row, there


def _changed(step: Step, here: Base) -> tuple[System, _Chosen | None]:
    """Return the system with a step. Raise UserError where it cannot be made, or its technique proposes nothing."""
    changed = step.apply(here.system)
    if not step.technique:
        return changed, None
    chosen = _choose(step, msgspec.structs.replace(here, system=changed))
    return chosen.change.apply(changed), chosen


def _choose(step: Step, here: Base) -> _Chosen:
    technique = registry.get(step.technique.partition(":")[0])
    changes = technique.changes(here.context)
    wanted = [change for change in changes if step.technique in {change.id, change.technique}]
    if wanted:
        return _Chosen(technique, wanted[0])
    if changes:
        raise UserError(
            f"{technique.id} proposes {', '.join(change.id for change in changes)} here, not {step.technique}",
            hint="name one of them in the step",
        )
    raise UserError(f"{technique.id} proposes nothing here: {technique.applies(here.context).reason}")


def _effect(step: Step, chosen: _Chosen | None, before: Base, after: Base) -> Effect:
    """Return whether everything that a step promises was seen; every proof counts."""
    parts: list[Effect] = []
    old, new = _said(before), _said(after)
    if step.shown:
        parts.append(_differs(step.shown, old, new, ("shown", "it was there before", "not seen")))
    if step.gone:
        parts.append(_differs(step.gone, new, old, ("gone", "it is still there", "it was not there before")))
    if chosen is not None:
        parts.append(chosen.technique.took_effect(before.evidence, after.evidence))
    if not parts:
        return Effect(False, "the step names no proof: shown, gone or technique")
    return Effect(all(part.shown for part in parts), "; ".join(part.evidence for part in parts))


def _differs(pattern: str, without: tuple[str, ...], there: tuple[str, ...], words: tuple[str, str, str]) -> Effect:
    wanted = re.compile(pattern)
    found = next((line for line in there if wanted.search(line)), None)
    other = next((line for line in without if wanted.search(line)), None)
    if other is not None:
        return Effect(False, f"{words[1]}: {_around(wanted, other)}")
    if found is None:
        return Effect(False, f"{words[2]}: {pattern}")
    return Effect(True, f"{words[0]}: {_around(wanted, found)}")


def _around(pattern: re.Pattern[str], line: str) -> str:
    """Return a line, or of a long one what stands around the match."""
    text = line.strip()
    match = pattern.search(text)
    if len(text) <= _QUOTED_CHARACTERS or match is None:
        return text
    start, end = max(0, match.start() - _AROUND), min(len(text), match.end() + _AROUND)
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _said(base: Base) -> tuple[str, ...]:
    """Return the lines that proofs are looked for in: the timing boot's console, and who ran with which files."""
    console = tuple(line.text for line in base.recording.lines)
    return console + mapped_files.lines(mapped_files.processes(base.diagnosis))


def _row(bench: Bench, base: Base, name: str) -> StepRow:
    # With the programs that are built for the tree.
    system, recording = bench.target.plan(base.system).system, base.recording
    running = mapped_files.processes(base.diagnosis)
    libraries = _libraries(system, running)
    tree = system.tree
    meta = recording.meta
    run_ns = _run_ns(recording)
    seen = sorted((m.ns, m.name) for name, _ in system.marks if (m := recording.mark(name)) is not None)
    return StepRow(
        name=name,
        title=name,
        run_ns=run_ns,
        marks_ns={} if run_ns is None else {mark: ns - run_ns for ns, mark in seen},
        goal_ns=meta.goal_ns,
        application_bytes=_file_bytes(tree, system.application) if tree and system.application else None,
        libraries=None if libraries is None else len(libraries),
        library_bytes=None if libraries is None else sum(_file_bytes(tree or FileTree(), p) or 0 for p in libraries),
        processes=None if running is None else len(running),
        tree_files=sum(entry.kind == "file" for _, entry in tree.entries) if tree else None,
        tree_bytes=sum(0 if m.link_to else size_of(m) for m in root_of(tree).walk()) if tree else None,
        image_bytes=meta.artefact_bytes.get("root", meta.artefact_bytes.get("initramfs")),
        kernel_bytes=meta.artefact_bytes.get("kernel"),
        cmdline=meta.cmdline,
        key=meta.key,
    )


def _run_ns(recording: Recording) -> int | None:
    line = next((line for line in recording.lines if _RUN.search(line.text)), None)
    if line is not None and line.first_ns is not None:
        return line.first_ns
    # A quiet console does not carry the line; the marks of the functions that print it and come after it do.
    return next((mark.ns for name in _RUN_MARKS if (mark := recording.mark(name)) is not None), None)


def _libraries(system: System, running: tuple[Process, ...] | None) -> tuple[str, ...] | None:
    """Return what the application's process had mapped besides its program; None when that is not known."""
    if running is None or system.application is None:
        return None
    real = _real_path(system.tree or FileTree(), system.application)
    return next((p.files for p in running if p.program in {real, system.application}), None)


def _file_bytes(tree: FileTree, path: str) -> int | None:
    entry = tree.get(_real_path(tree, path))
    if entry is None or entry.kind != "file":
        return None
    return len((entry.text or "").encode()) if entry.source is None else Path(entry.source).stat().st_size


def _real_path(tree: FileTree, path: str) -> str:
    for _ in range(_LINKS_MAX):
        entry = tree.get(path)
        if entry is None or entry.kind != "symlink":
            return path
        target = entry.target or ""
        joined = target if target.startswith("/") else f"{path.rpartition('/')[0]}/{target}"
        done: list[str] = []
        for part in joined.split("/"):
            if part == "..":
                del done[-1:]
            elif part not in {"", "."}:
                done.append(part)
        path = "/" + "/".join(done)
    return path


def _what(step: Step, chosen: _Chosen | None, before: System, after: System) -> str:
    old, new = (dict(s.tree.entries) if s.tree else {} for s in (before, after))
    words = []
    if gone := len(old.keys() - new.keys()):
        words.append(f"{gone} files less")
    if more := len(new.keys() - old.keys()):
        words.append(f"{more} files more")
    if other := sum(old[path] != new[path] for path in old.keys() & new.keys()):
        words.append(f"{other} files replaced")
    words += [f"{key} dropped" for key in step.drop] + [f"{param} set" for param in step.set]
    words += [chosen.change.id] if chosen is not None else []
    return ", ".join(words)


def _published(chosen: _Chosen | None) -> str:
    """Return what others gained by a technique: on the training's board where it is known, else the first."""
    told = [p for p in chosen.technique.published if p.about(chosen.change)] if chosen is not None else []
    best = sorted(told, key=lambda one: _PUBLISHED_ON not in one.machine)
    return f"{best[0].gain} ({best[0].machine})" if best else ""
