"""Leave out mounts that nothing up to the goal has to do with."""

from __future__ import annotations

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import mounts, scripts
from bootlab.startup.files import Files, norm
from bootlab.startup.specialise import apply
from bootlab.techniques.base import Applies, Context, Evidence, Risk
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

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when the diagnostic boot shows that nothing which was read names a mount point."""
        all_of_them = mounts.find(files, scripts.find(files, context.system.init_path))
        if not all_of_them:
            return Applies.no("no script and no fstab mounts anything by name", context.system.init_path)
        if context.diagnosis is None or not context.diagnosis.files:
            return Applies.unknown("a diagnostic boot is missing: only it shows which files are read")
        spare = _spare(context, files)
        if not spare:
            return Applies.no(
                "every mount point is named by a file that is read", ", ".join(m.target for m in all_of_them)
            )
        words = f"{len(spare)} of {len(all_of_them)} mounts are named by nothing that is read"
        return Applies.yes(words, ", ".join(f"{m.target} ({m.file})" for m in spare))

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
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


def _spare(context: Context, files: Files) -> list[mounts.Mount]:
    if context.diagnosis is None:
        return []
    start = scripts.find(files, context.system.init_path)
    read = [norm(f.path) for f in context.diagnosis.files if f.read]
    found = mounts.find(files, start)
    # A mount point below another one needs that one.
    kept = [m for m in found if mounts.named_by(files, m, read)]
    return [m for m in found if m not in kept and not any(k.target.startswith(m.target + "/") for k in kept)]
