# SPDX-License-Identifier: MIT
"""The real path to a board: labgrid's coordinator, exporter and client on loopback, QEMU behind the serial port."""

from __future__ import annotations

import contextlib
import importlib.util
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.api import System
from bootlab.api.boards import who_has
from bootlab.api.on_board import SystemOnBoard
from bootlab.boards.choose import board_target
from bootlab.builders.artefacts import build
from bootlab.builders.cache import Cache, default_folder
from bootlab.model.recording import Outcome
from bootlab.systemfile.board import load_board
from bootlab.views.table import page
from tests.boards.qemu_board import QemuBoard, free_port

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.qemu,
    pytest.mark.skipif(
        importlib.util.find_spec("labgrid") is None, reason="labgrid is not installed (pip install 'bootlab[board]')"
    ),
]


@pytest.fixture(scope="module")
def board(demo, tmp_path_factory):
    """Return a running QEMU whose serial port is a socket."""
    made = build(demo, Cache(default_folder()))
    words = ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-accel", "tcg", "-m", "256", "-nodefaults"]
    words += ["-display", "none", "-kernel", str(made.kernel), "-initrd", str(made.initramfs)]
    with QemuBoard(tmp_path_factory.mktemp("qemu"), [*words, "-append", str(demo.cmdline)]) as running:
        yield running


@pytest.fixture(scope="module")
def coordinator(board, tmp_path_factory):
    """Return the address of a coordinator with one exporter and one place, `pc`."""
    folder = tmp_path_factory.mktemp("labgrid")
    address = f"127.0.0.1:{free_port()}"
    exported = folder / "exporter.yaml"
    exported.write_text(f"pc:\n  NetworkSerialPort:\n    host: 127.0.0.1\n    port: {board.port}\n    protocol: raw\n")
    started = []
    try:
        for name, words in (
            ("coordinator", ["-l", address]),
            ("exporter", ["-c", address, "-n", "bench", str(exported)]),
        ):
            command = [sys.executable, "-m", f"labgrid.remote.{name}", *words]
            with (folder / f"{name}.log").open("wb") as log:
                started.append(subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
            if name == "coordinator":
                wait_for_port(int(address.rpartition(":")[2]))
        until = time.monotonic() + 300
        while "bench/pc/NetworkSerialPort" not in client(address, "resources"):
            assert time.monotonic() < until, (folder / "exporter.log").read_text()
        client(address, "-p", "pc", "create")
        client(address, "-p", "pc", "add-match", "bench/pc/NetworkSerialPort")
        client(address, "-p", "pc", "set-tags", "board=pc")
        yield address
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def wait_for_port(port: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError(f"nobody listens on {port}")


def client(address: str, *words: str) -> str:
    command = [sys.executable, "-m", "labgrid.remote.client", "-x", address, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.stdout


def described(folder: Path, board, coordinator: str, how: str) -> Path:
    path = folder / "board.toml"
    limits = "[limits]\ntotal_s = 300\nstall_s = 120\n"
    path.write_text(f'name = "pc"\n[labgrid]\ncoordinator = "{coordinator}"\n{how}\n{limits}')
    return path


def environment(folder: Path, board, coordinator: str) -> Path:
    path = folder / "environment.yaml"
    path.write_text(
        "options:\n"
        f"  coordinator_address: '{coordinator}'\n"
        "targets:\n  main:\n    resources:\n      RemotePlace:\n        name: pc\n    drivers:\n"
        f"      ExternalPowerDriver:\n        cmd_on: '{board.command('on')}'\n"
        f"        cmd_off: '{board.command('off')}'\n"
    )
    return path


def test_a_place_boots_and_stands_beside_its_exact_boot(demo, board, coordinator, tmp_path):
    """Acquired, switched by labgrid's driver, read by bootlab; released; one report with both columns."""
    config = environment(tmp_path, board, coordinator)
    file = load_board(described(tmp_path, board, coordinator, f'place = "pc"\nconfig = "{config}"'))
    store = tmp_path / "store"
    both = SystemOnBoard(file, System(file.system(demo), store=store, jobs=1), System(demo, store=store))
    results = both.stages(boots=1)
    found = results.data.comparison
    total = found.rows[-1]
    assert total.values["boots"] == 1, found.headline
    assert total.ns("exact_ns") is not None
    assert total.ns("wall_ns") is not None
    assert {column.under for column in found.columns if column.key in {"exact_ns", "wall_ns"}} == {
        "virtual ms",
        "wall ms, median",
    }
    named = {row.id for row in found.rows if row.ns("exact_ns") and row.ns("wall_ns")}
    assert {"kernel", "user space", "RC scripts", "application"} <= named
    assert "virtual ms" in page.page(found)
    assert "acquired: None" in client(coordinator, "-p", "pc", "show")


def test_a_reservation_by_tags_and_power_by_commands(demo, board, coordinator, tmp_path):
    """Any board with the tag will do; it is free again afterwards."""
    how = 'place = "pc"\nreserve = { board = "pc" }\n'
    power = f'[power]\non = "{board.command("on")}"\noff = "{board.command("off")}"\noff_s = 0.1\n'
    file = load_board(described(tmp_path, board, coordinator, how + power))
    system = file.system(demo)
    target = board_target(file.board, Cache(tmp_path / "cache"))
    recording = target.boot(target.plan(system), tmp_path / "boot", stop=threading.Event())
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    assert recording.meta.goal_clock == "wall"
    assert recording.meta.board == "pc"
    assert len(stages_of(recording)) >= 4
    assert recording.lines[3].first_ns is not None
    assert "acquired: None" in client(coordinator, "-p", "pc", "show")
    assert client(coordinator, "reservations").strip() == ""


def place_of(folder: Path, board, coordinator: str):
    """Return the board file of the place, switched by commands."""
    power = f'[power]\non = "{board.command("on")}"\noff = "{board.command("off")}"\noff_s = 0.1\n'
    return load_board(described(folder, board, coordinator, f'place = "pc"\n{power}'))


def test_two_bootlabs_on_one_place_take_turns(demo, board, coordinator, tmp_path):
    """labgrid lets one user acquire a place twice: bootlab's own lock keeps them apart."""
    ends = {}

    def boot(name: str) -> None:
        file = place_of(tmp_path, board, coordinator)
        system = file.system(demo)
        target = board_target(file.board, Cache(tmp_path / f"cache-{name}"), system)
        ends[name] = target.boot(target.plan(system), tmp_path / name, stop=threading.Event())

    threads = [threading.Thread(target=boot, args=(name,)) for name in ("a", "b")]
    place_of(tmp_path, board, coordinator)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [end.meta.outcome for end in ends.values()] == [Outcome.GOAL, Outcome.GOAL]
    assert "acquired: None" in client(coordinator, "-p", "pc", "show")


def test_a_bootlab_that_is_killed_gives_its_place_back(demo, board, coordinator, tmp_path):
    path = described(
        tmp_path,
        board,
        coordinator,
        f'place = "pc"\n[goal]\nconsole = "never"\n'
        f'[power]\non = "{board.command("on")}; touch {tmp_path}/on"\noff = "{board.command("off")}"\noff_s = 0.1\n',
    )
    words = [sys.executable, "-m", "bootlab.cli", "boot", "--board", str(path), "--store", str(tmp_path / "store")]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for((tmp_path / "on").exists)
    assert "acquired: None" not in client(coordinator, "-p", "pc", "show")
    holder = who_has(path)
    assert (holder.held, holder.process) == (True, process.pid)
    assert "boot --board" in holder.command
    assert "/" in holder.labgrid
    process.kill()
    process.wait()
    wait_for(lambda: "acquired: None" in client(coordinator, "-p", "pc", "show"))
    wait_for(lambda: not who_has(path).held)


def wait_for(holds) -> None:
    until = time.monotonic() + 280
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)
