# SPDX-License-Identifier: MIT
"""The agent's report out of console text: whole, cut off, mixed with other output, hostile."""

from pathlib import Path
from subprocess import run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.collectors import agent
from bootlab.collectors.agent import AgentReport, parse
from bootlab.model.recording import FileRead

GUEST = Path(__file__).parents[2] / "guest"

WHOLE = (
    b"camera: frame 1 ready\r\n"
    b"\r\n@BL1 begin\r\n"
    b"@BL1 file R 12 /bin/busybox\r\n"
    b"@BL1 file - 0 /etc/a%20b%25\r\n"
    b"@BL1 proc cmdline console=ttyS0 quiet\r\n"
    b"@BL1 proc mounts rootfs / rootfs rw 0 0\r\n"
    b"@BL1 proc mounts proc /proc proc rw 0 0\r\n"
    b"@BL1 log [    0.000000] Linux version 6.1.0\r\n"
    b"@BL1 log [    0.100000] odd %1b[31m \xff 100%25\r\n"
    b"@BL1 end 7\r\n"
)


def test_a_whole_report():
    report = parse(WHOLE)
    assert report.complete
    assert report.files == (
        FileRead(path="/bin/busybox", read=True, size_bytes=12),
        FileRead(path="/etc/a b%", read=False, size_bytes=0),
    )
    assert report.proc == {
        "cmdline": "console=ttyS0 quiet",
        "mounts": "rootfs / rootfs rw 0 0\nproc /proc proc rw 0 0",
    }
    assert report.log == ("[    0.000000] Linux version 6.1.0", "[    0.100000] odd \x1b[31m \\xff 100%")


def test_accesses():
    report = parse(
        b"@BL1 begin\n@BL1 method fanotify yes all of it\n@BL1 method tracing no there is none\n"
        b"@BL1 seen fanotify b x init /bin/a%20b\n@BL1 seen atime c l ? /lnk\n@BL1 end 4\n"
    )
    assert report.complete
    assert [(m.name, m.works, m.text) for m in report.methods] == [
        ("fanotify", True, "all of it"),
        ("tracing", False, "there is none"),
    ]
    first, second = report.seen
    assert (first.path, first.kind, first.phase, first.who) == ("/bin/a b", "executed", "boot", "init")
    assert (second.path, second.kind, second.phase, second.who) == ("/lnk", "followed", "check", "")
    assert not parse(b"@BL1 begin\n@BL1 seen magic b x init /a\n@BL1 end 1\n").complete


def test_links_that_were_followed_and_processes_made():
    report = parse(b"@BL1 begin\n@BL1 link /sbin/get%20ty\n@BL1 proc stat processes 139\n@BL1 end 2\n")
    assert report.complete
    assert report.links == ("/sbin/get ty",)
    assert report.proc == {"stat": "processes 139"}


def test_no_report():
    assert parse(b"") == AgentReport()
    assert parse(b"[    0.0] Linux\r\n@BL1 file R 1 /x\r\n") == AgentReport()


@pytest.mark.parametrize("cut", range(20, len(WHOLE) - 1, 7))
def test_cut_off_is_not_complete(cut):
    assert not parse(WHOLE[:cut]).complete


def test_lines_of_others_between_ours_do_no_harm():
    assert parse(WHOLE.replace(b"@BL1 proc cmd", b"[ 9.9] usb 1-1: new\r\n@BL1 proc cmd")).complete


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"R 12", b"X 12"),
        (b"R 12", b"R -1"),
        (b"R 12", b"R 99999999999999999999"),
        (b"/bin/busybox", b"bin/busybox"),
        (b"%20b", b"%2"),
        (b"%20", b"%zz"),
        (b"proc cmdline", b"proc ../x"),
        (b"@BL1 log [    0.000000]", b"[ 9.9] usb@BL1 log [    0.000000]"),
        (b"@BL1 log [    0.000000]", b"@BL1 bog [    0.000000]"),
        (b"@BL1 proc cmdline console=ttyS0 quiet\r\n", b""),
        (b"end 7", b"end 8"),
        (b"end 7", b"end"),
    ],
)
def test_damage_is_noticed(old, new):
    assert old in WHOLE
    assert not parse(WHOLE.replace(old, new)).complete


def test_the_last_report_counts():
    first = b"@BL1 begin\n@BL1 file R 1 /early\n@BL1 end 1\n"
    assert parse(first + WHOLE).files[0].path == "/bin/busybox"
    assert parse(first).complete


def test_what_follows_the_end_is_not_read():
    assert parse(WHOLE + b"@BL1 file R 1 /late\n") == parse(WHOLE)


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(agent, "LINES_MAX", 5)
    report = parse(b"@BL1 begin\n" + b"@BL1 log x\n" * 50 + b"@BL1 end 50\n")
    assert len(report.log) <= 5
    assert not report.complete


def test_long_lines_are_left_out():
    report = parse(b"@BL1 begin\n@BL1 log " + b"x" * agent.LINE_MAX_BYTES + b"\n@BL1 end 1\n")
    assert report.log == ()
    assert not report.complete


@given(st.lists(st.sampled_from([*WHOLE.splitlines(keepends=True), b"\r", b"@BL1 ", b"%", b"\xff", b"end 3"])))
def test_any_order_of_pieces_is_survived(pieces):
    parse(b"".join(pieces))


def test_the_agents_escapes_on_this_machine(tmp_path):
    done = run(["make", "-s", "-C", str(GUEST), f"B={tmp_path}", "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
