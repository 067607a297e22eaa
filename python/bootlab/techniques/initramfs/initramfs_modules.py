"""Leave out of the initramfs the modules that no boot of this machine loads."""

from __future__ import annotations

import fnmatch
import posixpath
import re

from bootlab.model.change import Change, DropInitramfsFiles
from bootlab.model.tree import FileTree
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique

_ARTEFACT = "initramfs"
_MODULE = re.compile(r".*/lib/modules/[^/]+/.*\.ko(?:\.xz|\.gz|\.zst)?$")
_FEW = 5
"""Fewer modules than this are not worth a boot."""


class InitramfsModules(Technique):
    """A distribution's initrd carries the drivers of every machine that it may be installed on."""

    id = "initramfs-modules"
    title = "Modules of other machines left out of the initramfs"
    stage = "initramfs"
    what = (
        "Removes the kernel modules that the diagnostic boot did not load, as `MODULES=dep` of initramfs-tools and "
        "`hostonly` of dracut do."
    )
    why = "Each module is loaded with the archive, unpacked and copied to memory, whether a device needs it or not."
    when_not = (
        "The same image boots on different machines or from different media. Files that must stay can be listed in "
        "`initramfs.keep`."
    )
    cost = "The list is valid for one machine and one medium; make it again when either changes."
    risk = Risk(function="on another machine, or with the root on another medium, the root's driver may be missing")
    conflicts = ("initramfs-direct",)
    rests_on = ("initramfs",)
    needs_diagnosis = True
    proof = "recording"
    published = (Published("a smaller initramfs; no time given", "any machine", "initramfs.conf(5): MODULES"),)
    references = ("initramfs.conf(5): MODULES=dep", "dracut(8): --hostonly", "init/initramfs.c: do_name(), do_copy()")

    def applies(self, context: Context) -> Applies:
        """Yes when the initramfs has modules that the diagnostic boot did not load."""
        initramfs = context.system.initramfs
        if initramfs is None:
            return Applies.no("there is no initramfs", "no [initramfs] in the system")
        carried = modules_of(initramfs.tree)
        if not carried:
            return Applies.no("the initramfs has no modules", f"{len(initramfs.tree.entries)} entries")
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows which modules are loaded")
        loaded = _loaded(context)
        if not loaded:
            return Applies.unknown("the diagnostic boot does not show which modules are loaded")
        spare = _spare(context)
        if len(spare) < _FEW:
            return Applies.no("nearly every module is loaded", f"{len(carried) - len(spare)} of {len(carried)}")
        names = ", ".join(sorted(carried[path] for path in set(carried) - set(spare))[:8])
        return Applies.yes(f"{len(spare)} of {len(carried)} modules are never loaded", f"loaded: {names} …")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose to leave all of them out."""
        spare = _spare(context)
        return (Change(technique=self.id, ops=(DropInitramfsFiles(spare),)),) if spare else ()

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the smaller archive, in modules and bytes, with which the goal was reached."""
        was, now = (e.recording.meta.artefact_bytes.get(_ARTEFACT) for e in (before, after))
        if was is None or now is None:
            return Effect(False, "the recordings do not tell the initramfs' size")
        counts = [len(modules_of(e.system.initramfs.tree)) if e.system.initramfs else 0 for e in (before, after)]
        text = f"initramfs {was} -> {now} bytes, {counts[0]} -> {counts[1]} modules"
        return Effect(now < was and counts[1] < counts[0] and after.recording.ok, text)


def modules_of(tree: FileTree) -> dict[str, str]:
    """Return the modules of a tree: path to the name that the kernel gives them."""
    files = (path for path, entry in tree.entries if entry.kind == "file" and _MODULE.match(path))
    return {path: posixpath.basename(path).partition(".ko")[0].replace("-", "_") for path in files}


def _loaded(context: Context) -> set[str]:
    """Return what the diagnostic boot loaded, also what came and went: its start function was called."""
    diagnosis = context.diagnosis
    if diagnosis is None:
        return set()
    listed = {line.split()[0] for line in diagnosis.proc.get("modules", "").splitlines() if line.split()}
    return listed | {call.module for call in diagnosis.initcalls if call.module}


def _spare(context: Context) -> tuple[str, ...]:
    initramfs, loaded = context.system.initramfs, _loaded(context)
    if initramfs is None or not loaded:
        return ()
    carried = modules_of(initramfs.tree)
    keep = initramfs.keep
    return tuple(
        sorted(
            path
            for path, name in carried.items()
            if name not in loaded and not any(fnmatch.fnmatch(path, pattern) for pattern in keep)
        )
    )
