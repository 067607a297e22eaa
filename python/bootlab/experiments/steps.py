# SPDX-License-Identifier: MIT
"""The steps of a system file: each on top of those before, booted, checked and proved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from bootlab.analysis.stages import stages_of
from bootlab.builders.images.members import root_of, size_of
from bootlab.collectors import mapped_files
from bootlab.collectors.mapped_files import MappedProcess
from bootlab.errors import UserError
from bootlab.experiments.base import Base, establish, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import SINGLE_BOOTS, Experiment
from bootlab.experiments.ladder import PUBLISHED_ON
from bootlab.experiments.trial import HostEnded
from bootlab.model import figures
from bootlab.model.change import Change
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Table, Value
from bootlab.model.recording import RUN_INIT, Recording
from bootlab.model.step_change import after_step
from bootlab.model.steps import Step
from bootlab.model.system import SystemDescription
from bootlab.model.tree import FileTree
from bootlab.model.verdict import Effect
from bootlab.techniques import registry
from bootlab.techniques.base import Technique

_RUN = re.compile(RUN_INIT)
_RUN_MARKS = ("run-init", "user-space")
_LINKS_MAX = 40
_QUOTED_CHARACTERS = 120
_AROUND = 40


_MARK = "mark:"
_STAGE = "stage:"


class _Chosen(msgspec.Struct, frozen=True):
    technique: Technique
    change: Change


class Steps(Experiment):
    """A system as it is and after each of its steps. Kept boots are not made again.

    A step that does not apply, does not boot or fails the check is left out of what follows, and its row says why.
    `run_ns`: the kernel starts the first program; `use_ns`: from there to the goal. `application_bytes`: the file that
    the system file names as `application`; `library_bytes` and `libraries`: the other files that its process had
    mapped, by the diagnostic boot. `tree_bytes`: the contents of all files, of hard links once.
    """

    kind: ClassVar[str] = "steps"
    phase: ClassVar[str] = "steps"

    def __init__(self) -> None:
        """Begin with the columns that every system has; its marks add theirs."""
        self.columns = _COLUMNS

    def boots(self, system: SystemDescription) -> int:
        """Return how many boots it takes: a timing and a diagnostic one a row."""
        return 2 * (len(system.steps) + 1)

    def check(self, system: SystemDescription) -> None:
        """Raise UserError for a system without steps."""
        super().check(system)
        if not system.steps:
            raise UserError(
                f"{system.name} has no steps",
                hint="add [[steps]] to the system file: docs/how-to/shorten-an-application.md shows some",
            )

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Climb the steps. Raise BaseFailedError when the system has no goal as it is."""
        first = here = establish(bench, system, label="as it is")
        yield msgspec.structs.replace(_row(bench, first, "as-it-is"), title="as it is", proved=True)
        for step in system.steps:
            row, reached = _step(bench, first, here, step)
            yield row
            here = reached or here

    def finished(self, rows: list[Row]) -> list[Row]:
        """Add the share of the first row's time, and the columns of the stages and marks that any row saw."""
        self.columns = _COLUMNS
        for prefix in (_STAGE, _MARK):
            seen = dict.fromkeys(key for row in rows for key in row.values if key.startswith(prefix))
            self.columns += tuple(Column(key=key, title=key.removeprefix(prefix), kind="ms", wide=True) for key in seen)
        first = rows[0].ns("use_ns") if rows else None
        return [_with_share(row, first) for row in rows]

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return the goal, the application, and what is left of the first row's time."""
        del bench
        kept = [row.values.get("share") for row in rows if row.ok and row.values.get("share") is not None]
        return {"goal": system.goal.name, "application": system.application, "share": kept[-1] if kept else None}

    def tables(self, rows: tuple[Row, ...]) -> tuple[Table, ...]:
        """Return the table of times and sizes, one of the stages behind a boot loader, and one of the marks."""
        drawn = [Table(columns=tuple(column.key for column in _COLUMNS))]
        for prefix, title in ((_STAGE, _STAGES), (_MARK, _MARKS)):
            keys = tuple(column.key for column in self.columns if column.key.startswith(prefix))
            if keys and rows:
                drawn.append(Table(title=title, columns=("title", *keys)))
        return tuple(drawn)

    def headline(self, found: Comparison) -> str:
        """Say how long it took as it is, and takes after all steps."""
        kept = [row for row in found.rows if row.ok]
        if not kept:
            return f"{found.system}: no row reached {found.facts['goal']}"
        start = f"from the first program to {found.facts['goal']}"
        if not any(key.startswith(_STAGE) for row in kept for key in row.values):
            return f"{found.system}: {start} {_went(kept, 'use_ns')}"
        # With a boot loader, most of the time and of the gain is before the first program.
        whole = f"from power-on to {found.facts['goal']}"
        return f"{found.system}: {whole} {_went(kept, 'goal_ns')}; from the first program {_went(kept, 'use_ns')}"

    def footnote(self, found: Comparison) -> str:
        """Say what the columns mean."""
        return (
            "Each row includes the steps of the rows before it, except those left out. Each was booted to the goal, "
            "passed the functional check, and shows in its own boot that the step took effect. Times are on the "
            f"{found.clock} clock. Init to goal: from the kernel's start of the first program to "
            f"{found.facts['goal']}. Application: the program alone. Mapped with it: the other files that its process "
            "had mapped. Processes: those of user space after the goal. A diagnostic boot gives these three. Root "
            "tree: the contents of all files. Image: the file system's image, or the initramfs. An emulator reads a "
            "card as fast as memory and has the initramfs in memory at reset; on a board, loading takes time. "
            f"Published figures are from other boards.\n{SINGLE_BOOTS if found.clock == 'virtual' else ''}".rstrip()
        )


_MARKS = "Marks after the start of the first program, ms"
_STAGES = "Stages from power-on to the goal, ms"
_COLUMNS = (
    Column(key="title", title="step"),
    Column(key="use_ns", title="init to goal", kind="ms", under="ms"),
    Column(key="share", title="of the first", kind="percent"),
    Column(key="goal_ns", title="from reset", kind="ms", under="ms"),
    Column(key="application_bytes", title="application", kind="bytes", wide=True),
    Column(key="library_bytes", title="mapped with it", kind="bytes", note="libraries_note", wide=True),
    Column(key="processes", title="processes", kind="count"),
    Column(key="tree_bytes", title="root tree", kind="bytes", note="files_note"),
    Column(key="image_bytes", title="image", kind="bytes"),
    Column(key="kernel_bytes", title="kernel", kind="bytes", wide=True),
    Column(key="published", title="published", wide=True),
    Column(key="proof", title="proof", wide=True),
)


def _went(kept: list[Row], key: str) -> str:
    """Say from which time to which."""
    first, last = kept[0].ns(key), kept[-1].ns(key)
    return f"{figures.ms(first)} to {figures.ms(last)} ms: {figures.times_as_fast(first, last)}"


def _with_share(row: Row, first_ns: int | None) -> Row:
    use_ns = row.ns("use_ns")
    share = None if use_ns is None or not first_ns else use_ns / first_ns
    return msgspec.structs.replace(row, values={**row.values, "share": share})


def _step(bench: Bench, first: Base, here: Base, step: Step) -> tuple[Row, Base | None]:
    missed = Row(
        id=step.name, title=step.title or step.name, ok=False, proved=False, values={"published": step.published}
    )
    try:
        changed, chosen = _changed(step, here)
        recording = bench.boot(changed, step.name)
    except UserError as fault:
        # After minutes of boots, a step that cannot be made shall not take the others' rows with it.
        return _left_out(missed, f"{fault.message}; {fault.hint}".rstrip("; ")), None
    missed = msgspec.structs.replace(missed, key=recording.meta.key)
    if recording.by_host:
        return _unknown(missed, recording.meta.reason), None
    if not recording.ok:
        return _left_out(missed, f"{recording.meta.outcome.value}: {recording.meta.reason}"), None
    lost = why_lost(bench, first, changed, recording, step.name)
    if isinstance(lost, HostEnded):
        return _unknown(missed, lost), None
    if lost:
        return _left_out(missed, lost), None
    there = establish(bench, changed, label=step.name)
    effect = _effect(step, chosen, here, there)
    row = _row(bench, there, step.name)
    more: dict[str, Value] = {
        "what": _what(step, chosen, here.system, changed),
        "published": step.published or _published(chosen),
    }
    return msgspec.structs.replace(
        row,
        title=step.title or step.name,
        proved=effect.shown,
        proof=effect.evidence,
        values={**row.values, **more},
    ), there


def _unknown(row: Row, reason: str) -> Row:
    """Leave a step out whose boot the host ended: nothing is known of it, so what follows does not stand on it."""
    return msgspec.structs.replace(row, verdict="unknown", reason=f"left out: the host ended the boot: {reason}")


def _left_out(row: Row, reason: str) -> Row:
    return msgspec.structs.replace(row, reason=f"left out: {reason}")


def _changed(step: Step, here: Base) -> tuple[SystemDescription, _Chosen | None]:
    """Return the system with a step. Raise UserError where it cannot be made, or its technique proposes nothing."""
    changed = after_step(here.system, step)
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
    raise UserError(f"{technique.id} has nothing to change here: {technique.applies(here.context).reason}")


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
    line_there = next((line for line in there if wanted.search(line)), None)
    other = next((line for line in without if wanted.search(line)), None)
    if other is not None:
        return Effect(False, f"{words[1]}: {_around(wanted, other)}")
    if line_there is None:
        return Effect(False, f"{words[2]}: {pattern}")
    return Effect(True, f"{words[0]}: {_around(wanted, line_there)}")


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


def _row(bench: Bench, base: Base, name: str) -> Row:
    # With the programs that are built for the tree.
    system, recording = bench.target.plan(base.system).system, base.recording
    running = mapped_files.processes(base.diagnosis)
    libraries = _libraries(system, running)
    tree = system.tree
    meta = recording.meta
    run_ns = _run_ns(recording)
    files = sum(entry.kind == "file" for _, entry in tree.entries) if tree else None
    seen = sorted((m.ns, m.name) for name, _ in system.marks if (m := recording.mark(name)) is not None)
    return Row(
        id=name,
        title=name,
        proved=False,
        cmdline=meta.cmdline,
        key=meta.key,
        values={
            "run_ns": run_ns,
            "goal_ns": meta.goal_ns,
            "use_ns": None if meta.goal_ns is None or run_ns is None else meta.goal_ns - run_ns,
            "application_bytes": _file_bytes(tree, system.application) if tree and system.application else None,
            "libraries": None if libraries is None else len(libraries),
            "libraries_note": None if libraries is None else f"in {figures.counted(len(libraries), 'file')}",
            "library_bytes": None
            if libraries is None
            else sum(_file_bytes(tree or FileTree(), path) or 0 for path in libraries),
            "processes": None if running is None else len(running),
            "tree_files": files,
            "files_note": None if files is None else f"in {figures.counted(files, 'file')}",
            "tree_bytes": sum(0 if m.link_to else size_of(m) for m in root_of(tree).walk()) if tree else None,
            "image_bytes": meta.artefact_bytes.get("root", meta.artefact_bytes.get("initramfs")),
            "kernel_bytes": meta.artefact_bytes.get("kernel"),
            **_stages(base),
            **({} if run_ns is None else {f"{_MARK}{mark}": ns - run_ns for ns, mark in seen}),
        },
    )


def _stages(base: Base) -> dict[str, Value]:
    """Return how long each stage took, where a boot loader comes before the kernel; together the whole time."""
    if base.system.loader is None:
        return {}
    return {f"{_STAGE}{stage.name}": stage.duration_ns for stage in stages_of(base.recording)}


def _run_ns(recording: Recording) -> int | None:
    line = next((line for line in recording.lines if _RUN.search(line.text)), None)
    if line is not None and line.first_ns is not None:
        return line.first_ns
    # A quiet console does not carry the line; the marks of the functions that print it and come after it do.
    return next((mark.ns for name in _RUN_MARKS if (mark := recording.mark(name)) is not None), None)


def _libraries(system: SystemDescription, running: tuple[MappedProcess, ...] | None) -> tuple[str, ...] | None:
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


def _what(step: Step, chosen: _Chosen | None, before: SystemDescription, after: SystemDescription) -> str:
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
    best = sorted(told, key=lambda one: PUBLISHED_ON not in one.machine)
    return f"{best[0].gain} ({best[0].machine})" if best else ""
