"""Tell systemd that an image needs no update of its caches."""

from __future__ import annotations

import re

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.startup import unit_lines, units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import Booted
from bootlab.techniques.parameter import ParameterTechnique

_CONDITION = re.compile(r"^ConditionNeedsUpdate=", re.MULTILINE)


class SystemdUpdateChecksOff(ParameterTechnique):
    """Without `/etc/.updated` systemd takes `/usr` for newer than its caches, on a read-only image at every boot."""

    id = "systemd-update-checks-off"
    title = "No update of caches at the start"
    stage = "init"
    what = "Sets `systemd.condition-needs-update=no`: units with `ConditionNeedsUpdate=` do not start."
    why = (
        "They make the linker's cache, the journal's catalogue, the hardware database and system users anew. In an "
        "image these were made when it was built. `sysinit.target` waits for them."
    )
    when_not = "The root is writable and has booted once, so that `/etc/.updated` and `/var/.updated` are there."
    cost = "None until `/usr` is updated from outside."
    risk = Risk(function="after `/usr` is replaced from outside, the next boot does not make its caches and users anew")
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
        files = Files.of(context.system)
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
        files = Files.of(after.system)
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


def _conditional(files: Files) -> set[str]:
    return {name for name, unit in units.read(files).items() if not unit.masked and _CONDITION.search(unit.text)}


def _ran(booted: Booted, files: Files) -> dict[str, units.Ran]:
    return _in_diagnosis(booted) | _on_console(booted, files)


def _in_diagnosis(booted: Booted) -> dict[str, units.Ran]:
    return units.times(booted.diagnosis.log) if booted.diagnosis is not None else {}


def _on_console(booted: Booted, files: Files) -> dict[str, units.Ran]:
    return unit_lines.times(((line.text, line.first_ns) for line in booted.recording.lines), units.read(files))
