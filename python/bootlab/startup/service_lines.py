# SPDX-License-Identifier: MIT
"""When services ran that an init other than systemd starts, by what it prints. The core knows each init's lines."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bootlab import _core
from bootlab.model.service import Service
from bootlab.model.terminal import without_control

_LINE_MAX = 400


def read(lines: Iterable[tuple[int, str, int | None, int | None]]) -> tuple[Service, ...]:
    """Return the services of lines: number, text, when its first byte came and when its last did."""
    shown = []
    for number, text, first_ns, last_ns in lines:
        if first_ns is None:
            continue
        # The cursor goes back to write `[ ok ]` over a line's beginning or its end.
        plain = without_control(text[: 2 * _LINE_MAX])[:_LINE_MAX].replace("\r", "").rstrip()
        kernels = _core.kernel_part(plain)
        if kernels is not None:
            # Android's init and upstart write to the kernel's log.
            said = _core.kernel_message(kernels)
            plain = said if said.startswith("init: ") else plain.removesuffix(kernels)
        shown.append((number, plain, first_ns, last_ns if last_ns is not None else first_ns))
    return tuple(msgspec.json.decode(_core.services(shown), type=list[Service]))
