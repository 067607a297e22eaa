"""Which function an address belongs to."""

import struct

import pytest

from bootlab.errors import UserError
from bootlab.targets import trace_symbols as ts

BASE = 0xFFFFFFFF81000000


def choose(*rows, extra=None):
    found = ts.choose([(BASE + at, kind, name) for at, kind, name in rows], extra)
    return {at - BASE: found.names[number] for at, number in found.rows}, dict(
        zip(found.names, found.flags, strict=True)
    )


def test_a_cold_half_belongs_to_its_function_wherever_it_lies():
    at, _ = choose((0, "t", "probe.cold"), (16, "T", "probe"), (32, "t", "other.cold"))
    assert (at[0], at[16], at[32]) == ("probe", "probe", "[kernel, no symbol]")


def test_two_functions_of_one_name_stay_two():
    found = ts.choose([(BASE, "t", "init"), (BASE + 16, "t", "init")])
    assert found.names[-2:] == ("init", "init")
    assert [number for _, number in found.rows[:2]] == [8, 9]


def test_the_name_that_the_plugin_knows_wins_at_one_address():
    at, flags = choose((0, "T", "_stext"), (0, "T", "startup_64"), (16, "T", "x"), (16, "T", "ret_from_fork"))
    assert (at[0], at[16]) == ("startup_64", "ret_from_fork")
    assert flags["ret_from_fork"] == ts.FRESH | ts.NAMES


def test_data_and_offsets_are_no_functions():
    at, _ = choose((0, "T", "f"), (16, "D", "table"), (32, "r", "text"))
    assert at[0] == "f"
    assert 16 not in at
    assert not ts.choose([(0x18000, "t", "per_cpu_thing")]).rows


def test_entries_and_wishes():
    _, flags = choose(
        (0, "t", "asm_exc_page_fault"),
        (16, "t", "asm_sysvec_apic_timer_interrupt"),
        (32, "t", "f"),
        extra={"f": ts.START},
    )
    assert flags["asm_exc_page_fault"] == ts.ENTRY
    assert flags["asm_sysvec_apic_timer_interrupt"] == ts.ENTRY | ts.IRQ
    assert flags["f"] == ts.START


def test_the_file_has_what_its_head_says():
    raw = ts.encode(ts.choose([(BASE, "t", "f")]))
    magic, version, rows, functions, _ = struct.unpack_from("<8s4I", raw)
    assert (magic, version, rows, functions) == (b"BLSYMS\0\0", 1, 2, 9)
    assert len(raw) == 24 + rows * 16 + functions * 4


def test_hidden_addresses_are_said(tmp_path):
    path = tmp_path / "kallsyms"
    path.write_text("0000000000000000 T start_kernel\n0000000000000000 t f\n")
    with pytest.raises(UserError, match="no addresses"):
        ts.read_map(path)
