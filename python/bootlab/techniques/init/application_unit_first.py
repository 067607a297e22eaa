"""Let systemd start the application's unit as early as it can."""

from __future__ import annotations

import re

from bootlab.model.change import Op, PutFile
from bootlab.model.tree import Entry
from bootlab.model.verdict import Effect
from bootlab.startup import units
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.tree_technique import SystemdTechnique, application_unit, no_unit

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
        "Writes the application's unit anew under `/etc/systemd/system`, without `After=`, `Wants=` and default "
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

    def applies_to(self, files: Files, context: Context) -> Applies:
        """Yes when a unit starts the application and waits for others."""
        found = application_unit(files, context.system)
        if found is None:
            return no_unit(context.system)
        unit, known = found
        waits = sorted(units.before(known, unit.name))
        if not unit.default_dependencies and not waits:
            return Applies.no("it waits for nothing", unit.path)
        return Applies.yes(f"{unit.name} waits for {len(waits)} units", ", ".join(waits))

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
        """Propose the unit's file and the link that starts it."""
        found = application_unit(files, context.system)
        if found is None:
            return ()
        unit, known = found
        link = f"{units.FOLDERS[0]}/{_WANTED_BY}.wants/{unit.name}"
        return (*early_units(known, unit), PutFile(link, Entry(kind="symlink", mode=0o777, target=f"../{unit.name}")))

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by systemd's own lines: the unit is started before its old predecessors are done."""
        files = Files.of(after.system)
        if before.diagnosis is None or after.diagnosis is None or files is None or not after.system.application:
            return Effect(False, "only diagnostic boots of both show when units run")
        unit = units.of_program(files, units.read(files), after.system.application)
        if unit is None:
            return Effect(False, "no unit of the tree starts the application")
        was, now = units.times(before.diagnosis.log), units.times(after.diagnosis.log)
        if unit.name not in was or unit.name not in now:
            return Effect(False, f"the log does not show {unit.name} in both")
        passed = [
            name
            for name, ran in was.items()
            if ran.done_ns < was[unit.name].done_ns and (name not in now or now[name].done_ns > now[unit.name].done_ns)
        ]
        if not passed:
            return Effect(False, f"{unit.name} is started behind the same units as before")
        shown = ", ".join(sorted(passed)[:4])
        return Effect(True, f"{unit.name} is started before {len(passed)} units that came first: {shown} …")


def early_units(known: dict[str, units.Unit], unit: units.Unit, after: tuple[str, ...] = ()) -> tuple[PutFile, ...]:
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
