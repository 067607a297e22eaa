# SPDX-License-Identifier: MIT
"""`bootlab doctor`: what this machine has, what is missing, and whether KVM really works."""

from __future__ import annotations

from typing import Annotated

from rich.table import Table
from rich.text import Text

from bootlab import host_packages
from bootlab.cli.options import Option
from bootlab.cli.session import JsonOption, out, print_json


def doctor(
    *,
    as_json: JsonOption = False,
    probe_kvm: Annotated[
        bool,
        Option(
            names=("--probe-kvm/--no-probe-kvm",),
            help="Test KVM by booting a small guest. Takes 3 s if KVM does not work.",
        ),
    ] = True,
) -> None:
    """Check this machine for what bootlab needs: emulators, plugin, KVM (by booting a guest), compilers, compressors.

    Example: bootlab doctor
    """
    from bootlab.api.doctor import examine  # noqa: PLC0415 - `--help` must not wait for it

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
        if packages := sorted({package for finding in findings for package in finding.packages}):
            command = host_packages.install(" ".join(packages))
            out().print(Text(f"all of it at once, as root: {command}"), soft_wrap=True)
    if missing:
        raise SystemExit(3)
