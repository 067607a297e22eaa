"""Boot systemd to a target that wants the application and nothing else."""

from __future__ import annotations

from bootlab.model.change import Op, PutFile, SetParam
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.tree_technique import SystemdTechnique, application_unit, no_unit

_TARGET = "application.target"
_SHOWN = 4


class SystemdTargetReduced(SystemdTechnique):
    """`multi-user.target` wants whatever the installed packages enabled; a product wants its application."""

    id = "systemd-target-reduced"
    title = "Default target reduced to the application"
    what = (
        "Adds `application.target`, which wants the application's unit and requires `basic.target`, and boots into "
        "it (`systemd.unit=`)."
    )
    why = "Services that the application does not need are not started, and take no processor time from it."
    when_not = "Little else is enabled, or the application waits for one long unit."
    cost = "Something must start the other services later: `systemctl isolate multi-user.target` does."
    risk = Risk(function="logins, networks and daemons that only multi-user.target wants are not started")
    conflicts = ("systemd-rest-later",)
    references = ("systemd.special(7)", "kernel-command-line(7): systemd.unit=")

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when systemd boots to a target that wants more than the application."""
        given = context.system.cmdline.value("systemd.unit")
        if given is not None:
            return Applies.no("the target is named already", f"systemd.unit={given}")
        found = application_unit(files, context.system)
        if found is None:
            return no_unit(context.system)
        unit, known = found
        wanted = sorted(
            {w for u in known.values() if u.name in {"multi-user.target", "graphical.target"} for w in u.wants}
        )
        others = [name for name in wanted if name != unit.name]
        if not others:
            return Applies.no("multi-user.target wants nothing else", unit.name)
        return Applies.yes(f"multi-user.target wants {len(others)} other units", ", ".join(others))

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
        """Propose the target and the parameter that names it."""
        found = application_unit(files, context.system)
        if found is None:
            return ()
        text = (
            f"[Unit]\nDescription=The application\nWants={found[0].name}\nRequires=basic.target\nAfter=basic.target\n"
            "AllowIsolate=yes\n"
        )
        put = PutFile(f"{units.FOLDERS[0]}/{_TARGET}", Entry(kind="file", mode=0o644, text=text))
        return (put, SetParam("systemd.unit", _TARGET))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by systemd's own lines: the target is reached, and units that ran before no longer run."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both show which units run")
        was, now = units.times(before.diagnosis.log), units.times(after.diagnosis.log)
        if _TARGET in was or _TARGET not in now:
            return Effect(False, f"{_TARGET} is not what systemd reached")
        gone = sorted(was.keys() - now.keys())
        if not gone:
            return Effect(False, f"{_TARGET} is reached, and every unit still runs")
        return Effect(True, f"{_TARGET} reached; {len(gone)} units no longer started: {', '.join(gone[:_SHOWN])} …")
