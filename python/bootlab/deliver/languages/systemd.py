# SPDX-License-Identifier: MIT
"""systemd: the command line of `kernel-install`, drop-ins and masks below `/etc/systemd`."""

from __future__ import annotations

from bootlab.deliver.pieces import CmdlineWords, FilePut, Piece
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import contents_known, whole


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:  # noqa: ARG001 - as the others
    match piece:
        case CmdlineWords():
            unit.files["etc/kernel/cmdline"] = Text(f"{piece.line}\n")
        case FilePut() if contents_known(piece.entry) and piece.path.startswith("/etc/systemd/"):
            unit.files[piece.path[1:]] = piece.entry
        case _:
            unit.cannot(whole(piece))


SYSTEMD = Language(
    name="systemd",
    title="systemd: kernel-install, drop-ins",
    say=_say,
    use="""\
Copy `etc/` over the system's. `kernel-install add-all` writes the command line into the entries of systemd-boot and
into unified kernel images; `etc/kernel/cmdline` is the whole line, so compare `root=` with yours first.
""",
)
