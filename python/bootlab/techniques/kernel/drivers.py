# SPDX-License-Identifier: MIT
"""Drivers that are left out, or loaded once the goal is reached."""

from __future__ import annotations

import re

from bootlab.model.change import Change
from bootlab.model.kernel_change import LoadModulesLate, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with, options_asked
from bootlab.techniques.missing import NO_INITCALLS
from bootlab.techniques.vital_initcalls import vital


class UnusedDrivers(Technique):
    """Names come from the diagnostic boot, options from the kernel's source."""

    id = "unused-drivers"
    title = "Drivers left out that found no device"
    stage = "kernel"
    what = "Switches off the options of built-in drivers whose initcalls returned -ENODEV in the diagnostic boot."
    why = "Such a driver searched for its device, which may take long on a real bus, and did not find it."
    when_not = "The device may be plugged in later, or another board with the same kernel has it."
    cost = "If only some boards have the device, build the driver as a module instead."
    risk = Risk(function=("a device that was absent in the diagnostic boot has no driver when it is present"))
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
            return NO_INITCALLS
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


LEAST_NS = 500_000

MOST = 6

# guest/late/late.c
_LOADED = re.compile(r"^bootlab: (\S{1,64})\.ko is loaded\s*$")


class DriversAsModules(Technique):
    """One variant a driver: a boot shows which of them the application does without."""

    id = "drivers-as-modules"
    title = "Drivers as modules, loaded after the goal"
    stage = "kernel"
    what = (
        "Changes the options of built-in drivers with long initcalls from y to m. The modules are in the initramfs "
        "and are loaded, in the order of their dependencies, after the goal."
    )
    why = "What the application does not need at its start can be set up while it is already working."
    when_not = "The application, its storage or its screen needs the driver: then the goal or the check fails."
    cost = (
        "The modules are loaded with the initramfs, and their memory is not contiguous. bootlab's own loader waits "
        "for a fixed time; in a product, load them when the application reports that it is ready."
    )
    risk = Risk(
        function="a device is missing until its module is loaded",
        runtime="a module's code is in small pages: more TLB misses",
    )
    needs_diagnosis = True
    needs_source = True
    exclusive = False
    proof = "diagnosis"
    builds = True
    references = ("Documentation/kbuild/modules.rst", "kernel/module/main.c: finit_module(2)", "guest/late/late.c")

    def applies(self, context: Context) -> Applies:
        """Yes when a slow initcall belongs to an option that may be m, and modules can be carried."""
        if context.diagnosis is None or not context.diagnosis.initcalls:
            return NO_INITCALLS
        return _no_modules(context) or self._among_drivers(context)

    def _among_drivers(self, context: Context) -> Applies:
        slow = _slow(context)
        if not slow:
            return Applies.no(f"no driver's initcall takes {LEAST_NS / 1e6:g} ms", "initcalls of the diagnostic boot")
        movable = _movable(context)
        if movable:
            words = ", ".join(f"{name} {ns / 1e6:.1f} ms (CONFIG_{option})" for name, ns, option in movable)
            return Applies.yes("slow drivers may be modules", words)
        shown = ", ".join(f"{name} {ns / 1e6:.1f} ms" for name, ns in slow[:4])
        if context.module_options:
            return Applies.no("what builds the slow initcalls cannot be a module", shown)
        return Applies.unknown("which options build these initcalls is not known: it takes the kernel's source", shown)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose each driver as a module, the slowest first, loaded when the base's goal is surely over."""
        goal_ns = context.recording.meta.goal_ns or 0
        # Counted from the start of user space, which comes later than power-on; half as long again for slower boots.
        late = LoadModulesLate(after_ms=max(1000, goal_ns * 3 // 2_000_000))
        return tuple(
            Change(technique=self.id, ops=(SetKernelOptions(((option, "m"),)), late), label=option.lower())
            for _, _, option in _movable(context)
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration, and by the diagnostic boot in which the module came after the goal."""
        asked = options_asked(before, after, "m")
        if not asked:
            return Effect(False, "no option was turned into a module")
        effect = built_with(before, after, asked)
        if not effect.shown:
            return effect
        if before.diagnosis is None or after.diagnosis is None:
            return Effect(False, "only diagnostic boots of both systems show when a module was loaded")
        was = {call.function for call in before.diagnosis.initcalls if call.module is None}
        now = {call.function for call in after.diagnosis.initcalls if call.module is None}
        moved = [c for c in after.diagnosis.initcalls if c.module and c.function in was and c.function not in now]
        if not moved:
            return Effect(False, "no initcall moved out of the kernel's own start")
        lines = after.diagnosis.recording.lines
        goal = next((n for n, line in enumerate(lines) if re.search(after.system.goal.console, line.text)), None)
        loaded = {m[1].replace("-", "_"): n for n, line in enumerate(lines) if (m := _LOADED.match(line.text))}
        for call in moved:
            at = loaded.get((call.module or "").replace("-", "_"))
            if goal is None or at is None or at < goal:
                return Effect(False, f"{call.module} was not seen to be loaded after the goal")
        names = ", ".join(f"{call.function} [{call.module}]" for call in moved)
        return Effect(True, f"{effect.evidence}; {names} ran after the goal's line on the console")


def _no_modules(context: Context) -> Applies | None:
    build = context.system.kernel.build
    if context.system.initramfs is None or (build is not None and build.embed_initramfs):
        return Applies.no("no initramfs beside the kernel could carry modules")
    if build is not None and not build.modules:
        return Applies.no("modules are not built", "kernel.modules = false")
    if context.enabled("MODULES") is False:
        return Applies.no("this kernel loads no modules", "CONFIG_MODULES is not set", options=("MODULES",))
    return None


def _slow(context: Context) -> list[tuple[str, int]]:
    calls = context.diagnosis.initcalls if context.diagnosis is not None else ()
    took: dict[str, int] = {}
    for call in calls:
        if call.module is None and not call.found_nothing and not vital(call.function):
            took[call.function] = took.get(call.function, 0) + call.duration_ns
    return sorted(((name, ns) for name, ns in took.items() if ns >= LEAST_NS), key=lambda pair: -pair[1])


def _movable(context: Context) -> list[tuple[str, int, str]]:
    """Return initcalls, what they took, and their options: no option with an initcall that is vital."""
    options = context.module_options
    kept = {option for name, option in options.items() if vital(name)}
    found: dict[str, tuple[str, int, str]] = {}
    for name, ns in _slow(context):
        option = options.get(name)
        if option is not None and option not in kept:
            found.setdefault(option, (name, ns, option))
    return list(found.values())[:MOST]


TECHNIQUES: tuple[Technique, ...] = (
    UnusedDrivers(),
    DriversAsModules(),
)
