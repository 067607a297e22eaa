"""Mask systemd's generators."""

from __future__ import annotations

import posixpath
import re

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import interval_shrank
from bootlab.techniques.tree_technique import SystemdTechnique

_FOLDERS = ("/lib/systemd/system-generators", "/usr/lib/systemd/system-generators")
_MASKS = "/etc/systemd/system-generators"
# What a generator reads: while that is there, the generator is needed.
_NEEDED_BY_FILE = {
    "systemd-fstab-generator": "/etc/fstab",
    "systemd-cryptsetup-generator": "/etc/crypttab",
    "systemd-veritysetup-generator": "/etc/veritytab",
    "systemd-integritysetup-generator": "/etc/integritytab",
    "systemd-rc-local-generator": "/etc/rc.local",
}
_NEEDED_BY_PARAMETER = {
    "systemd-debug-generator": ("systemd.mask", "systemd.wants", "systemd.debug_shell", "systemd.debug-shell"),
    "systemd-fstab-generator": ("root", "mount.usr", "systemd.volatile"),
    "systemd-run-generator": ("systemd.run",),
}
# It makes the login on a console that is no virtual terminal.
_LOGINS = "systemd-getty-generator"
_VIRTUAL = re.compile(r"tty\d*(,.*)?|ttynull|null")
_SHOWN = 4
# What systemd says before it runs them, and when it has read the units behind them.
_BEFORE_THEM = r"systemd\[1\]: Detected architecture "
_BEHIND_THEM = r"systemd\[1\]: Queued start job for default target "
_LEAST_NS = 5_000_000
"""A process that links shared libraries takes longer than this."""


class SystemdGeneratorsOff(SystemdTechnique):
    """Before it loads its first unit, systemd runs every generator and waits for them."""

    id = "systemd-generators-off"
    title = "systemd's generators masked"
    what = (
        "Links each generator under `/etc/systemd/system-generators` to `/dev/null`, except those whose table "
        "(`/etc/fstab`, `/etc/crypttab`, …) or kernel parameter exists; a console that is no virtual terminal keeps "
        "the one that makes its login."
    )
    why = "Each one is a process that links shared libraries and searches for things that a fixed image does not have."
    when_not = "A generator makes units from something that bootlab does not know."
    cost = "A table that is added later has no effect until its generator is unmasked."
    risk = Risk(function=("units that generators would have made (swap, mounts of GPT partitions) are missing"))
    references = ("systemd.generator(7)",)

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when the tree has generators that nothing in it or on the command line needs."""
        spare = _spare(files, context)
        if not spare:
            return Applies.no("every generator is masked or needed", _MASKS)
        return Applies.yes(
            f"{len(spare)} generators have nothing to do", ", ".join(posixpath.basename(p) for p in spare)
        )

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
        """Propose to mask all of them."""
        if not units.is_systemd(files, context.system.init_path):
            return ()
        mask = Entry(kind="symlink", mode=0o777, target="/dev/null")
        return tuple(PutFile(f"{_MASKS}/{posixpath.basename(path)}", mask) for path in _spare(files, context))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the generators' files, which are no longer read; where every file counts as read, by the time.

        The agent cannot mark the files of a root that is mounted read-only when init starts, and counts them as read.
        """
        if before.diagnosis is None or after.diagnosis is None or not after.diagnosis.files:
            return Effect(False, "only diagnostic boots of both show which generators run")
        was = {f.path for f in before.diagnosis.files if f.read and f.path.startswith(_FOLDERS)}
        gone = sorted(was - {f.path for f in after.diagnosis.files if f.read})
        masked = _masked(after)
        if not gone and masked and all(f.read for e in (before, after) if e.diagnosis for f in e.diagnosis.files):
            found = interval_shrank(before, after, _BEFORE_THEM, _BEHIND_THEM, least_ns=_LEAST_NS * len(masked))
            return Effect(found.shown, f"{len(masked)} generators are masked; {found.evidence}")
        if not gone:
            return Effect(False, f"still run: {', '.join(sorted(posixpath.basename(p) for p in was)[:_SHOWN])}")
        names = ", ".join(posixpath.basename(p) for p in gone[:_SHOWN])
        return Effect(True, f"{len(gone)} of {len(was)} generators no longer run: {names} …")


def _masked(evidence: Evidence) -> list[str]:
    files = Files.of(evidence.system)
    return [] if files is None else [path for path in files.below(_MASKS) if files.real(path) == "/dev/null"]


def _spare(files: Files, context: Context) -> list[str]:
    masked = {posixpath.basename(path) for path in files.below(_MASKS)}
    line = context.system.cmdline
    found: dict[str, str] = {}
    for folder in _FOLDERS:
        for path in files.below(folder):
            name = posixpath.basename(path)
            table = _NEEDED_BY_FILE.get(name)
            needed = table is not None and files.entry(table) is not None
            needed = needed or any(line.has(key) for key in _NEEDED_BY_PARAMETER.get(name, ()))
            needed = needed or (
                name == _LOGINS and any(not _VIRTUAL.fullmatch(param.value or "") for param in line.all("console"))
            )
            if name not in masked and not needed and files.runs(path):
                found.setdefault(name, path)
    return sorted(found.values())
