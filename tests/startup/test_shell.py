# SPDX-License-Identifier: MIT
"""What stands in a script, by its syntax; and that nothing in a script can break the reading of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.startup import shell
from bootlab.startup.specialise import specialise
from tests.examples import examples


def _names(text):
    return [c.name for c in shell.read(text).commands]


def test_commands_wherever_they_stand():
    text = "a $(b `c`) | d && { e; } || (f) & while g; do h; done; case x in y) i ;; esac; j() { k; }\n"
    text += "[ l ] && export m=1\n"
    assert _names(text) == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "k", "[", "export"]


def test_what_runs_apart():
    script = shell.read("a\n( b )\nc | d\ne &\nf && g\n")
    assert {c.name: c.apart for c in script.commands} == {
        "a": False, "b": True, "c": True, "d": True, "e": True, "f": False, "g": False,
    }  # fmt: skip
    assert len(script.background) == 1


def test_variables_and_functions():
    script = shell.read('x=1\nread y z\nfor i in a; do :; done\nf() { local v=2; echo "$x${w}"; }\n( hidden=1 )\n')
    assert script.assigned == {"x", "y", "z", "i", "v"}
    assert script.used == {"x", "w"}
    assert set(script.functions) == {"f"}


@pytest.mark.parametrize("text", ["if then", "case x in", "a (((", "`", "f() {"])
def test_a_broken_script_is_not_understood(text):
    assert shell.read(text) is None


def test_only_the_branch_that_is_taken():
    script = specialise(shell.read('s() { :; }\nu() { exit; }\ncase "$1" in\nst*) s ;;\n*) u ;;\nesac\n'), ("start",))
    assert [c.name for c in script.commands] == [":", "s"]
    assert specialise(shell.read('shift\ncase "$1" in\na) b ;;\nesac\n'), ("a",)).choices


_PIECES = st.sampled_from(
    ["a", " ", "\n", "$", "$1", "(", ")", "{", "}", "case ", " in ", "esac", ";;", ";", "&", "|", "if ", "then ", "fi",
     "for i in ", "do ", "done", "<<E\n", "E\n", '"', "'", "`", "\\", "#", "exit", "\0", "ä", "=", "[ ", " ]", "f()"]
)  # fmt: skip


@examples(150)
@given(st.lists(_PIECES, max_size=40).map("".join))
def test_any_text_is_read_or_refused(text):
    script = shell.read(text)
    if script is not None:
        for command in script.commands:
            assert 0 <= command.start <= command.name_end <= command.end <= len(script.text)
        shorter = specialise(script, ("start",))
        assert shell.read(shorter.text.decode()) is not None


@pytest.mark.parametrize("text", ["{ " * 3000 + ":;" + " }" * 3000, "$(" * 3000 + "a" + ")" * 3000])
def test_a_script_nested_deeply_is_read_to_its_bottom_or_refused(text):
    script = shell.read(text)
    assert script is None or script.commands
