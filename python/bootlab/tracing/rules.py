# SPDX-License-Identifier: MIT
"""What the function trace must know of a kernel's functions by their names: entries, stubs, switches, thunks."""

from __future__ import annotations

import re

VERSION = 3
"""Counted up whenever a rule or the choice of functions changes."""

# enum bootlab_function_flag of qemu-plugin/trace-file.h
(
    ENTRY,
    ENTRY_STUBS,
    IRQ,
    THUNK,
    RETURN_THUNK,
    SWITCH,
    FRESH,
    SPANS,
    MAIN,
    START,
    STOP,
    SUBTREE,
    NAMES,
    RESUME,
    GOES_ON,
    TURN,
) = (1 << bit for bit in range(16))

_COMMON = (
    (r"kthread", NAMES),
    (r"do_one_initcall", SPANS),
    (r"kernel_init", MAIN),
    (r"__schedule|_?_?cond_resched(_lock|_rwlock_(read|write))?|preempt_schedule(_common|_irq|_notrace)?", TURN),
)
_OF_ARCH: dict[str, tuple[tuple[str, int], ...]] = {
    "x86_64": (
        (r"asm_(exc|xenpv_exc)_\w+|asm_int80_emulation|asm_exc_nmi", ENTRY),
        (r"asm_sysvec_\w+", ENTRY | IRQ),
        (r"(irq|spurious)_entries_start", ENTRY_STUBS | IRQ),
        (r"early_idt_handler_array", ENTRY_STUBS),
        (r"entry_(SYSCALL_64|SYSENTER_compat|SYSCALL_compat|INT80_compat)", ENTRY),
        (r"__x86_indirect_\w+|__SC[TK]__\w+", THUNK),
        (r"__x86_return_thunk|srso_\w*return_thunk|retbleed_return_thunk|its_return_thunk|__ret", RETURN_THUNK),
        (r"__switch_to_asm", SWITCH),
        (r"ret_from_fork(_asm)?", FRESH | NAMES),
    ),
    # arch/arm64/kernel/entry.S
    "arm64": (
        (r"vectors \[(irq|fiq)\]", ENTRY | IRQ),
        (r"vectors \[\w+\]", ENTRY),
        (r"(__bp_harden_el1_vectors|tramp_vectors) \[(irq|fiq)\]", ENTRY | IRQ | GOES_ON),
        (r"(__bp_harden_el1_vectors|tramp_vectors) \[\w+\]", ENTRY | GOES_ON),
        (r"__\w+_veneer", THUNK),
        (r"cpu_switch_to", SWITCH),
        (r"ret_from_fork", FRESH | NAMES | RESUME),
    ),
    # arch/arm/kernel/entry-armv.S, entry-common.S
    "arm": (
        (r"vectors \[(irq|fiq)\]", ENTRY | IRQ),
        (r"vectors \[\w+\]", ENTRY),
        (r"vector_(?!\w*swi\b)\w+|vector_stubs|__stubs_start", GOES_ON),
        (r"__\w+_veneer|__\w+_from_(arm|thumb)", THUNK),
        (r"(__)?ret_(fast|slow)_syscall|ret_to_user(_from_irq)?|ret_from_exception|__sys_trace_return\w*", RESUME),
        (r"__switch_to", SWITCH),
        (r"ret_from_fork", FRESH | NAMES | RESUME),
    ),
    # arch/riscv/kernel/entry.S
    "riscv64": (
        (r"handle_exception", ENTRY),
        (r"generic_handle_arch_irq|do_irq|riscv_intc_irq", IRQ),
        (r"ret_from_exception|ret_from_syscall\w*", RESUME),
        (r"__switch_to", SWITCH),
        (r"ret_from_(fork|kernel_thread|fork_kernel|fork_user)(_asm)?", FRESH | NAMES | RESUME),
    ),
}

_FRESH = re.compile("|".join(f"(?:{rule})" for rules in _OF_ARCH.values() for rule, flags in rules if flags & FRESH))


def starts_task(function: str) -> bool:
    """Tell whether new tasks begin in a function: the first of the call chains of every kernel thread."""
    return _FRESH.fullmatch(function) is not None


# Tables of exception vectors are many entries under one name: the table, the bytes of an entry, what enters there.
_ARM64_KINDS = ("sync", "irq", "fiq", "error")
_SLOTS: dict[str, dict[str, tuple[int, tuple[str, ...]]]] = {
    "arm64": dict.fromkeys(("vectors", "__bp_harden_el1_vectors", "tramp_vectors"), (0x80, _ARM64_KINDS)),
    "arm": {"vectors": (4, ("reset", "undefined", "swi", "prefetch_abort", "data_abort", "reserved", "irq", "fiq"))},
}
# Labels inside a function's assembler that stand in symbol tables as functions.
_PARTS = {"riscv64": {"_save_context": "handle_exception"}}
# arch/arm/kernel/vmlinux.lds.S: vectors, their stubs, and the end; older kernel's symbol tables do not have them.
_HIGH_VECTORS = {"arm": ((0xFFFF0000, "vectors"), (0xFFFF0020, ""), (0xFFFF1000, "vector_stubs"), (0xFFFF2000, ""))}


class Rules:
    """The rules of one architecture. `parts`: label to the function it lies in; `high_vectors`: known symbols."""

    def __init__(self, arch: str) -> None:
        """Take the system's `machine.arch`."""
        self._patterns = tuple((re.compile(pattern), flags) for pattern, flags in _OF_ARCH.get(arch, ()) + _COMMON)
        self._slots = _SLOTS.get(arch, {})
        self.parts = _PARTS.get(arch, {})
        self.high_vectors = _HIGH_VECTORS.get(arch, ())

    def flags_of(self, name: str) -> int:
        """Return the flags of a function."""
        for pattern, flags in self._patterns:
            if pattern.fullmatch(name):
                return flags
        return 0

    def slots(self, name: str, start: int, end: int) -> list[tuple[int, str]]:
        """Return address and name of each entry of a vector table that lies between two addresses, else nothing."""
        step, kinds = self._slots.get(name, (1, ()))
        if not kinds:
            return []
        return [
            (at, f"{name} [{kinds[number % len(kinds)]}]")
            for number, at in enumerate(range(start, min(end, start + 64 * step), step))
        ]
