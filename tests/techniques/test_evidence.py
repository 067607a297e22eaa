# SPDX-License-Identifier: MIT
"""Reading proof out of logs, hostile ones included."""

import msgspec
import pytest

from bootlab.techniques import all_techniques
from bootlab.techniques.evidence import (
    MAX_QUOTE_CHARS,
    KernelLog,
    appeared,
    bare,
    differs,
    either,
    interval_ns,
    quote,
    rejected,
    vanished,
)
from tests.techniques.recordings import as_context, evidence, recording_of, written


@pytest.mark.parametrize(
    "line",
    ["[    0.169860] text", "[    0.169860][    T1] text", "<6>[    0.169860] text", "[12345.678901] text", "text"],
)
def test_bare(line):
    assert bare(line) == "text"


def test_bare_leaves_other_brackets():
    assert bare("[mem 0x0-0xf] usable") == "[mem 0x0-0xf] usable"


def test_a_quote_is_printable_and_short():
    assert quote("\x1b[31mred\x00 ") == "?[31mred?"
    assert len(quote("x" * 10_000)) == MAX_QUOTE_CHARS


def test_a_quiet_console_is_not_complete():
    assert KernelLog.of(evidence("base")).complete
    assert not KernelLog.of(evidence("quiet")).complete
    assert KernelLog.of(evidence("quiet", diagnostic="diagnostic")).complete


def test_logs_are_compared_with_their_like():
    """A diagnostic boot sets initcall_debug itself: its absence on a console proves nothing."""
    before, after = evidence("base", diagnostic="diagnostic"), evidence("base")
    effect = vanished(before, after, r"^calling  ")
    assert not effect.shown
    assert [log.source for log in KernelLog.pair(before, after)] == ["console of the timing boot"] * 2
    assert [log.source for log in KernelLog.pair(before, before)] == ["diagnostic boot"] * 2


def test_silence_is_no_proof():
    base, quiet = evidence("base"), evidence("quiet")
    for effect in (vanished(base, quiet, "APIC"), appeared(quiet, base, "APIC"), differs(quiet, base, "(APIC)")):
        assert not effect.shown
        assert "no diagnostic boot" in effect.evidence


def test_either_keeps_each_reason_once():
    base = evidence("base")
    effect = either(vanished(base, base, "APIC"), vanished(base, base, "APIC"), appeared(base, base, "nothing"))
    assert not effect.shown
    assert effect.evidence.count("still prints") == 1
    assert "never printed" in effect.evidence


def test_the_kernel_names_what_it_does_not_know():
    assert "ip=dhcp" in rejected(evidence("ip-forced"), "ip")
    assert rejected(evidence("ip-forced"), "i") == ""
    assert rejected(evidence("base"), "ip") == ""


def test_interval():
    lines = [("a", 10), ("x", None), ("b", 30), ("c", 70)]
    assert interval_ns(lines, "a", "b") == 20
    assert interval_ns(lines, "b", "") == 40
    assert interval_ns(lines, "", "c") == 40
    assert interval_ns(lines, "x", "b") is None
    assert interval_ns(lines, "c", "a") is None


HOSTILE = (
    "",
    "\x00" * 10_000,
    "Calibrating delay loop... " * 5_000,
    "[    0.1] " + "9" * 100_000,
    "(lpj=" + "9" * 50_000 + ")",
    "[    0.1] Calibrating delay loop... 1 BogoMIPS (lpj=" + "9" * 50 + ")",
    "Memory: 1K/99999999999999999999K available",
    'Unknown kernel command line parameters "' + "a=" * 50_000,
    "Serial: 8250/16550 driver, 9999999999 ports",
    "ttyS99999999999 at I/O",
    "<script>alert(1)</script> Mitigation: ",
    "probe of " + "x" * 10_000 + " returned 0 after 99999999999999999999 usecs",
    "calling  " * 3_000,
    "smp: Brought up 1 node, 99999999999999999999999999 CPUs",
    "Freeing initrd memory: 99999999999999999999K",
)


@pytest.mark.parametrize("technique", all_techniques(), ids=lambda t: t.id)
def test_hostile_logs_are_only_text(technique):
    text = "\n".join((*HOSTILE, *(f"[    0.000001] {line}" for line in HOSTILE)))
    plain = written(text)
    booted = msgspec.structs.replace(plain, recording=recording_of(text))
    for before in (plain, booted):
        context = as_context(before)
        answer = technique.applies(context)
        assert len(answer.evidence) <= 2_000
        for change in technique.changes(context):
            change.apply(context.system)
        assert not technique.took_effect(before, before).shown
