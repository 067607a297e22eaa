"""Mask a systemd unit that the application had to wait for."""

from __future__ import annotations

from bootlab.model.change import Change, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.tree_technique import SystemdTechnique, application_unit

_VARIANTS_MAX = 8
_MASK = Entry(kind="symlink", mode=0o777, target="/dev/null")
# Without them there is no system to speak of: masking one is never what somebody wants to try.
_NEVER = frozenset({"systemd-journald.service", "dbus.service", "dbus-broker.service"})


class SystemdUnitMasked(SystemdTechnique):
    """A unit on the critical chain is one that the application's unit waited for, directly or through others."""

    id = "systemd-unit-masked"
    title = "Unit on the critical chain masked"
    what = (
        "Links `/etc/systemd/system/UNIT` to `/dev/null`, for each service on the critical chain of the unit that "
        "starts the application; one variant per service."
    )
    why = "The application's unit starts when the last unit before it is done. It does not wait for a masked unit."
    when_not = "The unit does something that the application needs, or that is needed later."
    cost = "Whatever the unit did."
    risk = Risk(function="the unit's work is not done; only goal and check are proved")
    addresses = ("unit-start",)
    exclusive = False
    published = (Published("> 1.4 s by leaving cloud-init out", "virtual machine", "depot.dev blog"),)
    references = ("systemd.unit(5): masking", "systemd-analyze(1): critical-chain")

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when the diagnostic boot shows services that the application's unit waited for."""
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows when units ran")
        chain = _chain(files, context)
        if not chain:
            return Applies.unknown("no unit starts the application, or the log does not show its start")
        services = _candidates(chain)
        words = " <- ".join(f"{ran.name} {_ms(ran)}" for ran in chain[:6])
        if not services:
            return Applies.no("no service is on the critical chain", words)
        return Applies.yes(f"{len(services)} services are on the critical chain of {chain[0].name}", words)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose to mask each of them."""
        files = Files.of(context.system)
        return tuple(
            Change(technique=self.id, label=name, ops=(PutFile(f"{units.FOLDERS[0]}/{name}", _MASK),))
            for name in _candidates(_chain(files, context) if files is not None else [])
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by systemd's own lines: the unit was started, and now is not."""
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both show which units run")
        tree = after.system.startup
        masked = {p.rpartition("/")[2] for p, e in (tree.entries if tree else ()) if e.target == "/dev/null"}
        was, now = units.times(before.diagnosis.log), units.times(after.diagnosis.log)
        if not now:
            return Effect(False, "systemd logged nothing in the diagnostic boot")
        gone = sorted(name for name in masked if name in was and name not in now)
        if not gone:
            return Effect(False, f"still started, or never was: {', '.join(sorted(masked)) or 'nothing is masked'}")
        return Effect(True, "no longer started: " + ", ".join(f"{name} ({_ms(was[name])} before)" for name in gone))


def _chain(files: Files, context: Context) -> list[units.Ran]:
    """Return the critical chain of the application's unit, itself first; empty when it cannot be told."""
    found = application_unit(files, context.system)
    if found is None or context.diagnosis is None:
        return []
    unit, known = found
    return units.critical_chain(known, units.times(context.diagnosis.log), unit.name)


def _candidates(chain: list[units.Ran]) -> list[str]:
    services = [ran.name for ran in chain[1:] if ran.name.endswith(".service") and ran.name not in _NEVER]
    return services[:_VARIANTS_MAX]


def _ms(ran: units.Ran) -> str:
    return "at once" if ran.start_ns is None else f"{(ran.done_ns - ran.start_ns) / 1e6:.0f} ms"
