# SPDX-License-Identifier: MIT
"""Start scripts: fewer processes, and scripts side by side."""

from __future__ import annotations

import itertools
import posixpath

from bootlab.model.change import Change, Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import expansions, lsb, parallel, scripts
from bootlab.startup.files import TreeFiles
from bootlab.startup.merge import Merged, merge
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.evidence import quote
from bootlab.techniques.missing import NO_PROCESS_COUNT
from bootlab.techniques.tree_technique import TreeTechnique

_QUOTED_MAX = 6


FEWER_FORKS = Published(
    "8.7 -> 5.0 s with an optimised BusyBox and fewer forks", "a board of CELF's (not named)", "elinux.org, Boot Time"
)


class RcScriptsMerged(TreeTechnique):
    """Each start script is a shell of its own: a fork, an exec, a parser that starts anew."""

    id = "rc-scripts-merged"
    title = "Start scripts merged into one"
    what = (
        "Puts the scripts that init's script starts (a loop over `/etc/init.d/S??*`, run-parts, calls by path) "
        "into it as functions. `exit` becomes `return`, and variables become local. A script that changes its "
        "shell (cd, `&`) gets a subshell: a fork without an exec. A script that needs its `$0` or `$$` stays a "
        "program."
    )
    why = "A shell that is not started needs no exec, no relocation, no page faults, and need not find its script."
    when_not = "There are few scripts and they wait for devices, or each one runs long."
    cost = "The merged script must be made again when a script changes; the scripts themselves stay in place."
    conflicts = ("rc-parallel",)
    published = (FEWER_FORKS,)
    references = ("busybox: shell/ash.c: forkshell(), shellexec()", "Buildroot: package/initscripts/init.d/rcS")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when a script that init runs starts others which can be merged into it."""
        start = scripts.find(files, context.system.init_path)
        merged = _merged(context)
        if not merged:
            if start.why_not:
                return Applies.no(start.why_not, start.init)
            left = [started.path for started, _ in start.called()]
            return Applies.no("no script starts others that could be merged", ", ".join(left) or start.init)
        parts = [part for one in merged for part in one.parts]
        apart = [f"{p.path}: {p.why}" for p in parts if p.how != "function"]
        words = f"{sum(p.how != 'program' for p in parts)} of {len(parts)} scripts can be merged into "
        words += ", ".join(one.path for one in merged)
        for how, what in (("subshell", "in a subshell"), ("program", "stay programs")):
            if count := sum(p.how == how for p in parts):
                words += f"; {count} {what}"
        return Applies.yes(words, "; ".join(apart[:_QUOTED_MAX]) or ", ".join(p.path for p in parts[:_QUOTED_MAX]))

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the merged scripts in the places of those that call."""
        ops = []
        for one in _merged(context):
            old = files.entry(one.path)
            mode = old.mode if old is not None else 0o755
            ops.append(PutFile(files.real(one.path), Entry(kind="file", mode=mode, text=one.text)))
        return tuple(ops)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the scripts that are no longer read, although the goal is reached."""
        parts = _parts(before)
        if before.diagnosis is None or after.diagnosis is None or not after.diagnosis.files:
            return Effect(False, "only diagnostic boots of both show which scripts are read")
        was = {f.path for f in before.diagnosis.files if f.read} & parts
        still = {f.path for f in after.diagnosis.files if f.read} & was
        if not was:
            return Effect(False, "no script was read as a separate file before either")
        gone = sorted(was - still)
        if not gone:
            return Effect(False, f"still read: {', '.join(sorted(still)[:_QUOTED_MAX])}")
        made = processes(before), processes(after)
        fewer = f"; processes {made[0]} -> {made[1]}" if None not in made else ""
        return Effect(True, f"{len(gone)} of {len(was)} scripts are no longer read: {gone[0]} …{fewer}")


def processes(booted: Evidence) -> int | None:
    """Return how many processes a diagnostic boot made until its report, kernel threads too; None when not told."""
    words = (booted.diagnosis.proc.get("stat", "") if booted.diagnosis else "").split()
    return int(words[1]) if len(words) == 2 and words[0] == "processes" and words[1].isdigit() else None


def _merged(booted: Context | Evidence) -> list[Merged]:
    system = booted.system
    files = TreeFiles.of(system)
    if files is None:
        return []
    start = scripts.find(files, system.init_path)
    # The kernel hands parameters that it does not know to init (init/main.c: unknown_bootoption).
    environment = frozenset(p.key for p in system.cmdline.params if p.value is not None and p.key.isidentifier())
    found = (merge(files, start, path, environment) for path in start.first)
    return [one for one in found if one is not None]


def _parts(booted: Evidence) -> set[str]:
    files = TreeFiles.of(booted.system)
    real = files.real if files is not None else str
    return {real(part.path) for one in _merged(booted) for part in one.of("function", "subshell")}


_JOB = "rc_job_"


class RcParallel(TreeTechnique):
    """Scripts run one after the other even where one sleeps and the next has nothing to do with it."""

    id = "rc-parallel"
    title = "Start scripts in parallel"
    what = (
        "Rewrites the loop over the start scripts: each script is a job that starts when the scripts that it needs "
        "according to its LSB header (Required-Start, Should-Start, X-Start-Before) are done. Scripts without a "
        "header keep their place. `programs` starts the scripts as they are; `functions` merges them as "
        "`rc-scripts-merged` does."
    )
    why = "While one script waits for a device or a sleep, another one works; several processors share the work."
    when_not = "There is one processor and no script waits: then the work is the same, and the jobs cost more."
    cost = "The headers must be right: something that a script needs but does not name may not be there yet."
    risk = Risk(function=("a header that leaves out a dependency causes a race; only goal and check are proved"))
    conflicts = ("rc-scripts-merged",)
    needs_diagnosis = False
    proof = "recording"
    published = (Published("-1.5 s by a parallel init", "Android automotive", "source.android.com"),)
    references = ("Linux Standard Base 5.0, Core: Comment Conventions for Init Scripts", "insserv(8)")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when headers leave room for scripts to run side by side."""
        start = scripts.find(files, context.system.init_path)
        several = parallel.calls(start)
        if not several:
            return Applies.no("no script starts several others", start.why_not or start.init)
        orders = [lsb.order(files, call.paths) for _, call in several]
        notes = [f"no header: {posixpath.basename(p)}" for o in orders for p in o.without_header]
        notes += [note for o in orders for note in o.contrary]
        if not _rewritten(files, start):
            return Applies.no("the headers leave no room", "; ".join(notes[:6]) or several[0][0])
        depth = max(max(order.levels.values()) + 1 for order in orders)
        total = sum(len(order.paths) for order in orders)
        return Applies.yes(
            f"{total} scripts, at most {depth} one after the other", "; ".join(notes[:6]) or several[0][0]
        )

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the rewritten scripts: programs started side by side, and functions side by side."""
        files = TreeFiles.of(context.system)
        if files is None:
            return ()
        start = scripts.find(files, context.system.init_path)
        programs = _rewritten(files, start)
        if not programs:
            return ()
        tree = context.system.tree
        for path, entry in programs.items():
            tree = tree.put(path, entry) if tree is not None else tree
        again = TreeFiles(tree) if tree is not None else files
        restart = scripts.find(again, context.system.init_path)
        functions = {}
        for first in restart.first:
            if (merged := merge(again, restart, first)) is not None:
                functions[again.real(first)] = Entry(kind="file", mode=0o755, text=merged.text)
        variants = {"programs": programs} | ({"functions": programs | functions} if functions else {})
        return tuple(
            Change(technique=self.id, label=label, ops=tuple(PutFile(p, e) for p, e in entries.items()))
            for label, entries in variants.items()
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the console: what the scripts print comes in another order, and all of it still comes."""
        tree = after.system.tree
        if tree is None or not any(_JOB in (e.text or "") for _, e in tree.entries):
            return Effect(False, "no script of the system starts jobs")
        was, now = _said(before), _said(after)
        both = [line for line in was if line in set(now)]
        if len(both) < 2:
            return Effect(False, "the scripts print too little to show their order")
        place = {line: number for number, line in enumerate(now)}
        swapped = next(((a, b) for a, b in itertools.pairwise(both) if place[a] > place[b]), None)
        if swapped is None:
            return Effect(False, "what the scripts print comes in the same order as before")
        return Effect(True, f"{swapped[1]!r} now comes before {swapped[0]!r}")


def _rewritten(files: TreeFiles, start: scripts.Start) -> dict[str, Entry]:
    found = {}
    for path in start.scripts:
        new = parallel.rewrite(files, start, path)
        entry = files.entry(path)
        if new is not None and entry is not None:
            found[files.real(path)] = Entry(kind="file", mode=entry.mode, text=new[0])
    return found


def _said(booted: Evidence) -> list[str]:
    """Return the lines that user space printed, each once: what the kernel stamps may come anywhere."""
    lines = [line.text.strip() for line in booted.recording.lines if not line.text.startswith("[")]
    return list(dict.fromkeys(line for line in lines if line))


class ShellExpansions(TreeTechnique):
    """`$(dirname "$x")` in a loop over /sys: a fork, an exec, a pipe and a wait for each device."""

    id = "shell-expansions"
    title = "Paths cut by the shell itself"
    what = (
        'Replaces `$(dirname "$x")` by `${x%/*}` and `$(basename "$x")` by `${x##*/}` in the start scripts, inside '
        "loops over absolute paths, where both are equal."
    )
    why = "A substitution forks a shell, executes a program, and reads one line from a pipe, for each turn of the loop."
    when_not = "The loops run over few files, or a name in them ends with a line break (the substitution drops it)."
    cost = "None at run time."
    late = True
    references = ("POSIX, Shell Command Language, 2.6.2: parameter expansion", "elinux.org, Boot Time: fewer forks")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when a start script has such a substitution."""
        found = _found(context, files)
        if not found:
            return Applies.no("no start script cuts paths with a program in such a loop", context.system.init_path)
        places = [f"{path}: {one.before}" for path, _, replaced in found for one in replaced]
        return Applies.yes(f"{len(places)} in {len(found)} scripts", quote("; ".join(places[:6])))

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the scripts with the shell's own expansions."""
        ops = []
        for path, started, replaced in _found(context, files):
            old = files.entry(path)
            if started.script is not None and old is not None:
                text = expansions.replace(started.script, replaced)
                ops.append(PutFile(files.real(path), Entry(kind="file", mode=old.mode, text=text)))
        return tuple(ops)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the processes that the boot made: as many fewer as loops had turns, at least one a place."""
        files = TreeFiles.of(before.system)
        places = sum(len(replaced) for _, _, replaced in _found(before, files)) if files is not None else 0
        if before.diagnosis is None or after.diagnosis is None:
            return NO_PROCESS_COUNT
        still = TreeFiles.of(after.system)
        left = sum(len(replaced) for _, _, replaced in _found(after, still)) if still is not None else 0
        was, now = processes(before), processes(after)
        if was is None or now is None or left >= places:
            return Effect(False, f"substitutions in scripts that run: {places} -> {left}")
        said = f"substitutions in scripts that run: {places} -> {left}; processes made up to the report: {was} -> {now}"
        return Effect(now < was, said)


def _found(
    booted: Context | Evidence, files: TreeFiles
) -> list[tuple[str, scripts.StartedScript, tuple[expansions.Substitution, ...]]]:
    start = scripts.find(files, booted.system.init_path)
    pairs = [(path, one, expansions.replaceable(one.script)) for path, one in start.scripts.items() if one.script]
    return [pair for pair in pairs if pair[2]]


TECHNIQUES = (
    RcScriptsMerged(),
    RcParallel(),
    ShellExpansions(),
)
