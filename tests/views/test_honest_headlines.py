# SPDX-License-Identifier: MIT
"""Headlines that the text itself contradicts: each made-up text once had one."""

from __future__ import annotations

import pytest

import bootlab
from tests.views.test_log_headline import headline

DAY = "Feb 09 22:38:"


def test_a_stage_that_is_longer_than_the_largest_cost_is_named():
    text = (
        f"{DAY}11 host kernel: Linux version 6.8.0 (a@b) (gcc) #1\n"
        f"{DAY}11 host kernel: Run /init as init process\n"
        f"{DAY}12 host systemd[1]: systemd 255 running in system mode (+PAM)\n"
        f"{DAY}13 host systemd[1]: Starting frob.service - Frob Daemon...\n"
        f"{DAY}17 host systemd[1]: Started frob.service - Frob Daemon.\n"
        f"{DAY}27 host systemd[1]: Startup finished in 5.600s (firmware) + 12.200s (loader) + 5.000s (kernel) + "
        "14.600s (userspace) = 37.400s.\n"
    )
    said = " ".join(headline(text))
    assert "The longest stage of that account is userspace: 14.6 s." in said
    assert "The largest cost found is" not in said


@pytest.mark.parametrize(
    ("never", "text"),
    [
        pytest.param(
            "The largest cost found is 6.50 s",
            "[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1\n[    0.500000] Run /init as init process\n"
            "[    1.000000] input: keys\n[   20.000000] frob host6: ready\n[   21.000000] systemd[1]: Starting "
            "Journal Service...\n[   27.500000] systemd[1]: Started Journal Service.\n",
            id="a longer silence before a cost takes its superlative",
        ),
        pytest.param(
            "span less",
            "Nov 30 20:16:44 host kernel: frob-reg: disabling\nNov 30 20:17:31 host systemd-udevd[116]: lo: process "
            "'/bin/x' [120] is taking longer than 59s to complete\nNov 30 20:17:48 host kernel: crng init done\n",
            id="stamps that span more are not said to span less",
        ),
    ],
)
def test_what_is_not_said(never, text):
    assert never not in " ".join(headline(text))


def test_a_piece_that_goes_on_behind_its_first_use_has_its_longest_up_to_there():
    text = (
        "[    5.000000] frob0: link up\n[    6.300000] xfs filesystem being remounted\n[    6.400000] quux ready\n"
        "box login: \n[   40.000000] frobd[7]: done\n"
    )
    said = " ".join(headline(text))
    assert "in this piece, up to its first use in line 4, is 1.30 s" in said


def test_a_line_that_states_its_time_needs_no_stamp():
    text = "It ends here:\n\n(initramfs) ata2: port failed to respond (30 secs, Status 0x80)\n"
    analysis = bootlab.analyze(text.encode())
    said = " ".join(sentence for part in analysis.units for sentence in analysis.told(part).headline)
    assert "No time was found" not in said


def test_the_stamps_of_a_devices_lines_are_told():
    text = (
        "$ dmesg | grep ata9\n[    7.000200] ata9: link is slow to respond, please be patient (ready=0)\n"
        "[   10.800300] ata9: softreset failed (device not ready)\n"
        "[   60.500400] ata9: softreset failed (device not ready)\n"
    )
    analysis = bootlab.analyze(text.encode())
    said = " ".join(sentence for part in analysis.units for sentence in analysis.told(part).headline)
    assert "whose stamps span 53.500 s" in said
    assert "No time was found" not in said
