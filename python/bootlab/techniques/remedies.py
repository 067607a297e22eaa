# SPDX-License-Identifier: MIT
"""What to try against a kind of cost: the table in which what a log shows and what the catalogue offers meet.

The core names kinds of cost (`CostKind`), and each technique says in `addresses` which kinds it removes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from bootlab.techniques.installed import others_may_be_installed

if TYPE_CHECKING:
    from bootlab.techniques.base import Technique


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What helps against a kind of cost.

    `name`: the first technique to try, or a name for what helps where none does. `techniques`: all that address the
    kind. `elsewhere`: where it has to be done, where no technique does.
    """

    name: str
    techniques: tuple[str, ...] = ()
    elsewhere: str = ""

    def way(self, system: str = "SYSTEM.toml") -> str:
        """Return the command that tries it, or where it has to be done instead; "" where nothing is known."""
        return f"bootlab try {system} {' '.join(self.techniques)}" if self.techniques else self.elsewhere


# Of the built-in techniques (a test compares): importing the whole catalogue for them would slow every analysis down.
BUILT_IN = {
    "absent-device": "initcall-blacklist",
    "console-output": "quiet",
    "crypto-self-test": "crypto-selftests",
    "debug-checks": "debug-options-off",
    "delay-calibration": "lpj-preset",
    "failed-initcall": "initcall-blacklist",
    "function-tracing-set-up": "tracing-off",
    "initcall-debug": "debug-leftovers",
    "initramfs-unpacking": "initramfs-compression",
    "kernel-decompression": "kernel-compression",
    "long-initcall": "driver-async-probe",
    "memory-initialisation": "deferred-page-init",
    "missing-supplier": "deferred-probe-timeout",
    "network-configuration": "ip-autoconfig",
    "ps2-controller-search": "i8042-probing",
    "raid-autodetection": "raid-noautodetect",
    "raid6-benchmark": "raid6-benchmark-off",
    "random-number-wait": "random-trust-cpu",
    "root-delay": "rootdelay-to-rootwait",
    "secondary-processors": "one-processor",
    "self-test": "startup-tests-off",
    "tracer-set-up": "no-tracefs",
    "unit-start": "systemd-unit-masked",
    "user-space-start": "systemd-rest-later",
}

ELSEWHERE: dict[str, tuple[str, str]] = {
    "boot-loader-delay": ("bootdelay-zero", "boot loader: set bootdelay"),
    "deferred-probes": ("deferred-probe-order", "kernel build or module order"),
    "root-device-wait": ("root-device-early", "board: make the root device appear earlier"),
    "firmware-step": ("firmware-step", "firmware or boot loader: look what it does there"),
    "firmware-console": ("firmware-log-level", "firmware build: a lower log level"),
    "boot-loader-read": ("boot-loader-read", "boot loader: smaller files, a faster medium"),
    "boot-loader-usb": ("boot-loader-usb-off", "boot loader: no `usb start`"),
    "ubi-attach": ("ubi-fastmap", "kernel build: MTD_UBI_FASTMAP"),
    "initramfs-run": ("initramfs-less", "distribution: boot without an initramfs, or with a smaller one"),
    "unit-failure": ("systemd-unit-failure", "on the system: systemctl status UNIT, and what it waits for"),
    "sata-link": ("sata-link", "board or command line: libata.force=N:disable for ports that are not used"),
    "disk-spin-up": ("disk-spin-up", "board: a medium that does not spin"),
    "mmc-timeout": ("mmc-timeout", "board: the card, its supply, its bus mode"),
    "mmc-card-set-up": ("mmc-card-set-up", "device tree: non-removable, no-sd, no-sdio"),
    "usb-storage-delay": ("usb-storage-delay", "command line: usb-storage.delay_use=0"),
    "usb-error": ("usb-error", "board: the device, its cable, its supply"),
    "usb-enumeration": ("usb-later", "kernel build: USB as modules that are loaded behind the goal"),
    "nfs-server": ("nfs-server", "network: the server, the link, nfsroot=...,tcp,vers=3"),
    "file-system-recovery": ("clean-shutdown", "system: a clean shutdown, or root mounted read-only"),
    "file-system-check": ("no-file-system-check", "system: fsck.mode=skip, or pass 0 in fstab"),
    "file-system-mount": ("file-system-mount", "system: the device's driver, another file system, a faster bus mode"),
    "resume-device-wait": ("no-resume", "command line: noresume"),
    "raid-assembly": ("raid-assembly", "system: arrays named in mdadm.conf"),
    "disk-unlock": ("disk-unlock", "system: the key's derivation (cryptsetup --iter-time), or a TPM"),
    "logical-volumes": ("logical-volumes", "system: LVM's devices file or filter"),
    "firmware-file": ("firmware-file", "image: the missing file; or a kernel without FW_LOADER_USER_HELPER_FALLBACK"),
    "network-link": ("network-link", "system: let only those wait who need the network"),
    "hash-tables": ("smaller-hash-tables", "command line: dhash_entries=, ihash_entries="),
    "i2c-timeout": ("i2c-timeout", "device tree: without the device that is not there"),
    "pcie-link": ("pcie-link", "device tree: without the port that is not used"),
    "tpm-start": ("tpm-later", "kernel build: the TPM's driver as a module"),
    "display-set-up": ("display-later", "kernel build: the graphics driver as a module"),
    "device-timeout": ("device-timeout", "system: the line names who waits for whom"),
    "udev-settle": ("udev-settle", "system: the unit that pulls systemd-udev-settle.service in"),
    "key-generation": ("keys-made-before", "image: keys made before the first boot"),
    "security-policy": ("security-policy", "system: a smaller or compiled policy"),
    "init-start": ("init-start", "image: a faster medium for root, a smaller init"),
    "program-run": ("program-run", "system: the program that is at work, and why it runs at every start"),
    "device-wait": ("device-wait", "system: the device's driver, its bus, udev's rules"),
    "chain-gap": ("chain-gap", "on the system: journalctl -b between the two times"),
    "firmware-account": ("firmware-settings", "firmware: its settings (fast boot, devices, network)"),
    "loader-account": ("loader-timeout", "boot loader: the menu's time (GRUB_TIMEOUT, loader.conf), a smaller initrd"),
    "kernel-account": ("kernel-account", "measure first: dmesg shows what takes the time"),
    "stated-time": ("stated-time", "system: the line says what takes the time"),
    "quotation": ("own-words", "measure first: the text names no time here"),
    "silence": ("silence", "measure first: what is slow there is not known yet"),
    "xor-benchmark": ("xor-benchmark-off", "kernel build: XOR_BLOCKS"),
}
"""Kinds that no technique of the catalogue addresses, with a name for what helps and where it has to be done."""


def table(techniques: Iterable[Technique]) -> dict[str, Remedy]:
    """Join kinds of cost and the techniques that address them, in the catalogue's order."""
    ids: dict[str, tuple[str, ...]] = {}
    for technique in techniques:
        for kind in technique.addresses:
            ids[kind] = (*ids.get(kind, ()), technique.id)
    return _elsewhere() | {kind: Remedy(name=named[0], techniques=named) for kind, named in ids.items()}


@functools.cache
def remedies() -> dict[str, Remedy]:
    """Return the table of everything that is installed, made once."""
    if not others_may_be_installed():
        return _elsewhere() | {kind: Remedy(name=one, techniques=(one,)) for kind, one in BUILT_IN.items()}
    from bootlab.techniques.registry import all_techniques  # noqa: PLC0415 - only where there are third parties

    return table(all_techniques())


def remedy(kind: str) -> Remedy:
    """Return what helps against a kind of cost; of a kind that nobody knows (a newer core), only its own name."""
    return remedies().get(kind, Remedy(name=kind))


def _elsewhere() -> dict[str, Remedy]:
    return {kind: Remedy(name=name, elsewhere=where) for kind, (name, where) in ELSEWHERE.items()}
