# SPDX-License-Identifier: MIT
"""How many boots a text holds: what was printed twice, mentioned, or comes of a system that runs is none."""

from __future__ import annotations

import json

import pytest

import bootlab

BANNER = "Linux version 6.1.0 (me@here) (gcc 12) #1 SMP Mon Jan 1 00:00:00 UTC 2024"
EARLY = f"""\
[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd034]
[    0.000000] {BANNER}
[    0.000000] printk: bootconsole [uart0] enabled
[    0.008690] Console: colour dummy device 80x25
[    0.012369] printk: console [tty1] enabled
[    0.016437] printk: bootconsole [uart0] disabled
"""
LATE = """\
[    1.200000] mmc0: new card
[    2.000000] Freeing unused kernel memory: 1024K
[    2.010000] Run /sbin/init as init process
[    2.500000] random: crng init done
Starting network: OK
board login: root
"""


def boots(text: str) -> list[dict]:
    document = json.loads(bootlab.analyze(text.encode(), name="x").json)
    return [part for part in document["parts"] if part["kind"] == "boot"]


def when(boot: dict, event: str) -> int | None:
    return next((stage.get("ns") for stage in boot["stages"] if stage["event"] == event), None)


def shown(boot: dict, event: str) -> int | None:
    return next((stage.get("line") for stage in boot["stages"] if stage["event"] == event), None)


def test_a_console_that_prints_from_the_first_line_on_is_no_other_boot():
    (boot,) = boots("U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)\n\nStarting kernel ...\n\n" + EARLY + EARLY + LATE)
    assert boot["outcome"] == "user-space"
    assert when(boot, "user-space-start") == 2_010_000_000
    assert shown(boot, "first-use")


def test_a_kernel_that_starts_again_is_another_boot():
    reset = "\nU-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)\n\nStarting kernel ...\n\n"
    assert len(boots(reset + EARLY + reset + EARLY + LATE)) == 2
    other = EARLY.replace("0.008690", "0.008701").replace("0.012369", "0.012399").replace("0.016437", "0.016502")
    assert len(boots(EARLY + LATE + other + LATE)) == 2
    down = "[  900.000000] reboot: Restarting system\n"
    assert len(boots(EARLY + LATE + down + EARLY + LATE)) == 2


def test_dmesg_typed_at_the_prompt_shows_the_boot_again():
    log = (
        EARLY
        + LATE
        + "root@board:~# dmesg\n"
        + EARLY
        + LATE.split("Starting", maxsplit=1)[0]
        + "[   90.000000] usb 1-1: new\n"
    )
    (boot,) = boots(log)
    assert when(boot, "user-space-start") == 2_010_000_000
    assert shown(boot, "first-use") == len((EARLY + LATE).splitlines())


def test_a_log_daemon_that_writes_to_the_console_repeats_the_boot():
    again = "".join(f"Jan  1 00:00:03 board kern.notice kernel: {line}\n" for line in EARLY.splitlines()[:3])
    before, prompt = LATE.split("Starting")
    (boot,) = boots(EARLY + before + again + "Starting" + prompt)
    assert shown(boot, "first-use") == len((EARLY + LATE + again).splitlines())


def test_a_report_holds_the_kernels_log_and_the_journal():
    journal = "".join(
        f"Feb 06 08:28:44 host {line}\n"
        for line in (
            *(f"kernel: {each.partition('] ')[2]}" for each in EARLY.splitlines()),
            "systemd[1]: systemd 252 running in system mode (+PAM)",
            "systemd[1]: Startup finished in 2.010s (kernel) + 5.500s (userspace) = 7.510s.",
        )
    )
    (boot,) = boots("## dmesg\n\n" + EARLY + LATE.split("Starting", maxsplit=1)[0] + "\n## journalctl\n\n" + journal)
    assert when(boot, "user-space-start") == 2_010_000_000
    assert [part["ns"] for part in boot["startup"]["parts"]] == [2_010_000_000, 5_500_000_000]


@pytest.mark.parametrize(
    "text",
    [
        f"#### cat /proc/version\n```\n{BANNER}\n```\n#### cat /proc/cpuinfo\n```\nprocessor : 0\n```\n",
        'Times are measured from "Starting kernel" to the prompt, over 20 boots.\n',
        "".join(f"[ {n}.000000] usb 1-1: message\n" for n in range(129, 160)),
        "".join(
            f"May 29 00:00:{n} host kernel: [5224{n}.959192] [UFW BLOCK] IN=ens3 OUT= MAC=56\n" for n in range(10, 40)
        ),
    ],
)
def test_what_is_no_boot(text: str):
    assert boots(text) == []


def test_stamps_of_the_hart_software_services_are_the_firmwares():
    services = (
        "DDR training ... Passed ( 2775 ms)\n"
        "[2.873679] DDR-Lo size is   32 MiB\n"
        "[2.878358] DDR-Hi size is 1888 MiB\n"
        "\n"
        "OpenSBI v1.2\n"
        "\n"
    )
    text = services + "U-Boot 2023.07 (Feb 21 2024 - 11:50:25 +0000)\n\nStarting kernel ...\n\n" + EARLY + LATE
    assert len(boots(text)) == 1
    assert "tail" not in bootlab.analyze(text.encode(), name="x").json


def test_a_notes_version_before_a_boot_is_no_boot():
    (boot,) = boots(f"# Notes\n```\n{BANNER}\n```\n```\nU-Boot 1.1.3 (Oct 22 2015 - 15:22:48)\n\n" + EARLY + LATE)
    assert when(boot, "user-space-start") == 2_010_000_000


@pytest.mark.parametrize(
    "first",
    [
        "Pll init start...\nPll init Done!!\nmtcmos Start..\n#T#PLL=2\n[BLDR] Tool connection is unlocked\n",
        "#T#Preloader Start=0\nPll init start...\nPll init Done!\n",
        "[  OK  ] Started Forward Password Requests.\n[  OK  ] Reached target Paths.\n         Starting Foo...\n",
    ],
)
def test_what_is_one(first: str):
    assert len(boots(first)) == 1


def test_a_quiet_kernel_whose_system_says_only_its_prompt():
    quiet = (
        "U-Boot 2022.01 (Jun 10 2023 - 20:13:15 +0300)\n"
        "\n"
        "Starting kernel ...\n"
        "\n"
        "\xff[    0.839283] a: error\n"
        "[    1.456162] b: error\n"
    )
    (boot,) = boots(quiet + "\nslarm64 GNU/Linux (ttyS0)\n\nboard-pro login: root\nPassword: \n")
    assert boot["outcome"] == "user-space"
    assert shown(boot, "first-use") == 10


@pytest.mark.parametrize("prompt", ["[root@board]~# uname -a", "/# boot"])
def test_prompts(prompt: str):
    (boot,) = boots(EARLY + LATE.replace("board login: root", prompt))
    assert shown(boot, "first-use") == len((EARLY + LATE).splitlines())


@pytest.mark.parametrize(
    "words",
    [
        "+ exec switch_root /realroot /sbin/init",
        "[  OK  ] Reached target Switch Root.\n         Starting Switch Root...",
    ],
)
def test_where_an_initramfs_hands_over(words: str):
    log = EARLY + LATE.replace("Run /sbin/init", "Run /init").replace(
        "Starting network: OK", words + "\nStarting network: OK"
    )
    (boot,) = boots(log)
    assert shown(boot, "initramfs")
    assert shown(boot, "switch-root") == len((EARLY + LATE).splitlines()) - 1


def test_systemds_first_word_bounds_the_hand_over():
    said = (
        "[    3.100000] systemd[1]: System time before build time, advancing clock.\n"
        "[    3.200000] systemd[1]: systemd 251 running in system mode (+PAM)\n"
    )
    log = EARLY + LATE.replace("Run /sbin/init", "Run /init").replace("Starting network: OK\n", said)
    (boot,) = boots(log)
    stage = next(stage for stage in boot["stages"] if stage["event"] == "switch-root")
    assert (stage["ns"], stage["at_most"]) == (3_100_000_000, True)


def test_a_kernel_whose_banner_is_garbled_every_time():
    early = (
        "bootconsole [early0] enabled\n"
        "Kernel command line: console=ttyS1\n"
        "Memory: 60000K\n"
        "Freeing init memory: 200K\n"
        "init started: BusyBox\n"
    )
    log = f"{BANNER}\nCPU: ARMv7\n" + early + "".join("\x81\x82garbled\n" + early for _ in range(4))
    assert len(boots(log)) == 5
