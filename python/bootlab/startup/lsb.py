# SPDX-License-Identifier: MIT
"""Which start scripts need which: the LSB headers in them, laid over the order in which they run today.

Format: Linux Standard Base 5.0, Core, "Comment Conventions for Init Scripts". Facilities that begin with `$` are names
of groups (insserv.conf); those that no script provides are taken to be there before the first one.
"""

from __future__ import annotations

import posixpath
import re

import msgspec

from bootlab.startup.files import TreeFiles

_HEADER = re.compile(r"^### BEGIN INIT INFO\s*$(.*?)^### END INIT INFO\s*$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^#[ \t]*([\w-]+):[ \t]*(.*)$", re.MULTILINE)
# insserv.conf of Debian, the part that start scripts of small systems provide by these names.
_GROUPS = {
    "$syslog": ("syslog", "syslogd", "rsyslog", "sysklogd", "busybox-syslogd"),
    "$network": ("network", "networking", "ifupdown"),
    "$local_fs": ("mountall", "mountfs", "local_fs"),
    "$remote_fs": ("mountnfs", "remote_fs", "mountall"),
    "$time": ("hwclock", "time", "ntp"),
    "$named": ("named", "bind9", "dnsmasq"),
    "$portmap": ("rpcbind", "portmap"),
}


class Header(msgspec.Struct, frozen=True):
    """What a script says of itself. `before`: facilities that want it started first (`X-Start-Before`)."""

    provides: tuple[str, ...]
    needs: tuple[str, ...]
    before: tuple[str, ...]


class StartOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The scripts in their order, and for each the earlier ones that must be done before it starts.

    `without_header`: they keep their place, behind everything before and in front of everything after. `contrary`:
    needs of something that runs later today, each in words: today's order is kept.
    """

    paths: tuple[str, ...]
    needs: dict[str, tuple[str, ...]]
    without_header: tuple[str, ...] = ()
    contrary: tuple[str, ...] = ()

    @property
    def levels(self) -> dict[str, int]:
        """Return how many scripts at least are one behind the other before each."""
        found: dict[str, int] = {}
        for path in self.paths:
            found[path] = 1 + max((found[need] for need in self.needs[path]), default=-1)
        return found


def header(text: str) -> Header | None:
    """Return a script's header, or None when it has none that says what it provides."""
    match = _HEADER.search(text)
    if match is None:
        return None
    fields = {name.lower(): tuple(value.split()) for name, value in _FIELD.findall(match[1])}
    if not fields.get("provides"):
        return None
    return Header(
        provides=fields["provides"],
        needs=(*fields.get("required-start", ()), *fields.get("should-start", ())),
        before=fields.get("x-start-before", ()),
    )


def order(files: TreeFiles, paths: tuple[str, ...]) -> StartOrder:
    """Return what must be kept of the order in which scripts run."""
    headers = {path: header(files.text(path) or "") for path in paths}
    place = {path: number for number, path in enumerate(paths)}
    needs: dict[str, set[str]] = {path: set() for path in paths}
    contrary: list[str] = []

    def add(first: str, then: str, why: str) -> None:
        if first == then:
            return
        if place[first] < place[then]:
            needs[then].add(first)
        else:
            contrary.append(f"{posixpath.basename(then)} {why} {posixpath.basename(first)}, which starts later")

    for path, said in headers.items():
        if said is None:
            needs[path].update(paths[: place[path]])
            for later in paths[place[path] + 1 :]:
                needs[later].add(path)
            continue
        for name in said.needs:
            for first in _providers(headers, name, paths, path):
                add(first, path, "needs")
        for name in said.before:
            for then in _providers(headers, name, paths, path):
                add(path, then, "wants to be before")
    return StartOrder(
        paths=paths,
        needs={path: tuple(sorted(found, key=place.__getitem__)) for path, found in needs.items()},
        without_header=tuple(path for path, said in headers.items() if said is None),
        contrary=tuple(dict.fromkeys(contrary)),
    )


def _providers(headers: dict[str, Header | None], name: str, paths: tuple[str, ...], asking: str) -> list[str]:
    if name == "$all":
        return [path for path in paths if path != asking and paths.index(path) < paths.index(asking)]
    names = (name, *_GROUPS.get(name, (name.removeprefix("$"),)))
    return [path for path, said in headers.items() if said is not None and set(said.provides).intersection(names)]
