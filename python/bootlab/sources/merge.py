# SPDX-License-Identifier: MIT
"""Several sources as one."""

from __future__ import annotations

import msgspec

from bootlab.sources.facts import SourceFacts


def with_root(found: SourceFacts, mounted: SourceFacts) -> SourceFacts:
    """Return a kernel that was found apart with its root: a kernel that lies in the root is not the one that starts."""
    return msgspec.structs.replace(
        found,
        disk=mounted.disk,
        root=mounted.root,
        what=f"{found.what}; {mounted.what}",
        arch=found.arch or mounted.arch,
    )


def merged(parts: list[SourceFacts]) -> SourceFacts:
    """Return several sources as one: what a later one has stands in for what an earlier one has."""
    first = parts[0]
    fields = ("arch", "kernel", "device_tree", "initramfs", "disk", "root", "tree", "entry", "log")
    for other in parts[1:]:
        given = {name: value for name in fields if (value := getattr(other, name)) is not None}
        first = msgspec.structs.replace(
            first,
            what=f"{first.what}; {other.what}",
            notes=(*first.notes, *other.notes),
            no_kernel=other.no_kernel or first.no_kernel,
            no_line=other.no_line or first.no_line,
            unknown=(*first.unknown, *other.unknown),
            entries=other.entries or first.entries,
            lacks=first.lacks | other.lacks,
            **given,
        )
    # A root of scripts may be told by one program of another processor; a kernel is for its own alone.
    own = next((part.arch for part in reversed(parts) if part.kernel is not None and part.arch is not None), None)
    return msgspec.structs.replace(first, arch=own) if own is not None else first
