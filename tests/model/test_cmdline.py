# SPDX-License-Identifier: MIT
"""The kernel command line: the kernel's own quoting rules, and back again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine, Param

TEXTS = st.text(alphabet='ab=-_." \t,\u2003é', max_size=40)


@given(TEXTS)
def test_what_is_written_reads_the_same(text):
    try:
        line = CommandLine.parse(text)
    except UserError:
        return
    assert CommandLine.parse(str(line)) == line


@given(st.lists(st.text(alphabet="ab=-. \"'", max_size=8), max_size=3))
def test_init_arguments_read_the_same_or_are_refused(args):
    line = CommandLine(init_args=tuple(args))
    try:
        text = str(line)
    except UserError:
        return
    assert CommandLine.parse(text).init_args == line.init_args


# Each expected value is what lib/cmdline.c:next_arg() of Linux 6.1 makes of the word.
@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("quiet", [("quiet", None)]),
        ("console=ttyS0,115200", [("console", "ttyS0,115200")]),
        ("a= b", [("a", ""), ("b", None)]),
        ('a="two words" b', [("a", "two words"), ("b", None)]),
        ('"a=two words"', [("a", "two words")]),
        ('dyndbg="file drivers/usb/* +p"', [("dyndbg", "file drivers/usb/* +p")]),
        ('a=b" "c', [("a", 'b" "c')]),
        ('foo"bar baz"', [('foo"bar baz"', None)]),
        ("=x", [("=x", None)]),
        ("=a=b", [("=a", "b")]),
        ("a=b=c", [("a", "b=c")]),
        ("  a \t b  ", [("a", None), ("b", None)]),
        ("a\u2003b", [("a\u2003b", None)]),
        ('""', [("", None)]),
        ("", []),
    ],
)
def test_words_as_the_kernel_reads_them(text, params):
    assert CommandLine.parse(text).params == tuple(Param(k, v) for k, v in params)


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("quiet -- single", ("single",)),
        ("-- a -- b", ("a", "--", "b")),
        ('quiet "--" x', ("x",)),
        ('-- "a b" c="d e" ""', ("a b", "c=d e", "")),
        ("--", ()),
    ],
)
def test_what_goes_to_init(text, args):
    assert CommandLine.parse(text).init_args == args


@pytest.mark.parametrize("text", ['a="b', '"', "a\0b", "a\nb", 'a"b c'])
def test_what_no_kernel_can_be_given(text):
    with pytest.raises(UserError) as caught:
        CommandLine.parse(text)
    assert caught.value.hint


def test_a_value_that_cannot_be_written():
    with pytest.raises(UserError, match="cannot be written"):
        str(Param("a", 'one " two'))


def test_dash_and_underscore_are_one():
    line = CommandLine.parse("init-call_debug=1 x")
    assert line.has("init_call-debug", "1")
    assert str(line.without("init_call_debug")) == "x"


def test_the_last_one_counts():
    line = CommandLine.parse("console=tty0 console=ttyS0 quiet")
    assert line.value("console") == "ttyS0"
    assert [p.value for p in line.all("console")] == ["tty0", "ttyS0"]
    assert line.value("quiet") is None
    assert line.get("nothing") is None
    assert not line.has("console", "tty1")


def test_set_takes_the_first_place_and_drops_the_others():
    line = CommandLine.parse("loglevel=7 a loglevel=8 -- init")
    assert str(line.with_param("loglevel", "3")) == "loglevel=3 a -- init"
    assert str(line.with_param("new")) == "loglevel=7 a loglevel=8 new -- init"
    assert str(line.with_added([Param("loglevel", "1")])).startswith("loglevel=7 a loglevel=8 loglevel=1")
    assert str(line.without("loglevel", "8")) == "loglevel=7 a -- init"


@given(TEXTS, st.sampled_from(["a", "b-b"]), st.sampled_from([None, "", "1", "two words"]))
def test_set_then_get(text, key, value):
    try:
        line = CommandLine.parse(text)
    except UserError:
        return
    changed = line.with_param(key, value)
    assert changed.all(key) == (Param(key, value),)
    assert changed.without(key).params == line.without(key).params
    assert CommandLine.parse(str(changed)) == changed
