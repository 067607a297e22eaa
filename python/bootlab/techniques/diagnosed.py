# SPDX-License-Identifier: MIT
"""What a diagnostic boot saw in /proc that more than one technique asks for: the root, and the loaded modules."""

from __future__ import annotations

from bootlab.techniques.base import Context


def mounted_root(context: Context) -> tuple[str, str] | None:
    """Return the device and the type of what the diagnostic boot shows mounted on `/`."""
    text = context.diagnosis.proc.get("mounts", "") if context.diagnosis is not None else ""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 2 and words[1] == "/" and words[0].startswith("/dev/"):
            return words[0], words[2]
    return None


def users_of_modules(context: Context) -> dict[str, set[str]]:
    """Return the modules that the diagnostic boot had loaded, the newest first, each with those that rest on it."""
    users: dict[str, set[str]] = {}
    for line in context.diagnosis.proc.get("modules", "").splitlines() if context.diagnosis is not None else ():
        words = line.split()
        if len(words) > 3:
            users[words[0]] = {name for name in words[3].split(",") if name and name != "-"}
    return users


def loaded_modules(context: Context) -> tuple[str, ...]:
    """Return the names of the modules that the diagnostic boot had loaded, as /proc/modules has them."""
    return tuple(users_of_modules(context))
