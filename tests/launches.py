# SPDX-License-Identifier: MIT
"""Launches for tests: a PC in exact mode, and what a test changes of it."""

from __future__ import annotations

from bootlab.model.launch import InstructionClock, Launch, LoadedPlugin

CLOCK = InstructionClock(shift=1, rtc_base="2026-01-01T00:00:00", seed=1)
PLUGIN = LoadedPlugin(file="/p.so", arguments=("con=console.log",))


def launch(*extra: str, **fields: object) -> Launch:
    """Return one whose user adds words of his own."""
    usual = {
        "emulator": "qemu",
        "arch": "x86_64",
        "machine": "q35",
        "cpu": "max,rdrand=off,rdseed=off",
        "memory_mib": 256,
        "clock": CLOCK,
        "kernel": "/k",
        "extra": extra,
    }
    return Launch(**usual | fields)
