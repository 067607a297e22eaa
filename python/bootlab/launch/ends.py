# SPDX-License-Identifier: MIT
"""Ends a machine so long after its goal, at that very virtual time: the other side of qemu-plugin/bootlab-ends.c."""

from __future__ import annotations

import mmap
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, MeasurementError
from bootlab.launch import plugin
from bootlab.launch.emulator import Emulator
from bootlab.model.earlier import Earlier, End
from bootlab.model.launch import LoadedPlugin
from bootlab.model.shutdown import Shutdown

ASKS_FILE = "ends.bin"
_MAGIC = b"BLENDS\0\0"
_VERSION = 1
# qemu-plugin/ends-file.h: words of 8 bytes.
_WORDS = 8
_STANDS, _GRANTED, _HOW, _END, _DONE, _INSNS = range(2, _WORDS)
_NUMBERS: dict[End, int] = {"power-cut": 1, "power-button": 2, "ctrl-alt-del": 3, "typed": 4}
_TYPED_BYTES = 256
_FILE_BYTES = 8 * _WORDS + _TYPED_BYTES
# A goal is judged up to 0.3 s after it, at most one step late: of a second, four steps leave room for both.
_STEPS = 4


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """How a machine is to be ended, and how long after its goal (virtual nanoseconds)."""

    how: End
    after_ns: int
    typed: str = ""

    @classmethod
    def of(cls, said: Earlier | Shutdown) -> Ends:
        """Return what a system file says."""
        how: End = said.end if isinstance(said, Earlier) else said.ask
        return cls(how=how, after_ns=said.after_goal_s * 1_000_000_000, typed=said.typed if how == "typed" else "")

    @property
    def text(self) -> str:
        """How it is asked, in words."""
        how = f"{self.typed!r} typed on the console" if self.how == "typed" else self.how
        return f"{how}, {self.after_ns / 1e9:g} s of virtual time after the goal"

    @property
    def step_ns(self) -> int:
        """How far the machine may go on before its console was read up to where it stands."""
        return self.after_ns // _STEPS


def loaded(asked: Ends, found: Emulator, cache_folder: Path) -> LoadedPlugin:
    """Return the plugin that ends a machine so. Raise EnvironmentFault without it."""
    made = plugin.prepare_ends(found, cache_folder)
    if made.path is None:
        raise EnvironmentFault(f"there is no plugin that ends a machine: {made.reason}", hint="bootlab doctor")
    words = (f"asks={ASKS_FILE}", f"first={asked.step_ns}")
    return LoadedPlugin(file=made.path, arguments=words, digest=made.digest)


class EndAfterGoal:
    """Lets one machine go on step by step, then to its end. Called behind each look at its console."""

    def __init__(self, path: Path, asked: Ends) -> None:
        """Remember the plugin's file, which appears when QEMU has loaded it."""
        self._path = path
        self._asked = asked
        self._mapped: mmap.mmap | None = None
        self._granted_ns = 0

    def __call__(self) -> None:
        """Let the machine go on if it stands: what it has printed up to here was looked at."""
        stands_ns = self._word(_STANDS)
        if stands_ns >= max(self._granted_ns, 1):
            self._granted_ns = stands_ns + self._asked.step_ns
            self._put(_GRANTED, self._granted_ns)

    def end(self, goal_ns: int) -> int:
        """Have it ended so long after its goal; return when. Raise MeasurementError where that may have passed."""
        end_ns = goal_ns + self._asked.after_ns
        if self._mapped is None:
            raise MeasurementError(
                f"{self._path.name} is not there, or of another version: nothing can end the machine",
                hint="run the same command again",
            )
        if end_ns <= self._granted_ns:
            raise MeasurementError(
                f"the machine was not held before {end_ns / 1e9:g} s of virtual time, where it was to be ended",
                hint="please report this system",
            )
        # With the line's end; the plugin stops at the NUL behind it.
        line = f"{self._asked.typed}\n".encode()[: _TYPED_BYTES - 1]
        self._mapped[8 * _WORDS : 8 * _WORDS + len(line)] = line
        self._put(_HOW, _NUMBERS[self._asked.how])
        self._put(_END, end_ns)
        return end_ns

    @property
    def done_ns(self) -> int:
        """The virtual time at which it was done; 0: not yet."""
        return self._word(_DONE)

    @property
    def done_insns(self) -> int:
        """The instructions executed until then."""
        return self._word(_INSNS)

    def close(self) -> None:
        """Forget the file."""
        if self._mapped is not None:
            self._mapped.close()

    def _word(self, number: int) -> int:
        mapped = self._open()
        return 0 if mapped is None else int.from_bytes(mapped[8 * number : 8 * number + 8], "little")

    def _put(self, number: int, value: int) -> None:
        mapped = self._open()
        if mapped is not None:
            # One store of a whole word: the plugin may look at any instant.
            with memoryview(mapped)[: 8 * _WORDS] as raw, raw.cast("Q") as words:
                words[number] = value

    def _open(self) -> mmap.mmap | None:
        if self._mapped is None and self._path.exists() and self._path.stat().st_size == _FILE_BYTES:
            with self._path.open("r+b") as file:
                mapped = mmap.mmap(file.fileno(), _FILE_BYTES)
            if mapped[:8] == _MAGIC and int.from_bytes(mapped[8:16], "little") == _VERSION:
                self._mapped = mapped
            else:
                mapped.close()
        return self._mapped
