"""A patch of a source tree, as a value."""

from __future__ import annotations

import msgspec


class KernelPatch(msgspec.Struct, frozen=True, kw_only=True):
    """A patch of a kernel's or boot loader's source: unified diff, one leading folder in its names (`patch -p1`)."""

    name: str
    text: str
