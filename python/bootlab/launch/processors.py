# SPDX-License-Identifier: MIT
"""Several processors in exact mode: what this QEMU can do, and the plugin that gives each its own time."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault
from bootlab.launch import exactness, plugin
from bootlab.launch.emulator import Emulator
from bootlab.launch.extra_words import processors_of
from bootlab.launch.plugin_build import Plugin
from bootlab.model.launch import LoadedPlugin
from bootlab.model.processors import Processors
from bootlab.model.system import SystemDescription

_ONE = "set machine.cpus = 1 (and no -smp in machine.extra)"
_WAYS_OUT = f'{_ONE}, take QEMU 10 (machine.emulator), or clock.mode = "free"'
_SHARED = f'clock.processors = "shared" needs no plugin, but shows no gain from parallel work; or {_ONE}'


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """The processors of a boot, and what QEMU is to load for them."""

    processors: Processors
    plugin: LoadedPlugin | None = None


def prepare(system: SystemDescription, found: Emulator, cache_folder: Path) -> Prepared:
    """Return how the processors of a system are run. Raise EnvironmentFault for what this QEMU cannot do."""
    machine, clock = system.machine, system.clock
    count = processors_of(machine.cpus, machine.extra)
    if count <= 1 or clock.mode != "exact":
        return Prepared(processors=Processors(count=count))
    if exactness.one_runs(system):
        return Prepared(processors=Processors(count=count, mode="shared", alone=True))
    if exactness.hangs_with_processors(found.version):
        raise EnvironmentFault(
            f"{system.name}: {count} processors in exact mode: QEMU {found.version.partition(' ')[0]} hangs when the "
            "second one starts",
            hint=_WAYS_OUT,
        )
    if clock.processors == "shared":
        if exactness.shares_unequally(found.version):
            raise EnvironmentFault(
                f"{system.name}: {count} processors that share a clock: on QEMU {found.version.partition(' ')[0]} two "
                "boots of them differ",
                hint=f'set clock.processors = "parallel", which is exact there; or {_ONE}',
            )
        return Prepared(processors=Processors(count=count, mode="shared"))
    facts = machine.architecture
    made, reason = two_processors(found, facts.machine_type, facts.cpu, cache_folder)
    if made.path is None or reason:
        raise EnvironmentFault(f"{system.name}: {count} processors with times of their own: {reason}", hint=_SHARED)
    quantum = (f"quantum={clock.quantum_ns}",)
    loaded = LoadedPlugin(file=made.path, arguments=quantum, digest=made.digest, carried_as="qemu-smp.so")
    processors = Processors(count=count, mode="parallel", quantum_ns=clock.quantum_ns)
    return Prepared(processors=processors, plugin=loaded)


def two_processors(found: Emulator, machine_type: str, cpu: str, cache_folder: Path) -> tuple[Plugin, str]:
    """Return the plugin, and why it refuses to run two processors in this QEMU, or an empty text."""
    made = plugin.prepare_processors(found, cache_folder)
    if made.path is None:
        return made, made.reason
    two = ("-machine", machine_type, "-cpu", cpu, "-smp", "2")
    return made, plugin.refused(found.path, two, made.path, "qemu-smp")
