# SPDX-License-Identifier: MIT
"""LSB headers to an order, and loops rewritten by it: run here, jobs and all."""

import pytest

from bootlab.startup import lsb, parallel, scripts
from tests.startup import rc_tree

HEAD = (
    "### BEGIN INIT INFO\n# Provides: {}\n# Required-Start: {}\n# Should-Start: {}\n# X-Start-Before: {}\n"
    "### END INIT INFO\n"
)


def _script(name, needs="", should="", before="", text=""):
    return HEAD.format(name, needs, should, before) + (text or f"echo {name}\n")


TEXTS = {
    "S01log": _script("syslog", text="usleep 300000\necho log\n"),
    "S02dev": _script("dev"),
    "S03net": _script("network", "dev"),
    "S04app": _script("app", "$syslog $network nobody"),
}


@pytest.fixture
def no_busybox():
    if rc_tree.BUSYBOX is None:
        pytest.skip("busybox is not installed: scripts/setup-debian.sh run")


def _order(tmp_path, texts):
    path = rc_tree.write(tmp_path, texts)
    files = rc_tree.files(tmp_path)
    start = scripts.find(files, str(path))
    (call,) = start.scripts[str(path)].calls
    order = lsb.order(files, call.paths)
    names = {p: p.rsplit("/", 1)[1] for p in call.paths}
    return order, {names[p]: [names[n] for n in needs] for p, needs in order.needs.items()}, (files, start, path)


def test_needs_by_name_and_by_group(tmp_path, no_busybox):
    order, needs, _ = _order(tmp_path, TEXTS)
    assert needs == {"S01log": [], "S02dev": [], "S03net": ["S02dev"], "S04app": ["S01log", "S03net"]}
    assert list(order.levels.values()) == [0, 0, 1, 2]
    assert order.contrary == order.without_header == ()


def test_a_script_without_a_header_keeps_its_place(tmp_path, no_busybox):
    order, needs, _ = _order(tmp_path, {**TEXTS, "S02zz": "echo zz\n"})
    assert needs["S02zz"] == ["S01log", "S02dev"]
    assert needs["S03net"] == ["S02dev", "S02zz"]
    assert [p.rsplit("/", 1)[1] for p in order.without_header] == ["S02zz"]


def test_a_circle_and_a_need_of_what_comes_later_are_told(tmp_path, no_busybox):
    order, needs, _ = _order(tmp_path, {"S01a": _script("a", "b"), "S02b": _script("b", "a")})
    assert needs == {"S01a": [], "S02b": ["S01a"]}
    assert order.contrary == ("S01a needs S02b, which starts later",)


def test_before_and_all(tmp_path, no_busybox):
    _, needs, _ = _order(
        tmp_path,
        {"S01a": _script("a", before="c"), "S02b": _script("b"), "S03c": _script("c"), "S04d": _script("d", "$all")},
    )
    assert needs == {"S01a": [], "S02b": [], "S03c": ["S01a"], "S04d": ["S01a", "S02b", "S03c"]}


@pytest.mark.parametrize("text", ["", "### BEGIN INIT INFO\n# Provides:\n### END INIT INFO\n", "### BEGIN INIT INFO\n"])
def test_no_header(text):
    assert lsb.header(text) is None


def test_the_rewritten_loop_runs_what_is_ready(tmp_path, no_busybox):
    _, _, (files, start, path) = _order(tmp_path, TEXTS)
    before = rc_tree.run(path)[0].split()
    text, _ = parallel.rewrite(files, start, str(path))
    path.write_text(text)
    after = rc_tree.run(path)[0].split()
    assert before[:5] == ["start", "log", "dev", "network", "app"]
    assert after[:5] == ["start", "dev", "network", "log", "app"], "the one that sleeps is passed, and waited for"
    assert sorted(before) == sorted(after)


def test_nothing_to_do_where_each_needs_the_one_before(tmp_path, no_busybox):
    _, _, (files, start, path) = _order(tmp_path, {"S01a": _script("a"), "S02b": _script("b", "a")})
    assert parallel.rewrite(files, start, str(path)) is None
