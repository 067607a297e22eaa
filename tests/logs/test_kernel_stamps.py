# SPDX-License-Identifier: MIT
"""The kernel's stamp at the start of a line: one reader for all layers."""

import pytest

from bootlab import _core


@pytest.mark.parametrize(
    ("line", "ns", "message"),
    [
        ("[    0.169860] Memory: 1K", 169_860_000, "Memory: 1K"),
        ("[    0.169860][    T1] Memory: 1K", 169_860_000, "Memory: 1K"),
        ("[    0.169860][    C0]  indented", 169_860_000, " indented"),
        ("<6>[12345.000001] x", 12_345_000_001_000, "x"),
        ("[    1.000000] systemd[1]: Started a.", 1_000_000_000, "systemd[1]: Started a."),
        ("[    1.000000] [drm] ready", 1_000_000_000, "[drm] ready"),
        ("[    1.000000]", 1_000_000_000, ""),
        ("[    1.000000] \xe9\u20ac", 1_000_000_000, "\xe9\u20ac"),
        ("Memory: 1K", None, "Memory: 1K"),
        ("[    1.0000] x", None, "[    1.0000] x"),
        ("x [    1.000000] y", None, "x [    1.000000] y"),
        ("", None, ""),
    ],
)
def test_stamp_and_message(line, ns, message):
    assert (_core.kernel_stamp_ns(line), _core.kernel_message(line)) == (ns, message)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("[    1.000000] x", "[    1.000000] x"),
        ("login: [    1.000000] x", "[    1.000000] x"),
        ("login: <6>[    1.000000] x", "<6>[    1.000000] x"),
        ("Booting the kernel.", None),
        ("took [1.000000] seconds", None),
    ],
)
def test_the_part_of_a_line_that_the_kernel_printed(line, part):
    assert _core.kernel_part(line) == part


HOSTILE = ["[" * 10_000, "[ 1.000000" * 2000, "\0\xff[99999999999999.000000]", "[   -1.000000] x"]


@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_lines(line):
    assert _core.kernel_stamp_ns(line) is None
    assert _core.kernel_message(line) == line
