# SPDX-License-Identifier: MIT
"""What is said of a boot and of a comparison first; from a log to a system."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

import bootlab
from bootlab.logs import log_facts
from bootlab.logs.analysis import seconds
from bootlab.logs.comparison import compare
from bootlab.logs.log_facts import LogFacts
from bootlab.systemfile.skeleton import command_line, skeleton
from bootlab.techniques.remedies import remedy
from bootlab.views.log.comparison_page import comparison_data
from bootlab.views.log.comparison_sentence import sentence
from bootlab.views.log.comparison_text import not_measured
from bootlab.views.log.cost_lines import costs_view
from bootlab.views.log.page_data import page_data
from bootlab.views.log.text import analysis_view, stages_table
from tests.conftest import REPOSITORY
from tests.logs import samples
from tests.rendered import to_text

GOLDEN = REPOSITORY / "crates" / "boottrace" / "tests" / "golden"
SERIAL = f"{samples.SERIAL_HEAD}[{{end}} 1.000000] board login:\n"


def boot(text: str) -> bootlab.Boot:
    return bootlab.analyze(text.encode()).boots[0]


def headline(text: str) -> list[str]:
    analysis = bootlab.analyze(text.encode())
    return analysis.told(analysis.boots[0]).headline


def test_a_boot_in_sentences():
    said = headline(SERIAL.format(end="5.200000"))
    assert said[0] == "5.20 s from the firmware's first words to a prompt."
    assert said[1] == "The kernel took 1.00 s."
    assert said[2] == (
        "The largest cost found is 2.00 s: the boot loader waits for a key, which may save 2.00 s (computed from this "
        "log)."
    )


def test_what_others_gained_is_not_called_a_cost_of_this_boot():
    text = "Linux version 2.4.30 (a@b) (gcc version 3.3.5) #1\nCalibrating delay loop... 199.47 BogoMIPS\n"
    text += "Freeing unused kernel memory: 76k freed\ninit started: BusyBox v1.00\n"
    assert [cost.basis for cost in boot(text).costs if cost.gain_ns] == ["published"]
    assert not any("largest" in sentence for sentence in headline(text))


UNITS = """[    0.000000] Linux version 6.1.55 (oe@host) (gcc 12) #1 SMP
[    1.200000] Run /sbin/init as init process
[    1.500000] systemd[1]: Starting Wait for Network to be Configured...
[    1.600000] systemd[1]: Starting Camera Application...
[    3.900000] systemd[1]: Started Camera Application.
[   14.000000] systemd[1]: Finished Wait for Network to be Configured.
[   14.750000] systemd[1]: Startup finished in 1.200s (kernel) + 13.550s (userspace) = 14.750s.
"""
REPORT = """Startup finished in 1.200s (kernel) + 13.550s (userspace) = 14.750s
          12.500s wait-online.service
           2.300s camera.service

multi-user.target @13.500s
└─wait-online.service @1.000s +12.500s
"""


def test_the_largest_unit_is_told_with_the_line_that_shows_it():
    told = boot(UNITS)
    assert headline(UNITS)[-1] == (
        "The largest cost found is 12.5 s: systemd starts the unit `Wait for Network to be Configured`, "
        "and only a boot can show how much of it can be saved."
    )
    first = told.costs[0]
    assert (first.kind, first.lines, remedy(first.kind).name) == ("unit-start", [3, 6], "systemd-unit-masked")
    analysis = bootlab.analyze(UNITS.encode())
    text = to_text(costs_view(told.costs, analysis.told(analysis.boots[0]).costs, 3), width=100)
    assert "lines 3, 6: 12.500 s from" in text
    assert "try: bootlab try SYSTEM.toml systemd-unit-masked" in text


def test_a_report_about_units_says_what_costs_most():
    analysis = bootlab.analyze(REPORT.encode())
    (report,) = analysis.units
    assert analysis.told(report).headline == [
        "14.8 s until systemd had started everything, by its own account: 1.20 s kernel + 13.6 s userspace.",
        (
            "The largest cost found is 12.5 s: systemd starts the unit `wait-online.service`, which may save at "
            "most 12.5 s (the log says so)."
        ),
    ]
    assert [(cost.lines, cost.gain_ns) for cost in report.costs] == [([6], 12_500_000_000), ([3], None), ([1], None)]
    # Printed on the console, it is about the boot there.
    told = boot(UNITS + REPORT)
    assert [cost.lines for cost in told.costs if cost.kind == "unit-start"] == [[13], [10]]
    # Another boot's report says nothing of this one.
    other = boot(UNITS + REPORT.replace("13.550s", "19.550s").replace("14.750s", "20.750s"))
    assert [cost.lines for cost in other.costs if cost.kind == "unit-start"] == [[3, 6], [4, 5]]


def test_bounds_are_said():
    assert headline(samples.BOOT)[0].startswith("At least ")
    assert headline(samples.BOOT)[1] == "The kernel took 801 ms."
    assert headline("[    5.100000] usb 1-1: new device\n[    5.200000] usb 1-1: gone\n") != []


def test_the_table_of_stages_has_signs_at_lengths_too():
    analysis = bootlab.analyze(samples.BOOT.encode())
    (one,) = analysis.boots
    shown = to_text(stages_table(one, analysis.told(one)))
    lines = {line.split()[0]: line for line in shown.splitlines() if line.split()}
    assert "801.000" in lines["kernel-start"]
    assert "≥ " in shown


def test_a_panic_is_said():
    text = samples.BOOT.split("[    0.800000]", maxsplit=1)[0]
    said = headline(text + "[    0.900000] Kernel panic - not syncing: VFS: Unable to mount root fs\n")
    assert said[0] == "The kernel panicked 900 ms after the kernel's first line."


@pytest.mark.parametrize(
    ("ns", "said"),
    [(24_040_000_000, "24.0 s"), (9_100_000_000, "9.10 s"), (340_000_000, "340 ms"), (300_000, "0.3 ms")],
)
def test_times_in_sentences(ns: int, said: str):
    assert seconds(ns) == said


def test_a_comparison_in_a_sentence():
    base, new = (bootlab.analyze(SERIAL.format(end=end).encode()) for end in ("5.200000", "5.800000"))
    said = sentence(compare([base], [new]))
    assert said == "600 ms slower (5.20 s to 5.80 s), all of it in RC scripts (rc-scripts to first-use)"
    assert sentence(compare([base], [base])) == "no slower and no faster (5.20 s to 5.20 s)"
    assert sentence(compare([new], [base])).startswith("600 ms faster (5.80 s to 5.20 s), all of it in RC scripts")


def test_systemds_account_comes_first_where_no_prompt_is_shown():
    one = (
        "Feb 09 22:38:11 host kernel: Linux version 5.4.0 (a@b) (gcc) #1\n"
        "Feb 09 22:38:11 host kernel: Run /init as init process\n"
        "Feb 09 22:38:11 host systemd[1]: systemd 245 running in system mode. (+PAM)\n"
        "Feb 09 22:39:29 host systemd[1]: Startup finished in 2.500s (kernel) + 70.000s (userspace) = 1min 12.500s.\n"
    )
    said = headline(one)
    assert said[0].startswith("72.5 s until systemd had started everything, by its own account: 2.50 s kernel + 70.0 s")
    assert not any("By systemd's own account" in text for text in said)


def test_a_silence_of_a_running_system_is_not_called_the_boots_largest_cost():
    one = (
        "[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1\n[    1.500000] serial: driver\n[    2.000000] input: keys\n"
        "[    4.000000] Run /init as init process\n[    5.000000] init: starting service\n"
        "[    9.000000] binder: undelivered transaction 1\n[   10.000000] init: starting another\n"
    )
    said = " ".join(headline(one))
    assert "One of the costs found is 2.00 s: the kernel prints nothing" in said, said
    assert "not every such time is a wait of the boot. One of" in said


def test_a_lower_bound_is_compared_with_nothing():
    def log(end: str) -> bytes:
        return (
            "B -       261 - PBL, Start\nB -     97115 - SBL1, Start\nB -   1756299 - SBL1, End\n"
            "U-Boot 2012.07 (Dec 19 2018 - 08:16:11)\nStarting kernel ...\n"
            f"[    0.000000] Linux version 4.4.60 (a@b) (gcc) #7\n[    {end}] Run /sbin/init as init process\n"
        ).encode()

    base, new = bootlab.analyze(log("1.000000")), bootlab.analyze(log("1.100000"))
    comparison = compare([base], [new], budgets=["boot-loader=10s", "user-space-strat=1s"])
    assert not any(row.quantity.startswith(("stage:firmware..", "stage:boot-loader")) for row in comparison.rows)
    assert [budget.kept for budget in comparison.budgets] == [False, False]
    assert "100 ms slower" in sentence(comparison)
    assert "kernel-start..user-space-start" in not_measured(comparison, "kernel-start..user-space-strat")
    assert not_measured(comparison, "zzzz").startswith("not measured (stages are called boot-loader, ")
    assert "whole-boot" in not_measured(comparison, "whole-bot")


def test_a_log_that_begins_later_has_no_kernel_to_compare():
    whole = "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n[    0.957742] EDAC MC: Ver: 3.0.0\n"
    rest = "[    0.969640] FPGA manager framework\n[    3.181500] Run /init as init process\n"
    late = "[    0.957742] EDAC MC: Ver: 3.0.0\n"
    comparison = compare([bootlab.analyze((late + rest).encode())], [bootlab.analyze((whole + rest).encode())])
    assert not [row for row in comparison.rows if row.quantity == "kernel" and row.base and row.new]
    assert not sentence(comparison)


def facts_of(*lines: str) -> LogFacts:
    text = "".join(f"[    0.{at:06d}] {line}\n" for at, line in enumerate(lines)).encode()
    return log_facts.of_analysis(bootlab.analyze(text, name="boot.log", keep_lines=True))


def test_a_skeleton_of_a_system():
    facts = facts_of(
        "Linux version 6.6.0 (a@b) (aarch64-linux-gnu-gcc 13) #1",
        'Machine model: Board "X" [x]',
        "Kernel command line: console=ttyO0,115200n8 root=/dev/mmcblk0p2 rootwait ro quiet lpj=4980736",
        "Memory: 1010000K/1000000K available (x)",
        "Run /init as init process\nroot@OpenWrt:/etc# cat /proc/version",
    )
    text = skeleton(facts, [("bootlab try my.toml preset-lpj", "delay-loop calibration")])
    system = tomllib.loads(text)
    assert system["machine"]["arch"] == "arm64"
    assert system["machine"]["memory_mib"] == 1024
    assert system["kernel"]["cmdline"] == "console=ttyAMA0,115200 panic=-1 quiet lpj=4980736"
    assert system["goal"]["console"] == "^root@OpenWrt:/etc#"
    assert "bootlab try my.toml preset-lpj" in text


def test_parts_of_a_skeleton():
    assert command_line("", "riscv64") == "console=ttyS0,115200 panic=-1"
    for said, goal in (
        ("poky login: root", "poky login:"),
        ("Please press Enter to activate this console. rcS: INFO", "Please press Enter to activate this console"),
        ("", "login:"),
    ):
        facts = facts_of("Linux version 6.1.0 (a@b) (gcc) #1", f"Run /init as init process\n{said}")
        assert tomllib.loads(skeleton(facts))["goal"]["console"] == goal


def test_a_processor_that_is_not_emulated_is_named():
    text = skeleton(facts_of("Linux version 3.10 (a@b) (gcc) #1", "CPU0 revision is: 0001992f (MIPS 1004Kc)"))
    assert "the log's is mips, which bootlab does not emulate" in text
    unknown = skeleton(facts_of("Linux version 3.10 (a@b) (gcc) #1", "BIOS-e820: 0000 - 0001 (usable)"))
    assert "FILL IN: the log does not show it" in unknown


def test_a_boot_that_ends_in_firmware_has_its_whole_length():
    table = bars(
        "2 entries total:\n\n   0:1st timestamp      2,347 (0)\n  11:start of bootblock    58,933 (56,585)\n"
        "  99:selfboot jump     5,948,649 (5,889,716)\n\nTotal Time: 5,946,302\n"
    )
    assert [(name, length) for name, _, length, *_ in table] == [("firmware", 5_948_649_000)]


def test_the_page_of_a_comparison_says_the_total_first():
    logs = [bootlab.analyze(SERIAL.format(end=end).encode()) for end in ("5.200000", "7.200000")]
    made = compare(logs[:1], logs[1:])
    first = comparison_data([made], logs)["headline"][0]
    assert first == ["+2000.000", "ms", "slower in all (5.20 s to 7.20 s)", "slower"]
    assert sentence(made).startswith("2.00 s slower (5.20 s to 7.20 s), all of it in RC scripts")


def test_samples_are_counted_once():
    frame = "\tffffffff81000020 walk+0x20 ([kernel.kallsyms])\n"
    text = f"init     1 [001]     0.100500:     250000 cpu-clock: \n{frame}{frame}\n"
    (trace,) = bootlab.analyze(text.encode()).traces
    assert trace.counted == (1, "samples")
    assert trace.length_ns is None


def test_what_a_daemon_read_late_has_no_length():
    late = (
        "Jan  1 10:00:05 box kernel: klogd started.\n"
        "Jan  1 10:00:05 box kernel: Linux version 2.6.33 (me@here) (gcc 4) #1\n"
        "Jan  1 10:00:17 box kernel: Freeing init memory: 140K\n"
        "Jan  1 10:00:20 box kernel: eth0: link up\n"
    )
    assert not any("kernel took" in text or "first line" in text for text in headline(late))
    assert bars(late) == []


def bars(text: str) -> list[list[Any]]:
    return page_data(bootlab.analyze(text.encode(), name="boot.log"))["parts"][0]["bars"]


def figures(text: bytes) -> list[list[str]]:
    return page_data(bootlab.analyze(text, name="some/where/boot.log", export=True))["headline"]


def test_a_page_begins_with_the_last_of_several_boots():
    twice = SERIAL.format(end="5.200000") + SERIAL.format(end="7.200000")
    (whole, _, what), *_ = figures(twice.encode())
    assert what.startswith("boot 2, the last of 2: ")
    assert whole == "7\u202f200.000"
    assert not figures(SERIAL.format(end="5.200000").encode())[0][2].startswith("boot")


def test_a_page_without_a_boot_begins_with_its_answer_too():
    units = page_data(bootlab.analyze((GOLDEN / "systemd" / "plot.svg").read_bytes(), name="plot.svg", export=True))
    assert [unit for _, unit, _ in units["headline"]][:2] == ["ms", ""]
    assert "the longest stage, user space" in units["headline"][1][2]
    # Of each stage the name that the page colours, and what systemd calls it.
    known = {"kernel", "initramfs", "user space", "firmware", "boot loader"}
    assert {bar[0] for bar in units["parts"][0]["bars"]} <= known
    for trace in (samples.TRACE.encode(), (GOLDEN / "systemd" / "bootchart.tgz").read_bytes()):
        assert figures(trace)


def test_a_page_is_called_by_its_file_and_says_where_that_is():
    data = page_data(bootlab.analyze(samples.BOOT.encode(), name="some/where/boot.log", export=True))
    assert (data["name"], data["file"]) == ("boot.log", "some/where/boot.log")


def test_a_wait_of_unknown_length_is_said_instead_of_no_times():
    text = "[   30.000000] vcc: disabling\n[ TIME ] Timed out waiting for device /dev/sdc1.\n"
    waits = "Systemd waits for the device /dev/sdc1 until its limit, and gives up"
    assert headline(text) == [f"{waits} (line 2)."]
    dates = "Mar 02 10:00:01 host kernel: usb 1-1: Product: Stick\nMar 02 10:00:09 host systemd[1]: Mounted /boot.\n"
    passed = "At least 7.00 s pass between line 1 and line 2 (`usb 1-1: Product: Stick` and `Mounted /boot.`)"
    assert headline(dates) == [f"{passed}; no cost found here tells of them."]


def test_android_is_not_said_to_come_to_a_prompt():
    text = (
        "[    0.000000] Linux version 4.9.1 (a@b) (clang) #1\n[    3.000000] Freeing unused kernel memory: 8192K\n"
        "[   20.000000] init: processing action (sys.boot_completed=1) from (/init.rc:700)\n"
    )
    assert headline(text)[0] == "20.0 s from the kernel's first line to Android's sys.boot_completed."


def test_the_page_calls_a_late_silence_no_cost_either():
    """No first use is shown: the system may have been up all the time."""
    found = (
        "[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n[    1.000000] Run /sbin/init as init process\n"
        "[    1.500000] systemd[1]: hello\n[    2.500000] usb 1-1: new device\n[   40.000000] audit: type=1400 x\n"
    )
    assert any("not every such time is a wait" in sentence for sentence in headline(found))
    assert not any("largest cost" in figure[2] for figure in figures(found.encode()))


def test_what_a_line_states_is_not_called_the_largest_where_the_log_has_no_clock():
    """The daemon stamped everything when it read it: nothing is known of the other costs."""
    line = "Jul 03 10:20:30 box kernel: "
    told = "ata2: reset failed (errno=-11), retrying in 5 secs"
    log = f"{line}Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n{line}{told}\n{line}random: crng init done\n"
    said = headline(log)[-1]
    assert said == f"Line 2 states 5.00 s: `{told}`."


def test_of_a_piece_no_superlative_of_the_whole_boot():
    silence = headline("[    3.000000] frobfs: version 2\n[   11.000000] quux_root: not ready yet\n")
    lines = "lines 1 and 2, `frobfs: version 2` and `quux_root: not ready yet`"
    start = f"The longest silence found in this piece is 8.00 s ({lines})"
    assert silence == [f"{start}; what the piece leaves out may take longer."]
    card = headline("[    1.000000] mmc0: error -84 whilst x\n[    2.000000] mmc0: error -84 whilst x\n")
    assert card[0].startswith("The largest cost found in this piece is 1.00 s: the card or eMMC on mmc0 gives broken")


def test_of_a_loader_alone_it_is_not_said_that_the_boot_ended():
    text = "[    0.000000] U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\n[    5.000000] frob: up\n"
    end = "no line of a Linux kernel was found behind it, up to line 2."
    assert headline(text)[0] == f"The firmware's last time here is 5.00 s (line 2); {end}"


def test_the_line_that_ends_a_silence_and_says_what_failed_is_told():
    """Then it is not said that nothing shows what the time goes to."""
    said = " ".join(
        headline("[    3.000000] frob: begins\n[   11.000000] quux 0000:07:00.0: *ERROR* stuck in a loop\n")
    )
    assert "it ends with `quux 0000:07:00.0: *ERROR* stuck in a loop`" in said
    assert "is not shown" not in said


def test_pieces_without_a_start_are_not_called_boots():
    piece = "[    1.000100] frob: up\n[    4.000200] frob: ready\n"
    other = "\nThat is the first one, and this is the other:\n\n[    0.500300] quux: up\n[    2.000400] quux: ready\n"
    assert "2 pieces of logs, each apart" in to_text(analysis_view(bootlab.analyze((piece + other).encode())))


def test_where_a_later_step_is_shown_the_silence_was_the_boots():
    """A target behind the silence leaves nothing open, and lines without stamps are no silence."""
    head = "[    0.000000] Linux version 6.6.0 (me@here) (gcc 13)\n[    0.500000] Run /sbin/init as init process\n"
    first = "[    1.000000] systemd[1]: Detected architecture arm.\n"
    last = "[    9.000000] systemd[1]: Reached target Remote File Systems.\n"
    said = " ".join(headline(head + first + last))
    assert "not every" not in said
    assert "not shown" not in said
    between = "[  OK  ] Started Frob Daemon.\n         Starting Quux...\n"
    early = "[    1.200000] systemd-journald[83]: Received request to flush runtime\n"
    late = "[   12.000000] frobwifi mmc0:0001:1: info: download over\n[   12.100000] frobwifi mmc0:0001:1: up\n"
    said = " ".join(headline(head + first + between + early + between + late + between))
    assert "silent" not in said
    assert "10.8 s pass between line 6 and line 9 (`systemd-journald[83]" in said, said
