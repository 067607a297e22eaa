# SPDX-License-Identifier: MIT
"""Which units systemd starts before the application."""

from __future__ import annotations

import re

from bootlab.model import fstab
from bootlab.model.change import Change, Op, PutFile, SetParam
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import unit_lines, units
from bootlab.startup.files import TreeFiles
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.tree_technique import SystemdTechnique, application_unit, no_unit

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

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
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
        files = TreeFiles.of(context.system)
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
        was, now = unit_lines.times_in_log(before.diagnosis.log), unit_lines.times_in_log(after.diagnosis.log)
        if not now:
            return Effect(False, "systemd logged nothing in the diagnostic boot")
        gone = sorted(name for name in masked if name in was and name not in now)
        if not gone:
            return Effect(False, f"still started, or never was: {', '.join(sorted(masked)) or 'nothing is masked'}")
        return Effect(True, "no longer started: " + ", ".join(f"{name} ({_ms(was[name])} before)" for name in gone))


def _chain(files: TreeFiles, context: Context) -> list[units.UnitRun]:
    """Return the critical chain of the application's unit, itself first; empty when it cannot be told."""
    found = application_unit(files, context.system)
    if found is None or context.diagnosis is None:
        return []
    unit, known = found
    return units.critical_chain(known, unit_lines.times_in_log(context.diagnosis.log), unit.name)


def _candidates(chain: list[units.UnitRun]) -> list[str]:
    services = [ran.name for ran in chain[1:] if ran.name.endswith(".service") and ran.name not in _NEVER]
    return services[:_VARIANTS_MAX]


def _ms(ran: units.UnitRun) -> str:
    return "at once" if ran.start_ns is None else f"{(ran.done_ns - ran.start_ns) / 1e6:.0f} ms"


_ORDER = re.compile(
    r"^(?:After|Requires|Wants|BindsTo|Requisite|PartOf|DefaultDependencies)\s*=.*(?:\n|$)", re.MULTILINE
)
_EARLY = "DefaultDependencies=no\nConflicts=shutdown.target\nBefore=shutdown.target\n"
_WANTED_BY = "sysinit.target"


class ApplicationUnitFirst(SystemdTechnique):
    """A service waits by default for all of sysinit.target and basic.target, and for whatever `After=` adds."""

    id = "application-unit-first"
    title = "Application's unit started first"
    what = (
        "Writes a new unit for the application under `/etc/systemd/system`, without `After=`, `Wants=` and default "
        "dependencies, and wanted by `sysinit.target`; the same for the services that it requires, which it still "
        "waits for."
    )
    why = "It starts with the first units, together with udev, the journal and file systems, instead of after them."
    when_not = "The application needs devices that udev creates, mounts, D-Bus or the network: name these in `After=`."
    cost = "It competes for the processor with the rest of the start."
    risk = Risk(function=("what it used to wait for may not be there when it starts; only goal and check are proved"))
    conflicts = ("systemd-rest-later",)
    published = (Published("more than 12 s -> about 1 s, with much else", "BeagleBone Black, Qt", "embetrix.com 2017"),)
    references = ("systemd.service(5): default dependencies", "bootup(7)")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when a unit starts the application and waits for others."""
        found = application_unit(files, context.system)
        if found is None:
            return no_unit(context.system)
        unit, known = found
        waits = sorted(units.before(known, unit.name))
        if not unit.default_dependencies and not waits:
            return Applies.no("it waits for nothing", unit.path)
        return Applies.yes(f"{unit.name} waits for {len(waits)} units", ", ".join(waits))

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the unit's file and the link that starts it."""
        found = application_unit(files, context.system)
        if found is None:
            return ()
        unit, known = found
        link = f"{units.FOLDERS[0]}/{_WANTED_BY}.wants/{unit.name}"
        return (*early_units(known, unit), PutFile(link, Entry(kind="symlink", mode=0o777, target=f"../{unit.name}")))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by systemd's own lines: the unit is started before its old predecessors are done."""
        files = TreeFiles.of(after.system)
        if before.diagnosis is None or after.diagnosis is None or files is None or not after.system.application:
            return Effect(False, "only diagnostic boots of both show when units run")
        unit = units.of_program(files, units.read(files), after.system.application)
        if unit is None:
            return Effect(False, "no unit of the tree starts the application")
        was, now = unit_lines.times_in_log(before.diagnosis.log), unit_lines.times_in_log(after.diagnosis.log)
        if unit.name not in was or unit.name not in now:
            return Effect(False, f"the log does not show {unit.name} in both")
        passed = [
            name
            for name, ran in was.items()
            if ran.done_ns < was[unit.name].done_ns and (name not in now or now[name].done_ns > now[unit.name].done_ns)
        ]
        if not passed:
            return Effect(False, f"{unit.name} is started after the same units as before")
        shown = ", ".join(sorted(passed)[:4])
        return Effect(True, f"{unit.name} is started before {len(passed)} units that came first: {shown} …")


def early_units(
    known: dict[str, units.SystemdUnit], unit: units.SystemdUnit, after: tuple[str, ...] = ()
) -> tuple[PutFile, ...]:
    """Return the files of a unit and of the services that it requires, waiting only for each other and for `after`."""
    chain = units.with_required(known, unit)
    names = {one.name for one in chain}
    ops = []
    for one in chain:
        needed = _among(names, one.lists, "Requires", "Requisite", "BindsTo")
        lines = [f"Requires={name}" for name in needed]
        lines += [f"After={name}" for name in dict.fromkeys((*_among(names, one.lists, "After"), *needed, *after))]
        early = _EARLY + "".join(f"{line}\n" for line in lines)
        text = _ORDER.sub("", one.text)
        text = text.replace("[Unit]\n", f"[Unit]\n{early}", 1) if "[Unit]\n" in text else f"[Unit]\n{early}\n{text}"
        ops.append(PutFile(f"{units.FOLDERS[0]}/{one.name}", Entry(kind="file", mode=0o644, text=text)))
    return tuple(ops)


def _among(names: set[str], lists: dict[str, tuple[str, ...]], *keys: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for key in keys for name in lists.get(key, ()) if name in names))


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

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
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

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
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
        was, now = unit_lines.times_in_log(before.diagnosis.log), unit_lines.times_in_log(after.diagnosis.log)
        if _TARGET in was or _TARGET not in now:
            return Effect(False, f"{_TARGET} is not what systemd reached")
        gone = sorted(was.keys() - now.keys())
        if not gone:
            return Effect(False, f"{_TARGET} is reached, and every unit still runs")
        return Effect(True, f"{_TARGET} reached; {len(gone)} units no longer started: {', '.join(gone[:_SHOWN])} …")


_FIRST = "application-first.target"
_REST = "application-rest.service"
_CHECKED = ("systemd-fsck-root.service", "systemd-remount-fs.service")
_MOUNTED = "local-fs.target"
_TABLE = "/etc/fstab"
_NOT_MOUNTED = frozenset({"none", "swap", "/"})
_CONTROL = ("/bin/systemctl", "/usr/bin/systemctl")


class SystemdRestLater(SystemdTechnique):
    """systemd starts what it can at once: on one processor, everything that is not the application delays it."""

    id = "systemd-rest-later"
    title = "Everything else started after the application"
    what = (
        f"Boots into `{_FIRST}`, which wants the application's unit, the services that it requires, the root's check "
        f"and its mount for writing (other mounts too, where `/etc/fstab` has any), and nothing else. `{_REST}` then "
        "starts what the system booted to before."
    )
    why = (
        "The devices' events, the journal, system users, temporary files, timers, logins and all other services start "
        "with the application or before it. systemd reads only the units that a start needs, so it begins earlier too."
    )
    when_not = (
        "The application needs devices that udev creates, D-Bus, the network or its temporary folders: make its unit "
        "require the services that bring them, and they come before it."
    )
    cost = "Every other service starts later, by as long as the application takes."
    risk = Risk(
        function=(
            "the application starts before udev, the journal, temporary files, system users and sysctl are done, and "
            "what it prints until the journal runs is lost; only goal and check are proved"
        )
    )
    conflicts = ("application-unit-first", "systemd-target-reduced")
    addresses = ("user-space-start",)
    published = (Published("more than 12 s -> about 1 s, with much else", "BeagleBone Black, Qt", "embetrix.com 2017"),)
    references = ("bootup(7)", "systemd.special(7)", "kernel-command-line(7): systemd.unit=", "systemctl(1): start")

    def applies_to(self, files: TreeFiles, context: Context) -> Applies:
        """Yes when a diagnostic boot shows units that were started before the application was."""
        if context.system.cmdline.value("systemd.unit") == _FIRST:
            return Applies.no("the rest comes later already", f"systemd.unit={_FIRST}")
        found = application_unit(files, context.system)
        if found is None:
            return no_unit(context.system)
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows when units ran")
        unit, known = found
        ran = unit_lines.times_in_log(context.diagnosis.log)
        if unit.name not in ran:
            return Applies.unknown("the log does not show its start", unit.name)
        own = {one.name for one in units.with_required(known, unit)}
        sooner = [n for n, r in ran.items() if n not in own and r.done_ns < ran[unit.name].done_ns and _is_work(n)]
        if not sooner:
            return Applies.no("no other service was started before it", unit.name)
        names = ", ".join(sorted(sooner)[:_SHOWN])
        return Applies.yes(f"{len(sooner)} services and mounts were started before {unit.name}", f"{names} …")

    def ops(self, files: TreeFiles, context: Context) -> tuple[Op, ...]:
        """Propose the two units, the application's units anew, and the parameter that names the target."""
        found = application_unit(files, context.system)
        if found is None:
            return ()
        unit, known = found
        waits = _waits(files, context)
        own = " ".join(one.name for one in units.with_required(known, unit))
        target = (
            "[Unit]\nDescription=The application, before everything else\nDefaultDependencies=no\n"
            f"Wants={' '.join((own, *waits, _REST))}\nAfter={unit.name}\nAllowIsolate=yes\n"
        )
        control = next((path for path in _CONTROL if files.entry(path) is not None), _CONTROL[0])
        goes_to = context.system.cmdline.value("systemd.unit") or "default.target"
        rest = (
            "[Unit]\nDescription=Everything behind the application\nDefaultDependencies=no\n"
            f"After={unit.name}\n[Service]\nType=oneshot\nExecStart={control} --no-block start {goes_to}\n"
        )
        return (
            *early_units(known, unit, waits),
            PutFile(f"{units.FOLDERS[0]}/{_FIRST}", Entry(kind="file", mode=0o644, text=target)),
            PutFile(f"{units.FOLDERS[0]}/{_REST}", Entry(kind="file", mode=0o644, text=rest)),
            SetParam("systemd.unit", _FIRST),
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by systemd's own lines: what came before the application comes behind it, and all of it comes."""
        files = TreeFiles.of(after.system)
        found = application_unit(files, after.system) if files is not None else None
        if before.diagnosis is None or after.diagnosis is None or found is None:
            return Effect(False, "only diagnostic boots of both show when units run")
        unit, _ = found
        was, now = unit_lines.times_in_log(before.diagnosis.log), unit_lines.times_in_log(after.diagnosis.log)
        if _FIRST in was or _FIRST not in now:
            return Effect(False, f"{_FIRST} is not what systemd reached")
        if unit.name not in was or unit.name not in now:
            return Effect(False, f"the log does not show {unit.name} in both")
        sooner = {name for name, ran in was.items() if ran.done_ns < was[unit.name].done_ns and _is_work(name)}
        lost = sorted(name for name in was if name not in now and _is_work(name))
        moved = sorted(name for name in sooner if name in now and now[name].done_ns > now[unit.name].done_ns)
        if not moved:
            return Effect(False, f"{unit.name} is started after the same units as before")
        shown = ", ".join(moved[:_SHOWN])
        text = f"{len(moved)} of {len(sooner)} services and mounts are started after {unit.name}: {shown} …"
        return Effect(True, text + (f"; no longer started: {', '.join(lost)}" if lost else "; none is missing"))


def _waits(files: TreeFiles, context: Context) -> tuple[str, ...]:
    """Return what mounts the file systems that the application writes to."""
    lines = fstab.read(files.text(_TABLE) or "")
    if any(line.options and line.folder not in _NOT_MOUNTED and "noauto" not in line.options for line in lines):
        return (_MOUNTED,)
    return () if context.system.cmdline.has("rw") else _CHECKED


def _is_work(name: str) -> bool:
    return name.endswith((".service", ".mount"))


TECHNIQUES = (
    SystemdUnitMasked(),
    ApplicationUnitFirst(),
    SystemdTargetReduced(),
    SystemdRestLater(),
)
