# SPDX-License-Identifier: MIT
"""systemd's units as files: what each is ordered behind, and which of them a unit had to wait for.

Only what decides the order is read: `After=`, `Before=`, what wants what, default dependencies (systemd.unit(5),
systemd.special(7)). Generated units are not there; neither are dependencies that exist only at run time.
"""

from __future__ import annotations

import posixpath
import re

import msgspec

from bootlab.startup.files import TreeFiles, norm

FOLDERS = ("/etc/systemd/system", "/usr/local/lib/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system")
UNITS_MAX = 5000
_LISTS = frozenset({"After", "Before", "Wants", "Requires", "Requisite", "BindsTo", "Upholds"})
_NEEDS = ("Requires", "Requisite", "BindsTo")
NAME = re.compile(r"[\w:.\\@-]{1,255}\.(?:service|socket|target|mount|automount|swap|path|timer|slice|scope|device)")
_DESCRIPTION = re.compile(r"^Description=(.*)$", re.MULTILINE)


class SystemdUnit(msgspec.Struct, frozen=True, kw_only=True):
    """One unit. `lists`: names by directive. `text`: its own file's. `masked`: it leads to /dev/null."""

    name: str
    path: str
    text: str = ""
    lists: dict[str, tuple[str, ...]] = {}
    default_dependencies: bool = True
    masked: bool = False
    description: str = ""
    programs: tuple[str, ...] = ()

    @property
    def wants(self) -> tuple[str, ...]:
        """Return what it starts."""
        return tuple(
            name for key in ("Wants", "Requires", "Requisite", "BindsTo", "Upholds") for name in self.lists.get(key, ())
        )


class UnitRun(msgspec.Struct, frozen=True):
    """When a unit was started and when that was done, on the log's clock; `start_ns` None: both at once."""

    name: str
    start_ns: int | None
    done_ns: int


def is_systemd(files: TreeFiles, init: str) -> bool:
    """Tell whether the first program is systemd."""
    return posixpath.basename(files.real(init)) == "systemd"


def read(files: TreeFiles) -> dict[str, SystemdUnit]:
    """Return the units of a tree by name; the first folder that has a name wins."""
    found: dict[str, SystemdUnit] = {}
    wanted: dict[str, list[str]] = {}
    drop_ins: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for path in files.below(folder):
            name = posixpath.basename(path)
            if name.endswith((".wants", ".requires")):
                owner = name.rpartition(".")[0]
                wanted.setdefault(owner, []).extend(posixpath.basename(link) for link in files.below(path))
            elif name.endswith(".d"):
                drop_ins.setdefault(name[:-2], []).extend(p for p in files.below(path) if p.endswith(".conf"))
            elif NAME.fullmatch(name) and name not in found and len(found) < UNITS_MAX:
                found[name] = _unit(files, name, path)
    for name in {n for names in wanted.values() for n in names if "@" in n}:
        template = f"{name.partition('@')[0]}@.{name.rpartition('.')[2]}"
        if name not in found and template in found:
            found[name] = msgspec.structs.replace(found[template], name=name)
    for name, unit in found.items():
        extra = _parse("\n".join(files.text(path) or "" for path in drop_ins.get(name, ())))
        lists = {k: (*unit.lists.get(k, ()), *extra[0].get(k, ())) for k in unit.lists.keys() | extra[0].keys()}
        lists["Wants"] = (*lists.get("Wants", ()), *wanted.get(name, ()))
        found[name] = msgspec.structs.replace(unit, lists=lists, programs=extra[2] or unit.programs)
    return found


def _unit(files: TreeFiles, name: str, path: str) -> SystemdUnit:
    entry = files.entries.get(norm(path))
    if entry is not None and entry.kind == "symlink" and entry.target == "/dev/null":
        return SystemdUnit(name=name, path=path, masked=True)
    return unit_of(name, path, files.text(path) or "")


def unit_of(name: str, path: str, text: str) -> SystemdUnit:
    """Return the unit that a file's text describes."""
    lists, default, programs = _parse(text)
    said = _DESCRIPTION.search(text)
    return SystemdUnit(
        name=name,
        path=path,
        text=text,
        lists=lists,
        default_dependencies=default,
        description=said[1].strip() if said is not None else "",
        programs=programs,
    )


def _parse(text: str) -> tuple[dict[str, tuple[str, ...]], bool, tuple[str, ...]]:
    lists: dict[str, list[str]] = {}
    default = True
    programs: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals or key.startswith(("#", ";")):
            continue
        if key in _LISTS:
            lists.setdefault(key, []).extend(value.split())
        elif key == "DefaultDependencies":
            default = value.strip().lower() not in {"no", "false", "off", "0"}
        elif key == "ExecStart" and value.split():
            programs.append(value.split()[0].lstrip("@-:+!"))
    return {k: tuple(v) for k, v in lists.items()}, default, tuple(programs)


def of_program(files: TreeFiles, units: dict[str, SystemdUnit], program: str) -> SystemdUnit | None:
    """Return the service that starts a program, or None."""
    wanted = files.real(program)
    return next((u for u in units.values() if any(files.real(p) == wanted for p in u.programs if p[:1] == "/")), None)


def with_required(units: dict[str, SystemdUnit], unit: SystemdUnit) -> tuple[SystemdUnit, ...]:
    """Return a service behind the services that it cannot run without, those first that others need."""
    found: dict[str, SystemdUnit] = {}

    def add(one: SystemdUnit) -> None:
        if one.name in found:
            return
        found[one.name] = one
        for name in (n for key in _NEEDS for n in one.lists.get(key, ())):
            if name.endswith(".service") and name in units and units[name].text and not units[name].masked:
                add(units[name])

    add(unit)
    return tuple(reversed(found.values()))


def before(units: dict[str, SystemdUnit], name: str) -> set[str]:
    """Return the units that one is ordered directly behind."""
    unit = units.get(name) or SystemdUnit(name=name, path="")
    found = set(unit.lists.get("After", ()))
    found |= {other.name for other in units.values() if name in other.lists.get("Before", ())}
    if unit.default_dependencies:
        if name.endswith(".target"):
            found |= set(unit.wants)
        elif name.endswith((".service", ".path", ".timer")):
            found |= {"sysinit.target", "basic.target"}
        elif name.endswith(".socket"):
            found.add("sysinit.target")
    return found


def critical_chain(units: dict[str, SystemdUnit], ran: dict[str, UnitRun], name: str) -> list[UnitRun]:
    """Return the unit and, step by step, the one whose end it waited for: what was done last of those before it."""
    chain: list[UnitRun] = []
    here = ran.get(name)
    while here is not None and here.name not in {r.name for r in chain}:
        chain.append(here)
        begun = here.start_ns if here.start_ns is not None else here.done_ns
        earlier = [ran[n] for n in before(units, here.name) if n in ran and ran[n].done_ns <= begun]
        here = max(earlier, key=lambda r: r.done_ns, default=None)
    return chain
