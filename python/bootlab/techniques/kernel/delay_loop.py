"""The calibration of the delay loop."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.compiled_cmdline import adding, compiled_in
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import images_differ
from bootlab.techniques.evidence import KernelLog

_CALIBRATED = r"Calibrating delay (?:loop\.\.\.|using timer specific routine\.\.) .*\(lpj=(\d{1,12})\)"

_PRESET = r"Calibrating delay loop \(skipped\) preset value"

_ANY = r"Calibrating delay "


class LpjPreset(Technique):
    """`lpj=` replaces the measurement of loops per jiffy, where there is one."""

    id = "lpj-preset"
    title = "Preset loops per jiffy"
    addresses: tuple[str, ...] = ("delay-calibration",)
    stage = "kernel"
    what = "Sets `lpj=` to the value that this kernel printed on this machine."
    why = "The calibration counts loops over several timer ticks, on every processor: tens to hundreds of milliseconds."
    when_not = (
        "The kernel knows its timer's frequency (x86 with TSC, arm64, RISC-V, ARMv7 with the architected timer). "
        "It then computes the value and prints `skipped`."
    )
    cost = "The value is valid for one machine at one clock rate only."
    risk = Risk(
        debuggability=("if the value is too small, delays are too short; measure it again when the clock rate changes")
    )
    kernels = "2.6.9 and later"
    late = True
    conflicts = ("lpj-compiled-in",)
    proof = "kernel-log"
    published: tuple[Published, ...] = (
        Published("-83 ms", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
        Published("-212 ms", "OMAP1510 168 MHz, Linux 2.4", "eLinux wiki: Preset LPJ"),
        Published("up to 250 ms per processor", "any", "Documentation/admin-guide/kernel-parameters.txt: lpj="),
    )
    references: tuple[str, ...] = ("init/calibrate.c: calibrate_delay()",)

    def applies(self, context: Context) -> Applies:
        """Yes only when the kernel printed a calibration that was not skipped."""
        if context.system.cmdline.has("lpj"):
            return Applies.no("lpj= is set already", str(context.system.cmdline.get("lpj")))
        log = KernelLog.of(context)
        if line := log.line(_CALIBRATED):
            return Applies.yes("the delay loop is calibrated at boot", line)
        if line := log.line(r"Calibrating delay loop \(skipped\), value calculated using timer frequency"):
            return Applies.no("skipped by timer frequency: there is no calibration to save", line)
        if line := log.line(_ANY):
            return Applies.no("the calibration is skipped", line)
        return Applies.unknown(log.why_silent() or "the kernel printed no line about its delay loop")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the printed value; without one there is nothing to propose."""
        found = KernelLog.of(context).match(r"\(lpj=(\d{1,12})\)")
        if found is None:
            return ()
        return (Change(technique=self.id, ops=(SetParam("lpj", found[1]),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove that a calibration ran before and the preset value was taken after.

        `preset value` alone is no proof: the kernel prints it too where it would have skipped the loop anyway.
        """
        old, new = KernelLog.pair(before, after)
        was, now = old.line(_CALIBRATED), new.line(_PRESET)
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
