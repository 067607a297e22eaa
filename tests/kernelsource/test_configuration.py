# SPDX-License-Identifier: MIT
"""The one reader of `.config`, as every layer sees it."""

import pytest

from bootlab.builders.kbuild.fragment import parse_fragment
from bootlab.errors import UserError
from bootlab.kernelsource.configuration import from_text, parse_config, read_config, write_config

TEXT = (
    "# Automatically generated file; DO NOT EDIT.\n# Linux/x86 6.1.0 Kernel Configuration\n\nCONFIG_SMP=y\n"
    'CONFIG_EXT4_FS=m\n# CONFIG_NUMA is not set\nCONFIG_CMDLINE="root=\\"a b\\""\nCONFIG_HZ=250\nCONFIG_SMP=n\n'
)


def test_values_as_written_and_without_quotes():
    plain = {"SMP": "n", "EXT4_FS": "m", "NUMA": "n", "CMDLINE": 'root="a b"', "HZ": "250"}
    assert parse_config(TEXT) == {f"CONFIG_{name}": value for name, value in plain.items()}
    assert read_config(TEXT) == plain | {"CMDLINE": '"root=\\"a b\\""'}
    found = from_text(TEXT)
    assert (found.values, found.complete) == (plain, True)


def test_what_is_written_reads_back():
    options = {"A": "y", "B": "n", "C": '"x\\"y"', "D": "0x10"}
    assert read_config(write_config(options)) == options
    assert write_config({"B": "n"}) == "# CONFIG_B is not set\n"


@pytest.mark.parametrize("line", ["SMP=y", "CONFIG_SMP", "CONFIG_=y", "CONFIG_S MP=y", "what"])
def test_a_line_that_is_no_option_is_left_out_and_refused_in_a_fragment(line):
    text = f"CONFIG_A=y\n{line}\nCONFIG_A=m\n"
    assert set(read_config(text)) == {"A"}
    with pytest.raises(UserError, match=r"x:2: .* is not an option"):
        parse_fragment(text, "x")


def test_comments_and_blanks_are_neither():
    assert read_config("# SMP is off\n#\n\n  CONFIG_A=y  \n#CONFIG_B=y\n") == {"A": "y"}
