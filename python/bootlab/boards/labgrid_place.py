# SPDX-License-Identifier: MIT
"""A board of a labgrid coordinator: labgrid locks, switches and brings it to a state; bootlab reads the console.

labgrid is imported only here, and only when a board needs it (the extra `bootlab[board]`). It is used from one thread,
as it demands. Its own console drivers are not used to measure: they stamp nothing and read byte by byte.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bootlab.boards.command import CommandFailed, run
from bootlab.boards.guarding import Guard
from bootlab.boards.power import CommandPower, Power, PowerFailed, Switched
from bootlab.errors import EnvironmentFault, TargetError
from bootlab.model.real_board import Board, Command, LabgridPlace, PowerSwitch

_CLIENT_S = 60.0
_DRIVER_S = 60.0
_SCHEMES = {"raw": "tcp", "rfc2217": "telnet"}
_CONSOLES = ("NetworkSerialPort", "RawSerialPort", "USBSerialPort", "NetworkUSBSerialPort", "SerialPort")


class NoPlace(TargetError):
    """labgrid does not provide the board: somebody else has it, or it does not exist."""


class LabgridConnection:
    """A place while the block lasts: acquired if it was not ours already, and released then."""

    def __init__(self, board: Board) -> None:
        """Take a board that has `labgrid`. Raise EnvironmentFault where labgrid is not installed."""
        if board.labgrid is None:
            raise NoPlace(f"{board.name} is not a labgrid board", hint="add [labgrid] to board.toml")
        self._board = board
        self._place: LabgridPlace = board.labgrid
        self._name = board.labgrid.place
        self._acquired = False
        self._token = ""
        self._target: Any = None
        self._folder = Path(tempfile.mkdtemp(prefix="bootlab-labgrid-"))
        self._client = _client()
        self.device = ""
        self.baud: int | None = None
        self.with_power = False
        self.power: Power = CommandPower(PowerSwitch(on=(), off=()))
        self.notes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def take(self, guard: Guard) -> None:
        """Reserve and acquire the place, and find its console. Raise NoPlace where that fails."""
        guard.give_back("folder", ("rm", "-rf", str(self._folder)))
        self._take(guard)
        environment = self._environment()
        self._target = _labgrid_target(environment, self._place.role)
        self._find_console()
        self.power = self._power(environment)
        self._bring_to(self._place.state)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Bring it to the state that it is left in, and give it back."""
        if self._target is not None:
            with contextlib.suppress(Exception):
                self._bring_to(self._place.off_state)
            with contextlib.suppress(Exception):
                self._target.deactivate_all_drivers()
            self._target = None
        if self._acquired:
            with contextlib.suppress(CommandFailed):
                self._ask("-p", self._name, "release")
            self._acquired = False
        if self._token:
            with contextlib.suppress(CommandFailed):
                self._ask("cancel-reservation", self._token)
            self._token = ""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _take(self, guard: Guard) -> None:
        """Get the place: by a reservation where tags are given, and acquired unless it is ours already."""
        if self._place.reserve:
            tags = [f"{key}={value}" for key, value in self._place.reserve]
            said = self._asked("reserve", "--shell", *tags)
            self._token = said.partition("LG_TOKEN=")[2].split()[0] if "LG_TOKEN=" in said else ""
            guard.give_back("reservation", (*self._words(), "cancel-reservation", self._token))
            self._asked("wait", self._token, timeout_s=self._place.wait_s)
            self._name = self._name or f"+{self._token}"
        if not self._name:
            return
        until = time.monotonic() + self._place.wait_s
        release = (*self._words(), "-p", self._name, "release")
        while True:
            # Told before: a bootlab that is killed while it acquires would keep the place. Labgrid refuses to release
            # what somebody else has.
            guard.give_back("place", release)
            try:
                self._ask("-p", self._name, "acquire")
            except CommandFailed as fault:
                guard.give_back("place", ())
                if "have already acquired" in fault.message:
                    # By hand, before: the lock of this machine keeps every other bootlab out.
                    return
                taken = "already acquired" in fault.message
                if taken and time.monotonic() < until:
                    time.sleep(1.0)
                    continue
                hint = "labgrid-client who shows who has it" if taken else "labgrid-client places lists what there is"
                raise NoPlace(f"{self._name} cannot be acquired: {fault.message}", hint=hint) from fault
            self._acquired = True
            return

    def _environment(self) -> str:
        """Return the environment file: the user's, or one that names the place and nothing else."""
        if self._place.config is not None:
            return self._place.config
        resources = {"RemotePlace": {"name": self._name}}
        content: dict[str, Any] = {"targets": {self._place.role: {"resources": resources, "drivers": []}}}
        if self._place.coordinator:
            content["options"] = {"coordinator_address": self._place.coordinator}
        path = self._folder / "environment.yaml"
        # JSON is YAML.
        path.write_text(json.dumps(content), encoding="utf-8")
        return str(path)

    def _find_console(self) -> None:
        wanted = self._place.console
        found = [r for r in self._target.resources if type(r).__name__ in _CONSOLES and wanted in {None, r.name}]
        if not found:
            there = ", ".join(sorted({type(r).__name__ for r in self._target.resources})) or "none"
            raise NoPlace(
                f"{self._name or self._place.config} has no serial console that can be read; its resources: {there}",
                hint="the place needs a serial port (labgrid-client show); labgrid.console names one of several",
            )
        port = found[0]
        self._target.await_resources([port])
        if type(port).__name__.startswith("Network"):
            from labgrid.util.proxy import proxymanager  # noqa: PLC0415 - see the head

            host, number = proxymanager.get_host_and_port(port)
            scheme = _SCHEMES.get(getattr(port, "protocol", "rfc2217"), "telnet")
            self.device = f"{scheme}://{host}:{number}"
            self.notes = (f"the console comes over the network from {port.host} (labgrid, {scheme})",)
        else:
            self.device, self.baud = str(port.port), int(port.speed)

    def _power(self, environment: str) -> Power:
        board = self._board
        if board.power is not None:
            return CommandPower(board.power, {"BOARD_NAME": board.name, "LG_PLACE": self._name})
        off = (*self._words(), *self._chosen(), "power", "off")
        if self._place.config is not None:
            guard = (*self._client, "-c", environment, "power", "off")
            return LabgridPower(_power_driver(self._target), guard)
        return CommandPower(PowerSwitch(on=(*self._words(), *self._chosen(), "power", "on"), off=off, timeout_s=60))

    def _bring_to(self, state: str) -> None:
        """Let the strategy bring the board to a state; its console is free again afterwards."""
        if not state:
            return
        try:
            self._target.get_strategy().transition(state)
            for driver in list(self._target.drivers):
                if hasattr(driver, "expect") and driver.state.name == "active":
                    self._target.deactivate(driver)
        except Exception as fault:
            raise NoPlace(
                f"labgrid's strategy could not bring {self._board.name} to {state!r}: {fault}",
                hint=f"try it by hand: labgrid-client -c {self._place.config} -s {state} power get",
            ) from fault

    def _chosen(self) -> Command:
        return ("-p", self._name) if self._name else ()

    def _words(self) -> Command:
        return (*self._client, *(("-x", self._place.coordinator) if self._place.coordinator else ()))

    def _ask(self, *words: str, timeout_s: float = _CLIENT_S) -> str:
        return run((*self._words(), *words), timeout_s=timeout_s)

    def _asked(self, *words: str, timeout_s: float = _CLIENT_S) -> str:
        try:
            return self._ask(*words, timeout_s=timeout_s)
        except CommandFailed as fault:
            raise NoPlace(f"no board could be reserved: {fault.message}", hint="labgrid-client reservations") from fault


def place_taken_by(place: LabgridPlace) -> str:
    """Return host and user who acquired a place, "" where nobody did. Raise NoPlace, EnvironmentFault."""
    if not place.place:
        raise NoPlace("the board file names no place", hint="labgrid-client who")
    words = (*_client(), *(("-x", place.coordinator) if place.coordinator else ()))
    try:
        shown = run((*words, "-p", place.place, "show"), timeout_s=_CLIENT_S)
    except CommandFailed as fault:
        raise NoPlace(fault.message, hint="labgrid-client places") from fault
    taken = next((line.partition(":")[2].strip() for line in shown.splitlines() if "acquired:" in line), "")
    return "" if taken == "None" else taken


class LabgridPower:
    """Power by one of labgrid's drivers."""

    off_s = 1.0

    def __init__(self, driver: Any, guard: Command) -> None:
        """Use an active driver; `guard` switches off from outside."""
        self._driver = driver
        self.guard = guard
        self.environment: dict[str, str] = {}
        self._hung: threading.Thread | None = None

    def on(self) -> Switched:
        """Switch on by the driver."""
        from_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        self._do("on")
        return Switched(from_ns, time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))

    def off(self) -> None:
        """Switch off by the driver."""
        self._do("off")

    def _do(self, verb: str) -> None:
        """Let the driver switch, in a thread of its own: one that hangs must not keep bootlab from switching off."""
        name, hint = type(self._driver).__name__, f"try it by hand: labgrid-client power {verb}"
        if self._hung is not None and self._hung.is_alive():
            # The driver is not to be used by two threads; labgrid's program has a driver of its own.
            self._by_program(verb, hint)
            return
        faults: list[Exception] = []

        def switch() -> None:
            try:
                getattr(self._driver, verb)()
            except Exception as fault:  # noqa: BLE001 - whatever a driver raises
                faults.append(fault)

        thread = threading.Thread(target=switch, daemon=True)
        thread.start()
        thread.join(_DRIVER_S)
        if thread.is_alive():
            self._hung = thread
            raise PowerFailed(f"labgrid's {name} has not switched {verb} within {_DRIVER_S:g} s", hint=hint)
        if faults:
            raise PowerFailed(f"labgrid's {name} does not switch {verb}: {faults[0]}", hint=hint) from faults[0]

    def _by_program(self, verb: str, hint: str) -> None:
        if verb != "off":
            raise PowerFailed(f"labgrid's {type(self._driver).__name__} hangs", hint=hint)
        try:
            run(self.guard, timeout_s=_CLIENT_S)
        except CommandFailed as fault:
            raise PowerFailed(f"the board cannot be switched off: {fault.message}", hint=fault.hint) from fault


def _client() -> Command:
    """Return the words that start labgrid-client. Raise EnvironmentFault where labgrid is not installed."""
    import importlib.util  # noqa: PLC0415 - see the head

    if importlib.util.find_spec("labgrid") is None:
        raise EnvironmentFault(
            "labgrid is not installed; boards with [labgrid] need it", hint="pip install 'bootlab[board]'"
        )
    return (sys.executable, "-m", "labgrid.remote.client")


def _labgrid_target(environment: str, role: str) -> Any:
    from labgrid import Environment  # noqa: PLC0415 - see the head

    try:
        target = Environment(environment).get_target(role)
    except Exception as fault:
        raise NoPlace(f"labgrid cannot use {environment}: {fault}", hint="labgrid-client resources") from fault
    if target is None:
        raise NoPlace(f"{environment} has no target {role!r}", hint='labgrid.role = "NAME" in board.toml')
    return target


def _power_driver(target: Any) -> Any:
    try:
        return target.get_driver("PowerProtocol")
    except Exception as fault:
        raise NoPlace(
            f"labgrid has no power driver for this board: {fault}",
            hint="add one to the environment, or [power] with commands to board.toml",
        ) from fault
