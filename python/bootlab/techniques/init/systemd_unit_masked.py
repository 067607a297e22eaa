"""Mask a systemd unit that the application had to wait for."""

from __future__ import annotations

from bootlab.model.change import Change, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique

_VARIANTS_MAX = 8
_MASK = Entry(kind="symlink", mode=0o777, target="/dev/null")
# Without them there is no system to speak of: masking one is never what somebody wants to try.
_NEVER = frozenset({"systemd-journald.service", "dbus.service", "dbus-broker.service"})


class SystemdUnitMasked(Technique):
    """A unit on the critical chain is one that the application's unit waited for, directly or through others."""

    id = "systemd-unit-masked"
    title = "Unit on the critical chain masked"
    stage = "init"
    what = (
        "Links `/etc/systemd/system/UNIT` to `/dev/null`, for each service on the critical chain of the unit that "
        "starts the application; one variant per service."
    )
    why = "The application's unit starts when the last unit before it is done. It does not wait for a masked unit."
    when_not = "The unit does something that the application needs, or that is needed later."
    cost = "Whatever the unit did."
    risk = Risk(function="the unit's work is not done; only goal and check are proved")
    addresses = ("unit-start",)
    rests_on = ("initramfs",)
    needs_diagnosis = True
    exclusive = False
    proof = "diagnosis"
    published = (Published("> 1.4 s by leaving cloud-init out", "virtual machine", "depot.dev blog"),)
    references = ("systemd.unit(5): masking", "systemd-analyze(1): critical-chain")

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot shows services that the application's unit waited for."""
        files = Files.of(context.system)
        if files is None or not units.is_systemd(files, context.system.init_path):
            return Applies.no("init is not systemd", context.system.init_path)
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows when units ran")
        chain = chain_of(context)
        if not chain:
            return Applies.unknown("no unit starts the application, or the log does not show its start")
        services = _candidates(context)
        words = " <- ".join(f"{ran.name} {_ms(ran)}" for ran in chain[:6])
        if not services:
            return Applies.no("no service is on the critical chain", words)
        return Applies.yes(f"{len(services)} services are on the critical chain of {chain[0].name}", words)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose to mask each of them."""
        return tuple(
            Change(technique=self.id, label=name, ops=(PutFile(f"{units.FOLDERS[0]}/{name}", _MASK),))
            for name in _candidates(context)
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


def chain_of(context: Context) -> list[units.Ran]:
    """Return the critical chain of the application's unit, itself first; empty when it cannot be told."""
    files = Files.of(context.system)
    if files is None or context.diagnosis is None or context.system.application is None:
        return []
    known = units.read(files)
    unit = units.of_program(files, known, context.system.application)
    return units.critical_chain(known, units.times(context.diagnosis.log), unit.name) if unit is not None else []


def _candidates(context: Context) -> list[str]:
    return [r.name for r in chain_of(context)[1:] if r.name.endswith(".service") and r.name not in _NEVER][
        :_VARIANTS_MAX
    ]


def _ms(ran: units.Ran) -> str:
    return "at once" if ran.start_ns is None else f"{(ran.done_ns - ran.start_ns) / 1e6:.0f} ms"
