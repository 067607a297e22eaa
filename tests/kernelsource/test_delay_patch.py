# SPDX-License-Identifier: MIT
"""Delays of C functions: found in the body and nowhere else, and replaced by a patch that applies."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.kernelsource.delay_calls import body_of, masked
from bootlab.kernelsource.delay_patch import delay_patch, unified

MS = 1_000_000
SOURCE = """\
#define WAIT(x) ((x) * 2)
int reset(struct dev *d);
static int before(void)
{
	mdelay(99);
}

/* reset(): mdelay(50) { */
static int __init
reset(struct dev *d)
{
	char brace = '}', quote = '"';

	pr_info("} mdelay(50); \\" {\\n");
	// mdelay(51);
#ifdef CONFIG_FAST
	if (d) {
		udelay(100);
#else
	if (!d) {
		mdelay(20);
#endif
	}
	mdelay(WAIT(min(a, (25))));
	usleep_range(1000, 2000); msleep(0x10UL);
	return ready(d) && wait_for(d);
}

static int after(void)
{
	mdelay(77);
}
"""


def patch(text: str = SOURCE, function: str = "reset", line: int = 10, **more):
    return delay_patch(text, file="drivers/x.c", function=function, line=line, **{"to_ns": 5 * MS, **more})


def test_calls_of_the_body_and_no_others():
    body = body_of(SOURCE, "reset", 10)
    assert [(call.written, call.line, call.ns) for call in body.delays] == [
        ("udelay(100)", 18, 100_000),
        ("mdelay(20)", 21, 20 * MS),
        ("mdelay(WAIT(min(a, (25))))", 24, None),
        ("usleep_range(1000, 2000)", 25, MS),
        ("msleep(0x10UL)", 25, 16 * MS),
    ]
    assert {"ready", "wait_for", "pr_info"} <= set(body.others)


def test_longer_delays_are_shortened_and_shorter_ones_stay():
    made = patch()
    assert [(r.line, r.before, r.after) for r in made.replaced] == [
        (21, "mdelay(20)", "mdelay(5)"),
        (24, "mdelay(WAIT(min(a, (25))))", "mdelay(5)"),
        (25, "msleep(0x10UL)", "usleep_range(5000, 6250)"),
    ]
    assert made.kept == ("udelay(100)", "usleep_range(1000, 2000)")


def test_one_of_several():
    assert [r.before for r in patch(only=2).replaced] == ["mdelay(20)"]
    with pytest.raises(UserError, match="no delay number 6") as fault:
        patch(only=6)
    assert "2: mdelay(20) (line 21)" in fault.value.hint


@pytest.mark.parametrize(
    ("before", "to_ns", "sleep", "after"),
    [
        ("mdelay(50)", 50 * MS, True, "msleep(50)"),
        ("mdelay(50)", 5 * MS, True, "usleep_range(5000, 6250)"),
        ("mdelay(50)", 250_000, False, "udelay(250)"),
        ("udelay(50)", 500, False, "ndelay(500)"),
        ("ssleep(5)", 5 * MS, False, "usleep_range(5000, 6250)"),
        ("ssleep(2)", 1500 * MS, False, "msleep(1500)"),
        ("msleep_interruptible(100)", 5 * MS, False, "msleep_interruptible(5)"),
        ("mdelay(POLL)", 5 * MS, False, "mdelay(5)"),
        ("fsleep(010)", 1, None, None),
        ("mdelay(50)", 5 * MS + 1, False, None),
        ("mdelay(50)", 2_000, True, None),
        ("mdelay(5)", 5 * MS, False, None),
        ("mdelay(5)", 6 * MS, True, None),
    ],
)
def test_what_a_call_becomes(before, to_ns, sleep, after):
    text = f"void f(void)\n{{\n\t{before};\n}}\n"
    if after is None:
        with pytest.raises(UserError) as fault:
            patch(text, "f", 1, to_ns=to_ns, sleep=bool(sleep))
        assert fault.value.hint
    else:
        (one,) = patch(text, "f", 1, to_ns=to_ns, sleep=sleep).replaced
        assert one.after == after


def test_no_delay_names_what_is_called():
    with pytest.raises(UserError, match="calls no delay") as fault:
        patch("void f(void)\n{\n\tif (x)\n\t\tpoll_ready(1);\n}\n", "f", 1)
    assert fault.value.hint == "it calls: poll_ready()"


@pytest.mark.parametrize(
    "text", ["", "void f(void);\n", "DEFINE(f)\n{\n}\n", "void f(void)\n{\n\tmdelay(5);\n", "f(((\n"]
)
def test_no_body_is_an_error(text):
    with pytest.raises(UserError, match="no body"):
        patch(text, "f", 1)


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch: scripts/setup-debian.sh test")
@pytest.mark.parametrize("text", [SOURCE, SOURCE.replace("\n", "\r\n"), "void f(void) { mdelay(50); }"])
def test_the_patch_applies(text, tmp_path):
    function, line = ("f", 1) if "reset" not in text else ("reset", 10)
    made = patch(text, function, line, sleep=True)
    (tmp_path / "drivers").mkdir()
    file = tmp_path / "drivers" / "x.c"
    file.write_bytes(text.encode())
    command = ["patch", "-p1", "--batch", "--fuzz=0", "--binary"]
    subprocess.run(command, cwd=tmp_path, input=made.text.encode(), check=True, capture_output=True)
    now = file.read_bytes().decode()
    for one in made.replaced:
        assert one.after in now
    assert now.count("\n") == text.count("\n")
    assert "mdelay(50)" in now or function == "f"


@given(st.text(alphabet="f(){}/*\"'\\#\n ;,mdelay5else if"))
def test_rubbish_is_an_error_or_a_body(text):
    assert len(masked(text)) == len(text)
    assert masked(text).count("\n") == text.count("\n")
    try:
        body = body_of(text, "f", 1)
    except UserError:
        return
    for call in body.delays:
        assert text[call.start : call.end].startswith(call.name)
        assert text[call.end - 1] == ")"


@given(st.text(alphabet="ab\n\r\f"), st.text(alphabet="ab\n\r\f"))
def test_each_changed_line_stands_in_the_diff(old, new):
    rows = unified(old, new, "x.c").split("\n")
    gone = [row for row in rows[2:] if row.startswith("-")]
    assert (old == new) == (not any(rows))
    assert len(gone) <= old.count("\n") + 1
