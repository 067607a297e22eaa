# SPDX-License-Identifier: MIT
"""Several sources as one."""

from __future__ import annotations

import msgspec

from bootlab.sources.facts import SourceFacts


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
            unknown=(*first.unknown, *other.unknown),
            entries=other.entries or first.entries,
            lacks=first.lacks | other.lacks,
            **given,
        )
    return first
