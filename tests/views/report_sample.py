# SPDX-License-Identifier: MIT
"""Made-up but realistic results: the shape of a cloud kernel's boot in exact mode. No number here was measured."""

from __future__ import annotations

import random

import msgspec

from bootlab.model.change import AddParam, Change, DropFiles, DropParam, SetCompression, SetMachine, SetParam
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.modelled import Modelled
from bootlab.model.recording import Line, Mark, Meta, Outcome, Recording
from bootlab.model.timeline import STAGES, Span, Stage, Timeline
from bootlab.model.verdict import Effect, StageDelta, Trial, Verdict
from bootlab.results.document import (
    ApplicabilityData,
    Artefact,
    BootSummary,
    FinalSystem,
    Rejected,
    RunDocument,
    StackResult,
    StackStepRow,
)
from bootlab.techniques.base import Answer, Risk

BASE_STAGES_NS = (102_400_000, 8_210_112, 296_310_448, 3_005_120, 712_004_336, 41_377_024, 20_114_002, 9_120_118)
FINAL_STAGES_NS = (11_900_344, 1_204_016, 0, 2_870_112, 320_450_002, 19_066_010, 6_020_004, 7_500_230)
BASE_CMDLINE = "console=tty0 console=ttyS0,115200 nokaslr ignore_loglevel rdinit=/init panic=-1"
FINAL_CMDLINE = (
    "console=ttyS0,115200 nokaslr rdinit=/app panic=-1 quiet cryptomgr.notests initcall_blacklist=acpi_cpufreq_init"
)
IMAGES = {"kernel": 7_891_904, "initramfs": 1_214_464}
LONG_ID = "initcall-blacklist:drivers-platform-x86-a-very-long-label-that-does-not-end_soon_init"

IDS = (
    ("kernel-form", "vmlinux", Verdict.FASTER, 296_310_448),
    ("crypto-selftests", "", Verdict.FASTER, 204_118_016),
    ("console-quiet", "", Verdict.FASTER, 148_004_002),
    ("firmware", "qboot", Verdict.FASTER, 90_499_656),
    ("initramfs-compression", "lz4", Verdict.FASTER, 30_240_112),
    ("initramfs-compression", "none", Verdict.FASTER, 24_118_004),
    ("initramfs-compression", "zstd", Verdict.FASTER, 19_006_118),
    ("initramfs-slim", "", Verdict.FASTER, 12_400_006),
    ("application-as-init", "", Verdict.FASTER, 9_110_010),
    ("initcall-blacklist", "acpi_cpufreq_init", Verdict.FASTER, 7_400_000),
    ("drop-console", "tty0", Verdict.FASTER, 5_001_002),
    ("mitigations-off", "", Verdict.FASTER, 3_000_116),
    ("i8042-probe", "", Verdict.FASTER, 1_200_114),
    ("pci-reductions", "lastbus", Verdict.FASTER, 400_012),
    ("serial-ports", "nr_uarts=1", Verdict.FASTER, 118_004),
    ("no-timer-check", "", Verdict.FASTER, 26_110),
    ("audit-off", "", Verdict.SAME, 1_402),
    ("raid-noautodetect", "", Verdict.SAME, 0),
    ("rootdelay", "", Verdict.NO_EFFECT, 0),
    ("ip-off", "", Verdict.NO_EFFECT, 0),
    ("lpj", "", Verdict.NO_EFFECT, 0),
    ("driver-async-probe", "all", Verdict.SLOWER, -2_114_006),
    ("initramfs-async", "", Verdict.SLOWER, -811_200),
    ("init-on-alloc", "", Verdict.SLOWER, -4_018),
    ("initramfs-compression", "xz", Verdict.SLOWER, -188_400_118),
    ("acpi-off", "", Verdict.BROKEN, None),
    ("microvm", "", Verdict.BROKEN, None),
    ("tsc-reliable", "", Verdict.UNKNOWN, 640),
    ("deferred-probe-timeout", "", Verdict.NOT_APPLICABLE, None),
    (LONG_ID.split(":", maxsplit=1)[0], LONG_ID.split(":")[1], Verdict.FASTER, 14_002),
)

STACKED = (0, 1, 2, 3, 4, 7, 8, 9, 10, 12)


def timeline(lengths: tuple[int, ...], *, initcalls: int = 0, seed: int = 1) -> Timeline:
    stages, marks, at, insns = [], [Mark("power-on", 0, 0, "reset")], 0, 0
    for (name, _first, last), length in zip(STAGES, lengths, strict=True):
        if length:
            stages.append(Stage(name, at, length))
        at += length
        insns += length // 3
        if length:
            marks.append(Mark(last, at, insns, f"symbol {last.replace('-', '_')}"))
    spans = (
        Span(name="unpack initramfs", lane="kernel", start_ns=at // 2, duration_ns=30_000_000),
        Span(name="rcS", lane="user space", start_ns=at - 40_000_000, duration_ns=18_000_000, detail="/etc/init.d/rcS"),
    )
    return Timeline(
        clock="virtual",
        marks=tuple(marks),
        stages=tuple(stages),
        spans=spans,
        diagnostic=diagnostic(initcalls, seed),
        goal_ns=at,
    )


def diagnostic(number: int, seed: int = 1) -> tuple[Span, ...]:
    rng = random.Random(seed)
    at, out = 420_000_000, []
    words = ("pci", "acpi", "serial8250", "crypto", "net", "virtio", "hpet", "cpufreq", "thermal", "i8042", "raid6")
    for number_ in range(number):
        length = int(rng.paretovariate(1.1) * 9_000)
        level = ("early", "core", "postcore", "arch", "subsys", "fs", "device", "late")[number_ * 8 // max(number, 1)]
        name = f"{rng.choice(words)}_{rng.choice(words)}_{number_}_init"
        detail = f"{level}_initcall, returned {0 if number_ % 9 else -19}"
        out.append(Span(name=name, lane="initcalls", start_ns=at, duration_ns=length, clock="virtual", detail=detail))
        at += length + rng.randrange(0, 60_000)
    return tuple(out)


def boot(lengths: tuple[int, ...], key: str, *, initcalls: int = 0, console: int = 31_204) -> BootSummary:
    line = timeline(lengths, initcalls=initcalls)
    return BootSummary(
        key=key,
        goal_ns=line.goal_ns,
        goal_insns=(line.goal_ns or 0) // 3,
        timeline=line,
        cmdline=BASE_CMDLINE,
        command=("qemu-system-x86_64", "-machine", "q35", "-icount", "shift=1,sleep=off,align=off"),
        console_bytes=console,
        artefact_bytes=dict(IMAGES),
        recording_path=f"runs/demo/recordings/{key}",
        wall_s=9.4,
    )


def recording(lines: int = 400, *, key: str = "b45e", texts: tuple[str, ...] = ()) -> Recording:
    rng = random.Random(7)
    subjects = ("pci 0000:00:1f.2: [8086:2922] type 00 class 0x010601", "ACPI: Added _OSI(Module Device)",
                "NET: Registered PF_INET protocol family", "Freeing unused kernel image memory: 2660K")  # fmt: skip
    ns, offset, out = 4_000_000, 0, []
    for number in range(lines):
        text = texts[number] if number < len(texts) else f"[    {ns / 1e9:.6f}] {rng.choice(subjects)} #{number}"
        out.append(Line(number=number + 1, text=text, offset_bytes=offset, first_ns=ns, last_ns=ns + 9000))
        ns += rng.randrange(2_000, 6_000_000)
        offset += len(text) + 1
    out.append(Line(number=lines + 1, text="bootlab: goal", offset_bytes=offset))
    return Recording(meta=Meta(key=key, system_name="debian-cloud", goal_ns=ns), lines=tuple(out), marks=())


def change(technique: str, label: str = "") -> Change:
    ops = {
        "console-quiet": (SetParam("quiet"), DropParam("ignore_loglevel")),
        "drop-console": (DropParam("console", "tty0"),),
        "initramfs-slim": (DropFiles(("/bin/vi", "/bin/awk", "/bin/wget", "/bin/tar")),),
        "firmware": (SetMachine(firmware="qboot"),),
        "microvm": (SetMachine(type="microvm", options=("acpi=off", "pit=off")),),
        "initramfs-compression": (SetCompression("lz4", 12),),
    }.get(technique, (AddParam(technique.replace("-", "_"), label or None),))
    return Change(technique=technique, label=label, ops=ops)


def trials(base_ns: int, base_key: str) -> tuple[Trial, ...]:
    out = []
    for number, (technique, label, verdict, saved) in enumerate(IDS):
        outcome = {Verdict.BROKEN: Outcome.CHECK_FAILED, Verdict.NOT_APPLICABLE: None}.get(verdict, Outcome.GOAL)
        shown = verdict in {Verdict.FASTER, Verdict.SLOWER, Verdict.SAME}
        proof = (
            f"console line changed: “{technique} active”" if shown else "nothing in the recording tells the two apart"
        )
        deltas = tuple(
            StageDelta(name, before, before - (saved if index == (2 if number == 0 else 4) else 0))
            for index, ((name, _f, _l), before) in enumerate(zip(STAGES, BASE_STAGES_NS, strict=True))
        ) if saved is not None else ()  # fmt: skip
        out.append(
            Trial(
                change=change(technique, label),
                verdict=verdict,
                base_key=base_key,
                key=None if outcome is None else f"{number:02x}" * 16,
                outcome=outcome,
                base_ns=base_ns,
                goal_ns=None if saved is None else base_ns - saved,
                base_insns=base_ns // 3,
                goal_insns=None if saved is None else (base_ns - saved) // 3,
                effect=None if outcome is None else Effect(shown, proof),
                reason="skipped by timer frequency: no calibration loop ran" if technique == "lpj" else "",
                stages=deltas,
                console_bytes=31_204 - 900 * (technique == "console-quiet"),
                base_console_bytes=31_204,
                artefact_bytes={"kernel": IMAGES["kernel"], "initramfs": IMAGES["initramfs"] - number * 4096},
            )
        )
    return tuple(out)


def techniques() -> tuple[ApplicabilityData, ...]:
    out = []
    for technique in dict.fromkeys(i[0] for i in IDS):
        security = "speculative execution attacks from user space" if technique == "mitigations-off" else ""
        debug = "no kernel messages on the console" if technique == "console-quiet" else ""
        function = "no ACPI events, no power button" if technique in {"acpi-off", "microvm"} else ""
        answer = {"lpj": Answer.NO, "deferred-probe-timeout": Answer.NO, "ip-off": Answer.UNKNOWN}.get(
            technique, Answer.YES
        )
        out.append(
            ApplicabilityData(
                id=technique,
                title=technique.replace("-", " ").capitalize(),
                answer=answer,
                reason="skipped by timer frequency"
                if technique == "lpj"
                else f"the recording shows what {technique} cuts",
                evidence="[    0.008114] Calibrating delay loop (skipped), value calculated using timer frequency.. "
                if technique == "lpj"
                else "CONFIG_" + technique.upper().replace("-", "_") + "=y",
                risk=Risk(security=security, debuggability=debug, function=function),
                stage="kernel",
            )
        )
    return tuple(out)


def stack(base_ns: int) -> StackResult:
    final = boot(FINAL_STAGES_NS, "f1a1", initcalls=80, console=2_810)
    total = base_ns - (final.goal_ns or 0)
    weights = [IDS[i][3] or 0 for i in STACKED]
    steps, at = [], base_ns
    for position, (index, weight) in enumerate(zip(STACKED, weights, strict=True)):
        last = position == len(STACKED) - 1
        after = (final.goal_ns or 0) if last else at - total * weight // sum(weights)
        chosen = change(IDS[index][0], IDS[index][1])
        steps.append(
            StackStepRow(
                change_id=chosen.id, before_ns=at, after_ns=after, retried=index == 10, evidence="console line changed"
            )
        )
        at = after
    rejected = (
        Rejected(change_id="initramfs-compression:zstd", reason="conflicts with initramfs-compression:lz4"),
        Rejected(change_id="driver-async-probe:all", reason="slower on the stack too", verdict=Verdict.SLOWER,
                 stack_ns=at, goal_ns=at + 2_000_000, retried=True),
        Rejected(change_id="microvm", reason="the check's line is missing", verdict=Verdict.BROKEN, stack_ns=at),
    )  # fmt: skip
    left = tuple(
        LeaveOneOut(
            change_id=s.change_id,
            cost_ns=None if n == 8 else s.saved_ns * 9 // 10 if n != 9 else -12_000,
            kept=n != 9,
            reason="faster without it" if n == 9 else "",
        )
        for n, s in enumerate(steps)
    )
    system = FinalSystem(
        cmdline=FINAL_CMDLINE,
        machine=("-machine", "q35,hpet=off", "-bios", "qboot.rom"),
        base_machine=("-machine", "q35"),
        artefacts=(
            Artefact(name="kernel", path="out/vmlinux", size_bytes=41_223_808, sha256="9f" * 32),
            Artefact(name="initramfs", path="out/initramfs.cpio.lz4", size_bytes=912_004, sha256="3c" * 32),
        ),
        system_path="out/system.toml",
    )
    return StackResult(steps=tuple(steps), final=final, system=system, rejected=rejected, leave_one_out=left)


def results(kind: str = "stack", *, initcalls: int = 600) -> RunDocument:
    base = boot(BASE_STAGES_NS, "b45e", initcalls=initcalls)
    assert base.goal_ns is not None
    stacked = stack(base.goal_ns) if kind == "stack" else None
    modelled = Modelled(baud=115200, bandwidth_bytes_per_s=20_000_000).with_boot(
        "base", console_bytes=31_204, image_bytes=9_106_368
    )
    return RunDocument(
        kind=kind,  # type: ignore[arg-type]
        id=f"2026-11-21T101500-debian-cloud-{kind}",
        system_name="debian-cloud",
        started="2026-11-21T10:15:00+00:00",
        finished="2026-11-21T10:19:41+00:00",
        base=base,
        mode="exact",
        shift=1,
        emulator_version="QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)",
        bootlab_version="0.1.0",
        goal="bootlab: goal",
        trials=() if kind == "boot" else trials(base.goal_ns, base.key),
        stack=stacked,
        techniques=() if kind == "boot" else techniques(),
        notes=("The diagnostic boot is separate: its times are never compared with these.",),
        modelled=modelled.with_boot("stack", console_bytes=2_810, image_bytes=42_135_812) if stacked else modelled,
        reproduce=(f"bootlab {kind} debian-cloud.toml", "bootlab report runs/2026-11-21T101500"),
    )


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "<!--<script>",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00nul \x9b31m",
    b"caf\xe9 \xff\xfe".decode("utf-8", "replace"),
    "{{ 7*7 }} {% raw %}",
    "[red]markup[/red] [link=http://x]y[/link]",
    "\u2028\u2029\u202egnp.exe",
    "| a | `b` ``c`` **d** [x](javascript:alert(3))",
    "A" * 100_000,
    "&lt;b&gt; &amp;",
)


def hostile() -> tuple[RunDocument, Recording]:
    """Results in which every text that a log or a file could hold is an attack."""
    clean = results("stack", initcalls=20)
    evil = " ".join(HOSTILE[:-2])
    spans = tuple(
        Span(name=text[:3000], lane="initcalls", start_ns=n * 1000, duration_ns=900, detail=text[:3000])
        for n, text in enumerate(HOSTILE)
    )
    marks = (Mark("power-on", 0, 0), *(Mark(text[:500], 1000 + n, None, text) for n, text in enumerate(HOSTILE)))
    assert clean.base.timeline is not None
    line = msgspec.structs.replace(clean.base.timeline, diagnostic=spans, marks=marks, missing=(evil,))
    base = msgspec.structs.replace(clean.base, timeline=line, cmdline=evil, lacks=(evil,), reason=evil, command=(evil,))
    bad = tuple(
        msgspec.structs.replace(t, reason=text, effect=Effect(True, text))
        for t, text in zip(clean.trials, HOSTILE, strict=False)
    )
    listed = tuple(msgspec.structs.replace(t, title=evil, reason=evil, evidence=evil) for t in clean.techniques)
    assert clean.stack is not None
    stacked = msgspec.structs.replace(
        clean.stack, system=msgspec.structs.replace(clean.stack.system, cmdline=evil, machine=(evil,))
    )
    page = msgspec.structs.replace(
        clean, base=base, trials=bad, techniques=listed, system_name=evil, notes=(evil,), stack=stacked,
        emulator_version=evil, reproduce=(evil,), goal=evil, id=evil,
    )  # fmt: skip
    return page, recording(40, texts=HOSTILE)
