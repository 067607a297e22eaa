# SPDX-License-Identifier: MIT
"""The board file that `bootlab board new` writes."""

from __future__ import annotations

TEMPLATE = """# How a board is reached, switched and measured. Try it: bootlab boot --board {file}
# docs/reference/board-file.md explains every key

name = "{name}"
# arch = "arm64"

# The first line that means "usable".
[goal]
console = "login:"

# The console: a tty, or a socket that gives raw bytes (tcp://HOST:PORT) or telnet (telnet://HOST:PORT).
[serial]
device = "{device}"
baud = 115200

# Commands that switch the board; both must return 0. Time begins when `on` has returned ("switched"), when it is
# started ("command"), with the first byte on the console ("console"), or when `on` says that it switched ("reported").
[power]
on = "{on}"
off = "{off}"
off_s = 1.0
zero = "switched"

# Instead of [serial] and [power]: a place of a labgrid coordinator (pip install 'bootlab[board]').
# [labgrid]
# place = "{name}"
# coordinator = "labgrid.local:20408"
# config = "environment.yaml"

# Or a host that is rebooted over ssh.
# [ssh]
# host = "root@{name}.local"

# How the board gets another system: a command for each part. `bootlab try --board` tries what these can deliver.
# [install]
# cmdline = 'printf %s "$BOARD_CMDLINE" > /srv/tftp/{name}/cmdline'
# kernel = 'cp "$BOARD_KERNEL" /srv/tftp/{name}/Image'
# once = 'ssh tftp.local boot-once {name} trial'
# roll_back = 'ssh tftp.local boot-once {name} good'

# When a boot is given up, in seconds.
[limits]
total_s = 180
stall_s = 60
prompt_s = 5
"""


def board_template(
    name: str = "board",
    *,
    file: str = "board.toml",
    device: str = "/dev/serial/by-id/ADAPTER",
    on: str = "uhubctl -l 1-1 -p 2 -a on",
    off: str = "uhubctl -l 1-1 -p 2 -a off",
) -> str:
    """Return the text of a board file to start from."""
    return TEMPLATE.format(name=name, file=file, device=device, on=on, off=off)
