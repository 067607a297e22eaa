# SPDX-License-Identifier: MIT
"""`python -m bootlab.boards.virtual WIRING.json`: one virtual board, until its switch says `quit`."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import msgspec

from bootlab.boards.virtual.program import VirtualBoard, Wiring


def main() -> int:
    """Run the board that a file describes."""
    wiring = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Wiring, dec_hook=lambda kind, text: kind(text))
    threading.Thread(target=_die_with_parent, daemon=True).start()
    VirtualBoard(wiring).run()
    return 0


def _die_with_parent() -> None:
    """End when whoever started this board is gone: its end of standard input closes then."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    raise SystemExit(main())
