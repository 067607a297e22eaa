# SPDX-License-Identifier: MIT
"""What was given, in the form that techniques ask."""

from pathlib import Path

import pytest

from bootlab.advice.facts import gather
from bootlab.advice.finding import EvidencePlace
from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.techniques.base import Answer, Applies, Context
from bootlab.techniques.registry import get
from bootlab.techniques.scope import KernelRange, ask, kernel_range

CONFIG = """\
#
# Automatically generated file; DO NOT EDIT.
# Linux/arm 5.10.7 Kernel Configuration
#
CONFIG_ARM=y
# CONFIG_AUDIT is not set
CONFIG_CMDLINE="console=ttyAMA0 rootdelay=3"
CONFIG_CMDLINE_FORCE=y
"""
LOG = """\
[    0.000000] Booting Linux on physical CPU 0x0
[    0.000000] Linux version 4.19.12 (me@build) (gcc version 8.2.0) #1 Thu Jan 1 00:00:00 UTC 1970
[    0.000000] CPU: ARMv7 Processor [410fc090] revision 0 (ARMv7), cr=10c5387d
[    0.000000] Kernel command line: console=ttyAMA0 debug
[    0.000000] Memory: 120000K/131072K available (4096K kernel code)
[    0.003196] Calibrating delay loop... 62.25 BogoMIPS (lpj=311296)
[    0.091167] CPU: Testing write buffer coherency: ok
[    0.400000] Run /init as init process
"""


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_a_configuration_tells_version_processor_and_a_forced_command_line(cache, tmp_path):
    path = tmp_path / ".config"
    path.write_text(CONFIG)
    facts = gather(cache, config=path)
    assert facts.context.arch == "arm"
    assert facts.context.kernel_version == (5, 10, 7)
    assert str(facts.context.system.cmdline) == "console=ttyAMA0 rootdelay=3"
    assert facts.context.unseen == {"machine", "initramfs", "console"}
    assert facts.find("CONFIG_AUDIT is not set") == EvidencePlace(str(path), 6)


def test_a_log_tells_version_processor_command_line_and_costs(cache, tmp_path):
    path = tmp_path / "boot.log"
    path.write_text(LOG)
    facts = gather(cache, log=path)
    assert facts.context.arch == "arm"
    assert facts.context.kernel_version == (4, 19, 12)
    assert str(facts.context.system.cmdline) == "console=ttyAMA0 debug"
    assert facts.context.unseen == {"machine", "initramfs"}
    assert facts.context.diagnosis is None
    assert any(cost.kind == "delay-calibration" for cost in facts.costs)
    assert facts.find("Calibrating delay loop... 62.25 BogoMIPS (lpj=311296)") == EvidencePlace(str(path), 6)


def test_initcalls_of_a_log_stand_for_a_diagnostic_boot(cache, tmp_path):
    path = tmp_path / "boot.log"
    calls = (
        "[    0.200000] calling  foo_init+0x0/0x10 @ 1\n"
        "[    0.300000] initcall foo_init+0x0/0x10 returned 0 after 90000 usecs\n"
    )
    path.write_text(LOG.replace("[    0.400000]", calls + "[    0.400000]"))
    diagnosis = gather(cache, log=path).context.diagnosis
    assert diagnosis is not None
    assert [(call.name, call.duration_ns) for call in diagnosis.initcalls] == [("foo_init", 100_000_000)]


def test_a_given_command_line_goes_before_the_log(cache, tmp_path):
    path = tmp_path / "boot.log"
    path.write_text(LOG)
    assert str(gather(cache, log=path, cmdline="quiet").context.system.cmdline) == "quiet"


def test_what_was_not_given_is_open_not_absent(cache):
    context = gather(cache, cmdline="ip=dhcp", arch="x86_64").context
    assert ask(get("quiet"), context).answer is Answer.UNKNOWN
    assert ask(get("initramfs-slim"), context).answer is Answer.UNKNOWN
    assert ask(get("lpj-preset"), context).reason == "it takes a boot log to tell"
    assert ask(get("rootdelay-to-rootwait"), context).answer is Answer.NO


@pytest.mark.parametrize("given", [b"", b"\x7fELF\x02\x01", b"\0" * 4096, b"hello = world\n"])
def test_what_is_no_configuration_is_refused(cache, tmp_path, given):
    path = tmp_path / "x"
    path.write_bytes(given)
    with pytest.raises(UserError, match="not a kernel configuration"):
        gather(cache, config=path)


def test_what_is_missing_or_empty_is_refused(cache, tmp_path):
    with pytest.raises(UserError, match="nothing to check"):
        gather(cache)
    with pytest.raises(UserError, match="cannot read"):
        gather(cache, config=tmp_path / "none")
    log = tmp_path / "u-boot.log"
    log.write_text("U-Boot SPL 2023.01 (Jan 01 2023 - 00:00:00 +0000)\nTrying to boot from MMC1\n")
    with pytest.raises(UserError, match="no kernel messages"):
        gather(cache, log=log)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("any", (2, 4), None),
        ("5.2 and later", (5, 2, 0), (5, 1, 99)),
        ("4.19 and later; the default is 10 s", (6,), (4, 18)),
        ("up to 6.3", (6, 3, 99), (6, 4)),
        ("2.6.30 to 6.7", (2, 6, 30), (2, 6, 29)),
    ],
)
def test_ranges_of_kernels(text, inside, outside):
    assert kernel_range(text).holds(inside)
    assert outside is None or not kernel_range(text).holds(outside)


def test_a_range_that_cannot_be_read_is_an_error():
    with pytest.raises(ValueError, match="no range"):
        kernel_range("newer ones")
    assert kernel_range("any") == KernelRange()


def test_the_processor_and_the_version_are_asked_first(cache):
    base = gather(cache, cmdline="", arch="arm").context
    assert ask(get("hpet-off"), base).reason == "it is for x86_64"
    older = Context(system=base.system, recording=base.recording, kernel_version=(5, 0), arch="x86_64")
    answer = ask(get("init-on-alloc"), older)
    assert (answer.answer, answer.evidence) == (Answer.NO, "Linux 5.0")


@pytest.mark.parametrize(("options", "answer"), [((), Answer.NO), (("MODULES",), Answer.UNKNOWN)])
def test_an_answer_names_the_options_that_it_rests_on(cache, tmp_path, options, answer):
    """What the words of its evidence look like decides nothing."""

    path = tmp_path / "fragment.config"
    path.write_text("CONFIG_SMP=y\n")
    facts = gather(cache, config=path, arch="arm")
    technique = get("modules-off")
    said = Applies.no("it is so", "a file says CONFIG_MODULES is not set", options=options)
    assert ask(Said(technique, said), facts.context).answer is answer


class Said:
    """A technique whose answer is given."""

    def __init__(self, technique, said):
        self._technique, self._said = technique, said

    def __getattr__(self, name):
        return getattr(self._technique, name)

    def applies(self, context):
        return self._said
