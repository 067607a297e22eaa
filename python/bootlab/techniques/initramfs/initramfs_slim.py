"""Leave out of the initramfs what nobody reads before the goal."""

from __future__ import annotations

import fnmatch

from bootlab.model.change import Change, DropFiles
from bootlab.model.tree import Entry
from bootlab.model.tree_links import follow, normal
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique

_ARTEFACT = "initramfs"


class InitramfsSlim(Technique):
    """Every file is loaded, unpacked and written to memory, read or not."""

    id = "initramfs-slim"
    title = "Initramfs slimmed to the files that are read"
    stage = "initramfs"
    what = "Removes the regular files that nobody read between power-on and the goal in the diagnostic boot."
    why = "Loading, unpacking and copying a file costs the same even if it is never opened."
    when_not = (
        "Files are needed after the goal, on other hardware, or when something fails: list them in `initramfs.keep`."
    )
    cost = "The list is valid for one application on one machine; make it again when either changes."
    risk = Risk(
        function=("files that are needed only later, or only sometimes, are missing; only goal and check are proved")
    )
    needs_diagnosis = True
    conflicts = ("initramfs-direct",)
    rests_on = ("initramfs",)
    proof = "recording"
    published = (Published("-20 ms for a minimal initramfs", "BeagleBone Black", "Bootlin boot-time training"),)
    references = ("init/initramfs.c: do_name(), do_copy()",)

    def _unread(self, context: Context) -> tuple[str, ...]:
        initramfs, diagnosis = context.system.initramfs, context.diagnosis
        if initramfs is None or diagnosis is None or context.system.root is not None:
            return ()
        tree = initramfs.tree.as_dict()
        needed = {normal(f.path) for f in diagnosis.files if f.read}
        told = {normal(f.path) for f in diagnosis.files}
        needed |= {normal(p) for p in (context.system.application, context.system.init_path) if p}
        needed |= {path for path in tree if any(fnmatch.fnmatch(path, pattern) for pattern in initramfs.keep)}
        kept = _closure(needed, tree)
        files = (path for path, entry in tree.items() if entry.kind == "file")
        return tuple(sorted(path for path in files if path in told and path not in kept))

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot tells which files were read, and some were not."""
        initramfs, diagnosis = context.system.initramfs, context.diagnosis
        if initramfs is None:
            return Applies.no("there is no initramfs", "no [initramfs] in the system")
        if context.system.root is not None:
            return Applies.no("behind an initrd, only files of the mounted root are seen", context.system.root.medium)
        if diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows which files are read")
        if not diagnosis.files:
            return Applies.unknown("the diagnostic boot could not tell which files were read")
        unread = self._unread(context)
        if not unread:
            return Applies.no("every file is read before the goal", f"{len(diagnosis.files)} files")
        sizes = {normal(f.path): f.size_bytes for f in diagnosis.files}
        total = sum(sizes.get(path, 0) for path in unread)
        names = ", ".join(unread[:4]) + (" …" if len(unread) > 4 else "")
        return Applies.yes(f"{len(unread)} of {len(diagnosis.files)} files are never read ({total} bytes)", names)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose to drop all of them at once."""
        unread = self._unread(context)
        return (Change(technique=self.id, ops=(DropFiles(unread),)),) if unread else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the smaller archive, in files and bytes."""
        was = before.recording.meta.artefact_bytes.get(_ARTEFACT)
        now = after.recording.meta.artefact_bytes.get(_ARTEFACT)
        if was is None or now is None:
            return Effect(False, "the recordings do not tell the initramfs' size")
        files = [
            sum(1 for _, x in e.system.initramfs.tree.entries if x.kind == "file") if e.system.initramfs else 0
            for e in (before, after)
        ]
        change = f"initramfs {was} -> {now} bytes, {files[0]} -> {files[1]} files"
        return Effect(now < was and files[1] < files[0], change)


def _closure(needed: set[str], tree: dict[str, Entry]) -> set[str]:
    """Follow symbolic links (on every component) and `#!` lines from the files that are needed."""
    kept: set[str] = set()
    todo = sorted(needed)
    while todo:
        path = todo.pop()
        if path in kept:
            continue
        kept.add(path)
        way = follow(tree, path)
        todo += [step for step in (*way.links, way.path) if step not in kept]
        if way.entry is not None and (interpreter := _interpreter(way.entry)):
            todo.append(normal(interpreter))
    return kept


def _interpreter(entry: Entry) -> str | None:
    """Return what a script's first line asks for. A program's interpreter is opened by the kernel, so it was read."""
    if entry.text is None or not entry.text.startswith("#!"):
        return None
    words = entry.text.split("\n", 1)[0][2:].split()
    return words[0] if words else None
