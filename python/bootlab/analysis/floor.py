# SPDX-License-Identifier: MIT
"""The floor of a boot from its trace: what the goal needs, and the largest things that still stand between.

The bound is exact: instructions that the application itself executes. The rest of the floor is an estimate: what the
goal needs in some form, at the price that it has in this boot. What is needed is decided by tables of functions and by
names, which each part's `why` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.analysis.floor_items import Item, items_of, under_writes
from bootlab.model.floor import Floor, FloorPart, Obstacle

LARGEST = 10
_WORD_BYTES = 8

# init/main.c:start_kernel() and what every architecture's setup_arch() cannot go without.
_NEEDED: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "page tables and memory",
        re.compile(
            r"paging_init|init_mem_mapping|early_(ioremap|fixmap)_init|setup_per_cpu_areas|build_all_zonelists"
            r"|mem_init|kmem_cache_init(_late)?|vmalloc_init|page_alloc_init\w*|free_area_init|clear_bss|bootmem_init"
            r"|e820__memblock_setup|e820__memory_setup|memblock_free_all|mm_core_init_early|anon_vma_init|setup_initial_init_mm"
            r"|setup_per_cpu_pageset|reserve_initrd|reset_early_page_tables|__startup_64|pti_init|arm64_memblock_init"
            r"|map_mem|(__)?create_page_tables|early_map_kernel|arm_memblock_init|maple_tree_init|radix_tree_init|max_low_pfn\w*|prepare_page_table"
        ),
    ),
    (
        "interrupts, clock and scheduler",
        re.compile(
            r"trap_init|early_irq_init|init_IRQ|idt_setup_\w+|sched_init(_smp)?|rcu_init\w*|srcu_init|tick_init|time_init"
            r"|timekeeping_init|hrtimers_init|init_timers|timers_init|softirq_init|sched_clock_init|workqueue_init\w*"
            r"|cpu_startup_entry|smp_init|schedule|cpu_init\w*|early_cpu_init|identify_boot_cpu|boot_cpu_init"
            r"|apic_intr_mode_(init|select)|hpet_time_init|tsc_(early_)?init|call_function_init"
        ),
    ),
    (
        "processes, files and the first program",
        re.compile(
            r"fork_init|cred_init|vfs_caches_init\w*|signals_init|pid_idr_init|thread_stack_cache_init|proc_caches_init"
            r"|kernel_thread|user_mode_thread|kthreadd|create_kthread|driver_init|devices_init|buses_init|nsfs_init"
            r"|run_init_process|kernel_execve|console_on_rootfs|free_initmem|wait_for_initramfs|uts_ns_init|pagecache_init"
            r"|console_init|parse_args|parse_early_param|setup_command_line|do_sysctl_args|prepare_namespace"
        ),
    ),
)
_UNPACKING = re.compile(r"do_populate_rootfs|populate_rootfs")
# What brings the kernel into memory, by stage (analysis/floor_items.py), in the order in which it is likely to copy it.
_LOADING = {
    "decompressor": "decompression of the kernel",
    "firmware": "firmware and boot loader",
    "kernel set-up": "set-up code in front of the kernel",
}
# First words of initcalls that say nothing about the driver.
_GENERAL = frozenset(
    (
        *("init", "do", "sys", "early", "late", "kernel", "register", "arch", "setup", "add", "alloc", "set", "get"),
        *("slab", "load", "mod", "copy", "free", "mem", "put"),
    )
)


class ProgramShare(msgspec.Struct, frozen=True, kw_only=True):
    """Programs of one name: what they took, in the kernel and out of it."""

    name: str
    ns: int


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """The program that reaches the goal. `user_ns`: its own instructions, None where they cannot be told apart."""

    name: str
    ns: int
    user_ns: int | None = None


class Images(msgspec.Struct, frozen=True, kw_only=True):
    """What has to get into memory, bytes: the kernel as it is linked, the first root tree unpacked."""

    kernel_bytes: int = 0
    tree_bytes: int = 0


def floor_of(
    trace: FunctionTrace,
    application: Application | None,
    programs: tuple[ProgramShare, ...],
    images: Images,
    lever: Callable[[str], str] = lambda _name: "",
    unneeded: Callable[[str], bool] = lambda _name: False,
) -> Floor:
    """Take the traced boot apart. `lever`: what would take a stage, an initcall or a function away, "" if unknown.

    `unneeded`: whether an initcall is known to serve no driver, whatever its name has in common with one (a self-test).
    """
    whole_ns = trace.ns(trace.head.insns) + trace.head.idle_ns
    ran = under_writes(trace)
    parts: list[FloorPart] = []
    obstacles: list[Obstacle] = []
    needed: dict[str, int] = {}
    drivers: list[Item] = []
    loading: dict[str, int] = {}
    unpacking: dict[str, int] = {}
    for item in items_of(trace):
        group = _group(item)
        if item.kind == "user":
            obstacles += _programs(item, application, programs, parts)
        elif item.kind == "stage" and item.name in _LOADING:
            loading[item.name] = loading.get(item.name, 0) + item.ns
        elif _UNPACKING.fullmatch(item.name):
            unpacking[item.name] = unpacking.get(item.name, 0) + item.ns
        elif group:
            needed[group] = needed.get(group, 0) + item.ns
        elif item.kind == "initcall" and _used(item.name, ran) and not unneeded(item.name):
            drivers.append(item)
        else:
            obstacles.append(Obstacle(title=item.title, ns=item.ns, lever=lever(item.name)))
    loaders = [(title, name, loading.get(name, 0)) for name, title in _LOADING.items()]
    unpackers = [("unpacking of the initramfs", name, ns) for name, ns in unpacking.items()]
    obstacles += _copied(trace, "the kernel", images.kernel_bytes, loaders, parts, lever)
    obstacles += _copied(trace, "the root tree", images.tree_bytes, unpackers, parts, lever)
    for title, _ in _NEEDED:
        if title in needed:
            why = "steps of start_kernel() that no boot can leave out, at what they take here"
            parts.append(FloorPart(title=title, ns=needed[title], kind="estimate", why=why))
    if drivers:
        named = ", ".join(item.name for item in drivers[:4]) + (", …" if len(drivers) > 4 else "")
        why = f"initcalls of what programs wrote to, found by the first word of the functions' names: {named}"
        total = sum(item.ns for item in drivers)
        parts.append(FloorPart(title="drivers of what programs write to", ns=total, kind="estimate", why=why))
    obstacles.sort(key=lambda one: (-one.ns, one.title))
    rest = obstacles[LARGEST:]
    notes = [] if application is not None else ["which program reaches the goal is not known: there is no bound"]
    if application is not None and application.user_ns is None:
        notes.append(f"{application.name}'s own work cannot be separated from the kernel's work for it: no bound")
    return Floor(
        goal_ns=whole_ns,
        parts=tuple(parts),
        obstacles=tuple(obstacles[:LARGEST]),
        others_ns=sum(one.ns for one in rest),
        others=len(rest),
        notes=tuple(notes),
    )


def _group(item: Item) -> str:
    if item.kind == "between":
        return _NEEDED[1][0]
    if item.kind not in {"start", "thread"}:
        return ""
    return next((title for title, pattern in _NEEDED if pattern.fullmatch(item.name)), "")


def _used(initcall: str, ran: frozenset[str]) -> bool:
    word = initcall.lstrip("_").split("_")[0]
    return len(word) > 2 and word not in _GENERAL and any(name.lstrip("_").startswith(f"{word}_") for name in ran)


def _copied(
    trace: FunctionTrace,
    what: str,
    size_bytes: int,
    took: list[tuple[str, str, int]],
    parts: list[FloorPart],
    lever: Callable[[str], str],
) -> list[Obstacle]:
    """Split the time of loading into one copy of what is loaded, and the rest. `took`: title, name and ns of each."""
    copy_ns = min(sum(ns for _, _, ns in took), trace.ns(-(-size_bytes // _WORD_BYTES)))
    if copy_ns:
        why = f"{size_bytes:,} bytes, {_WORD_BYTES} per instruction; a machine that loads by DMA copies nothing"
        parts.append(FloorPart(title=f"{what} copied once", ns=copy_ns, kind="estimate", why=why))
    found = []
    for title, name, ns in took:
        own_ns = min(ns, copy_ns)
        copy_ns -= own_ns
        if ns > own_ns:
            said = f"{title}{', but for one copy' if own_ns else ''}"
            found.append(Obstacle(title=said, ns=ns - own_ns, lever=lever(name)))
    return found


def _programs(
    item: Item, application: Application | None, programs: tuple[ProgramShare, ...], parts: list[FloorPart]
) -> list[Obstacle]:
    """Split the programs' time: the application's own, the kernel's for it, other programs by name."""
    left_ns = item.ns
    if application is not None:
        own_ns = min(left_ns, application.ns)
        user_ns = min(own_ns, application.user_ns or 0)
        left_ns -= own_ns
        if user_ns:
            why = "its instructions in user space from its start to the goal"
            parts.append(FloorPart(title=f"{application.name} itself", ns=user_ns, kind="bound", why=why))
        why = "its system calls, page faults and interrupts, as this kernel handles them"
        parts.append(
            FloorPart(title=f"the kernel for {application.name}", ns=own_ns - user_ns, kind="estimate", why=why)
        )
    found = []
    for program in programs:
        ns = min(left_ns, program.ns)
        left_ns -= ns
        if ns:
            found.append(Obstacle(title=f"program {program.name}", ns=ns))
    return [*found, *([Obstacle(title="programs, not separated", ns=left_ns)] if left_ns else [])]
