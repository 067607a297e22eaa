# SPDX-License-Identifier: MIT
"""Which kernel options may be left out at all: by what ran for the goal, and by what Kconfig lets go. No build.

Code that ran when programs ran is needed for the goal, and so is what starts the kernel, its console and its initramfs.
Everything else only prepared something: nobody knows whether that is used, but a boot tells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from bootlab.analysis import coverage
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.analysis.coverage import FunctionCover
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import MeasurementError
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.halving import Family
from bootlab.experiments.traced_boot import Traced, trace_boot
from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.configuration import from_mapping
from bootlab.kernelsource.levers import levers_of
from bootlab.kernelsource.tree import ConfiguredTree
from bootlab.model.system import SystemDescription
from bootlab.techniques.base import Evidence
from bootlab.tracing import symbols as trace_symbols
from bootlab.tracing.boot import CODE_ONLY_NS, TraceRequest, kernel_symbols

_SECURITY = re.compile(
    r"SECURITY|SECCOMP|HARDEN|MITIGAT|RETPOLINE|KEYS$|KEYRING|INTEGRITY|\bIMA|\bEVM|AUDIT|LANDLOCK|SIGNATURE|LOCKDOWN"
    r"|RANDOMIZE|STACKPROTECTOR|STRICT_|VMAP_STACK|SLAB_FREELIST|INIT_ON_|PAGE_TABLE_ISOLATION"
)
"""Options that are not given up because their code did not run: what they guard against had not happened yet."""

_SUPPLIER = re.compile(r"drivers/(?:bus|clk|gpio|irqchip|mailbox|mfd|phy|pinctrl|pmdomain|power|regulator|reset|soc)/")
"""Folders of drivers that others wait for, as drivers/of/property.c: of_supplier_bindings lists them."""

Settle = Callable[[frozenset[str]], dict[str, str]]
"""What the kernel's own tool makes of a configuration without some options: names without `CONFIG_` to values."""


Tier = Literal[0, 1, 2]
"""How likely it goes: 0 nothing of it ran, 1 it only said that it is there, 2 it ran before the first program only."""


class Unused(msgspec.Struct, frozen=True, kw_only=True):
    """What may be offered, why the rest may not, and the option that each function of the image belongs to.

    `modules`: options that are modules where no module is built: they go with every question. `needed`: options whose
    code ran for the goal, with the function.
    """

    families: list[Family]
    kept: dict[str, str]
    option_of: dict[str, str]
    modules: frozenset[str] = frozenset()
    needed: dict[str, str] = {}


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options by what of them ran."""

    needed: dict[str, str]
    """Ran for the goal; with the reason."""
    tiers: dict[str, Tier]
    """The others, of which the image has code."""


def unused_options(
    bench: Bench,
    standing: Evidence,
    keep: tuple[str, ...],
    settle: Settle,
    *,
    unguarded: bool = False,
    waited: bool = False,
) -> Unused:
    """Return options that may go, each with what hangs on it, and why others are not offered.

    Three traced boots: up to the goal, to the first program, and to the kernel's own start. `waited`: the console's own
    probe had to wait for another driver's. Raise what tracing raises.
    """
    system = standing.system
    build = system.kernel.build
    if build is None:
        return Unused(families=[], kept={}, option_of={})
    traced = trace_boot(bench, system, TraceRequest(min_ns=CODE_ONLY_NS))
    to_init, to_start = (_up_to(bench, system, traced, mark) for mark in ("run-init", "start-kernel"))
    plan = bench.target.plan(system)
    config = from_mapping(plan.info.config)
    modules = frozenset() if build.modules else frozenset(n for n, value in config.values.items() if value == "m")
    if modules:
        # What only a module selects can go, too.
        config = from_mapping({f"CONFIG_{n}": value.strip('"') for n, value in settle(modules).items()})
    arch = system.machine.arch
    source = KernelBuilder(bench.cache).source_tree(build, arch)
    tree = ConfiguredTree(source, cache=bench.cache.root, arch=arch, configuration=config)
    # Not those of the file that the emulator loads: a boot loader's kernel lies on its card.
    symbols = trace_symbols.choose(kernel_symbols(plan), arch)
    places = tree.resolver.resolve([(name, "") for name in traced.trace.names[len(trace_symbols.BUCKETS) :]])
    covered = coverage.functions(traced.trace, symbols, levers_of(tree, places))
    late, first = coverage.executed_after(traced.trace, to_init), coverage.executed(to_start)
    executed = ran(covered, late, first, waited=waited)
    families, kept = families_of(executed, tree.advisor, keep, unguarded=unguarded)
    families, held = holding(families, executed, tree.advisor.turned_on_by, lambda off: settle(off | modules))
    kept |= held
    option_of = {row.function: row.symbol for row in covered if row.symbol}
    return Unused(families=families, kept=kept, option_of=option_of, modules=modules, needed=executed.needed)


def _up_to(bench: Bench, system: SystemDescription, traced: Traced, mark: str) -> FunctionTrace:
    insns = next((m.insns for m in traced.timing.marks if m.name == mark), None)
    if insns is None:
        raise MeasurementError(f"the boot has no mark {mark}", hint="bootlab boot SYSTEM.toml shows the marks it has")
    return trace_boot(bench, system, TraceRequest(min_ns=CODE_ONLY_NS, end_insns=insns)).trace


def ran(
    covered: Sequence[FunctionCover], late: frozenset[str], first: frozenset[str], *, waited: bool = False
) -> RunOptions:
    """Sort options by what of them ran. `late`: functions that ran with programs; `first`: before the kernel's C code.

    `waited`: the console waited for another driver. Nothing tells for which one, so those that bound a device stay.
    Pure.
    """
    needed: dict[str, str] = {}
    tiers: dict[str, Tier] = {}
    times = Counter(row.function for row in covered)
    for row in covered:
        # Of functions of one name, copies of what stands in a header, nobody knows which of them is this option's.
        if not row.symbol or times[row.function] > 1 or "." in row.function:
            continue
        if row.function in late:
            needed.setdefault(row.symbol, f"{row.function}() ran when programs ran")
        elif row.function in first:
            needed.setdefault(row.symbol, f"{row.function}() starts the kernel")
        elif row.executed and row.initcall == "rootfs_initcall" and row.object.startswith("init/"):
            needed.setdefault(row.symbol, f"{row.function}() unpacks the initramfs")
        elif waited and row.executed and not row.initcall and _serves(row):
            needed.setdefault(row.symbol, f"{row.function}() ran, and the console waited for a device")
    for cover in coverage.by_symbol(covered):
        if cover.name not in needed:
            tiers[cover.name] = 0 if cover.ran == "nothing" else 1 if cover.only_registered else 2
    return RunOptions(needed=needed, tiers=tiers)


def _serves(row: FunctionCover) -> bool:
    return row.function.endswith("_probe") or _SUPPLIER.match(row.object) is not None


def families_of(
    found: RunOptions, advisor: Advisor, keep: tuple[str, ...], *, unguarded: bool = False
) -> tuple[list[Family], dict[str, str]]:
    """Return what may be offered, by what ran and by Kconfig, and why the rest may not. Pure.

    What something else selects is offered all the same: that may go with it. `unguarded`: so is what guards.
    """
    families: list[Family] = []
    kept: dict[str, str] = {}
    for name, tier in found.tiers.items():
        if name in keep:
            kept[name] = "the plan keeps it"
            continue
        if not unguarded and _SECURITY.search(name):
            kept[name] = "it guards against what had not happened yet"
            continue
        if name.removesuffix("_CONSOLE") in found.needed:
            kept[name] = f"it makes a console of {name.removesuffix('_CONSOLE')}, which is used"
            continue
        _, reasons = advisor.may_be(name, "n")
        if barred := [reason.text for reason in reasons if reason.kind not in {"selected", "unknown"}]:
            kept[name] = "; ".join(barred[:2])
            continue
        hanging = frozenset(dependent.symbol for dependent in advisor.dependents(name))
        if used := sorted(hanging & found.needed.keys()):
            kept[name] = f"{used[0]} cannot be on without it, and {found.needed[used[0]]}"
            continue
        if guarded := sorted(
            dependent for dependent in hanging if dependent in keep or (not unguarded and _SECURITY.search(dependent))
        ):
            kept[name] = f"{', '.join(guarded[:3])} would go with it"
            continue
        members = frozenset({name}) | hanging
        families.append(
            Family(
                name=name, members=members, tier=max([tier, *(found.tiers.get(dependent, 0) for dependent in hanging)])
            )
        )
    return families, kept


def holding(
    families: list[Family], found: RunOptions, turned_on_by: Callable[[str], frozenset[str]], settle: Settle
) -> tuple[list[Family], dict[str, str]]:
    """Take back what something needed is on because of: its select, or a default. Return what is left, and why.

    Such as a board's timer, which has no prompt: the board selects it. Of several that would do, the one of which most
    ran stays. What is lost for another reason is left for a boot to show. Pure but for `settle`.
    """
    kept: dict[str, str] = {}
    while families:
        asked = settled(frozenset().union(*(family.members for family in families)), settle)
        got = settle(asked)

        def off(name: str, got: dict[str, str] = got) -> bool:
            return got.get(name, "n") in {"n", ""}

        causes: dict[str, str] = {}
        for name in sorted(filter(off, found.needed)):
            seen, queue = {name}, [name]
            while queue:
                more = {one for one in turned_on_by(queue.pop()) - seen if off(one)}
                seen |= more
                # An option without a prompt only hands on what turns it on.
                queue += more - asked
            if able := seen & asked:
                causes[max(able, key=lambda one: (found.tiers.get(one, 0), one))] = name
        if not causes:
            break
        kept |= {one: f"{name} is on because of it, and {found.needed[name]}" for one, name in causes.items()}
        families = [family for family in families if not family.members & causes.keys()]
    return families, kept


def settled(asked: frozenset[str], settle: Settle) -> frozenset[str]:
    """Return which of some options stay off together, as the kernel's own tool has it.

    One that comes back on, because something that stays selects it, would fail every build in which it is asked for.
    Finding that out costs a run of the configuration's tool, and no build.
    """
    here = asked
    while here:
        got = settle(here)
        back = {name for name in here if got.get(name, "n") not in {"n", ""}}
        if not back:
            break
        here -= back
    return here
