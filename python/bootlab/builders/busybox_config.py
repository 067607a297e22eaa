# SPDX-License-Identifier: MIT
"""What a BusyBox source tree says of its applets, and configurations that hold only some of them.

Each applet stands in a comment of its source file, `//applet:IF_MOUNT(APPLET(mount, BB_DIR_BIN, ...))`, out of which
BusyBox's own `scripts/gen_build_files.sh` makes `include/applets.h`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from bootlab.errors import UserError

_APPLET = re.compile(r"^//applet:((?:IF_\w+\(\s*)+)APPLET\w*\(\s*([^,\s]{1,64})\s*,", re.MULTILINE)
_CONDITION = re.compile(r"IF_(\w+)\(")
_UNDEFINED = re.compile(r"undefined reference to [`']([A-Za-z_]\w{0,127})'")
_LIBRARY = "libbb"
_OPTIONAL = re.compile(r"lib-\$\(CONFIG_\w+\)\s*\+=\s*([\w. -]+)")
_ALWAYS_BUILT = re.compile(r"lib-y\s*\+=\s*([\w. -]+)")
_MAX_SOURCE_BYTES = 4 << 20
# What `sh` is; exactly one of them is set (shell/Config.in: "Choose which shell is aliased to 'sh' name").
_SH = ("SH_IS_ASH", "SH_IS_HUSH", "SH_IS_NONE")
# What is in every BusyBox of ours, whatever the base: it stands alone in a root tree.
_ALWAYS = {"STATIC": "y"}
# The first is an applet only so that its name can be completed; scripts are given when BusyBox itself is built.
_NO_APPLETS = frozenset({"busybox"})


def applet_options(source: Path) -> dict[str, tuple[str, ...]]:
    """Return, for each applet, the options without which it is not there (names without `CONFIG_`)."""
    found: dict[str, tuple[str, ...]] = {}
    for file in sorted(source.glob("*/**/*.c")):
        if file.stat().st_size > _MAX_SOURCE_BYTES:
            continue
        for match in _APPLET.finditer(file.read_text(encoding="utf-8", errors="replace")):
            if match[2] not in _NO_APPLETS:
                found.setdefault(match[2], tuple(c for c in _CONDITION.findall(match[1]) if not c.startswith("NOT_")))
    return found


def reduced(
    base: Mapping[str, str],
    known: Mapping[str, tuple[str, ...]],
    applets: Iterable[str],
    options: Iterable[tuple[str, str]],
) -> dict[str, str]:
    """Return the base with these applets and no others (all of the base's where none is given), and options set.

    Raise UserError for an applet that the source does not have.
    """
    wanted = tuple(applets)
    result = dict(base)
    if wanted:
        kept: set[str] = set()
        for applet in wanted:
            if applet not in known:
                raise UserError(
                    f"BusyBox has no applet {applet!r}", hint="its applets: busybox --list   (names, not paths)"
                )
            kept.update(known[applet])
        every = {option for conditions in known.values() for option in conditions if not option.startswith("FEATURE_")}
        result |= {option: "y" if option in kept else "n" for option in sorted(every | kept)}
        shell = next((option for option in _SH if option in kept), "SH_IS_NONE")
        result |= {option: "y" if option == shell else "n" for option in _SH}
        # The shells themselves, which are not what the applets `sh` and `bash` ask for.
        for name, family in (("ASH", "SH_IS_ASH"), ("HUSH", "SH_IS_HUSH")):
            if family in kept:
                result |= {name: "y", f"SHELL_{name}": "y"}
            result[f"SHELL_{name}"] = "y" if result.get(name) == "y" or family in kept else "n"
    return result | _ALWAYS | dict(options)


def refused(asked: Mapping[str, str], got: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the first of some options that BusyBox's own configurator did not take, as `NAME=value`; "" for none."""
    for name in names:
        if asked.get(name, "n") != got.get(name, "n"):
            return f"{name}={asked.get(name, 'n')}"
    return ""


def undefined(log: str) -> tuple[str, ...]:
    """Return the symbols that a linker's log says nothing defines."""
    return tuple(dict.fromkeys(_UNDEFINED.findall(log)))


def build_what_defines(source: Path, symbols: Iterable[str]) -> tuple[str, ...]:
    """Have a source tree build the library files that define symbols, whatever its options; return their names.

    Some applets use a function of BusyBox's library without their option standing beside its file in
    `libbb/Kbuild.src`: with all applets nobody sees it, with `cut` alone nothing links (1.35: xregcomp()). What is in
    the library and not used is not linked.
    """
    kbuild = source / _LIBRARY / "Kbuild.src"
    if not kbuild.is_file():
        return ()
    lines = kbuild.read_text(encoding="utf-8", errors="replace").splitlines()
    always = {name for line in lines if (match := _ALWAYS_BUILT.match(line)) for name in match[1].split()}
    optional = dict.fromkeys(name for line in lines if (match := _OPTIONAL.match(line)) for name in match[1].split())
    wanted = [re.compile(rf"^\w[\w \t*]*\b{re.escape(symbol)}[ \t]*\([^;]*$", re.MULTILINE) for symbol in symbols]
    found = []
    for name in optional:
        file = source / _LIBRARY / f"{name.removesuffix('.o')}.c"
        if name in always or not file.is_file() or file.stat().st_size > _MAX_SOURCE_BYTES:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if any(pattern.search(text) for pattern in wanted):
            found.append(name)
    if found:
        kbuild.write_text("\n".join([*lines, f"lib-y += {' '.join(found)}", ""]), encoding="utf-8")
    return tuple(found)
