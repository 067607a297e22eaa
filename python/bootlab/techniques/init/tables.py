# SPDX-License-Identifier: MIT
"""What the tables of the start ask for: mounts of fstab, login prompts of inittab."""

from __future__ import annotations

import posixpath

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import inittab, mounts, scripts
from bootlab.startup.files import TreeFiles, norm
from bootlab.startup.specialise import apply
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.missing import NO_FILES_READ
from bootlab.techniques.tree_technique import TreeTechnique


class UnneededMounts(TreeTechnique):
    """`/etc/fstab` of a board support package mounts what some product once wrote to."""

    id = "unneeded-mounts"
    title = "Unneeded mounts left out"
    what = (
        "Removes from `/etc/fstab` and the start scripts each mount whose mount point is not named in any file "
        "read before the goal: no script, table, program or link."
    )
    why = "Each mount takes a process and system calls and, on a medium, reads a superblock or replays a log."
    when_not = "Something mounts over it or writes there later, using a name that it composes at run time."
    cost = "Programs that run later find an empty folder instead of a file system."
    risk = Risk(function=("what is written there later ends up in the root file system, or cannot be written"))
    references = ("fstab(5)", "busybox: util-linux/mount.c")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when the diagnostic boot shows that nothing which was read names a mount point."""
        all_of_them = mounts.find(files, scripts.find(files, context.system.init_path))
        if not all_of_them:
            return Applies.no("no script and no fstab mounts anything by name", context.system.init_path)
        if context.diagnosis is None or not context.diagnosis.files:
            return NO_FILES_READ
        spare = _spare(context, files)
        if not spare:
            return Applies.no(
                "every mount point is named by a file that is read", ", ".join(m.target for m in all_of_them)
            )
        words = f"{len(spare)} of {len(all_of_them)} mounts are named by nothing that is read"
        return Applies.yes(words, ", ".join(f"{m.target} ({m.file})" for m in spare))

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the files without all of them at once."""
        edits: dict[str, list[tuple[int, int, bytes]]] = {}
        for mount in _spare(context, files):
            place = files.real(mount.file)
            edits.setdefault(place, []).append((mount.start, mount.end, b":" if mount.is_command else b""))
        ops = []
        for path, found in edits.items():
            data, entry = files.data(path), files.entry(path)
            if data is not None and entry is not None:
                ops.append(PutFile(path, Entry(kind="file", mode=entry.mode, text=apply(data, found).decode())))
        return tuple(ops)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by /proc/1/mounts of both diagnostic boots."""
        was, now = _mounted(before), _mounted(after)
        if not was or not now:
            return Effect(False, "only diagnostic boots of both show what is mounted")
        gone = sorted(was - now)
        if not gone:
            return Effect(False, f"the same is mounted: {', '.join(sorted(now))}")
        return Effect(True, f"no longer mounted: {', '.join(gone)}; {len(was)} -> {len(now)} mounts")


def _mounted(booted: Evidence) -> set[str]:
    text = booted.diagnosis.proc.get("mounts", "") if booted.diagnosis is not None else ""
    return {fields[1] for line in text.splitlines() if len(fields := line.split()) > 2}


def _spare(context: Context, files: TreeFiles) -> list[mounts.Mount]:
    if context.diagnosis is None:
        return []
    start = scripts.find(files, context.system.init_path)
    read = [norm(f.path) for f in context.diagnosis.files if f.read]
    found = mounts.find(files, start)
    # A mount point below another one needs that one.
    kept = [m for m in found if mounts.named_by(files, m, read)]
    return [m for m in found if m not in kept and not any(k.target.startswith(m.target + "/") for k in kept)]


_TABLE = "/etc/inittab"


class GettyLate(TreeTechnique):
    """A getty on each console opens, hangs up and configures its terminal while the application starts."""

    id = "getty-late"
    title = "Login prompts after the goal"
    what = (
        "Moves the gettys of `/etc/inittab` after everything else, each with a sleep in front that ends after the goal."
    )
    why = "Until the goal, processor and serial port belong to the application alone."
    when_not = "Nothing starts a getty, or the application is not an inittab entry itself."
    cost = "The login prompt comes later, also after each logout."
    risk = Risk(
        runtime="after each logout the next login prompt comes some seconds later",
        debuggability="no login on the consoles until some seconds after the goal",
    )
    references = ("busybox: init/init.c: run_actions()",)

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when init's table keeps login prompts alive."""
        found = _gettys(files, context)
        if not found:
            return Applies.no("init's table starts no login prompt", context.system.init_path)
        late = [entry for entry in found if "sleep" in entry.process]
        if len(late) == len(found):
            return Applies.no("they start late already", late[0].process)
        return Applies.yes(
            f"{len(found)} login prompts start with the application", "; ".join(e.process for e in found)
        )

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the table with its gettys at the end, asleep until long after the goal."""
        found, entry = _gettys(files, context), files.entry(_TABLE)
        if entry is None or not found or any("sleep" in e.process for e in found):
            return ()
        # As long as a diagnostic boot lasts (twice the time to the goal and a second), and more.
        seconds = 2 * (context.recording.meta.goal_ns or 0) // 10**9 + 10
        lines = (files.text(_TABLE) or "").splitlines()
        numbers = {e.number for e in found}
        kept = [line for number, line in enumerate(lines, start=1) if number not in numbers]
        late = [
            f"{e.terminal}:{e.runlevels}:respawn:/bin/sh -c 'sleep {seconds}; exec {e.process.removeprefix('-')}'"
            for e in found
        ]
        text = "\n".join([*kept, *late]) + "\n"
        return (PutFile(files.real(_TABLE), Entry(kind="file", mode=entry.mode, text=text)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the link to getty, which is no longer followed."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both show which programs are started")
        was = {link for link in before.diagnosis.links if posixpath.basename(link) in inittab.GETTYS}
        still = was.intersection(after.diagnosis.links)
        if not was:
            return Effect(False, "no link to a getty was followed before either")
        if still:
            return Effect(False, f"still started: {', '.join(sorted(still))}")
        return Effect(True, f"no longer started before the report: {', '.join(sorted(was))}")


def _gettys(files: TreeFiles, context: Context) -> list[inittab.InittabLine]:
    entries = scripts.find(files, context.system.init_path).entries
    application = context.system.application
    return [entry for entry in entries if entry.serves_a_person and application not in entry.words]


TECHNIQUES = (
    UnneededMounts(),
    GettyLate(),
)
