# SPDX-License-Identifier: MIT
"""The options of a gate on what a command tells: `--run 'ssh vm systemd-analyze'`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.options import Group, Option
from bootlab.cli.session import say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.values import Side
    from bootlab.cli.gate_options import Measured


class TellingCommand(Group):
    """A command whose output tells a boot, and how often it is run."""

    run: Annotated[
        str | None,
        Option(
            metavar="CMD",
            help="Judge what this command prints instead of NEW: `systemd-analyze`, `journalctl -b -o json` or "
            "`dmesg`, through ssh or as you like. Only its standard output is read.",
        ),
    ] = None
    repeat: Annotated[int, Option(least=1, most=1000, help="With --run: run it this many times.")] = 1
    reboot: Annotated[
        str | None,
        Option(metavar="CMD", help="With --run and --repeat: the command that starts the machine again in between."),
    ] = None
    wait: Annotated[
        int,
        Option(
            least=1,
            most=86400,
            metavar="SECONDS",
            help="With --run: wait this long for the machine to come back and to finish starting.",
        ),
    ] = 300
    keep: Annotated[
        Path | None, Option(metavar="FOLDER", help="With --run: write what it printed to files, one each time.")
    ] = None

    def side(self, words: list[str], measured: Measured) -> Side | None:
        """Run the command and return its boots; None where none is given. Raise UserError for options that clash."""
        if self.run is None:
            if self.reboot is not None or self.keep is not None or self.repeat != 1:
                raise UserError("--repeat, --reboot and --keep need --run CMD", hint="--run 'ssh vm systemd-analyze'")
            return None
        if words:
            raise UserError(
                f"{words[0]} and --run: which of them is judged?",
                hint="name the base behind --against, or leave it out",
            )
        from bootlab.api.history import told_by  # noqa: PLC0415 - `--help` must not wait for it

        return told_by(
            self.run,
            repeat=self.repeat,
            reboot=self.reboot,
            wait_s=self.wait,
            keep=self.keep,
            application=measured.application,
            goal=measured.goal,
            waiting=say,
        )
