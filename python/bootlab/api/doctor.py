# SPDX-License-Identifier: MIT
"""What this machine has of what bootlab needs, what is missing, and whether KVM really works."""

from __future__ import annotations

import contextlib
import os
import shutil

import msgspec

from bootlab import host_packages
from bootlab.builders.cache import default_folder
from bootlab.builders.images.tool import path_of
from bootlab.collectors import agent_binary
from bootlab.errors import BootlabError, ToolMissing
from bootlab.launch import emulator, kvm
from bootlab.launch.boot_plan import DEFAULT_JOBS
from bootlab.launch.proof import prove
from bootlab.model.architecture import ARCHITECTURES, Arch
from bootlab.model.system import Machine


class DoctorFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `state`: ok, missing (something cannot be done), note; `packages`: what to get."""

    name: str
    state: str
    detail: str
    fix: str = ""
    packages: tuple[str, ...] = ()

    @classmethod
    def lacking(cls, *, name: str, state: str, detail: str, packages: str) -> DoctorFinding:
        """Return what a machine finds out that lacks Debian packages, with the command that installs them here."""
        return cls(
            name=name, state=state, detail=detail, fix=host_packages.install(packages), packages=tuple(packages.split())
        )


_LOST_TICKS = "kernels built with HZ_PERIODIC lose timer ticks while idle: build with NO_HZ_IDLE and HIGH_RES_TIMERS"

# Program, Debian package, what it is for, whether bootlab cannot boot without it.
_TOOLS: tuple[tuple[str, str, str, bool], ...] = (
    ("cc", "gcc libc6-dev", "the stamp plugin and the agent of diagnostic boots", True),
    ("setpriv", "util-linux", "that no machine outlives bootlab", False),
    ("lz4", "lz4", "initramfs compressed with lz4", False),
    ("zstd", "zstd", "initramfs compressed with zstd", False),
    ("lzop", "lzop", "initramfs compressed with lzo", False),
    ("mksquashfs", "squashfs-tools", "SquashFS roots of `bootlab fs`", False),
    ("mkfs.erofs", "erofs-utils", "EROFS roots of `bootlab fs`", False),
    ("mkfs.ubifs", "mtd-utils", "UBIFS roots of `bootlab fs`", False),
    ("mkfs.xfs", "xfsprogs", "XFS roots of `bootlab fs`", False),
    ("mkfs.btrfs", "btrfs-progs", "Btrfs roots of `bootlab fs`", False),
    ("btrfs", "btrfs-progs", "Btrfs images of `bootlab new --from`", False),
    ("fsck.erofs", "erofs-utils", "EROFS images of `bootlab new --from`", False),
    ("sload.f2fs", "f2fs-tools", "F2FS roots of `bootlab fs`", False),
    ("fakeroot", "fakeroot", "EROFS, UBIFS, Btrfs and F2FS roots of `bootlab fs`", False),
    ("busybox", "busybox-static", "the demo's user space", False),
)


def examine(*, probe_kvm: bool) -> list[DoctorFinding]:
    """Return everything that was found, in the order in which a boot needs it."""
    findings: list[DoctorFinding] = []
    try:
        found = emulator.find(Machine())
    except BootlabError as error:
        packages = (error.package,) if isinstance(error, ToolMissing) else ()
        missing = DoctorFinding(name="QEMU", state="missing", detail=error.message, fix=error.hint, packages=packages)
        findings.append(missing)
    else:
        findings.append(DoctorFinding(name="QEMU", state="ok", detail=f"{found.path}, version {found.version}"))
        findings += _exactness(found, Machine().arch)
        findings.append(_kvm(found) if probe_kvm else DoctorFinding(name="KVM", state="note", detail="not checked"))
    findings += _other_architectures()
    for program, package, purpose, needed in _TOOLS:
        path = path_of(program)
        if path:
            findings.append(DoctorFinding(name=program, state="ok", detail=path))
        else:
            state = "missing" if needed else "note"
            findings.append(
                DoctorFinding.lacking(
                    name=program,
                    state=state,
                    detail=f"not installed; it is needed for {purpose}",
                    packages=package,
                )
            )
    cores = os.cpu_count() or 1
    findings.append(DoctorFinding(name="cores", state="ok", detail=f"{cores}: {DEFAULT_JOBS} machines at a time"))
    return findings


def _other_architectures() -> list[DoctorFinding]:
    findings: list[DoctorFinding] = []
    for facts in ARCHITECTURES.values():
        if facts.name == Machine().arch:
            continue
        lacking = [
            (f"{program}: {purpose}", package)
            for program, package, purpose in (
                (facts.emulator, facts.emulator_package, "to boot its systems"),
                (
                    agent_binary.compiler_name(facts.name),
                    facts.compiler_packages,
                    "to build the agent of diagnostic boots",
                ),
            )
            if shutil.which(program) is None
        ]
        if lacking:
            text = "not installed: " + "; ".join(word for word, _ in lacking)
            packages = " ".join(package for _, package in lacking)
            findings.append(DoctorFinding.lacking(name=facts.name, state="note", detail=text, packages=packages))
        else:
            detail = f"{shutil.which(facts.emulator)}, {agent_binary.compiler_name(facts.name)}"
            findings.append(DoctorFinding(name=facts.name, state="ok", detail=detail))
        with contextlib.suppress(BootlabError):
            findings += _exactness(emulator.find(Machine(arch=facts.name)), facts.name)
    return findings


def _exactness(found: emulator.Emulator, arch: Arch) -> list[DoctorFinding]:
    """Try exact mode on this QEMU: two boots of a tiny program whose times are known."""
    proof = prove(found, ARCHITECTURES[arch], default_folder())
    of_arch = "" if arch == Machine().arch else f", {arch}"
    if proof.stamps:
        compiler = shutil.which("cc") or shutil.which("gcc")
        fix = "" if compiler else host_packages.install("gcc libc6-dev")
        lost = f"without the stamp plugin, times come only from the kernel's own printk stamps; {_LOST_TICKS}"
        detail = f"not shown: {proof.stamps} ({lost})"
        return [DoctorFinding(name=f"exact mode{of_arch}", state="note", detail=detail, fix=fix)]
    detail = (
        "two boots of a tiny program were equal, each letter at the instruction and nanosecond that follow from it "
        f"(plugin interface {proof.interface})"
    )
    findings = [DoctorFinding(name=f"exact mode{of_arch}", state="ok", detail=detail)]
    alone = "its plugin found all it needs in this QEMU; no program"
    disk = "a tiny program read a disk, and had its bytes at their instruction"
    for name, reason, tried in (
        ("devices in step", proof.devices, disk if proof.disk_read else f"{alone} read a disk"),
        ("several processors", proof.processors, f"{alone} ran on them"),
    ):
        said = f"not in exact mode: {reason}" if reason else tried
        findings.append(DoctorFinding(name=f"{name}{of_arch}", state="note" if reason else "ok", detail=said))
    return findings


def _kvm(found: emulator.Emulator) -> DoctorFinding:
    state = kvm.probe(found)
    detail = state.reason if state.works else f"{state.reason}. Free mode uses TCG; exact mode never needs KVM"
    return DoctorFinding(name="KVM", state="ok" if state.works else "note", detail=detail)
