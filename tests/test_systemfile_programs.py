# SPDX-License-Identifier: MIT
"""[programs] of a system file: what it gives, and what is wrong with it."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.systemfile.loader import loads

BASE = 'name = "x"\ntarget = "replay"\n[goal]\nconsole = "ready"\n[initramfs]\n[programs."/usr/bin/app"]\n'


def test_the_keys_arrive():
    text = 'sources = ["a.c", "lib"]\ncflags = "-Os -DNAME=\'a b\'"\nlibs = "-lm"\n'
    text += 'link = "static"\nlibc = "musl"\nmode = "0750"\n'
    (program,) = loads(BASE + text + 'variables = { TARGET = "x" }\n', path="/s/system.toml").programs
    assert (program.path, program.sources) == ("/usr/bin/app", ("/s/a.c", "/s/lib"))
    assert program.cflags == ("-Os", "-DNAME=a b")
    assert (program.libs, program.link, program.libc, program.mode) == (("-lm",), "static", "musl", 0o750)
    assert program.variables == (("TARGET", "x"),)


def test_without_the_table_there_is_none():
    assert loads(BASE.partition("[initramfs]")[0]).programs == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("link = 'dynamic'", 'programs."/usr/bin/app".link'),
        ("libc = 'musl'\ncompiler = 'x-'", 'programs."/usr/bin/app".libc'),
        ('cflags = "-D\'x"', 'programs."/usr/bin/app".cflags'),
        ('variables = { OUT = "x" }', 'programs."/usr/bin/app".variables'),
        ('variables = { "A B" = "x" }', 'programs."/usr/bin/app".variables'),
        ('mode = "999"', 'programs."/usr/bin/app".mode'),
        ('source = "a.c"', 'programs."/usr/bin/app".source'),
    ],
)
def test_mistakes_name_their_key(text, where):
    with pytest.raises(SystemFileError) as caught:
        loads(BASE + text)
    assert caught.value.where == where


def test_a_program_that_nothing_is_made_of(tmp_path):
    text = BASE.replace('target = "replay"\n', "").replace("[goal]", f'[kernel]\nimage = "{tmp_path}/k"\n[goal]')
    (tmp_path / "k").write_text("")
    with pytest.raises(SystemFileError, match="neither a build command nor a C file"):
        loads(text)
    with pytest.raises(SystemFileError, match="there is no file"):
        loads(text + 'sources = ["gone.c"]')


def test_a_place_that_is_none_and_a_tree_that_is_missing():
    with pytest.raises(SystemFileError, match="not an absolute path"):
        loads(BASE.replace("/usr/bin/app", "app"))
    with pytest.raises(SystemFileError, match="there is no tree for them"):
        loads(BASE.replace("[initramfs]\n", ""))
