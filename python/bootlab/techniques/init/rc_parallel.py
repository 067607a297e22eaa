"""Start scripts that do not need each other at the same time."""

from __future__ import annotations

import itertools
import posixpath

from bootlab.model.change import Change, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import lsb, parallel, scripts
from bootlab.startup.files import Files
from bootlab.startup.merge import merge
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.tree_technique import TreeTechnique

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

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when headers leave room for scripts to run beside each other."""
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
            f"{total} scripts, at most {depth} one behind the other", "; ".join(notes[:6]) or several[0][0]
        )

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the rewritten scripts: programs started side by side, and functions side by side."""
        files = Files.of(context.system)
        if files is None:
            return ()
        start = scripts.find(files, context.system.init_path)
        programs = _rewritten(files, start)
        if not programs:
            return ()
        tree = context.system.tree
        for path, entry in programs.items():
            tree = tree.put(path, entry) if tree is not None else tree
        again = Files(tree) if tree is not None else files
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
            return Effect(False, "the scripts print too little to tell their order")
        place = {line: number for number, line in enumerate(now)}
        swapped = next(((a, b) for a, b in itertools.pairwise(both) if place[a] > place[b]), None)
        if swapped is None:
            return Effect(False, "what the scripts print comes in the same order as before")
        return Effect(True, f"{swapped[1]!r} now comes before {swapped[0]!r}")


def _rewritten(files: Files, start: scripts.Start) -> dict[str, Entry]:
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
