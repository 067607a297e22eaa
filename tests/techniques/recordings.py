# SPDX-License-Identifier: MIT
"""Recorded boots as the values that techniques look at."""

import functools
import json
import lzma
from pathlib import Path

import msgspec

from bootlab.collectors.diagnosis import initcalls_of
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, Mark, Meta, Outcome, Recording
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings.console import split_lines
from bootlab.techniques.base import Context, Evidence

FOLDER = Path(__file__).parents[1] / "recordings"
GOAL = "GOAL reached"
# What CONFIG_* of the recorded kernel says, where a technique asks for it.
CONFIG = {
    f"CONFIG_{name}": value
    for name, value in {
        **dict.fromkeys(
            [
                "BLK_DEV_INITRD",
                "RD_GZIP",
                "RD_BZIP2",
                "RD_LZMA",
                "RD_XZ",
                "RD_LZO",
                "RD_LZ4",
                "RD_ZSTD",
                "KALLSYMS",
                "SMP",
                "HOTPLUG_CPU",
                "PVH",
                "AUDIT",
                "NUMA",
                "CRYPTO_MANAGER",
                "SERIO_I8042",
                "RANDOM_TRUST_CPU",
                "LOCKUP_DETECTOR",
                "TREE_RCU",
                "TRACING",
            ],
            "y",
        ),
        "BLK_DEV_MD": "m",
        "EDD": "m",
    }.items()
}
TREE = FileTree.of(
    {
        "/init": Entry(kind="file", text="#!/bin/sh\necho GOAL reached > /dev/ttyS0\n"),
        "/bin/busybox": Entry(kind="file", source="/bin/busybox"),
        "/bin/sh": Entry(kind="symlink", target="busybox"),
        "/app": Entry(kind="file", text="#!/bin/sh\necho GOAL reached > /dev/ttyS0\n"),
    }
)


@functools.cache
def meta_of(name: str) -> dict:
    return json.loads((FOLDER / name / "meta.json").read_text())


@functools.cache
def recording(name: str) -> Recording:
    console = lzma.decompress((FOLDER / name / "console.log.xz").read_bytes())
    return recording_of(console.decode("utf-8", "replace"), **meta_of(name))


def recording_of(text: str, **meta) -> Recording:
    """Make a recording out of console text."""
    console = text.encode()
    known = {key: meta[key] for key in ("cmdline", "goal_ns", "goal_insns", "artefact_bytes", "mode") if key in meta}
    outcome = Outcome.GOAL if GOAL in text else Outcome.NO_GOAL
    return Recording(
        meta=Meta(key=text[:10], outcome=outcome, console_bytes=len(console), **known),
        lines=split_lines(console),
        marks=(),
        console=console,
    )


@functools.cache
def diagnosis(name: str) -> Diagnosis:
    boot = recording(name)
    log = tuple(line.text for line in boot.lines)
    return Diagnosis(recording=boot, log=log, initcalls=initcalls_of(log))


def system(name: str, **replace) -> SystemDescription:
    meta = meta_of(name)
    base = SystemDescription(
        name="recorded",
        kernel=Kernel(image="vmlinuz", form=meta["kernel_form"]),
        goal=Goal(console=GOAL),
        machine=Machine(
            type=meta["machine"].partition(",")[0],
            cpu=meta["cpu"],
            firmware="qboot" if "qboot.rom" in meta["emulator_options"] else "default",
        ),
        cmdline=CommandLine.parse(meta["cmdline"]),
        initramfs=Initramfs(tree=TREE) if meta["artefact_bytes"] else None,
        application="/app",
    )
    return msgspec.structs.replace(base, **replace)


def evidence(name: str, *, diagnostic: str | None = None, marks: tuple[Mark, ...] = (), **replace) -> Evidence:
    boot = msgspec.structs.replace(recording(name), marks=marks) if marks else recording(name)
    found = diagnosis(diagnostic) if diagnostic else None
    return Evidence(system=system(name, **replace), recording=boot, diagnosis=found)


def context(name: str, *, diagnostic: str | None = None, config: dict | None = None, **replace) -> Context:
    booted = evidence(name, diagnostic=diagnostic, **replace)
    return Context(
        system=booted.system,
        recording=booted.recording,
        diagnosis=booted.diagnosis,
        config=CONFIG if config is None else config,
        kernel_version=(6, 1, 192),
        compressors=("none", "gzip", "xz", "lz4", "zstd"),
        pvh_entry=True,
    )


def written(text: str, cmdline: str = "console=ttyS0", *, goal: bool = True, **replace) -> Evidence:
    """Make evidence from an excerpt written by hand in the format of the kernel's source."""
    body = f"[    0.060000] Memory: 212796K/261624K available\n{text}" + (f"\n{GOAL}\n" if goal else "\n")
    base = system("base", cmdline=CommandLine.parse(cmdline))
    return Evidence(system=msgspec.structs.replace(base, **replace), recording=recording_of(body, cmdline=cmdline))


def as_context(booted: Evidence, **known) -> Context:
    fields = {"config": CONFIG, "kernel_version": (6, 1, 192)} | known
    return Context(system=booted.system, recording=booted.recording, diagnosis=booted.diagnosis, **fields)


def _with_artefact(name: str, artefact: str, size_bytes: int, **replace) -> Evidence:
    booted = evidence(name, **replace)
    meta = msgspec.structs.replace(
        booted.recording.meta, artefact_bytes={artefact: size_bytes}, artefact_sha256={artefact: "00"}
    )
    return msgspec.structs.replace(booted, recording=msgspec.structs.replace(booted.recording, meta=meta))


def on_card(name: str, root_bytes: int = 1 << 20) -> Evidence:
    """Return a boot as if its root had lain on a card."""
    return _with_artefact(name, "root", root_bytes, initramfs=None, root=Root(tree=TREE))


def packed(name: str) -> Evidence:
    """Return a boot as if its machine had been given an initramfs and no medium."""
    return _with_artefact(name, "initramfs", 1 << 20)
