# SPDX-License-Identifier: MIT
"""What a virtual board prints, and when: out of a log, or made up; the same seed and number give the same boot."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.model.recording import Outcome

FAULTS = {
    "hang": Outcome.HANG,
    "panic": Outcome.PANIC,
    "reboot": Outcome.REBOOTED,
    "reboot-loop": Outcome.REBOOTED,
    "garbage": Outcome.GARBAGE,
    "noise": Outcome.GOAL,
    "baud": Outcome.GARBAGE,
    "silent": Outcome.NO_CONSOLE,
    "stopped": Outcome.STOPPED,
    "half-line": Outcome.GOAL,
    "unplugged": Outcome.CONSOLE_LOST,
}
"""What can go wrong with a boot, and what it is then. `noise` and `half-line` are no failure: it reaches its goal."""

_KERNEL_STEP_S = (0.0005, 0.012)
_DRIVERS = (
    "clk",
    "pinctrl",
    "gpio",
    "i2c",
    "spi",
    "mmc0",
    "usb",
    "dwc2",
    "rtc",
    "thermal",
    "watchdog",
    "fec",
    "snd",
    "v4l2",
)
_OTHER_RATES = (9_600, 57_600, 921_600, 1_500_000)
_SERVICES = ("syslogd", "klogd", "mdev", "network", "sshd", "camera-daemon")


class ScriptStep(msgspec.Struct, frozen=True):
    """After so many seconds of work, these bytes. `open_`: no line end follows."""

    work_s: float
    text: str
    open_: bool = False

    @property
    def data(self) -> bytes:
        """The bytes on the wire."""
        return self.text.encode("utf-8", "replace") + (b"" if self.open_ else b"\r\n")


_PANIC = (
    ScriptStep(0.01, "[    0.900000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(179,2)"),
    ScriptStep(0.001, "[    0.900100] ---[ end Kernel panic - not syncing: VFS: Unable to mount root fs ]---"),
)


class BootScript(msgspec.Struct, frozen=True, kw_only=True):
    """One boot: its steps, what is wrong with it, and how it goes on behind them."""

    fault: str = ""
    steps: tuple[ScriptStep, ...] = ()
    then: str = ""
    """`` (nothing more), `again` (from the start), `unplug` (the console's device goes away)."""
    other_baud: int = 0
    """The rate that it really speaks; 0: its usual one."""


def good_boot(seed: int, *, cmdline: str = "", speed: float = 1.0, goal: str = "camera: ready") -> list[ScriptStep]:
    """Make up a boot of a small board. `cmdline` may hold `quiet` and `lpj=`, which do what they do on a board.

    `speed`: 2.0 takes half the time. The seed decides the drivers and their times, jitter comes from elsewhere.
    """
    pick = random.Random(f"board {seed}")  # noqa: S311 - a board that can be had again, no secret
    words = cmdline.split()
    quiet, preset = "quiet" in words, any(word.startswith("lpj=") for word in words)
    steps = [
        ScriptStep(0.08 / speed, "U-Boot SPL 2025.01 (Jan 06 2025 - 10:00:00 +0000)"),
        ScriptStep(0.03 / speed, "Trying to boot from MMC1"),
        ScriptStep(0.12 / speed, "U-Boot 2025.01 (Jan 06 2025 - 10:00:00 +0000)"),
        ScriptStep(0.02 / speed, "DRAM:  512 MiB"),
        ScriptStep(0.04 / speed, "Hit any key to stop autoboot:  0"),
        ScriptStep(0.15 / speed, "Starting kernel ..."),
    ]
    clock = 0.0
    kernel: list[tuple[float, str]] = [
        (0.0, "Booting Linux on physical CPU 0x0"),
        (0.0, "Linux version 6.6.30 (build@lab) (arm-linux-gnueabihf-gcc 12.2.0) #1 SMP Thu Jan  1 00:00:00 UTC 2026"),
        (0.0, f"Kernel command line: {cmdline or 'console=ttyS0,115200 root=/dev/mmcblk0p2'}"),
    ]
    clock += 0.02
    if preset:
        kernel.append((0.001, "Calibrating delay loop (skipped) preset value.. 996.14 BogoMIPS (lpj=4980736)"))
    else:
        kernel.append((0.12, "Calibrating delay loop... 996.14 BogoMIPS (lpj=4980736)"))
    for number in range(40):
        name = pick.choice(_DRIVERS)
        kernel.append((pick.uniform(*_KERNEL_STEP_S), f"{name} {number:x}000.{name}: registered as device {number}"))
    kernel.append((0.01, "Run /sbin/init as init process"))
    held = 0.0
    for work_s, text in kernel:
        work = work_s / speed
        clock += work
        line = f"[{clock:12.6f}] {text}"
        if quiet:
            held += work
            continue
        steps.append(ScriptStep(work, line))
    for number, service in enumerate(_SERVICES):
        work = (0.02 + 0.03 * pick.random()) / speed + (held if number == 0 else 0.0)
        steps.append(ScriptStep(work, f"Starting {service}: OK"))
    steps.append(ScriptStep(0.1 / speed, goal))
    return steps


def recorded_boot(path: Path, *, speed: float = 1.0) -> list[ScriptStep]:
    """Return a log as steps: kernel stamps say when; lines without one follow at once. Long silences are kept."""
    steps: list[ScriptStep] = []
    last = 0.0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        stamp_ns = _core.kernel_stamp_ns(line)
        now = last if stamp_ns is None else stamp_ns / 1e9
        steps.append(ScriptStep(max(0.0, now - last) / speed, line.rstrip("\r")))
        last = max(last, now)
    return steps


def with_jitter(steps: list[ScriptStep], dice: random.Random, jitter: float) -> list[ScriptStep]:
    """Return the steps with every piece of work longer or shorter by a share of this standard deviation."""
    return [ScriptStep(max(0.0, s.work_s * dice.gauss(1.0, jitter)), s.text, s.open_) for s in steps]


def with_fault(fault: str, steps: list[ScriptStep], dice: random.Random, *, baud: int) -> BootScript:
    """Return what one boot prints when this is wrong with it; "" is a good boot."""
    kernel = next((n for n, s in enumerate(steps) if "Linux version" in s.text), len(steps) // 3)
    middle = dice.randrange(min(kernel + 2, len(steps) - 1), len(steps) - 1)
    early, late = tuple(steps[:middle]), tuple(steps[middle:])
    made: dict[str, Callable[[], BootScript]] = {
        "hang": lambda: BootScript(steps=early),
        "panic": lambda: BootScript(steps=(*early, *_PANIC)),
        "reboot": lambda: BootScript(steps=(*early, *steps)),
        "reboot-loop": lambda: BootScript(steps=early, then="again"),
        "baud": lambda: BootScript(steps=tuple(steps), other_baud=dice.choice([r for r in _OTHER_RATES if r != baud])),
        "garbage": lambda: BootScript(steps=(*early, *(ScriptStep(s.work_s, _noise(dice, 40)) for s in late))),
        "noise": lambda: BootScript(steps=(*early, ScriptStep(0.001, _noise(dice, 12)), *late)),
        "silent": BootScript,
        "stopped": lambda: _stopped(steps),
        "half-line": lambda: _halved(early, late),
        "unplugged": lambda: BootScript(steps=early, then="unplug"),
    }
    if fault not in made:
        return BootScript(steps=tuple(steps))
    return msgspec.structs.replace(made[fault](), fault=fault)


def _stopped(steps: list[ScriptStep]) -> BootScript:
    loader = next((n for n, s in enumerate(steps) if "autoboot" in s.text), 3)
    return BootScript(steps=(*steps[: loader + 1], ScriptStep(0.01, "=> ", open_=True)))


def _halved(early: tuple[ScriptStep, ...], late: tuple[ScriptStep, ...]) -> BootScript:
    cut, *rest, last = late
    half = ScriptStep(cut.work_s, cut.text[: len(cut.text) // 2], open_=True)
    return BootScript(steps=(*early, half, ScriptStep(0.02, ""), *rest, ScriptStep(last.work_s, last.text, open_=True)))


def _noise(dice: random.Random, length: int) -> str:
    return "".join(chr(dice.choice((*range(1, 8), *range(0x0E, 0x1B), *range(0x80, 0xA0)))) for _ in range(length))
