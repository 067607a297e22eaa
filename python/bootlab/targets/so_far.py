# SPDX-License-Identifier: MIT
"""What a boot that goes on for long without its goal shows so far: said once, while it runs.

What its files tell beforehand is said at once.

A boot is given up in virtual time, which a program that computes for ever may need minutes of the host's to fill.
"""

from __future__ import annotations

from pathlib import Path

from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings.console import split_lines

_LOOK_EVERY_S = 1.0
# A loaded host makes every silence long, and a kernel is silent for seconds when it tests its ciphers.
_SILENT_S, _SILENT_NS = 3.0, 1_000_000_000
_KERNEL_SILENT_NS = 8_000_000_000
# A large kernel unpacks for some seconds before its first line.
_NO_BYTE_NS = 5_000_000_000
_TAIL_BYTES = 256 << 10


class SoFar:
    """Looks at a running boot's console now and then: one sentence on a silence, one on what needs none.

    And one on its files, before its console has a line.
    """

    def __init__(self, console: Path, system: SystemDescription) -> None:
        """Look at a console that grows."""
        self._console = console
        self._system = system
        self._looked = 0.0
        self._said = self._sure = False
        self._files_looked_at = False

    def word(self, wall_s: float, quiet_wall_s: float, quiet_virtual_ns: int | None) -> str:
        """Return what is likely to be wrong, the first time that it shows; else an empty text.

        All times are since the boot began or its console grew. `quiet_virtual_ns`: None where no virtual time is known.
        """
        if not self._files_looked_at:
            self._files_looked_at = True
            # Loaded while the machine runs: it would keep it waiting.
            from bootlab.preflight import expectation  # noqa: PLC0415

            if expected := expectation.likely(self._system):
                return f"expected: {expected}"
        if self._sure or wall_s - self._looked < _LOOK_EVERY_S or wall_s < _SILENT_S:
            return ""
        self._looked = wall_s
        # Loaded when a boot is long, not before the machine starts.
        from bootlab.hints import user_space as user_space_hint  # noqa: PLC0415
        from bootlab.hints.failure import likely_cause  # noqa: PLC0415

        lines = split_lines(self._tail())
        if not lines:
            return self._nothing(quiet_wall_s, quiet_virtual_ns)
        found = user_space_hint.repeats(lines) or user_space_hint.memory_ran_out(lines)
        self._sure = bool(found)
        if self._said and not found:
            return ""
        silent = quiet_wall_s >= _SILENT_S and (quiet_virtual_ns is None or quiet_virtual_ns >= _SILENT_NS)
        if not found and silent:
            seen = Recording(meta=Meta(outcome=Outcome.HANG), lines=lines, marks=())
            found = likely_cause(seen, self._system)
            if not found and quiet_virtual_ns is not None and quiet_virtual_ns >= _KERNEL_SILENT_NS:
                found = f"the last line is {lines[-1].text.strip()[:120]!r}"
        if not found:
            return ""
        self._said = True
        quiet = f"{quiet_virtual_ns / 1e9:.1f} s of virtual time" if quiet_virtual_ns is not None else ""
        host = f"{quiet_wall_s:.0f} s of host time"
        silence = f"nothing printed for {host}{f', {quiet}' if quiet else ''}: " if quiet_wall_s >= 1 else ""
        return f"so far: {silence}{found}"

    def _nothing(self, quiet_wall_s: float, quiet_virtual_ns: int | None) -> str:
        """Say that not a byte was printed, once, after so much virtual time that any kernel with a console speaks."""
        if self._said or quiet_virtual_ns is None or quiet_virtual_ns < _NO_BYTE_NS:
            return ""
        self._said = True
        return (
            f"so far: not a byte was printed for {quiet_wall_s:.0f} s of host time, {quiet_virtual_ns / 1e9:.1f} s of "
            f"virtual time: {Outcome.NO_CONSOLE.hint}"
        )

    def _tail(self) -> bytes:
        try:
            with self._console.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - _TAIL_BYTES))
                return file.read(_TAIL_BYTES)
        except OSError:
            return b""
