# SPDX-License-Identifier: MIT
"""What the plugins say of a QEMU is believed once a tiny program with a known answer has run in it, twice.

The programs (qemu-plugin/self-test/*.S) print letters: one, one behind a sleep until a timer, one behind a thousand
rounds of a loop, and on the PC one behind the read of a disk. When each letter comes follows from their instructions
and from the timer's ticks, whatever the version of QEMU.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import subprocess
import tempfile
from pathlib import Path

import msgspec

from bootlab.launch import plugin_interface
from bootlab.launch.emulator import Emulator
from bootlab.launch.plugin_build import Plugin
from bootlab.recordings import seal
from bootlab.recordings.stamps import StampFile

NOT_TRIED = "this QEMU has not the machine that the tiny program is for, so nothing was tried"
"""In the place of a reason."""

_LIMIT_S = 120
_OK = "ok"
_CLOCK = ("-accel", "tcg", "-icount", "shift=1,sleep=off,align=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm")
_QUIET = ("-nodefaults", "-display", "none", "-no-reboot")


class Letter(msgspec.Struct, frozen=True):
    """When a letter is printed: virtual time, and the instructions before it (any one of these)."""

    ns: int
    insns: tuple[int, ...]


class SelfTestProgram(msgspec.Struct, frozen=True, kw_only=True):
    """The firmware of a machine. `disk`: the letter that needs the plugin which keeps devices in step."""

    machine: tuple[str, ...]
    code: bytes
    letters: tuple[Letter, ...]
    disk: Letter | None = None


_FIRMWARE_BYTES = 0x10000
_RESET_VECTOR = bytes.fromhex("ea000000f0").ljust(16, b"\0")
_VIRT = ("-machine", "virt,gic-version=2", "-m", "64")


def _pc(code: str) -> bytes:
    return bytes.fromhex(code).ljust(_FIRMWARE_BYTES - len(_RESET_VECTOR), b"\0") + _RESET_VECTOR


# By what QEMU calls the architecture. tests/launch/test_self_test.py assembles the sources again and counts.
PROGRAMS: dict[str, SelfTestProgram] = {
    "x86_64": SelfTestProgram(
        # Without an APIC the timer's interrupt comes through the 8259 that the program sets up.
        machine=(
            "-machine",
            "pc",
            "-cpu",
            "qemu64,-apic",
            "-m",
            "16",
            "-device",
            "isa-debug-exit,iobase=0xf4,iosize=1",
        ),
        code=_pc(
            "fa31c08ed88ed0bc0070c70620007800c706220000f0b011e620b008e621b004e621b001e621b0fee621baf803b041eeb030e643b000e6"
            "40b010e640fbf4fab042eeb9e803e2feb043eebaf601b0e0eebaf201b001eeb00042ee42ee42eebaf701b020eeeca88075fbbaf001edba"
            "f803eeb000e6f4f4ebfd50b020e62058cf"
        ),
        letters=(Letter(40, (20,)), Letter(3432906, (36,)), Letter(3434912, (1039,))),
        disk=Letter(3434958, (1062,)),
    ),
    "aarch64": SelfTestProgram(
        machine=(*_VIRT, "-cpu", "cortex-a53"),
        code=bytes.fromhex(
            "0900a1d220008052200100b90000a152200101b92a00a1d2e01f8052400500b920008052400100b90b20a1d220088052600100b9"
            "80849ed200e31bd5200080d220e31bd5df3f03d57f2003d53fe31bd540088052600100b9017d80d2210400f1e1ffff5460088052"
            "600100b9000180520080b072020000d47f2003d5ffffff17"
        ),
        letters=(Letter(24, (12,)), Letter(1000020, (21,)), Letter(1004026, (2024,))),
    ),
    "arm": SelfTestProgram(
        machine=(*_VIRT, "-cpu", "cortex-a15"),
        code=bytes.fromhex(
            "0293a0e30100a0e3000089e50203a0e3000189e501a889e2ff00a0e304008ae50100a0e300008ae509b4a0e34100a0e300008be5"
            "24040fe3130f0eee0100a0e3330f0eee6ff07ff503f020e30000a0e3330f0eee4200a0e300008be5fa1fa0e3011051e2fdffff1a"
            "4300a0e300008be5080000e3000448e3700040e103f020e3fdffffea"
        ),
        letters=(Letter(24, (12,)), Letter(1000022, (22,)), Letter(1004028, (2025,))),
    ),
    "riscv64": SelfTestProgram(
        machine=("-machine", "virt", "-m", "64"),
        code=bytes.fromhex(
            "37040010130510042300a400b742000237c30002833383ff372e00001b0e0e71b383c30123b07200930e000873a04e3073005010"
            "73104030130520042300a4009305803e9385f5ffe39e05fe130530042300a400b7021000375300001b03535523a0620073005010"
            "6ff0dfff"
        ),
        # QEMU 7.2 and 10.0 count its wfi twice, 11.1 once.
        letters=(Letter(16, (8,)), Letter(1000036, (21, 22)), Letter(1004042, (2024, 2025))),
    ),
}


def reads_a_disk(target: str) -> bool:
    """Tell whether the tiny program of an architecture, by what QEMU calls it, reads a disk."""
    return target in PROGRAMS and PROGRAMS[target].disk is not None


def failure(
    emulator: Emulator, cache_folder: Path, stamper: Plugin, devices: Plugin | None = None, *, anew: bool = False
) -> str:
    """Return why these plugins are not to be believed in this QEMU, or an empty text. Tested once a build of QEMU.

    With `devices` the disk is tested too, where there is a program that has one. `anew`: what is known does not count.
    A QEMU without the programs' machines passes. Raise EnvironmentFault, OSError.
    """
    reason = _outcome(emulator, cache_folder, stamper, devices, anew=anew)
    return "" if reason == NOT_TRIED else reason


def tried_now(emulator: Emulator, cache_folder: Path, stamper: Plugin) -> str:
    """Boot twice, whatever is known. Return an empty text, why the plugin is not to be believed, or `NOT_TRIED`."""
    return _outcome(emulator, cache_folder, stamper, None, anew=True)


def _outcome(emulator: Emulator, cache_folder: Path, stamper: Plugin, devices: Plugin | None, *, anew: bool) -> str:
    interface = plugin_interface.ask(emulator, cache_folder)
    program = PROGRAMS.get(interface.target)
    if program is None or (devices is not None and program.disk is None):
        return NOT_TRIED
    facts = (interface.build, stamper.digest, devices.digest if devices is not None else "", program)
    key = hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:16]
    kept = cache_folder / "plugin" / f"self-test-{key}.txt"
    if anew:
        _run.cache_clear()
    elif interface.build and (known := _read(kept)):
        return "" if known == _OK else known
    reason, is_certain = _run(emulator.path, interface.target, stamper, devices)
    if interface.build and is_certain:
        with contextlib.suppress(OSError):
            seal.put_on(kept, reason or _OK)
            seal.put_on(kept.with_suffix(".sha256"), seal.sha256_of(kept))
    return reason


def _read(kept: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if seal.said_by(kept.with_suffix(".sha256")) == seal.sha256_of(kept):
            return kept.read_text(encoding="utf-8").strip()
    return ""


@functools.lru_cache(maxsize=16)
def _run(path: str, target: str, stamper: Plugin, devices: Plugin | None) -> tuple[str, bool]:
    """Return the reason, and whether it is that of a program that ran to its end, and not of this hour's machine."""
    program = PROGRAMS[target]
    expected = (*program.letters, *((program.disk,) if devices is not None and program.disk else ()))
    found = []
    for _ in range(2):
        seen, said = _boot(path, program, stamper, devices, len(expected))
        if seen is None:
            return said, False
        for number, (letter, (ns, insns)) in enumerate(zip(expected, seen, strict=True)):
            if ns != letter.ns or insns not in letter.insns:
                due = f"{letter.insns[0]} at {letter.ns} ns"
                found_at = f"{insns} instructions at {ns} ns"
                return f"self-test: letter {number + 1} of the program came after {found_at}, not after {due}", True
        found.append(seen)
    return ("", True) if found[0] == found[1] else ("self-test: two boots of one program differ", True)


def _boot(
    path: str, program: SelfTestProgram, stamper: Plugin, devices: Plugin | None, n_letters: int
) -> tuple[list[tuple[int, int]] | None, str]:
    """Return when the letters came, or None and why they are not all there."""
    with tempfile.TemporaryDirectory(prefix="bootlab-self-test-") as name:
        folder = Path(name)
        (folder / "firmware").write_bytes(program.code)
        (folder / "disk").write_bytes(b"D".ljust(_FIRMWARE_BYTES, b"\0"))
        machine = [*program.machine, *_QUIET, *_CLOCK, "-bios", "firmware", "-chardev", "file,id=c,path=console"]
        machine += ["-serial", "chardev:c"]
        if program.disk is not None:
            machine += ["-drive", "file=disk,format=raw,if=ide,snapshot=on"]
        plugins = ["-plugin", f"{_escaped(stamper)},con=console,out=stamps,shift=1"]
        if devices is not None:
            plugins += ["-plugin", _escaped(devices)]
        said = _start([path, *machine, *plugins], folder)
        console = (folder / "console").read_bytes() if (folder / "console").exists() else b""
        stamps = StampFile(folder / "stamps").read(len(console))
        if stamps is None or len(console) < n_letters:
            # A QEMU that has no such machine says nothing of its plugins.
            if not console and _start([path, *machine, "-S"], folder, limit_s=1) != _TOOK_TOO_LONG:
                return None, NOT_TRIED
            return None, f"self-test: the program printed {len(console)} of {n_letters} letters{said and f': {said}'}"
        times = [stamps.at(place) for place in range(n_letters)]
    seen = [time for time in times if time is not None]
    return (seen, "") if len(seen) == n_letters else (None, "self-test: a letter has no time")


_TOOK_TOO_LONG = "it did not end"


def _start(command: list[str], folder: Path, limit_s: float = _LIMIT_S) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _TOOK_TOO_LONG
    except OSError as fault:
        return f"{command[0]} does not run: {fault.strerror}"
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def _escaped(plugin: Plugin) -> str:
    return str(plugin.path).replace(",", ",,")
