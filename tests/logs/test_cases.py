# SPDX-License-Identifier: MIT
"""Real logs from public sources, which are not part of this repository: what each is taken for, and its account."""

from __future__ import annotations

from pathlib import Path

import pytest

import bootlab

EXPECTED = {
    "bootchart-f11.tgz": ("bootchart", 0),
    "bootlin-systemd-analyze-plot.svg": ("systemd-plot", 0),
    "elinux-grabserial-pandaboard-omap4.log": ("boot-log", 1),
    "elinux-kd-c-dofork-ppc440g.txt": ("kd-report", 0),
    "elinux-kd-n30-output.txt": ("kd-report", 0),
    "elinux-kfi-kfiboot-9-excerpt.lst": ("kfi", 0),
    "elinux-printktimes-sample4-x86-2.6-jiffieswrap.log": ("boot-log", 1),
    "elinux-rrload-omap-xip-2.4.20.log": ("boot-log", 1),
    "elinux-showdelta-sample1.txt": ("show-delta", 1),
    "kernelci-linux_boot_001.log": ("boot-log", 3),
    "kernelci-linux_boot_002.log": ("boot-log", 3),
    "kernelci-linux_boot_004.log": ("boot-log", 1),
    "kernelci-test_baseline_002.log": ("boot-log", 1),
    "lava-tuxrun-fail-1.yaml": ("boot-log", 1),
    "lava-tuxrun-fail-6.yaml": ("boot-log", 1),
    "lava-tuxrun-pass-1.yaml": ("boot-log", 1),
    "pmgraph-skynet_mem_dmesg.txt": ("boot-log", 0),
    "pmgraph-skynet_mem_ftrace.txt": ("ftrace-events", 0),
    "x13s-arm64-6.13-dmesg-initcall_debug.txt": ("boot-log", 1),
    "excerpts/function_graph-insmod-doc-sample.txt": ("function-graph", 0),
    "excerpts/systemd-analyze-time-rpi4.txt": ("systemd-analyze", 0),
    "excerpts/rpi4-arm64-6.18-initcall_debug-run10-excerpt.txt": ("boot-log", 1),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_what_it_is_taken_for(name: str, cases: Path):
    if not (cases / name).exists():
        pytest.skip(f"no {name} here")
    analysis = bootlab.analyze(cases / name)
    assert (analysis.document.detected, len(analysis.boots)) == EXPECTED[name]
    assert analysis.document.took
    assert not analysis.document.input.problems


def test_x13s(cases: Path):
    (boot,) = bootlab.analyze(cases / "x13s-arm64-6.13-dmesg-initcall_debug.txt").boots
    calls = boot.kernel.initcalls
    assert len(calls) == 1332
    (ath,) = [c for c in calls if c.name == "ath11k_pci_init"]
    assert (ath.duration_ns, ath.printed_us) == (1_022_479_000, 9_949)
    switch = boot.kernel.clocksource_switch_line or 0
    late = [c for c in calls if (c.start_line or 0) > switch]
    assert sum("disagrees" in c.flags for c in late) == 48
    assert boot.kernel.slowest_initcalls()[0].name == "apm_driver_init"


def test_a_suspend_is_no_boot(cases: Path):
    dmesg = bootlab.analyze(cases / "pmgraph-skynet_mem_dmesg.txt")
    assert [part.what for part in dmesg.document.parts] == ["suspend"]
    (trace,) = bootlab.analyze(cases / "pmgraph-skynet_mem_ftrace.txt").traces
    assert "suspend" in (trace.not_a_boot or "")
