# SPDX-License-Identifier: MIT
"""`bootlab new`: write a commented system file, by looking at what there is to boot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab import host_packages
from bootlab.cli.options import Argument, Option
from bootlab.cli.screen import program
from bootlab.cli.session import Kept, err, print_json, say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.described import Described


def new(
    path: Annotated[Path, Argument(metavar="FILE.toml", help="The file to write.", show_default=False)],
    *,
    source: Annotated[
        list[Path] | None,
        Option(
            names=("--from",),
            metavar="WHAT",
            help="Describe this: a kernel image, device tree, initramfs, disk or card image, FIT image, root tree, "
            "Buildroot's output folder, Yocto's deploy folder; IMAGE:/PATH: one file of an image. May be given more "
            "than once; later ones override.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="A boot log of this system: take command line, memory and goal from it.",
            show_default=False,
        ),
    ] = None,
    entry: Annotated[
        str,
        Option(
            metavar="TITLE",
            help="Of an image with several boot entries: the one with this title (a part is enough) or number.",
            show_default=False,
        ),
    ] = "",
    boot: Annotated[
        bool,
        Option(names=("--boot/--no-boot",), help="With --from: boot once, and take goal and marks from that boot."),
    ] = True,
    kernel: Annotated[
        str, Option(help="Without --from: the kernel image. Environment variables are expanded when it is read.")
    ] = "$BOOTLAB_KERNEL",
    force: Annotated[bool, Option(help="Overwrite an existing file.")] = False,
    asked: Kept,
) -> None:
    """Write a commented system file: for a given kernel, image or build folder, or a template to edit.

    Example: bootlab new server.toml --from debian-12.qcow2
    """
    if path.exists() and not force:
        raise UserError(f"{path} already exists", hint="give another name, or --force to replace it")
    if not source:
        if log is not None:
            raise UserError("a boot log alone cannot be booted", hint="also give the system: --from KERNEL --from ROOT")
        _template(path, kernel, as_json=asked.as_json)
        return
    from bootlab.api.described import describe  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.cli.progress import BootProgress  # noqa: PLC0415

    with BootProgress(quiet=asked.as_json) as progress:
        found = describe(source, path, log=log, entry=entry, boot=boot, store=asked.store, observer=progress)
    if asked.as_json:
        print_json(_document(found))
    else:
        _say(found, booted=boot)
    if found.trouble:
        outcome = found.recording.meta.outcome if found.recording is not None else None
        raise SystemExit(outcome.exit_code if outcome is not None else 2)


def _template(path: Path, kernel: str, *, as_json: bool) -> None:
    from bootlab.api.described import template  # noqa: PLC0415

    try:
        path.write_text(template(path.stem, kernel=kernel), encoding="utf-8")
    except OSError as fault:
        raise UserError(f"{path} cannot be written: {fault.strerror}", hint="is the folder there?") from fault
    if as_json:
        print_json({"path": str(path)})
    elif Path(os.path.expandvars(kernel)).is_file():
        say(f"wrote {path}; next: {program()} boot {path}")
    else:
        say(f"wrote {path}, for the kernel {kernel}, which is not there. {_kernel_from()}")
        say(f"next: {program()} new {path} --force --kernel KERNEL, then: {program()} boot {path}")


def _kernel_from() -> str:
    """Say where a kernel comes from: this machine's, or a package of Debian's."""
    there = sorted(path for path in Path("/boot").glob("vmlinuz-*") if os.access(path, os.R_OK))
    if there:
        return f"This machine has {there[-1]}"
    if host_packages.manager() in {"", "apt"}:
        return "Debian's is /boot/vmlinuz-VERSION after `sudo apt-get install linux-image-cloud-amd64`"
    return "This machine's are below /boot or /usr/lib/modules: copy one to where you may read it"


def _document(found: Described) -> dict[str, object]:
    proposal = found.proposal
    return {
        "path": str(found.path),
        "what": proposal.what,
        "machine": proposal.machine,
        "medium": proposal.root.medium if proposal.root is not None else None,
        "cmdline": proposal.cmdline,
        "goal": proposal.goals.goal.pattern,
        "goal_kind": proposal.goals.goal.kind,
        "goal_shown": proposal.goals.sure,
        "goal_ns": proposal.goals.goal.ns,
        "notes": proposal.notes,
        "unknown": proposal.unknown,
        "trouble": found.trouble,
        "recording": found.recording.path if found.recording is not None else None,
    }


def _say(found: Described, *, booted: bool) -> None:
    from bootlab.views.shown_text import one_line  # noqa: PLC0415

    console, proposal = err(), found.proposal

    def line(label: str, text: str) -> None:
        console.print(f"{label + ':':<9}{one_line(text)}", markup=False, highlight=False, soft_wrap=True)

    line("found", proposal.what)
    line("machine", f"{proposal.machine} ({proposal.machine_reason}), {proposal.memory_mib} MiB")
    line("kernel", f"{proposal.kernel.name}, Linux {proposal.release or '?'}")
    if proposal.initramfs is not None:
        line("initrd", f"{proposal.initramfs.name}, {proposal.initramfs_note}")
    if proposal.root is not None:
        line("root", proposal.root.reason)
    line("cmdline", proposal.cmdline)
    for note in proposal.notes:
        line("note", note)
    for note in proposal.unknown:
        line("unknown", note)
    if found.trouble:
        line("boot", found.trouble)
    elif booted:
        goal = proposal.goals.goal
        line("goal", f"{goal.pattern!r}: {goal.what}" + (f", at {goal.ns / 1e6:.3f} ms" if goal.ns else ""))
        line("sure", f"{goal.kind}; {proposal.goals.certainty}")
    console.print(f"wrote {found.path}; next: {program()} boot {found.path} --repeat 3", markup=False, soft_wrap=True)
