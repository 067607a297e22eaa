# SPDX-License-Identifier: MIT
"""The calibration of the delay loop."""

from __future__ import annotations

import re
from typing import NamedTuple

from bootlab.model.change import Change, SetParam
from bootlab.model.compiled_cmdline import adding, compiled_in
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import images_differ
from bootlab.techniques.evidence import Booted, KernelLog
from bootlab.techniques.kernel.processors import BROUGHT_UP

_CALIBRATED = r"Calibrating delay (?:loop\.\.\.|using timer specific routine\.\.) .*\(lpj=(\d{1,12})\)"

_PRESET = r"Calibrating delay loop \(skipped\) preset value"

_ANY = r"Calibrating delay "

_BY_FREQUENCY = r"Calibrating delay loop \(skipped\), value calculated using timer frequency"

_BRINGING_UP = "smp: Bringing up secondary CPUs"

_CALIBRATION_NS = 40_000_000
"""A processor comes up in about 10 ms; calibrate_delay_direct() measures five times over 10 ms (HZ/100 ticks)."""


class Others(NamedTuple):
    """The processors behind the first one, and how long bringing them up took, in ns of the kernel's clock."""

    number: int
    ns: int

    @classmethod
    def of(cls, booted: Booted) -> Others | None:
        """Read both lines' stamps from the timing boot, else from the diagnostic one; None without them."""
        for recording in (booted.recording, *(() if booted.diagnosis is None else (booted.diagnosis.recording,))):
            begin = recording.find(_BRINGING_UP)
            for line in recording.lines:
                found = re.search(BROUGHT_UP, line.text)
                if found is None or begin is None or begin.printk_ns is None or line.printk_ns is None:
                    continue
                if int(found[1]) > 1:
                    return cls(int(found[1]) - 1, line.printk_ns - begin.printk_ns)
        return None

    @property
    def calibrate(self) -> bool:
        """Whether each takes as long as a calibration. They print nothing of it."""
        return self.ns >= self.number * _CALIBRATION_NS

    def __str__(self) -> str:
        """Return them as a report says them."""
        return f"{self.number} other processor{'s' if self.number > 1 else ''} brought up in {self.ns / 1e6:.1f} ms"


class LpjPreset(Technique):
    """`lpj=` replaces the measurement of loops per jiffy, where there is one."""

    id = "lpj-preset"
    ends = ("calibrate_delay",)
    title = "Preset loops per jiffy"
    addresses: tuple[str, ...] = ("delay-calibration",)
    stage = "kernel"
    what = "Sets `lpj=` to the value that this kernel printed on this machine."
    why = "The calibration counts loops over several timer ticks, on every processor: tens to hundreds of milliseconds."
    when_not = (
        "The kernel knows its timer's frequency (x86 with TSC, arm64, RISC-V, ARMv7 with the architected timer). "
        "It then computes the value and prints `skipped`. On x86 this holds for the first processor only: each other "
        "one may calibrate its own, in silence."
    )
    cost = "The value is valid for one machine at one clock rate only."
    risk = Risk(
        debuggability=("if the value is too small, delays are too short; measure it again when the clock rate changes")
    )
    kernels = "2.6.9 and later"
    late = True
    conflicts = ("lpj-compiled-in",)
    published: tuple[Published, ...] = (
        Published("-83 ms", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
        Published("-212 ms", "OMAP1510 168 MHz, Linux 2.4", "eLinux wiki: Preset LPJ"),
        Published("up to 250 ms per processor", "any", "Documentation/admin-guide/kernel-parameters.txt: lpj="),
    )
    references: tuple[str, ...] = (
        "init/calibrate.c: calibrate_delay(), calibrate_delay_direct()",
        "arch/x86/kernel/tsc.c: calibrate_delay_is_known()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed a calibration, or its other processors take as long as one each."""
        if context.system.cmdline.has("lpj"):
            return Applies.no("lpj= is set already", str(context.system.cmdline.get("lpj")))
        log = KernelLog.of(context)
        if line := log.line(_CALIBRATED):
            return Applies.yes("the delay loop is calibrated at boot", line)
        if line := log.line(_BY_FREQUENCY):
            if (others := Others.of(context)) and others.calibrate:
                return Applies.yes("only the first processor's calibration is skipped", str(others))
            return Applies.no("skipped by timer frequency: there is no calibration to save", line)
        if line := log.line(_ANY):
            return Applies.no("the calibration is skipped", line)
        return log.unknown("the kernel printed no line about its delay loop")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the printed value; without one there is nothing to propose."""
        found = KernelLog.of(context).match(r"\(lpj=(\d{1,12})\)")
        if found is None:
            return ()
        return (Change(technique=self.id, ops=(SetParam("lpj", found[1]),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove that a calibration ran before and the preset value was taken after.

        `preset value` alone is no proof: the kernel prints it too where it would have skipped the loop anyway. Where
        only the first processor's loop was skipped, the time of the others proves it.
        """
        old, new = KernelLog.pair(before, after)
        was, now = old.line(_CALIBRATED), new.line(_PRESET)
        slow, fast = Others.of(before), Others.of(after)
        if not was and now and slow and fast and slow.calibrate and slow.number == fast.number and not fast.calibrate:
            return Effect(True, f"{slow} -> {fast.ns / 1e6:.1f} ms; {now}")
        if not was:
            there = old.line(_ANY)
            reason = f"no calibration ran before the change: {there}" if there else old.why_silent()
            return Effect(False, reason or "the kernel printed no calibration before the change")
        if not now:
            return Effect(False, new.line(_ANY) or new.why_silent() or "no line about the delay loop after the change")
        return Effect(True, f"{was} -> {now}")


class LpjCompiledIn(LpjPreset):
    """CONFIG_CMDLINE carries `lpj=`, for boot loaders whose line cannot be changed."""

    id = "lpj-compiled-in"
    title = "Loops per jiffy compiled in"
    addresses = ()
    what = "Builds with `lpj=` in CONFIG_CMDLINE, in addition to what the boot loader passes."
    why = "It saves the same as `lpj-preset` if the boot loader's command line cannot be changed."
    when_not = "The command line can be changed: then `lpj-preset` does the same without a build."
    cost = (
        "The image is valid for one machine at one clock rate only. With a device tree the compiled-in words come "
        "last, so `lpj=` on the command line is ignored."
    )
    risk = Risk(debuggability=("if the value is too small, delays are too short, and only another image mends that"))
    architectures = ("x86_64", "arm", "riscv64")
    conflicts = ("lpj-preset",)
    builds = True
    published = (Published("-212 ms", "OMAP1510 168 MHz, Linux 2.4", "eLinux wiki: Preset LPJ"),)
    references = (
        "init/calibrate.c: calibrate_delay()",
        "drivers/of/fdt.c: early_init_dt_scan_chosen()",
        "arch/x86/kernel/setup.c: setup_arch()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes where the kernel calibrates and its CONFIG_CMDLINE is free."""
        if (said := context.config.get("CONFIG_CMDLINE", "")).strip('"'):
            return Applies.no("a command line is compiled in already", f"CONFIG_CMDLINE={said}")
        return super().applies(context)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the printed value, in the way that keeps the boot loader's line."""
        found = KernelLog.of(context).match(r"\(lpj=(\d{1,12})\)")
        way = adding(context.system.machine.arch)
        if found is None or way is None:
            return ()
        return (Change(technique=self.id, ops=(compiled_in(context.system.machine.arch, way, f"lpj={found[1]}"),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove that another image was booted and took a preset where the base calibrated."""
        image = images_differ(before, after)
        return super().took_effect(before, after) if image.shown else image


TECHNIQUES: tuple[Technique, ...] = (
    LpjPreset(),
    LpjCompiledIn(),
)
