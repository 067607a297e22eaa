# SPDX-License-Identifier: MIT
"""The power switch of a virtual board: `switch.py SOCKET on|off|cycle|status|quit|fault NAME|counters`.

A program of the standard library alone, so that it starts in a moment. Ends with 1 and the board's words if the board
refuses.
"""

from __future__ import annotations

import socket
import sys

_ANSWER_S = 20.0


def ask(path: str, words: str) -> str:
    """Ask the board and return its answer. Raise OSError where there is no board."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_ANSWER_S)
        line.connect(path)
        line.sendall(words.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = line.recv(4096)
            if not piece:
                break
            answer += piece
    return answer.decode().strip()


def main(words: list[str]) -> int:
    """Pass one request on; return the exit code."""
    if len(words) < 2:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    try:
        answer = ask(words[0], " ".join(words[1:]))
    except OSError as fault:
        sys.stderr.write(f"there is no virtual board at {words[0]}: {fault}\n")
        return 1
    sys.stdout.write(f"{answer}\n")
    return 0 if answer.startswith("ok") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
