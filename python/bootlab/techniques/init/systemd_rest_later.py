"""Boot systemd to the application, and start everything else behind it."""

from __future__ import annotations

from bootlab.model.change import Op, PutFile, SetParam
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.init.application_unit_first import early_units
from bootlab.techniques.tree_technique import SystemdTechnique, application_unit, no_unit

_TARGET = "application-first.target"
_REST = "application-rest.service"
_CHECKED = ("systemd-fsck-root.service", "systemd-remount-fs.service")
_MOUNTED = "local-fs.target"
_TABLE = "/etc/fstab"
_NOT_MOUNTED = frozenset({"none", "swap", "/"})
_CONTROL = ("/bin/systemctl", "/usr/bin/systemctl")
_SHOWN = 4


class SystemdRestLater(SystemdTechnique):
    """systemd starts what it can at once: on one processor, everything that is not the application delays it."""

    id = "systemd-rest-later"
    title = "Everything else started behind the application"
    what = (
        f"Boots into `{_TARGET}`, which wants the application's unit, the services that it requires, the root's check "
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

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when a diagnostic boot shows units that were started before the application was."""
        if context.system.cmdline.value("systemd.unit") == _TARGET:
            return Applies.no("the rest comes later already", f"systemd.unit={_TARGET}")
        found = application_unit(files, context.system)
        if found is None:
            return no_unit(context.system)
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows when units ran")
        unit, known = found
        ran = units.times(context.diagnosis.log)
        if unit.name not in ran:
            return Applies.unknown("the log does not show its start", unit.name)
        own = {one.name for one in units.with_required(known, unit)}
        sooner = [n for n, r in ran.items() if n not in own and r.done_ns < ran[unit.name].done_ns and _is_work(n)]
        if not sooner:
            return Applies.no("no other service was started before it", unit.name)
        names = ", ".join(sorted(sooner)[:_SHOWN])
        return Applies.yes(f"{len(sooner)} services and mounts were started before {unit.name}", f"{names} …")

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
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
            PutFile(f"{units.FOLDERS[0]}/{_TARGET}", Entry(kind="file", mode=0o644, text=target)),
            PutFile(f"{units.FOLDERS[0]}/{_REST}", Entry(kind="file", mode=0o644, text=rest)),
            SetParam("systemd.unit", _TARGET),
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by systemd's own lines: what came before the application comes behind it, and all of it comes."""
        files = Files.of(after.system)
        found = application_unit(files, after.system) if files is not None else None
        if before.diagnosis is None or after.diagnosis is None or found is None:
            return Effect(False, "only diagnostic boots of both show when units run")
        unit, _ = found
        was, now = units.times(before.diagnosis.log), units.times(after.diagnosis.log)
        if _TARGET in was or _TARGET not in now:
            return Effect(False, f"{_TARGET} is not what systemd reached")
        if unit.name not in was or unit.name not in now:
            return Effect(False, f"the log does not show {unit.name} in both")
        sooner = {name for name, ran in was.items() if ran.done_ns < was[unit.name].done_ns and _is_work(name)}
        lost = sorted(name for name in was if name not in now and _is_work(name))
        moved = sorted(name for name in sooner if name in now and now[name].done_ns > now[unit.name].done_ns)
        if not moved:
            return Effect(False, f"{unit.name} is started behind the same units as before")
        shown = ", ".join(moved[:_SHOWN])
        text = f"{len(moved)} of {len(sooner)} services and mounts are started behind {unit.name}: {shown} …"
        return Effect(True, text + (f"; no longer started: {', '.join(lost)}" if lost else "; none is missing"))


def _waits(files: Files, context: Context) -> tuple[str, ...]:
    """Return what mounts the file systems that the application writes to."""
    table = files.text(_TABLE) or ""
    rows = [line.split() for line in table.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if any(len(row) > 3 and row[1] not in _NOT_MOUNTED and "noauto" not in row[3].split(",") for row in rows):
        return (_MOUNTED,)
    return () if context.system.cmdline.has("rw") else _CHECKED


def _is_work(name: str) -> bool:
    return name.endswith((".service", ".mount"))
