# SPDX-License-Identifier: MIT
"""A timing boot's plan once more, with a plugin that watches one processor and changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.plugin_build import Plugin
from bootlab.model.launch import Launch, LoadedPlugin


def watchable(plan: BootPlan, *, exact_only: str, one_only: str) -> Launch:
    """Return what starts the boot, if a plugin can watch it.

    Raise UserError in free mode (`exact_only`) and on several processors (`one_only`), EnvironmentFault where the boot
    has no plugins.
    """
    if plan.system.clock.mode != "exact":
        raise UserError(exact_only, hint='set clock.mode = "exact"')
    if plan.processors.count != 1 and not plan.processors.alone:
        raise UserError(
            one_only,
            hint="set machine.cpus = 1 for this; or leave the others off with maxcpus=1 on the command line",
        )
    if plan.launch is None or not plan.launch.plugins:
        raise EnvironmentFault("it needs TCG plugins, and this boot has none", hint="bootlab doctor")
    return plan.launch


def watched(plan: BootPlan, launch: Launch, built: Plugin, out: str, words: Sequence[str]) -> BootPlan:
    """Return the plan with the plugin, which writes the file `out`. Raise EnvironmentFault where there is no plugin."""
    if built.path is None:
        raise EnvironmentFault(f"there is no plugin: {built.reason}", hint="bootlab doctor")
    arguments = (f"out={out}", f"shift={plan.system.clock.shift}", *words)
    watcher = LoadedPlugin(file=built.path, arguments=arguments, digest=built.digest)
    key = hashlib.sha256(f"{plan.key} {built.digest} {words}".encode()).hexdigest()[:32]
    return msgspec.structs.replace(plan, purpose="trace", launch=launch.with_plugin(watcher), key=key)
