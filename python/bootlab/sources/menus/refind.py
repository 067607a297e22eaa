# SPDX-License-Identifier: MIT
"""rEFInd: it finds kernels itself; refind_linux.conf beside them has their options ("Methods of Booting Linux")."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.by_name import newest_in

_FOLDERS = ("/boot", "", "/boot/efi", "/efi")
# "Title" "options", or options without quotes; `#` begins a comment.
_LINE = re.compile(r'\s*"(?P<title>[^"\n]*)"\s+(?:"(?P<quoted>(?:[^"\n]|"")*)"|(?P<bare>[^"\s#]\S*))')
_INITRD = re.compile(r"initrd=(\S+)")


def entries(view: FileView) -> Iterator[BootEntry]:
    """Give the newest kernel of a folder with a refind_linux.conf, once for each of its lines; the first is taken."""
    for folder in _FOLDERS:
        path = f"{folder}/refind_linux.conf"
        text = view.text(path)
        kernel = newest_in(view, folder, path) if text is not None else None
        if text is None or kernel is None:
            continue
        version = kernel.kernel.rpartition("/")[2].partition("-")[2]
        for number, (title, options) in enumerate(_options(text)):
            named = tuple(f"/{name}" for name in _initrds(options, version))
            yield msgspec.structs.replace(
                kernel,
                title=title,
                initrds=named or kernel.initrds,
                cmdline=" ".join(_INITRD.sub("", options).split()),
                default=number == 0,
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
