# SPDX-License-Identifier: MIT
"""The report of bootlab's agent, out of the console of a diagnostic boot.

Format: `guest/agent/report.h`. The console is hostile: anybody in the booted system may print such lines, cut or mixed
with others. What does not parse is left out, and then the report is not `complete`.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

import msgspec

from bootlab.model.accesses import METHODS, Access, Kind, MethodState
from bootlab.model.recording import FileRead

AGENT = "/bootlab-agent"
"""Where it is in a diagnostic system."""

CONSOLE_MAX_BYTES = 64 << 20
LINES_MAX = 500_000
LINE_MAX_BYTES = 16 << 10

_PREFIX = b"@BL1 "
_BEGIN = re.compile(rb"^@BL1 begin\r*$", re.MULTILINE)
_END = re.compile(rb"end (\d{1,9})")
_FILE = re.compile(rb"file ([R-]) (\d{1,18}) (/\S*)")
_LINK = re.compile(rb"link (/\S*)")
_PROC = re.compile(rb"proc ([a-z]{1,32}) (.*)", re.DOTALL)
_METHOD = re.compile(rb"method ([a-z]{1,11}) (yes|no) (.*)", re.DOTALL)
_SEEN = re.compile(rb"seen ([a-z]{1,11}) ([bc]) ([roxdln]) (\S+) (\S+)")
_KINDS: dict[bytes, Kind] = {
    b"r": "read",
    b"o": "opened",
    b"x": "executed",
    b"d": "listed",
    b"l": "followed",
    b"n": "named",
}
_METHOD_NAMES = {name.encode(): name for name in METHODS}
_EXIT = re.compile(rb"exit (\d{1,3})")
_BAD_ESCAPE = re.compile(rb"%(?![0-9a-f]{2})")


class AgentReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent saw.

    `links` were followed; `output` and `exit_status` are those of the check's command, `trace` the kernel tracer's;
    `methods` and `seen` are of a boot that watched accesses. `complete`: nothing was cut off, mixed up or left out.
    """

    files: tuple[FileRead, ...] = ()
    links: tuple[str, ...] = ()
    methods: tuple[MethodState, ...] = ()
    seen: tuple[Access, ...] = ()
    proc: dict[str, str] = {}
    log: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    exit_status: int | None = None
    trace: tuple[str, ...] = ()
    complete: bool = False


def parse(console: bytes) -> AgentReport:
    """Read the last report on a console. An empty one, not complete, when there is none.

    Bytes that are not UTF-8 become backslash escapes; control characters stay what they were, for the reader to escape.
    """
    window = console[-CONSOLE_MAX_BYTES:]
    start = None
    for found in _BEGIN.finditer(window):
        start = found.end()
    if start is None:
        return AgentReport()
    reading = _Reading()
    position = start + 1
    while position < len(window) and not reading.ended:
        end = window.find(b"\n", position)
        if end < 0:
            break
        reading.line(window[position:end])
        position = end + 1
    return reading.report()


class _Reading:
    """The state between the lines of one report."""

    def __init__(self) -> None:
        self.ended = False
        self._whole = False
        self._count = 0
        self._damaged = False
        self._files: dict[str, FileRead] = {}
        self._links: dict[str, None] = {}
        self._methods: list[MethodState] = []
        self._seen: list[Access] = []
        self._proc: dict[str, list[str]] = {}
        self._log: list[str] = []
        self._output: list[str] = []
        self._exit: int | None = None
        self._trace: list[str] = []

    def line(self, raw: bytes) -> None:
        """Take one line of the console, with or without its carriage return."""
        raw = raw.rstrip(b"\r")
        if not raw.startswith(_PREFIX):
            # Somebody else printed between two of our lines, which costs nothing; inside one, that one is damaged.
            self._damaged = self._damaged or _PREFIX in raw
            return
        body = raw[len(_PREFIX) :]
        if found := _END.fullmatch(body):
            self.ended = True
            self._whole = int(found[1]) == self._count
            return
        self._count += 1
        if self._count > LINES_MAX or len(body) > LINE_MAX_BYTES or not self._take(body):
            self._damaged = True

    def _take(self, body: bytes) -> bool:
        if _BAD_ESCAPE.search(body):
            return False
        if body.startswith(b"log "):
            self._log.append(_text(body[4:]))
        elif body.startswith(b"trace "):
            self._trace.append(_text(body[6:]))
        elif body.startswith(b"run "):
            self._output.append(_text(body[4:]))
        elif found := _EXIT.fullmatch(body):
            self._exit = int(found[1])
        elif (found := _SEEN.fullmatch(body)) and found[1] in _METHOD_NAMES:
            self._seen.append(
                Access(
                    path=_text(found[5]),
                    method=_METHOD_NAMES[found[1]],
                    kind=_KINDS[found[3]],
                    phase="check" if found[2] == b"c" else "boot",
                    who="" if found[4] == b"?" else _text(found[4]),
                )
            )
        elif (found := _METHOD.fullmatch(body)) and found[1] in _METHOD_NAMES:
            text = _text(found[3])
            self._methods.append(MethodState(name=_METHOD_NAMES[found[1]], works=found[2] == b"yes", text=text))
        elif found := _FILE.fullmatch(body):
            path = _text(found[3])
            self._files[path] = FileRead(path=path, read=found[1] == b"R", size_bytes=int(found[2]))
        elif found := _LINK.fullmatch(body):
            self._links[_text(found[1])] = None
        elif found := _PROC.fullmatch(body):
            self._proc.setdefault(found[1].decode("ascii"), []).append(_text(found[2]))
        else:
            return False
        return True

    def report(self) -> AgentReport:
        """Return what was read."""
        return AgentReport(
            files=tuple(self._files.values()),
            links=tuple(self._links),
            methods=tuple(self._methods),
            seen=tuple(self._seen),
            proc={name: "\n".join(lines) for name, lines in self._proc.items()},
            log=tuple(self._log),
            output=tuple(self._output),
            exit_status=self._exit,
            trace=tuple(self._trace),
            complete=self.ended and self._whole and not self._damaged,
        )


def _text(escaped: bytes) -> str:
    return unquote_to_bytes(escaped).decode("utf-8", "backslashreplace")
