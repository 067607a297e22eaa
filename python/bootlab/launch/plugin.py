# SPDX-License-Identifier: MIT
"""The TCG plugins: built once for the QEMU found, kept in the cache, done without where that fails."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

from bootlab.errors import EnvironmentFault
from bootlab.launch import plugin_interface, self_test
from bootlab.launch.emulator import Emulator
from bootlab.launch.plugin_build import Plugin, built

_TEST_LIMIT_S = 120
_FUNCTIONS = ("qemu-functions.c", "qemu-functions.h", "plugin-api.h")
_HOST = ("host-code.c", "host-code.h")
_CLOCK = ("qemu-clock.c", "qemu-clock.h", "refuse.h", *_FUNCTIONS)
_REGISTERS = ("qemu-registers.c", "qemu-registers.h")
_HALT = ("halt.c", "halt.h")
_STAMP_PARTS = (
    "stamp-code.c",
    "stamp-code.h",
    "stamp-console.c",
    "stamp-console.h",
    "stamp-file.h",
    "stamp-kexec.c",
    "stamp-kexec.h",
    "stamp-written.c",
)
_STAMP_SOURCES = ("bootlab-stamp.c", *_STAMP_PARTS, *_HALT, *_CLOCK)
_PROCESSES_SOURCES = ("bootlab-processes.c", *_REGISTERS, *_CLOCK)
_COST_PARTS = ("block", "branch", "cache", "core", "page", "pipe")
_COST_SOURCES = (
    "bootlab-cost.c",
    *(f"cost-{part}.c" for part in (*_COST_PARTS, "x86", "arm64", "a32", "t32", "riscv")),
    *(f"cost-{part}.h" for part in (*_COST_PARTS, "file", "insn")),
    "decode.h",
    *_CLOCK,
)
_SMP_SOURCES = ("smp/smp.c", "smp/qemu.c", "smp/qemu.h", "smp/schedule.c", "smp/schedule.h", *_HOST, *_FUNCTIONS)
_DEVICES_PARTS = ("devices-loop.c", "devices-loop.h", "devices-pool.c", "devices-pool.h")
_DEVICES_SOURCES = ("bootlab-devices.c", *_DEVICES_PARTS, "refuse.h", *_HOST, *_FUNCTIONS)
_ENDS_SOURCES = ("bootlab-ends.c", "ends-file.h", "refuse.h", *_FUNCTIONS)
_LINES_SOURCES = (*_STAMP_SOURCES, "stamp-line.c")
_PICTURE_SOURCES = ("bootlab-picture.c", "refuse.h", *_FUNCTIONS)
_TRACE_PARTS = (
    *("block", "code", "count", "cpu", "flow", "irq"),
    *("out", "preempt", "stack", "symbols", "transfer", "tree"),
)
_TRACE_SOURCES = (
    "bootlab-trace.c",
    *(f"trace-{part}.c" for part in _TRACE_PARTS),
    *(f"decode-{kind}.c" for kind in ("x86", "arm64", "a32", "t32", "riscv")),
    *(f"trace-{part}.h" for part in _TRACE_PARTS),
    "decode.h",
    "trace-file.h",
    *_HALT,
    *_REGISTERS,
    *_CLOCK,
)


def prepare(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the stamp plugin, built at first use and tested in this QEMU (self_test.py).

    Never raises: bootlab works without, and says so.
    """
    made = _prepare(emulator, cache_folder, _STAMP_SOURCES)
    return _believed(made, emulator, cache_folder, made)


def prepare_trace(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the trace plugin for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _TRACE_SOURCES)


def prepare_processes(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that tells processes apart for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _PROCESSES_SOURCES)


def prepare_costing(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that models a processor for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _COST_SOURCES)


def prepare_processors(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that gives each processor its own time, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _SMP_SOURCES)


def prepare_ends(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that ends a machine at a virtual time for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _ENDS_SOURCES)


def prepare_with_lines(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the stamp plugin as one that another plugin may print through, tested too. Never raises."""
    made = _prepare(emulator, cache_folder, _LINES_SOURCES)
    return _believed(made, emulator, cache_folder, made)


def prepare_picture(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that looks for a picture on the screen for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _PICTURE_SOURCES)


def prepare_devices(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that keeps devices in step with the instructions, built at first use. Never raises.

    Where there is a program that reads a disk, it is tested with that in this QEMU.
    """
    stamper = prepare(emulator, cache_folder)
    made = _prepare(emulator, cache_folder, _DEVICES_SOURCES)
    return made if stamper.path is None else _believed(made, emulator, cache_folder, stamper, made)


def _believed(
    made: Plugin, emulator: Emulator, cache_folder: Path, stamper: Plugin, devices: Plugin | None = None
) -> Plugin:
    if made.path is None:
        return made
    try:
        reason = self_test.failure(emulator, cache_folder, stamper, devices)
    except OSError as fault:
        reason = f"the self-test cannot be made: {fault.strerror}"
    return Plugin(None, reason=reason) if reason else made


@functools.lru_cache(maxsize=16)
def refused(emulator: str, machine: tuple[str, ...], path: str, name: str) -> str:
    """Have a plugin that reaches into QEMU test itself in it. Return why it refuses, or an empty text."""
    command = [
        *(emulator, *machine, "-accel", "tcg", "-nodefaults", "-display", "none"),
        *("-icount", "shift=1,sleep=off,align=off", "-plugin", f"{path.replace(',', ',,')},check=on"),
    ]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TEST_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"the plugin's self-test in {emulator} did not end within {_TEST_LIMIT_S} s"
    except OSError as fault:
        return f"{emulator} does not run: {fault.strerror}"
    if done.returncode == 0 and f"{name}: ok" in done.stdout:
        return ""
    words = [line for line in done.stderr.strip().splitlines() if line.strip()]
    said = next((line.partition(": ")[2] for line in words if line.startswith(f"{name}: ")), "")
    return said or f"{emulator} ended with {done.returncode}: {words[0] if words else 'without a word'}"


def _prepare(emulator: Emulator, cache_folder: Path, sources: tuple[str, ...]) -> Plugin:
    if os.environ.get("BOOTLAB_NO_PLUGIN"):
        return Plugin(None, reason="switched off by BOOTLAB_NO_PLUGIN")
    try:
        interface = plugin_interface.ask(emulator, cache_folder)
        if interface.reason:
            return Plugin(None, reason=interface.reason)
        return built(sources, interface.version, cache_folder)
    except EnvironmentFault as error:
        return Plugin(None, reason=error.message)
    except OSError as fault:
        return Plugin(None, reason=f"it cannot be kept in {cache_folder / 'plugin'}: {fault.strerror}")
