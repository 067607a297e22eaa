# SPDX-License-Identifier: MIT
"""Command lines compiled into a kernel."""

import pytest

from bootlab.errors import UserError
from bootlab.model.compiled_cmdline import WAYS, adding, compiled_in


def test_each_architecture_has_its_options():
    assert compiled_in("x86_64", "in-front", "lpj=1").options == (("CMDLINE", '"lpj=1"'), ("CMDLINE_BOOL", "y"))
    assert compiled_in("arm", "fallback", "a").options[1] == ("CMDLINE_FROM_BOOTLOADER", "y")
    assert compiled_in("arm", "appended", "a").options[1] == ("CMDLINE_EXTEND", "y")
    assert compiled_in("riscv64", "fallback", "a").options[1] == ("CMDLINE_FALLBACK", "y")


def test_every_way_can_be_built():
    for arch, ways in WAYS.items():
        for way in ways:
            assert compiled_in(arch, way, "x").options[0] == ("CMDLINE", '"x"')


def test_a_quote_is_escaped_as_kconfig_reads_it():
    assert compiled_in("arm", "fallback", 'dyndbg="file a\\b"').options[0][1] == '"dyndbg=\\"file a\\\\b\\""'


def test_a_way_that_is_not_there_is_named():
    with pytest.raises(UserError) as raised:
        compiled_in("x86_64", "fallback", "x")
    assert "in-front" in raised.value.hint


def test_what_keeps_the_boot_loaders_line():
    assert (adding("arm"), adding("x86_64"), adding("arm64")) == ("appended", "in-front", None)
