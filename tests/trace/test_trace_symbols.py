# SPDX-License-Identifier: MIT
"""Which function an address belongs to."""

import struct

import pytest

from bootlab.errors import UserError
from bootlab.tracing import rules
from bootlab.tracing import symbols as ts

BASE = 0xFFFFFFFF81000000


def choose(*rows, arch="x86_64", extra=None):
    found = ts.choose([(BASE + at, kind, name) for at, kind, name in rows], arch, extra)
    return {at - BASE: found.names[number] for at, number, _ in found.rows}, dict(
        zip(found.names, found.flags, strict=True)
    )


def test_a_cold_half_belongs_to_its_function_wherever_it_lies():
    at, _ = choose((0, "t", "probe.cold"), (16, "T", "probe"), (32, "t", "other.cold"))
    assert (at[0], at[16], at[32]) == ("probe", "probe", "[kernel, no symbol]")


def test_two_functions_of_one_name_stay_two():
    found = ts.choose([(BASE, "t", "init"), (BASE + 16, "t", "init")], "x86_64")
    assert found.names[-2:] == ("init", "init")
    assert [number for _, number, _ in found.rows[:2]] == [9, 10]


def test_the_name_that_the_plugin_knows_wins_at_one_address():
    at, flags = choose((0, "T", "_stext"), (0, "T", "startup_64"), (16, "T", "x"), (16, "T", "ret_from_fork"))
    assert (at[0], at[16]) == ("startup_64", "ret_from_fork")
    assert flags["ret_from_fork"] == rules.FRESH | rules.NAMES


def test_data_and_offsets_are_no_functions():
    at, _ = choose((0, "T", "f"), (16, "D", "table"), (32, "r", "text"))
    assert at[0] == "f"
    assert 16 not in at
    assert not ts.choose([(0x18000, "t", "per_cpu_thing")], "x86_64").rows


def test_entries_and_wishes():
    _, flags = choose(
        (0, "t", "asm_exc_page_fault"),
        (16, "t", "asm_sysvec_apic_timer_interrupt"),
        (32, "t", "f"),
        extra={"f": rules.START},
    )
    assert flags["asm_exc_page_fault"] == rules.ENTRY
    assert flags["asm_sysvec_apic_timer_interrupt"] == rules.ENTRY | rules.IRQ
    assert flags["f"] == rules.START


def test_a_label_inside_a_function_is_no_start_of_it():
    found = ts.choose([(BASE, "T", "handle_exception"), (BASE + 16, "t", "_save_context")], "riscv64")
    assert found.rows[:2] == ((BASE, 9, False), (BASE + 16, 9, True))
    assert found.flags[9] == rules.ENTRY


def test_a_vector_table_is_an_entry_for_each_kind():
    at, flags = choose((0, "T", "vectors"), (0x800, "T", "next"), (0x1000, "T", "cpu_switch_to"), arch="arm64")
    assert [at[slot * 0x80] for slot in (0, 1, 2, 3, 4, 15)] == [
        *(f"vectors [{kind}]" for kind in ("sync", "irq", "fiq", "error", "sync", "error")),
    ]
    assert at[0x800] == "next"
    assert flags["vectors [irq]"] == rules.ENTRY | rules.IRQ
    assert flags["vectors [sync]"] == rules.ENTRY
    assert flags["cpu_switch_to"] == rules.SWITCH
    assert choose((0, "t", "__switch_to"), arch="arm64")[1]["__switch_to"] == 0


def test_arm_vectors_that_no_symbol_table_has():
    found = ts.choose([(0xC0008000, "T", "stext")], "arm")
    at = {address: found.names[number] for address, number, _ in found.rows}
    assert at[0xFFFF0018] == "vectors [irq]"
    assert at[0xFFFF0020] == "[kernel, no symbol]"
    assert at[0xFFFF1000] == "vector_stubs"
    named = ts.choose([(0xC0008000, "T", "stext"), (0xFFFF1020, "t", "vector_irq")], "arm")
    at = {address: named.names[number] for address, number, _ in named.rows}
    assert at[0xFFFF1020] == "vector_irq"
    assert 0xFFFF1000 not in at


def test_the_file_has_what_its_head_says():
    raw = ts.encode(ts.choose([(BASE, "t", "f")], "x86_64"))
    magic, version, rows, functions, _ = struct.unpack_from("<8s4I", raw)
    assert (magic, version, rows, functions) == (b"BLSYMS\0\0", 2, 2, 10)
    assert len(raw) == 24 + rows * 16 + functions * 4


def test_hidden_addresses_are_said(tmp_path):
    path = tmp_path / "kallsyms"
    path.write_text("0000000000000000 T start_kernel\n0000000000000000 t f\n")
    with pytest.raises(UserError, match="no addresses"):
        ts.read_map(path)
