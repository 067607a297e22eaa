# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a row of a Markdown table is one line
"""`system-file.md`: every key of a system file. A key without a description here, or the reverse, is an error."""

from __future__ import annotations

import types
import typing

import msgspec

from bootlab.costs import named
from bootlab.model.key import keys
from bootlab.systemfile import raw, raw_loader, raw_tree, template
from reference_pages.markdown import code, table

_INTRODUCTION = """\
# System file

A TOML file describes a *system*: everything that is booted. `bootlab new FILE.toml` writes a commented one (shown at
the end of this page). A key that does not exist is an error that names the file, the key and the nearest known one.

* Paths are relative to the system file. `~`, `$NAME` and `${NAME}` are expanded in paths; `$$` is a dollar sign. A variable
  that is not set is an error.
* Patterns are Python regular expressions, searched in each console line without terminal control sequences and without
  carriage return. In TOML, 'single quotes' keep a backslash as it is. A pattern that also matches an empty line is refused.
* With `target = "replay"` nothing is built, so files and variables need not exist.

"""
_TABLES: tuple[tuple[str, type[msgspec.Struct], str], ...] = (
    ("", raw.RawSystem, "Keys at the top of the file, before the first table."),
    ("machine", raw.RawMachine, "The emulated machine, with QEMU's names."),
    ("clock", raw.RawClock, "How time runs: see [exact mode](../explanation/exact-mode.md)."),
    ("kernel", raw.RawKernel, "The kernel and its command line."),
    (
        "initramfs",
        raw_tree.RawInitramfs,
        "What bootlab packs: an archive, then a folder, then single entries. Later ones override earlier ones.",
    ),
    (
        "root",
        raw_tree.RawRoot,
        "What is on a medium of the machine: a tree that bootlab packs as a file system, or an existing image. An `[initramfs]` in the same file must mount it. If `cmdline` has no `root=`, bootlab adds the parameters that mount the root. See [boot from a medium](../how-to/boot-from-a-medium.md).",
    ),
    (
        "initramfs.files",
        raw_tree.RawEntry,
        'One entry per line: `"/path" = { … }`, with exactly one of the eight kinds. `[root.files]` has the same form.',
    ),
    (
        "initramfs.files.busybox",
        raw_tree.RawBusybox,
        "A BusyBox built from source, static, for `machine.arch`; needs `scripts/fetch-busybox-source.sh` once.",
    ),
    (
        "programs",
        raw_tree.RawProgram,
        'Programs of the tree that are [built from source](../how-to/build-programs.md): a table `[programs."/usr/bin/app"]` each.',
    ),
    (
        "costs",
        named.RawCosts,
        "What a board adds to exact boots: with it `try`, `stack` and `optimize` decide by the board's time. A file for `--costs` has the same keys at its top. See [the board's time](../explanation/board-time.md).",
    ),
    ("costs.console", named.RawConsole, "The serial line of the board's console."),
    ("costs.medium", named.RawMedium, "What the board's boot loader reads kernel and initramfs from."),
    ("costs.core", named.RawCore, "The board's processor."),
    (
        "storage",
        raw.RawStorage,
        "Where a root file system can be on the board, for [`bootlab fs`](../how-to/compare-file-systems.md).",
    ),
    (
        "earlier",
        raw.RawEarlier,
        "Boots that the system has behind it when it is measured; without the table its first boot is. In exact mode, with one processor. See [measure a later boot](../how-to/measure-a-later-boot.md).",
    ),
    (
        "shutdown",
        raw.RawShutdown,
        "The way down is measured, from when the system is asked to the kernel's last function, in place of the boot. In exact mode, with one processor. See [measure a shutdown](../how-to/measure-a-shutdown.md).",
    ),
    (
        "loader",
        raw_loader.RawLoader,
        "The boot loader on the machine's card. See [boot with a boot loader](../how-to/boot-with-a-boot-loader.md).",
    ),
    (
        "steps",
        raw.RawStep,
        "One `[[steps]]` per step, for [`bootlab steps`](../how-to/shorten-an-application.md); other commands ignore them. A step needs `shown`, `gone` or `technique` as its proof.",
    ),
    ("goal", raw.RawGoal, "First available use."),
    ("check", raw.RawCheck, "The functional check: what must still work in a faster system."),
    ("limits", raw.RawLimits, "When bootlab gives a boot up. Virtual limits have the same effect on every machine."),
)
_KEYS: dict[str, str] = {
    "initramfs.owners": "see `root.owners`",
    "initramfs.dir": "a folder whose tree is packed, or a list of folders; later ones override earlier ones",
    "initramfs.archive": "an existing initramfs (cpio, compressed or not, several segments). Alone in its table it boots as the file it is. With `dir`, `files`, `compression` or `level`, or when a technique changes the tree, it is unpacked and packed again",
    "initramfs.keep": "absolute paths that slimming never removes",
    "initramfs.files": "single entries, below",
    "root.dir": "see `initramfs.dir`",
    "root.archive": "see `initramfs.archive`",
    "root.keep": "see `initramfs.keep`",
    "root.files": "see `initramfs.files`",
    "steps.owners": "see `root.owners`",
    "steps.dir": "a folder, or a list of folders, copied over the tree",
    "steps.archive": "an archive like `initramfs.archive`, unpacked over the tree",
    "steps.files": "single entries, like `initramfs.files`; they override both",
    "root.owners": "`root`: all files of `dir` belong to root. `kept`: to their owners on this machine (a tree that root unpacked)",
}


def render() -> str:
    """Return the page. Raise LookupError when keys and descriptions differ."""
    parts = [_INTRODUCTION]
    seen: set[str] = set()
    for name, struct, text in _TABLES:
        rows = []
        said = keys(struct)
        hints = typing.get_type_hints(struct)
        for field in msgspec.structs.fields(struct):
            key = f"{name}.{field.name}" if name else field.name
            if name in {"", "costs"} and key in {n for n, _, _ in _TABLES}:
                continue
            if field.name not in said:
                seen.add(key)
            described = said.get(field.name)
            meaning = _KEYS.get(key, "") if described is None else described.description
            rows.append((code(field.name), _type(hints[field.name]), _default(field), meaning))
        title = f"`[{name}]`" if name else "Top of the file"
        parts += [f"## {title}\n\n{text}\n\n", table(("key", "type", "default", "meaning"), rows), "\n"]
        if struct is named.RawMedium:
            parts += ["\nThe media that bootlab knows, slowest end to fastest:\n\n", _media(), "\n"]
    if seen != _KEYS.keys():
        raise LookupError(f"keys and descriptions of the system file differ: {sorted(seen ^ _KEYS.keys())}")
    parts.append(f"## The file that `bootlab new` writes\n\n```toml\n{template('my-system')}```\n")
    return "".join(parts)


def _media() -> str:
    rows = (
        (code(medium.name), medium.bytes_per_s.text(1e6), medium.request_ns.text(1e3), medium.source)
        for medium in named.media().values()
    )
    return table(("medium", "MB/s", "us a request", "source"), rows)


def _type(hint: object) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return " / ".join(code(a) for a in arguments)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_type(a) for a in arguments if a is not type(None))
    if origin is tuple and ... not in arguments:
        return "[low, high]" if float in arguments else "[major, minor]"
    if origin in {list, tuple}:
        return "list of texts"
    if origin is dict:
        return "table"
    names = {str: "text", int: "integer", float: "number", bool: "true / false"}
    return names.get(hint, "table") if isinstance(hint, type) else "table"


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return ""
    if field.default is msgspec.NODEFAULT:
        return "must be given"
    if field.default in {None, "", ()}:
        return ""
    if isinstance(field.default, bool):
        return code(str(field.default).lower())
    return code(f'"{field.default}"' if isinstance(field.default, str) else field.default)
