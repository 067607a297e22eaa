"""`bootlab doctor`: what this machine has, what is missing, and whether KVM really works."""

from __future__ import annotations

import os
import shutil
from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from bootlab.builders.cache import default_folder
from bootlab.builders.images.tool import path_of
from bootlab.cli.session import JsonOption, out, print_json
from bootlab.collectors import agent_binary
from bootlab.errors import BootlabError
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.system import Machine
from bootlab.targets import emulator, kvm, plugin
from bootlab.targets.base import DEFAULT_JOBS


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `state`: ok, missing (something cannot be done), note."""

    name: str
    state: str
    detail: str
    fix: str = ""


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
    ("sload.f2fs", "f2fs-tools", "F2FS roots of `bootlab fs`", False),
    ("fakeroot", "fakeroot", "EROFS, UBIFS, Btrfs and F2FS roots of `bootlab fs`", False),
    ("busybox", "busybox-static", "the demo's user space", False),
)


def doctor(
    *,
    as_json: JsonOption = False,
    probe_kvm: Annotated[
        bool, typer.Option(help="Test KVM by booting a small guest. Takes 3 s if KVM does not work.")
    ] = True,
) -> None:
    """Check this machine for what bootlab needs: emulators, plugin, KVM (by booting a guest), compilers, compressors.

    Example: bootlab doctor
    """
    findings = examine(probe_kvm=probe_kvm)
    missing = [f for f in findings if f.state == "missing"]
    if as_json:
        print_json({"format": "bootlab-doctor", "version": 1, "findings": findings, "ok": not missing})
    else:
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        marks = {"ok": ("ok", "green"), "missing": ("missing", "bold red"), "note": ("note", "yellow")}
        for finding in findings:
            word, style = marks[finding.state]
            detail = finding.detail + (f"\n{finding.fix}" if finding.fix else "")
            table.add_row(Text(word, style=style), Text(finding.name), Text(detail))
        out().print(table)
    if missing:
        raise typer.Exit(3)


def examine(*, probe_kvm: bool) -> list[Finding]:
    """Return everything that was found, in the order in which a boot needs it."""
    findings: list[Finding] = []
    try:
        found = emulator.find(Machine())
    except BootlabError as error:
        findings.append(Finding(name="QEMU", state="missing", detail=error.message, fix=error.hint))
    else:
        findings.append(Finding(name="QEMU", state="ok", detail=f"{found.path}, version {found.version}"))
        findings.append(_plugin(found))
        findings.append(_kvm(found) if probe_kvm else Finding(name="KVM", state="note", detail="not checked"))
    findings += _other_architectures()
    for program, package, purpose, needed in _TOOLS:
        path = path_of(program)
        if path:
            findings.append(Finding(name=program, state="ok", detail=path))
        else:
            state = "missing" if needed else "note"
            findings.append(
                Finding(
                    name=program,
                    state=state,
                    detail=f"not installed; it is needed for {purpose}",
                    fix=f"apt-get install {package}",
                )
            )
    cores = os.cpu_count() or 1
    findings.append(Finding(name="cores", state="ok", detail=f"{cores}: {DEFAULT_JOBS} machines at a time"))
    findings.append(
        Finding(
            name="exact mode",
            state="note",
            detail="without the plugin kernels built with HZ_PERIODIC lose timer ticks while idle in exact mode: "
            "build with NO_HZ_IDLE and HIGH_RES_TIMERS",
        )
    )
    return findings


def _other_architectures() -> list[Finding]:
    findings: list[Finding] = []
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
            fix = "apt-get install " + " ".join(package for _, package in lacking)
            findings.append(Finding(name=facts.name, state="note", detail=text, fix=fix))
        else:
            detail = f"{shutil.which(facts.emulator)}, {agent_binary.compiler_name(facts.name)}"
            findings.append(Finding(name=facts.name, state="ok", detail=detail))
    return findings


def _plugin(found: emulator.Emulator) -> Finding:
    made = plugin.prepare(found, default_folder())
    if made.path:
        return Finding(name="stamp plugin", state="ok", detail=f"{made.path} (plugin API {found.plugin_api})")
    return Finding(
        name="stamp plugin",
        state="note",
        detail=f"not there: {made.reason}. Without it, times come only from the kernel's own printk stamps",
        fix="apt-get install gcc libc6-dev",
    )


def _kvm(found: emulator.Emulator) -> Finding:
    state = kvm.probe(found)
    detail = state.reason if state.works else f"{state.reason}. Free mode uses TCG; exact mode never needs KVM"
    return Finding(name="KVM", state="ok" if state.works else "note", detail=detail)
