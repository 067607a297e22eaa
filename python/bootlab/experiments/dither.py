# SPDX-License-Identifier: MIT
"""Dithers: neutral disturbances under which base and variant are booted alike.

Exact boots repeat to the instruction, yet the smallest change moves what follows it against the timer's ticks, to
either side. How far that moves the goal is seen by booting one system under several disturbances that mean nothing.
Each dither is made of three, so that one of them disturbs whatever the system is:

* the moment at which the machine's clock starts (`-rtc base=`): whoever reads the clock computes another date;
* the seed of the emulator's random numbers (`-seed`): a device tree hands some on to the kernel;
* zero bytes behind the archive of the initramfs, which the kernel skips: all that follows comes a little later.

None changes what a system does, and none costs more than what always counts as the same.
"""

from __future__ import annotations

import datetime

import msgspec

from bootlab.model.system import SystemDescription

# Archives of another length are packed and kept for each system, and may be large: only so many lengths.
_PADDINGS_BYTES = (0, 148, 412, 724, 1012)
# Another time of the day and another day of the week at each.
_APART_S = 37 * 3600 + 1009


def dithered(system: SystemDescription, number: int) -> SystemDescription:
    """Return a system under a dither: the same for the same number. Number 0 is the system as it is."""
    if number == 0:
        return system
    began = datetime.datetime.fromisoformat(system.clock.rtc_base)
    clock = msgspec.structs.replace(
        system.clock,
        rtc_base=(began + datetime.timedelta(seconds=_APART_S * number)).isoformat(),
        seed=system.clock.seed + number,
    )
    initramfs = system.initramfs
    if initramfs is not None:
        padding = initramfs.padding_bytes + _PADDINGS_BYTES[number % len(_PADDINGS_BYTES)]
        initramfs = msgspec.structs.replace(initramfs, padding_bytes=padding)
    return msgspec.structs.replace(system, clock=clock, initramfs=initramfs)


def name(number: int) -> str:
    """Return what a dither is called in labels and reports."""
    return "as it is" if number == 0 else f"dither {number}"
