# SPDX-License-Identifier: MIT
"""rEFInd: stanzas of its refind.conf, and kernels that it finds, whose options refind_linux.conf beside them has.

rEFInd's manual: "Methods of Booting Linux", "Configuring the Boot Manager".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import msgspec

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.by_name import newest_in
from bootlab.sources.menus.paths import below_root

_FOLDERS = ("/boot", "", "/boot/efi", "/efi")
# "Title" "options", or options without quotes; `#` begins a comment.
_LINE = re.compile(r'\s*"(?P<title>[^"\n]*)"\s+(?:"(?P<quoted>(?:[^"\n]|"")*)"|(?P<bare>[^"\s#]\S*))')
_INITRD = re.compile(r"initrd=(\S+)")
_STANZAS_MAX = 100


def entries(view: FileView) -> Iterator[BootEntry]:
    """Give what rEFInd shows, the one first that it takes: its `default_selection`, else what stands first."""
    found = [*_stanzas_of(view), *_kernels(view)]
    wanted = _said(view).get("default_selection", "").split(",")[0].strip().strip('"')
    # It takes a part of a name, or a number; `+` stands for the one that was booted before.
    number = int(wanted) - 1 if wanted.isdecimal() else 0
    named = [index for index, entry in enumerate(found) if wanted and wanted in f"{entry.title} {entry.kernel}"]
    taken = named[0] if named else number
    for index, entry in enumerate(found):
        yield msgspec.structs.replace(entry, default=index == taken)


def _configs(view: FileView) -> Iterator[tuple[str, str]]:
    """Give the text of refind.conf with where its partition is mounted."""
    for folder in _FOLDERS:
        for place in ("EFI/refind", "EFI/BOOT"):
            if (text := view.text(f"{folder}/{place}/refind.conf")) is not None:
                yield text, folder


def _said(view: FileView) -> dict[str, str]:
    text, _ = next(_configs(view), ("", ""))
    lines = (line.split(None, 1) for line in text.splitlines())
    return {words[0]: words[1] for words in lines if len(words) == 2 and not words[0].startswith("#")}


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def _stanzas_of(view: FileView) -> Iterator[BootEntry]:
    """Give the stanzas that start Linux and are not disabled."""
    for text, folder in list(_configs(view))[:1]:
        scanned = _said(view).get("scanfor", "manual")
        if "manual" not in scanned:
            return
        for title, values in _stanzas(text):
            kernel = below_root(values.get("loader", "").replace("\\", "/"))
            if kernel == "/" or not kernel or "disabled" in values:
                continue
            # The file's own volume, unless the stanza names another one: then wherever it is found.
            base = folder if "volume" not in values and view.kind(f"{folder}{kernel}") == "file" else ""
            initrds = [word for word in values.get("initrd", "").replace("\\", "/").split() if word]
            named = _INITRD.findall(values.get("options", ""))
            yield BootEntry(
                title=title,
                kernel=f"{base}{kernel}",
                initrds=tuple(f"{base}{below_root(path.replace(chr(92), '/'))}" for path in (*initrds, *named)),
                cmdline=" ".join(_INITRD.sub("", values.get("options", "")).split()),
                source=f"{folder}/refind.conf",
            )


def _stanzas(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Give the title and the words of each `menuentry NAME {`; of the menus below them nothing."""
    values: dict[str, str] = {}
    title, depth = "", 0
    for line in text.splitlines():
        words = _words(line)
        if not words:
            continue
        if depth == 0 and words[0] == "menuentry" and words[-1] == "{":
            title, values, depth = " ".join(words[1:-1]), {}, 1
        elif depth and words[-1] == "{":
            depth += 1
        elif depth and words[0] == "}":
            depth -= 1
            if depth == 0:
                yield title, values
        elif depth == 1:
            values[words[0]] = " ".join(words[1:])


def _kernels(view: FileView) -> Iterator[BootEntry]:
    """Give the newest kernel of a folder with a refind_linux.conf, once for each of its lines; the first is taken."""
    for folder in _FOLDERS:
        path = f"{folder}/refind_linux.conf"
        text = view.text(path)
        kernel = newest_in(view, folder, path) if text is not None else None
        if text is None or kernel is None:
            continue
        version = kernel.kernel.rpartition("/")[2].partition("-")[2]
        for title, options in _options(text):
            named = tuple(f"/{name}" for name in _initrds(options, version))
            yield msgspec.structs.replace(
                kernel,
                title=title,
                initrds=named or kernel.initrds,
                cmdline=" ".join(_INITRD.sub("", options).split()),
            )
        return


def _options(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is not None:
            yield found["title"], (found["quoted"] or found["bare"] or "").replace('""', '"')


def _initrds(options: str, version: str) -> list[str]:
    """Return the initrds that options name; `%v` stands for the kernel's version, a backslash for a slash."""
    return [name.replace("%v", version).replace("\\", "/").lstrip("/") for name in _INITRD.findall(options)]
