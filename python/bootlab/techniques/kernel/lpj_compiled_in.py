"""Compile the result of the delay loop calibration into the kernel."""

from __future__ import annotations

from typing import ClassVar

from bootlab.model.change import Change
from bootlab.model.compiled_cmdline import adding, compiled_in
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.built import images_differ
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.kernel.lpj_preset import LpjPreset


class LpjCompiledIn(LpjPreset):
    """CONFIG_CMDLINE carries `lpj=`, for boot loaders whose line cannot be changed."""

    id = "lpj-compiled-in"
    title = "Loops per jiffy compiled in"
    what = "Builds with `lpj=` in CONFIG_CMDLINE, beside whatever the boot loader passes."
    why = "It saves what `lpj-preset` saves where the boot loader's command line cannot be changed."
    when_not = "The command line can be changed: then `lpj-preset` does the same without a build."
    cost = (
        "The image belongs to one machine at one clock rate. With a device tree the compiled-in word comes last and "
        "wins: `lpj=` on the command line is ignored then."
    )
    risk = Risk(debuggability="a value too small makes delays too short, and needs another image to be mended")
    architectures = ("x86_64", "arm", "riscv64")
    conflicts: ClassVar[tuple[str, ...]] = ("lpj-preset",)
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
