# SPDX-License-Identifier: MIT
"""What systemd does before its units: generators, and caches brought up to date."""

from __future__ import annotations

import posixpath
import re

from bootlab.model.change import Op, PutFile
from bootlab.model.cmdline import Param
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import unit_lines, units
from bootlab.startup.files import TreeFiles
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import Booted, interval_shrank
from bootlab.techniques.parameter import ParameterTechnique
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
        "(`/etc/fstab`, `/etc/crypttab`, …) or kernel parameter exists; a console that is not a virtual terminal keeps "
        "the one that makes its login."
    )
    why = "Each one is a process that links shared libraries and searches for things that a fixed image does not have."
    when_not = "A generator makes units from something that bootlab does not know."
    cost = "A table that is added later has no effect until its generator is unmasked."
    risk = Risk(function=("units that generators would have made (swap, mounts of GPT partitions) are missing"))
    references = ("systemd.generator(7)",)

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when the tree has generators that nothing in it or on the command line needs."""
        spare = _spare(files, context)
        if not spare:
            return Applies.no("every generator is masked or needed", _MASKS)
        return Applies.yes(
            f"{len(spare)} generators have nothing to do", ", ".join(posixpath.basename(p) for p in spare)
        )

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
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
    files = TreeFiles.of(evidence.system)
    return [] if files is None else [path for path in files.below(_MASKS) if files.real(path) == "/dev/null"]


def _spare(files: TreeFiles, context: Context) -> list[str]:
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


_CONDITION = re.compile(r"^ConditionNeedsUpdate=", re.MULTILINE)


class SystemdUpdateChecksOff(ParameterTechnique):
    """Without `/etc/.updated` systemd takes `/usr` for newer than its caches, on a read-only image at every boot."""

    id = "systemd-update-checks-off"
    title = "No update of caches at the start"
    stage = "init"
    what = "Sets `systemd.condition-needs-update=no`: units with `ConditionNeedsUpdate=` do not start."
    why = (
        "They make the linker's cache, the journal's catalogue, the hardware database and system users again. In an "
        "image these were made when it was built. `sysinit.target` waits for them."
    )
    when_not = "The root is writable and has booted once, so that `/etc/.updated` and `/var/.updated` are there."
    cost = "None until `/usr` is updated from outside."
    risk = Risk(function="after `/usr` is replaced from outside, the next boot does not update its caches and users")
    kernels = "any; it takes systemd 246 or later"
    rests_on = ("initramfs",)
    sets = (Param("systemd.condition-needs-update", "no"),)
    needs_diagnosis = True
    proof = "diagnosis"
    references = ("kernel-command-line(7)", "systemd-update-done.service(8)")

    def applies(self, context: Context) -> Applies:
        """Yes when a boot shows such units."""
        if answer := self.already(context):
            return answer
        files = TreeFiles.of(context.system)
        if files is None or not units.is_systemd(files, context.system.init_path):
            return Applies.no("init is not systemd", context.system.init_path)
        conditional = _conditional(files)
        if not conditional:
            return Applies.no("no unit of the tree asks for it", "ConditionNeedsUpdate=")
        ran = _ran(context, files)
        if not ran:
            return Applies.unknown("neither the console nor a diagnostic boot shows which units start")
        started = sorted(conditional & ran.keys())
        if not started:
            return Applies.no("none of the units that ask for it started", ", ".join(sorted(conditional)))
        return Applies.yes(f"{len(started)} units bring caches up to date", ", ".join(started))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the units that no longer start."""
        files = TreeFiles.of(after.system)
        if files is None:
            return Effect(False, "there is no root tree to look into")
        # Both from consoles, or both from diagnostic boots.
        shown = [_on_console(e, files) for e in (before, after)]
        if not all(shown) and before.diagnosis is not None and after.diagnosis is not None:
            shown = [_in_diagnosis(e) for e in (before, after)]
        was, now = shown
        if not was or not now:
            return Effect(False, "neither the consoles nor diagnostic boots of both show which units start")
        conditional = _conditional(files)
        if still := sorted(conditional & now.keys() & was.keys()):
            return Effect(False, f"still started: {', '.join(still)}")
        gone = sorted(conditional & was.keys())
        if not gone:
            return Effect(False, "no unit that asks for it started before either")
        return Effect(True, f"no longer started: {', '.join(gone)}")


def _conditional(files: TreeFiles) -> set[str]:
    return {name for name, unit in units.read(files).items() if not unit.masked and _CONDITION.search(unit.text)}


def _ran(booted: Booted, files: TreeFiles) -> dict[str, units.UnitRun]:
    return _in_diagnosis(booted) | _on_console(booted, files)


def _in_diagnosis(booted: Booted) -> dict[str, units.UnitRun]:
    return unit_lines.times_in_log(booted.diagnosis.log) if booted.diagnosis is not None else {}


def _on_console(booted: Booted, files: TreeFiles) -> dict[str, units.UnitRun]:
    return unit_lines.times(((line.text, line.first_ns) for line in booted.recording.lines), units.read(files))


TECHNIQUES = (
    SystemdGeneratorsOff(),
    SystemdUpdateChecksOff(),
)
