# SPDX-License-Identifier: MIT
"""What to type to install a program, in the words of the system that bootlab runs on.

The code names Debian's packages; `host_packages.txt` says what they are called elsewhere. Which system this is stands
in `/etc/os-release` (freedesktop.org, os-release(5)): `ID`, and in `ID_LIKE` the systems that it comes from.
"""

from __future__ import annotations

import functools
from pathlib import Path

_COLUMNS = {"apt": 0, "dnf": 1, "pacman": 2, "zypper": 3, "apk": 4}
_WORDS = {
    "apt": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S --needed",
    "zypper": "zypper install",
    "apk": "apk add",
}
_BY_SYSTEM = {
    "debian": "apt",
    "ubuntu": "apt",
    "fedora": "dnf",
    "rhel": "dnf",
    "centos": "dnf",
    "arch": "pacman",
    "opensuse": "zypper",
    "suse": "zypper",
    "sles": "zypper",
    "alpine": "apk",
}


def manager() -> str:
    """Return what installs packages here: apt, dnf, pacman, zypper or apk; "" where the system does not say."""
    import platform  # noqa: PLC0415 - wanted where something is missing, and its import delays each start

    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return ""
    for name in (release.get("ID", ""), *release.get("ID_LIKE", "").split()):
        # openSUSE's names go on: opensuse-leap, opensuse-tumbleweed.
        if found := _BY_SYSTEM.get(name) or _BY_SYSTEM.get(name.partition("-")[0]):
            return found
    return ""


def install(packages: str) -> str:
    """Return the command that installs these packages of Debian's here, and a word on those without a known name.

    What is no name (`(the one of this compiler)`) stays as it is.
    """
    here = manager()
    if here == "apt" or packages.startswith("("):
        return f"{_WORDS['apt']} {packages}"
    if not here:
        return f"in Debian it comes with {packages}"
    names, unknown = [], []
    for package in dict.fromkeys(packages.split()):
        called = _table().get(package, ())
        if not called or called[_COLUMNS[here]] == "-":
            unknown.append(package)
        else:
            names += called[_COLUMNS[here]].split(",")
    command = f"{_WORDS[here]} {' '.join(dict.fromkeys(names))}" if names else ""
    without = f"no package is known here for what Debian has in {' '.join(unknown)}" if unknown else ""
    return f"{command}   ({without})" if command and without else command or without


@functools.cache
def _table() -> dict[str, tuple[str, ...]]:
    # Every command imports this module: importlib.resources would cost it 20 ms.
    text = Path(__file__).with_name("host_packages.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {row[0]: tuple(row) for row in rows}
