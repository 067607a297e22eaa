# SPDX-License-Identifier: MIT
"""A patch that lets a driver probe its devices beside the rest of the boot, whatever the command line says.

Source: kernel, include/linux/device/driver.h, enum probe_type.
"""

from __future__ import annotations

import re

from bootlab.kernelsource.delay_patch import unified

LINE = ".probe_type = PROBE_PREFER_ASYNCHRONOUS,"
# Comments, strings and characters hold braces that are none.
_TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}]", re.DOTALL)
_DRIVER = re.compile(r"\bstruct\s+\w*_driver\s+(\w+)(?:\s+__\w+)*\s*=\s*\{")
# The generic driver inside: platform, I2C, SPI and PCI drivers call it driver, AMBA drivers drv.
_GENERIC = re.compile(r"\.(?:driver|drv)\s*=\s*\{")


def async_probe_patch(text: str, *, file: str, initcall: str) -> str | None:
    """Return a unified diff for the driver that an initcall registers.

    None if the driver is not found, or already says how to probe.
    """
    bodies = {name: body for name, body in _drivers(text) if body is not None}
    found = [body for name, body in bodies.items() if initcall in {f"{name}_init", name}] or list(bodies.values())
    if len(found) != 1:
        return None
    start, end = found[0]
    generic = _GENERIC.search(text, start, end)
    if generic is None or "probe_type" in text[start:end]:
        return None
    at = generic.end()
    # As deep as the line that follows.
    indent = re.match(r"\s*\n([ \t]*)", text[at:end])
    before = indent[1] if indent else "\t\t"
    return unified(text, f"{text[:at]}\n{before}{LINE}{text[at:]}", file)


def _drivers(text: str) -> list[tuple[str, tuple[int, int] | None]]:
    return [(match[1], _inside(text, match.end() - 1)) for match in _DRIVER.finditer(text)]


def _inside(text: str, brace: int) -> tuple[int, int] | None:
    """Return what stands between an opening brace and its closing one; None when it has none."""
    depth = 0
    for token in _TOKEN.finditer(text, brace):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return brace + 1, token.start()
    return None
