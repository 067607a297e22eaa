"""The TCG plugins: built once for the QEMU found, kept in the cache, done without where that fails."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from bootlab.builders import seal
from bootlab.data import source_folder
from bootlab.errors import EnvironmentFault
from bootlab.targets.emulator import Emulator

_TEST_LIMIT_S = 120
_FUNCTIONS = ("qemu-functions.c", "qemu-functions.h", "plugin-api.h")
_CLOCK = ("qemu-clock.c", "qemu-clock.h", "refuse.h", *_FUNCTIONS)
_REGISTERS = ("qemu-registers.c", "qemu-registers.h")
_HALT = ("halt.c", "halt.h")
_STAMP_PARTS = ("stamp-code.c", "stamp-code.h", "stamp-console.c", "stamp-console.h", "stamp-file.h")
_STAMP_SOURCES = ("bootlab-stamp.c", *_STAMP_PARTS, *_HALT, *_CLOCK)
_PROCESSES_SOURCES = ("bootlab-processes.c", *_REGISTERS, *_CLOCK)
_SMP_SOURCES = ("smp/smp.c", "smp/qemu.c", "smp/qemu.h", "smp/schedule.c", "smp/schedule.h", *_FUNCTIONS)
_DEVICES_PARTS = ("devices-loop.c", "devices-loop.h", "devices-pool.c", "devices-pool.h")
_DEVICES_SOURCES = ("bootlab-devices.c", *_DEVICES_PARTS, "refuse.h", *_FUNCTIONS)
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


class Plugin(msgspec.Struct, frozen=True):
    """The shared object, or None with the reason why there is none."""

    path: str | None
    digest: str = ""
    reason: str = ""


def prepare(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the stamp plugin, built at first use. Never raises: bootlab works without, and says so."""
    return _prepare(emulator, cache_folder, _STAMP_SOURCES)


def prepare_trace(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the trace plugin for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _TRACE_SOURCES)


def prepare_processes(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that tells processes apart for this emulator, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _PROCESSES_SOURCES)


def prepare_processors(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that gives each processor its own time, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _SMP_SOURCES)


def prepare_devices(emulator: Emulator, cache_folder: Path) -> Plugin:
    """Return the plugin that keeps devices in step with the instructions, built at first use. Never raises."""
    return _prepare(emulator, cache_folder, _DEVICES_SOURCES)


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
        folder = source_folder("", sources[0], top="qemu-plugin")
    except EnvironmentFault as error:
        return Plugin(None, reason=error.message)
    digest = hashlib.sha256(str(emulator.plugin_api).encode())
    for name in sources:
        digest.update((folder / name).read_bytes())
    name = digest.hexdigest()[:16]
    made = cache_folder / "plugin" / f"{Path(sources[0]).stem}-{name}.so"
    seal_of = made.with_name(f"{made.name}.sha256")
    if not made.is_file() or seal.said_by(seal_of) != seal.sha256_of(made):
        if seal_of.is_file() and made.is_file():
            seal.tell_damage(made)
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return Plugin(None, reason="no C compiler to build it with (apt-get install gcc libc6-dev)")
        try:
            reason = _build(compiler, folder, emulator.plugin_api, sources, made)
            if not reason:
                seal.put_on(seal_of, seal.sha256_of(made))
        except OSError as fault:
            reason = f"it cannot be kept in {made.parent}: {fault.strerror}"
        if reason:
            return Plugin(None, reason=reason)
    return Plugin(str(made), digest=name)


def _build(compiler: str, folder: Path, api: int, sources: tuple[str, ...], made: Path) -> str:
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as work:
        out = Path(work) / "plugin.so"
        command = [compiler, "-O2", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
        command += [f"-DBOOTLAB_PLUGIN_API={api}", "-flto", "-o", str(out)]
        command += [*(str(folder / source) for source in sources if source.endswith(".c")), "-ldl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()
            return f"the compiler refused it: {words[0] if words else 'without a message'}"
        out.replace(made)
    return ""
