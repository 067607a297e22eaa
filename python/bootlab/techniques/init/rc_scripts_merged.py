"""Run the start scripts as functions of the script that starts them."""

from __future__ import annotations

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import scripts
from bootlab.startup.files import Files
from bootlab.startup.merge import Merged, merge
from bootlab.techniques.base import Applies, Context, Evidence, Published
from bootlab.techniques.tree_technique import TreeTechnique

_QUOTED_MAX = 6


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
    published = (
        Published(
            "8.7 -> 5.0 s with an optimised BusyBox and fewer forks",
            "a board of CELF's (not named)",
            "elinux.org, Boot Time",
        ),
    )
    references = ("busybox: shell/ash.c: forkshell(), shellexec()", "Buildroot: package/initscripts/init.d/rcS")

    def applies_to(self, files: Files, context: Context) -> Applies:
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

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
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
            return Effect(False, "no script was read by itself before either")
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
    files = Files.of(system)
    if files is None:
        return []
    start = scripts.find(files, system.init_path)
    # The kernel hands parameters that it does not know to init (init/main.c: unknown_bootoption).
    environment = frozenset(p.key for p in system.cmdline.params if p.value is not None and p.key.isidentifier())
    found = (merge(files, start, path, environment) for path in start.first)
    return [one for one in found if one is not None]


def _parts(booted: Evidence) -> set[str]:
    files = Files.of(booted.system)
    real = files.real if files is not None else str
    return {real(part.path) for one in _merged(booted) for part in one.of("function", "subshell")}
