# SPDX-License-Identifier: MIT
"""A lab of labgrid on the loopback address: coordinator, exporter, and virtual boards as its places."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from bootlab.boards.virtual import switch
from tests.boards.qemu_board import free_port
from tests.running_board import RunningBoard

_START_S = 300


class Lab:
    """Places of these names while the block lasts, a virtual board behind each. `address`: the coordinator's."""

    def __init__(self, folder: Path, places: tuple[str, ...], **wiring: object) -> None:
        self.folder, self.places, self.address = folder, places, f"127.0.0.1:{free_port()}"
        self._boards = {name: RunningBoard(folder / name, seed=3, speed=8.0, port=0, **wiring) for name in places}
        self._programs: list[subprocess.Popen[bytes]] = []
        self._opened = contextlib.ExitStack()

    def __enter__(self) -> Self:
        text = ""
        for name, board in self._boards.items():
            port = self._opened.enter_context(board).device.rpartition(":")[2]
            text += f"{name}:\n  NetworkSerialPort:\n    host: 127.0.0.1\n    port: {port}\n    protocol: raw\n"
        (self.folder / "exporter.yaml").write_text(text)
        self._start("coordinator", "-l", self.address)
        self._until(self._listens)
        self._start("exporter", "-c", self.address, "-n", "bench", "exporter.yaml")
        for name in self.places:
            self._until(lambda name=name: f"bench/{name}/NetworkSerialPort" in self.client("resources"))
            self.client("-p", name, "create")
            self.client("-p", name, "add-match", f"bench/{name}/NetworkSerialPort")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for program in reversed(self._programs):
            program.kill()
            program.wait()
        self._opened.close()

    def _start(self, name: str, *words: str) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [sys.executable, "-m", f"labgrid.remote.{name}", *words]
            made = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self._programs.append(made)

    def _listens(self) -> bool:
        host, _, port = self.address.partition(":")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
            return True
        return False

    def _until(self, holds) -> None:
        until = time.monotonic() + _START_S
        while not holds():
            assert time.monotonic() < until, (self.folder / "exporter.log").read_text()
            time.sleep(0.1)

    def client(self, *words: str) -> str:
        command = [sys.executable, "-m", "labgrid.remote.client", "-x", self.address, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout

    def free(self, place: str) -> bool:
        return "acquired: None" in self.client("-p", place, "show")

    def board_file(self) -> Path:
        """Write the one file of all boards: the power's commands find theirs by $LG_PLACE."""
        power = f"{sys.executable} -I -S {switch.__file__} {self.folder}/$LG_PLACE/power"
        path = self.folder / "board.toml"
        path.write_text(
            f"""name = "camera"
cmdline = "console=ttyS0"
[labgrid]
place = "{self.places[0]}"
coordinator = "{self.address}"
wait_s = 60
[power]
on = "{power} on"
off = "{power} off"
off_s = 0.02
[install]
cmdline = 'printf %s "$BOARD_CMDLINE" > {self.folder}/$BOARD_NAME/cmdline'
[goal]
console = "camera: ready"
[limits]
total_s = 120
stall_s = 20
"""
        )
        return path

    def truth(self, place: str) -> list[str]:
        """Return what the switch of a place's board was asked for and did."""
        return [note["event"] for note in self._boards[place].truth() if note["event"] in {"on", "off"}]

    def ask(self, place: str, words: str) -> str:
        return self._boards[place].ask(words)
