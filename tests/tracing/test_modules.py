# SPDX-License-Identifier: MIT
"""Modules found in memory by their code, with object files that the compiler makes here: those are laid out alike."""

import shutil
import subprocess

import pytest

from bootlab import _core
from bootlab.tracing import rules as trace_rules
from bootlab.tracing import symbols as trace_symbols
from bootlab.tracing.modules import place

SOURCE = """
extern int elsewhere(int);
__attribute__((noipa)) int first(int x) { return elsewhere(x) * 77 + elsewhere(x + 1); }
__attribute__((noipa)) int second(int x) { int s = 3; while (x--) s = s * %d + elsewhere(s ^ x); return s; }
__attribute__((noipa, section(".init.text"))) int starts(int x) { return first(x) * 1234567 + second(x) * %d; }
int init_module(void) __attribute__((alias("starts")));
__attribute__((section(".modinfo"), used)) static const char name[] = "name=%s";
"""


@pytest.fixture
def module(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc here: scripts/setup-debian.sh build")

    def make(name, number):
        source, made = tmp_path / f"{name}.c", tmp_path / f"{name}.ko"
        source.write_text(SOURCE % (number, number, name))
        subprocess.run(["gcc", "-O1", "-c", "-w", "-o", str(made), str(source)], check=True)
        return name, made

    return make


def blocks(path, core_at, init_at):
    """Cut a module's code into blocks as they would be executed at two places, relocations written."""
    found = []
    for at, (code, fixed, _) in zip((core_at, init_at), _core.kernel_module(path.read_bytes())[1:], strict=True):
        written = bytes(b if f else 0xCC for b, f in zip(code, fixed, strict=True))
        assert 0 in fixed
        found += [(at + i, written[i : i + 24]) for i in range(0, len(written) - 24, 8)]
    return found


def test_a_module_is_found_with_its_functions(module):
    modules = [module("one", 1001), module("two", 2002)]
    code = blocks(modules[1][1], 0xFFFFFFFFC0201000, 0xFFFFFFFFC0208000)
    placed = place(modules, [*code, (0xFFFFFFFFC0300010, bytes(20))])
    assert [(r.module, r.kind, r.start) for r in placed.regions] == [
        ("two", "core", 0xFFFFFFFFC0201000),
        ("two", "init", 0xFFFFFFFFC0208000),
    ]
    assert [name for _, name in placed.regions[0].functions] == ["first", "second"]
    # module_init()'s other name is everybody's.
    assert [name for _, name in placed.regions[1].functions] == ["starts"]
    assert placed.unknown_blocks == 1


def test_its_functions_get_numbers_and_end(module):
    modules = [module("two", 2002)]
    placed = place(modules, blocks(modules[0][1], 0xFFFFFFFFC0201000, 0xFFFFFFFFC0208000))
    kernel = [(0xFFFFFFFF81000000, "T", "start_kernel"), (0xFFFFFFFF81001000, "T", "_etext")]
    symbols = trace_symbols.choose([*kernel, *placed.table()], "x86_64", {"second": trace_rules.SUBTREE})
    assert symbols.names[-3:] == ("first [two]", "second [two]", "starts [two]")
    assert symbols.flags[symbols.names.index("second [two]")] == trace_rules.SUBTREE
    ends = [address for address, number, _ in symbols.rows if number == trace_symbols.NO_SYMBOL]
    assert [region.end for region in placed.regions] == [e for e in ends if e in {r.end for r in placed.regions}]


def test_modules_that_look_alike_get_no_name(module):
    modules = [module("one", 1001), module("copy", 1001)]
    placed = place(modules, blocks(modules[0][1], 0xFFFFFFFFC0201000, 0xFFFFFFFFC0208000))
    assert placed.regions == ()
    assert placed.unknown_blocks > 3


def test_other_code_at_its_offsets_is_not_taken(module, tmp_path):
    name, path = module("one", 1001)
    moved = [(at + 1, raw) for at, raw in blocks(path, 0xFFFFFFFFC0201000, 0xFFFFFFFFC0208000)]
    assert place([(name, path)], moved).regions == ()
    rubbish = tmp_path / "rubbish.ko"
    rubbish.write_bytes(b"\x7fELF" + bytes(40))
    assert place([("rubbish", rubbish), ("missing", tmp_path / "missing.ko")], moved).regions == ()
