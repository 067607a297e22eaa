# SPDX-License-Identifier: MIT
"""What a mail or a page says around pieces of logs, and what such pieces show."""

from __future__ import annotations

import json

import bootlab

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HEAD = "From: A <a@frob.example>\nTo: B <b@frob.example>\nSubject: frob\nDate: Mon, 7 Jul 2031 07:07:07 +0000\n\n"
WARNING = """\
[{at}.100000] ------------[ cut here ]------------
[{at}.100010] WARNING: CPU: 0 PID: 77 at drivers/frob/quux.c:7 quux_detach+0x1c/0x80
[{at}.100020] Modules linked in: frob
[{at}.100030] CPU: 0 PID: 77 Comm: kworker/0:1 Not tainted 6.6.0 #1
[{at}.100040] ---[ end trace 0123456789abcdef ]---
"""


def parts(text: str) -> list[dict]:
    return json.loads(bootlab.analyze(text.encode(), name="x").json)["parts"]


def boots(text: str) -> list[dict]:
    return [part for part in parts(text) if part["kind"] == "boot"]


def titles(text: str) -> list[str]:
    return [cost["title"] for part in parts(text) for cost in part.get("costs", [])]


def test_a_piece_tells_its_warning():
    (boot,) = boots(WARNING.format(at="   13"))
    (failure,) = boot["failures"]
    assert failure["kind"] == "warning"
    assert failure["line"] == 2
    whole = f"[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n{WARNING.format(at='    3')}"
    assert all(
        one["kind"] != "warning" for one in boots(whole + "[    4.000000] Run /init as init process\n")[0]["failures"]
    )


def test_a_warning_of_a_running_system_beside_another_piece_is_no_boot():
    early = "[    0.100000] frob: one\n[    0.200000] frob: two\n"
    late = WARNING.format(at=" 1555")
    text = f"At its start it says this:\n\n{early}\nMuch later, when I unplug it, this comes:\n\n{late}"
    assert [boot["from_line"] for boot in boots(text)] == [3]


def test_what_follows_a_loader_and_a_sentence_is_another_log():
    loader = "U-Boot SPL 2022.01 (Feb 24 2022 - 15:48:38 +0800)\nTrying to boot from NAND\n"
    later = "[   62.100000] usb 1-1: USB disconnect, device number 2\n[   62.900000] frobfs (sda1): read failed\n"
    found = boots(f"{loader}\nI add a backtrace to the function, next is what it says:\n\n{later}")
    assert all(boot["to_line"] < 6 or boot["from_line"] > 2 for boot in found)
    assert not [
        cost for boot in found for cost in boot["costs"] if cost["kind"] == "silence" and boot["from_line"] == 1
    ]


def test_a_version_in_a_sentence_is_no_banner():
    text = "While I boot it on the frob board, the kernel is\nLinux version 6.6.0-rc3-next-20310707.\n\n"
    assert boots(text + WARNING.format(at="   13"))[0]["from_line"] > 2


def test_time_across_what_somebody_cut_is_no_silence():
    line = "[    {at}.700000] frob 1-0033: looking up quux-supply failed\n"
    for mark in ("[ snip - goes on many times ]", "<trimmed>", "..."):
        text = "[    1.500000] frob: up\n" + line.format(at=1) + f"\n{mark}\n\n" + line.format(at=7)
        (boot,) = boots(text + "[    7.800000] quux: up\n")
        assert not [cost for cost in boot["costs"] if (cost.get("cost_ns") or 0) > 5_000_000_000], mark


def test_a_robots_report_names_its_commit():
    report = (
        f'kernel test robot noticed "BUG:frob" on:\n\ncommit: {COMMIT} ("frob: wait for quux")\n\nin testcase: boot\n\n'
    )
    told = titles(
        HEAD + report + "[  674.140379] watchdog: BUG: soft lockup - CPU#0 stuck for 626s! [kworker/0:2:18]\n"
    )
    assert any(COMMIT in title and "robot noticed" in title for title in told)


def test_a_commits_name_ends_a_sentence_in_a_mail():
    piece = "> > [    0.054943] frob: one\n> > [    0.061181] frob: two\n"
    said = (
        "> It reboots without a word while it boots. I did a bisect and found this:\n"
        f"> - The actual commit that introduced the problem is\n> {COMMIT} (frob: add\n"
        "> quux) -- reverting it fixes the boot.\n"
    )
    assert any(COMMIT in title for title in titles(HEAD + piece + "\n" + said))


def test_sentences_on_waits_of_a_running_system_are_no_costs():
    text = "I unplug the target, and then requests fail to come back to the\ncaller after the timeout.\n\n"
    assert not [
        title
        for title in titles(text + "[  980.100000] frob: one\n[  981.100000] frob: two\n")
        if "caller" in title[:40]
    ]
