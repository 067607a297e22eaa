# SPDX-License-Identifier: MIT
"""What takes time in a boot.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Basis = Literal["printed", "computed", "published"]
"""Where an expected gain comes from. None of them is a promise: only a boot decides."""

CostKind = Literal[
    "delay-calibration",
    "console-output",
    "initcall-debug",
    "kernel-decompression",
    "initramfs-unpacking",
    "absent-device",
    "failed-initcall",
    "long-initcall",
    "crypto-self-test",
    "tracer-set-up",
    "function-tracing-set-up",
    "raid6-benchmark",
    "xor-benchmark",
    "secondary-processors",
    "ps2-controller-search",
    "debug-checks",
    "self-test",
    "boot-loader-delay",
    "root-delay",
    "root-device-wait",
    "raid-autodetection",
    "network-configuration",
    "random-number-wait",
    "deferred-probes",
    "missing-supplier",
    "firmware-step",
    "firmware-console",
    "boot-loader-read",
    "boot-loader-usb",
    "ubi-attach",
    "initramfs-run",
    "unit-start",
    "unit-failure",
    "user-space-start",
    "sata-link",
    "disk-spin-up",
    "mmc-timeout",
    "mmc-card-set-up",
    "usb-storage-delay",
    "usb-error",
    "usb-enumeration",
    "nfs-server",
    "file-system-recovery",
    "file-system-check",
    "file-system-mount",
    "resume-device-wait",
    "raid-assembly",
    "disk-unlock",
    "logical-volumes",
    "firmware-file",
    "network-link",
    "memory-initialisation",
    "hash-tables",
    "i2c-timeout",
    "pcie-link",
    "tpm-start",
    "display-set-up",
    "device-timeout",
    "udev-settle",
    "key-generation",
    "security-policy",
    "init-start",
    "device-wait",
    "chain-gap",
    "firmware-account",
    "loader-account",
    "kernel-account",
    "program-run",
    "stated-time",
    "quotation",
    "silence",
]
"""What takes the time."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One finding."""

    advice: str
    """What to do, with values to use."""
    around: list[str] = []
    """Of a silence: the line before it and the line that ends it, in their own words, cut where they are long."""
    at_least: bool = False
    """True when `cost_ns` is a lower bound: it was not over by then, or nothing shows when it began."""
    at_most: bool = False
    """True when `gain_ns` is an upper bound: the evidence says what is lost again."""
    basis: Basis
    """Where `gain_ns` comes from."""
    cost_ns: int | None = None
    """Time it takes here, if that can be said."""
    evidence: str
    """The evidence in words, with the numbers behind the computation."""
    gain_ns: int | None = None
    """Time that may be gained; zero says that it would not help."""
    kind: CostKind
    """What kind of cost it is. What can be done about a kind is not this crate's business."""
    lines: list[int] = []
    """Physical lines that show it."""
    title: str
    """What was found."""
