# SPDX-License-Identifier: MIT
"""`bootlab timers`: the timers of a system under stress, judged by the standard, and beside another system's."""

from __future__ import annotations

from bootlab.cli.timers_compare import compare
from bootlab.cli.timers_conform import conform
from bootlab.cli.timers_stress import stress
from bootlab.cli.timers_waits import waits
from bootlab.cli.verbs import Verbs

timers = Verbs(
    "Stress a system with thousands of timers, check 90 assertions about timers, clocks and sleeps, compare two "
    "systems, and find the timers that delayed a boot.\n\nExample: bootlab timers stress --scale 60",
    stress=stress,
    compare=compare,
    conform=conform,
    waits=waits,
)
