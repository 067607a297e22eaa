"""Build the kernel without the drivers that found no device."""

from __future__ import annotations

from bootlab.model.change import Change, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with, options_asked
from bootlab.techniques.vital_initcalls import vital


class UnusedDrivers(Technique):
    """Names come from the diagnostic boot, options from the kernel's source."""

    id = "unused-drivers"
    title = "Drivers left out that found no device"
    stage = "kernel"
    what = "Switches off the options of those built-in drivers whose initcalls returned -ENODEV in the diagnostic boot."
    why = "Such a driver looked for its device, which may take long on a real bus, and found none."
    when_not = "The device may be plugged in, or is on another board that boots the same kernel."
    cost = "Build them as modules where only some boards have the device."
    risk = Risk(function="a device that was not there in the diagnostic boot has no driver when it is")
    needs_diagnosis = True
    needs_source = True
    proof = "recording"
    builds = True
    references = (
        "init/main.c: do_one_initcall(), initcall_debug",
        "include/linux/platform_device.h: platform_driver_probe() returns -ENODEV where nothing was bound",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when an initcall found nothing and the source names the option that only builds such initcalls."""
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return Applies.unknown("a diagnostic boot with initcalls is missing")
        idle = _found_nothing(context)
        if not idle:
            return Applies.no("every driver's initcall found what it looked for", "none returned -19 (ENODEV)")
        options = _options(context)
        if options:
            words = ", ".join(f"{name} (CONFIG_{option})" for option, name in options.items())
            return Applies.yes("drivers found no device", words)
        shown = ", ".join(idle[:4]) + (f" and {len(idle) - 4} more" if len(idle) > 4 else "")
        if context.initcall_options:
            return Applies.no("no option leaves out just what found no device", shown)
        return Applies.unknown("which options build these initcalls is not known: it takes the kernel's source", shown)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose all of them in one kernel."""
        options = _options(context)
        if not options:
            return ()
        return (Change(technique=self.id, ops=(SetKernelOptions(tuple((name, "n") for name in options)),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configurations that both booted images were built with."""
        asked = options_asked(before, after, "n")
        if not asked:
            return Effect(False, "no option was switched off")
        return built_with(before, after, asked)


def _ran(context: Context) -> dict[str, bool]:
    """Return the built-in initcalls that came back, and of each whether it may go."""
    ran: dict[str, bool] = {}
    for call in context.diagnosis.initcalls if context.diagnosis is not None else ():
        if call.module is None:
            name = call.function
            ran[name] = ran.get(name, True) and call.found_nothing and not vital(name)
    return ran


def _found_nothing(context: Context) -> list[str]:
    return [name for name, may_go in _ran(context).items() if may_go]


def _options(context: Context) -> dict[str, str]:
    """Return options, each with an initcall that found nothing, without those that also build one that did."""
    known = [(context.initcall_options.get(name), name, may_go) for name, may_go in _ran(context).items()]
    kept = {option for option, _, may_go in known if not may_go}
    return {option: name for option, name, may_go in known if option is not None and may_go and option not in kept}
