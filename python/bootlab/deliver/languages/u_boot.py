# SPDX-License-Identifier: MIT
"""U-Boot: fragments of its configuration, and its environment."""

from __future__ import annotations

from bootlab.deliver.pieces import CmdlineWords, LoaderOptions, Piece
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.deliver.words import fragment, whole


def _say(unit: ChangeFiles, slug: str, piece: Piece) -> None:
    match piece:
        case LoaderOptions():
            unit.files[f"{slug}.config"] = Text(fragment(piece.options))
        case CmdlineWords():
            unit.files["bootargs.env"] = Text(f"bootargs={piece.line}\n")
        case _:
            unit.cannot(whole(piece))


U_BOOT = Language(
    name="u-boot",
    title="U-Boot",
    say=_say,
    use="""\
In U-Boot's source, after `make BOARD_defconfig`:

    scripts/kconfig/merge_config.sh -m .config FOLDER/*.config && make olddefconfig

`bootargs.env` is the whole command line, for `env import -t` or for `board/VENDOR/BOARD/BOARD.env`. Where your board
boots by `extlinux.conf`, a script or a FIT image, the command line stands there, and `bootargs` of the environment
is not used.
""",
)
