# SPDX-License-Identifier: MIT
"""Merged start scripts do what the scripts did, and run in no process that they do not need: both are run here."""

import pytest

from tests.startup import rc_tree

pytestmark = pytest.mark.skipif(rc_tree.BUSYBOX is None, reason="busybox is not installed: scripts/setup-debian.sh run")

# Name: scripts, and how each is to be merged.
CASES = {
    "plain": ({"S01a": "echo a $1\n", "S02b": "echo b\n"}, "function function"),
    "exit": ({"S01a": "echo a\nexit 3\necho never\n", "S02b": "[ -x /none ] || exit 0\necho b\n"}, "function function"),
    "exit in a function": ({"S01a": "f() { exit 4; }\nf\necho never\n", "S02b": "echo b\n"}, "subshell function"),
    "variables do not leak": (
        {"S01a": "x=1 y=2\nexport x\nsh -c 'echo $x'\n", "S02b": 'echo "${x-unset} ${y-unset} ${script-unset}"\n'},
        "function function",
    ),
    "path": (
        {"S01a": 'PATH="$PATH:/none"\nexport PATH\nenv | grep ^PATH\n', "S02b": 'echo "$PATH"\n'},
        "function function",
    ),
    "folder": ({"S01a": "cd /\npwd\n", "S02b": "echo b\n"}, "subshell function"),
    "set -e": ({"S01a": "set -e\nfalse\necho never\n", "S02b": "echo b\n"}, "program function"),
    "trap": ({"S01a": "trap 'echo trapped' EXIT\necho a\n", "S02b": "echo b\n"}, "subshell function"),
    "background": ({"S01a": "{ :; } &\nwait\necho a\n", "S02b": "echo b\n"}, "subshell function"),
    "its own name": ({"S01a": 'echo "${0##*/}"\n', "S02b": "echo b\n"}, "program function"),
    "its own number": ({"S01a": '[ -d "/proc/$$" ] && echo a\n', "S02b": "echo b\n"}, "program function"),
    "branch taken": (
        {
            "S01a": 'start() {\n\techo starting\n}\nstop() { cd /; exit 1; }\ncase "$1" in\nstart) start ;;\n'
            'stop) stop ;;\n*) echo "Usage: $0"; exit 1 ;;\nesac\nexit $?\n',
            "S02b": 'case "$1" in\nstart|stop)\n\t"$1" ;;\n*) exit 2\nesac\n',
        },
        # The second one's `start` is a command of nobody's, and must not find the first one's function.
        "subshell function",
    ),
    "called by its argument": (
        {"S01a": 'start() { echo "started $1"; }\ncase "$1" in\n\tstart|stop) "$1";;\n\t*) exit 1;;\nesac\n'},
        "function",
    ),
    "functions of one name": (
        {"S01a": "start() { echo a; }\nstart\n", "S02b": "start() { echo b; }\nstart\n"},
        "function function",
    ),
    "a function that another calls as a command": (
        {"S01a": "cat() { echo mine; }\ncat\n", "S02b": "echo b | cat\n"},
        "subshell function",
    ),
    "here document": ({"S01a": "cat <<X\nhello $1\nX\n", "S02b": "echo b\n"}, "function function"),
    "comment at the end": (
        {"S01a": 'case "$1" in\nstart) # nothing\n;;\nesac\necho a # end', "S02b": "echo b"},
        "function function",
    ),
    "sources a file": (
        {"S01a": ". ./conf\necho $v\n", "conf": "v=1\n", "S02b": "echo ${v-none}\n"},
        "subshell function",
    ),
    "arguments moved": ({"S01a": 'shift\necho "$#"\n', "S02b": 'echo "$# $1"\n'}, "function function"),
    "break of nothing": ({"S01a": "break\necho a\n", "S02b": "echo b\n"}, "program function"),
    "reads": ({"S01a": "echo q | while read -r l; do echo $l; exit 3; done\necho $?\n"}, "function"),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "hows"), CASES.values(), ids=CASES)
def test_the_merged_script_prints_what_the_scripts_printed(tmp_path, monkeypatch, texts, hows):
    monkeypatch.chdir(tmp_path)
    path = rc_tree.write(tmp_path, texts)
    # `start`, in a script that defines none, is a command of nobody's: said on both sides alike.
    before = rc_tree.run(path)
    found = rc_tree.merged(tmp_path, path)
    assert found is not None
    assert [part.how for part in found.parts] == hows.split()
    assert all(part.why for part in found.parts if part.how != "function")
    path.write_text(found.text)
    assert _known(rc_tree.run(path)) == _known(before)


def _known(said):
    return "\n".join(line for line in said[0].splitlines() if "not found" not in line and "line " not in line), said[1]


def test_a_script_with_another_interpreter_stays_a_program(tmp_path):
    path = rc_tree.write(tmp_path, {"S01a": "#!/usr/bin/awk -f\nBEGIN { print 1 }\n", "S02b": "echo b\n"})
    assert [part.how for part in rc_tree.merged(tmp_path, path).parts] == ["program", "function"]


def test_the_loop_of_buildroot(tmp_path):
    loop = """#!{sh}
for i in {dir}/S??* ;do
     [ ! -f "$i" ] && continue
     case "$i" in
        *.sh)
            (
                trap - INT QUIT TSTP
                set start
                . $i
            )
            ;;
        *)
            $i start
            ;;
    esac
done
"""
    path = rc_tree.write(tmp_path, {"S01a": "echo a $1\n", "S02b.sh": "echo b $1\n"}, loop)
    before = rc_tree.run(path)
    found = rc_tree.merged(tmp_path, path)
    path.write_text(found.text)
    assert rc_tree.run(path) == before
    assert "rc_S01a start" in found.text


def test_run_parts(tmp_path):
    path = rc_tree.write(tmp_path, {"a": "echo a $1\n", "b~": "echo never\n"}, "#!{sh}\nrun-parts -a start {dir}/d\n")
    (tmp_path / "d").mkdir()
    for name in ("a", "b~"):
        (tmp_path / name).rename(tmp_path / "d" / name)
    before = rc_tree.run(path)
    tree = rc_tree.files(tmp_path)
    for file in (tmp_path / "d").iterdir():
        tree.entries[str(file)] = rc_tree.Entry(kind="file", mode=0o755, source=str(file))
    found = rc_tree.merge(tree, rc_tree.scripts.find(tree, str(path)), str(path))
    path.write_text(found.text)
    assert rc_tree.run(path) == before == ("a start\n", 0)


def test_what_is_not_understood_is_left_alone(tmp_path):
    path = rc_tree.write(tmp_path, {"S01a": "if then fi ((\n"})
    assert rc_tree.merged(tmp_path, path) is None


@pytest.mark.parametrize("line", ["set -e", "set -u", "IFS=:"])
def test_what_a_program_would_not_inherit_from_its_caller(tmp_path, line):
    path = rc_tree.write(tmp_path, {"S01a": "false\necho $none a:b\n"}, f"#!{{sh}}\n{line}\n{{dir}}/S01a || :\n")
    assert rc_tree.merged(tmp_path, path) is None


def test_a_script_that_starts_itself(tmp_path):
    path = rc_tree.write(
        tmp_path, {"S01a": "echo a\n"}, "#!{sh}\n[ $1 ] || {dir}/rcS x\nfor i in {dir}/S??*; do $i start; done\n"
    )
    found = rc_tree.merged(tmp_path, path)
    assert {part.how for part in found.parts if part.path == str(path)} == {"program"}
