# SPDX-License-Identifier: MIT
"""Substitutions are replaced only where the shell's own expansion is sure to be equal; the shell itself is asked."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from bootlab.startup import expansions, shell


def replaced(text: str) -> str | None:
    script = shell.read(text)
    assert script is not None
    found = expansions.replaceable(script)
    return expansions.replace(script, found) if found else None


LOOP = "#!/bin/sh\nfor a in {words}; do\n\t{body}\ndone\n"


def loop(words: str, body: str) -> str:
    return LOOP.format(words=words, body=body)


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ('d=$(dirname "$a")', "d=${a%/*}"),
        ('d=$( dirname "${a}" )', "d=${a%/*}"),
        ('echo "$(basename "$a") x"', 'echo "${a##*/} x"'),
        ('[ -e "$(dirname "$a")/driver" ] || n=$((n + 1))', '[ -e "${a%/*}/driver" ] || n=$((n + 1))'),
    ],
)
def test_replaced(body, after):
    assert replaced(loop("/sys/bus/*/devices/*/modalias", body)) == loop("/sys/bus/*/devices/*/modalias", after)


@pytest.mark.parametrize("words", ["*", "*/x", "/x", "/a/", "/a//b", '"$list"', "$list", "/a/$b/c", "/a/../b", "./a/b"])
def test_loops_that_leave_a_doubt_stay(words):
    assert replaced(loop(words, 'd=$(dirname "$a")')) is None


@pytest.mark.parametrize(
    "body",
    [
        "d=$(dirname $a)",  # split at blanks
        'd=$(dirname "$a" x)',
        'd=$(dirname "$b")',
        'd=$(dirname "$a" | tr a b)',
        'd=$(cd /; dirname "$a")',
        'a=$b; d=$(dirname "$a")',
        'read -r a; d=$(dirname "$a")',
        'for a in x y; do d=$(dirname "$a"); done',
        'd=$(dirname "$a" 2>/dev/null)',
        'dirname "$a"',
    ],
)
def test_bodies_that_leave_a_doubt_stay(body):
    assert replaced(loop("/sys/bus/*/devices/*", body)) is None


def test_a_function_of_that_name_stays():
    assert replaced("#!/bin/sh\ndirname() { echo x; }\n" + loop("/a/*/b", 'd=$(dirname "$a")')) is None


@pytest.mark.parametrize("name", ["sh", "busybox"])
def test_the_shell_says_the_same(tmp_path, name):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    for folder in ("x y", "z*", "plain", "-n"):
        (tmp_path / "t" / folder).mkdir(parents=True)
        (tmp_path / "t" / folder / "file").touch()
    body = 'echo "$(dirname "$a") $(basename "$a")"'
    before = loop(f"{tmp_path}/t/*/file {tmp_path}/none/*", body)
    after = replaced(before)
    assert after is not None
    assert "dirname" not in after
    command = [name, "sh"] if name == "busybox" else [name]
    said = [
        subprocess.run([*command, "-c", text], capture_output=True, text=True, check=True).stdout
        for text in (before, after)
    ]
    assert said[0] == said[1]
    assert len(said[0].splitlines()) == 5
