# SPDX-License-Identifier: MIT
"""Techniques that set options of the kernel's configuration."""

from pathlib import Path

import msgspec
import pytest

from bootlab.builders.kbuild.fragment import check_value
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.recording import Line, Meta, Recording
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.option import OptionTechnique
from bootlab.techniques.registry import BUILT_IN, get

SYSTEM = SystemDescription(name="lab", kernel=Kernel(image="zImage"), goal=Goal(console="done"))
OPTIONS = [t for t in BUILT_IN if isinstance(t, OptionTechnique)]


def recording(config: dict[str, str], sha: str = "a", lines: tuple[str, ...] = ()) -> Recording:
    meta = Meta(artefact_sha256={"kernel": sha}, artefact_bytes={"kernel": 1000 + len(config)})
    texts = ("Memory: 120000K/131072K available", *lines)
    found = tuple(Line(number=n, text=f"[    0.000000] {t}", offset_bytes=0) for n, t in enumerate(texts))
    return Recording(meta=meta, lines=found, marks=(), kernel_config=config)


def context(config: dict[str, str], **more) -> Context:
    return Context(
        system=SYSTEM, recording=recording(config), config=config, kernel_version=(6, 1, 50), arch="arm", **more
    )


def evidence(*arguments, **named) -> Evidence:
    return Evidence(system=SYSTEM, recording=recording(*arguments, **named))


def other(value: str) -> str:
    return "y" if value in {"n", ""} else "n"


def test_what_each_sets_is_what_was_written_down():
    """The list stands apart from the catalogue: an option changed by mistake shows here."""
    text = Path(__file__).with_name("options.txt").read_text(encoding="utf-8")
    written = dict(line.split(": ", 1) for line in text.splitlines())
    sets = {t.id: " ".join(f"{n}={v or '(empty)'}" for n, v in sorted(t.wanted(context({})))) for t in OPTIONS}
    assert sets == written, f"write it into options.txt: {sets.items() ^ written.items()}"


@pytest.mark.parametrize(
    ("core", "answer"), [("cortex-a72", Answer.NO), ("cortex-a53,x=1", Answer.NO), ("max", Answer.YES)]
)
def test_large_pages_are_asked_of_no_core_that_lacks_them(core, answer):
    named = msgspec.structs.replace(SYSTEM, machine=msgspec.structs.replace(SYSTEM.machine, cpu=core))
    asked = msgspec.structs.replace(context({"CONFIG_ARM64_16K_PAGES": "n"}), system=named)
    assert get("arm64-large-pages").applies(asked).answer is answer


@pytest.mark.parametrize("technique", OPTIONS, ids=lambda t: t.id)
def test_each_asks_proposes_and_proves(technique):
    config = {f"CONFIG_{option}": "y" for option in (*technique.only_if, "DEBUG_INFO")}
    wanted = technique.wanted(context({}))
    config |= {f"CONFIG_{option}": other(value) for option, value in wanted}
    if technique.id == "runtime-uarts":
        config["CONFIG_SERIAL_8250_RUNTIME_UARTS"] = "4"
    asked = context(config)
    assert technique.applies(asked).answer is Answer.YES
    assert "CONFIG_" in technique.applies(asked).evidence
    (change,) = technique.changes(asked)
    (op,) = change.ops
    assert isinstance(op, SetKernelOptions)
    assert {(name, value or '""') for name, value in wanted} <= set(op.options)
    assert all(check_value(name, value, "here") == value for name, value in op.options)
    assert (("EXPERT", "y") in op.options) == technique.expert
    built = config | {f"CONFIG_{option}": value for option, value in wanted}
    said = ("node 0 deferred pages initialised in 12ms",) if technique.says else ()
    assert technique.took_effect(evidence(config), evidence(built, sha="b", lines=said)).shown
    assert technique.applies(context(built)).answer is Answer.NO


def test_what_selects_an_option_goes_with_it():
    technique = get("kallsyms-off")
    asked = context({"CONFIG_KALLSYMS": "y", "CONFIG_EXPERT": "y", "CONFIG_FUNCTION_TRACER": "y"})
    assert "selected by CONFIG_FUNCTION_TRACER" in technique.applies(asked).evidence
    (change,) = technique.changes(asked)
    assert change.ops == (SetKernelOptions((("FUNCTION_TRACER", "n"), ("KALLSYMS", "n"))),)
    alone = context({"CONFIG_KALLSYMS": "y", "CONFIG_EXPERT": "y"})
    assert technique.changes(alone)[0].ops == (SetKernelOptions((("KALLSYMS", "n"),)),)


def test_the_proof_names_what_else_went():
    technique = get("kallsyms-off")
    before = evidence({"CONFIG_KALLSYMS": "y", "CONFIG_FUNCTION_TRACER": "y", "CONFIG_KPROBES": "n"})
    shown = technique.took_effect(before, evidence({"CONFIG_MMU": "y"}, sha="b"))
    assert shown.shown
    assert shown.evidence.endswith("off too: CONFIG_FUNCTION_TRACER")


def test_debugging_goes_without_hardening_and_hardening_with_what_selects_it():
    config = {"CONFIG_DEBUG_LIST": "y", "CONFIG_BUG_ON_DATA_CORRUPTION": "y", "CONFIG_DEBUG_OBJECTS": "y"}
    (change,) = get("debug-options-off").changes(context(config))
    assert change.ops == (SetKernelOptions((("DEBUG_OBJECTS", "n"),)),)
    hardening = get("hardening-checks-off")
    assert hardening.risk.security
    (change,) = hardening.changes(context(config))
    assert change.ops == (SetKernelOptions((("BUG_ON_DATA_CORRUPTION", "n"), ("DEBUG_LIST", "n"))),)


@pytest.mark.parametrize(
    ("technique", "version", "config", "asked"),
    [
        ("crypto-selftests-off", (6, 16), {"CRYPTO": "y", "CRYPTO_SELFTESTS": "y"}, ("CRYPTO_SELFTESTS", "n")),
        ("debug-info-off", (5, 10), {"DEBUG_INFO": "y"}, ("DEBUG_INFO", "n")),
    ],
)
def test_an_option_is_asked_for_as_the_version_calls_it(technique, version, config, asked):
    technique = get(technique)
    config = {f"CONFIG_{name}": value for name, value in config.items()}
    of_version = msgspec.structs.replace(context(config), kernel_version=version)
    assert technique.applies(of_version).evidence == f"CONFIG_{asked[0]}=y"
    assert technique.changes(of_version)[0].ops == (SetKernelOptions((asked,)),)
    built = config | {f"CONFIG_{asked[0]}": asked[1]}
    assert technique.took_effect(evidence(config), evidence(built, sha="b")).shown
    assert not technique.took_effect(evidence(config), evidence(config, sha="b")).shown
    already = technique.applies(msgspec.structs.replace(context(built), kernel_version=version))
    assert (already.answer, already.evidence) == (Answer.NO, f"CONFIG_{asked[0]} is not set")


def test_without_modules_the_proof_says_what_became_of_them():
    before = evidence({"CONFIG_MODULES": "y", "CONFIG_CRAMFS": "m", "CONFIG_ROMFS_FS": "m", "CONFIG_TMPFS": "y"})
    after = {"CONFIG_TMPFS": "y", "CONFIG_ROMFS_FS": "n"}
    shown = get("modules-off").took_effect(before, evidence(after, sha="b"))
    assert shown.evidence.endswith("; modules left out: 2")
    partly = get("modules-off").took_effect(before, evidence(after | {"CONFIG_CRAMFS": "y"}, sha="b"))
    assert partly.evidence.endswith("; modules left out: 1, built in now: CONFIG_CRAMFS")


def test_what_must_be_printed_is_part_of_the_proof():
    technique = get("deferred-page-init")
    built = {"CONFIG_DEFERRED_STRUCT_PAGE_INIT": "y"}
    silent = technique.took_effect(evidence({"CONFIG_MMU": "y"}), evidence(built, sha="b"))
    assert not silent.shown
    assert r"never printed /node \d+ deferred pages initialised in/" in silent.evidence
    lines = ("node 0 deferred pages initialised in 8ms",)
    shown = technique.took_effect(evidence({"CONFIG_MMU": "y"}), evidence(built, sha="b", lines=lines))
    assert shown.shown
    assert "now in the log: node 0 deferred pages" in shown.evidence


def test_without_a_configuration_nothing_is_known():
    for technique in OPTIONS:
        assert technique.applies(context({})).answer is Answer.UNKNOWN
        assert technique.changes(context({"CONFIG_X": "y"})) is not None


def test_the_same_image_proves_nothing():
    effect = get("smp-off").took_effect(evidence({"CONFIG_SMP": "y"}), evidence({"CONFIG_SMP": "n"}))
    assert not effect.shown
    assert "byte for byte" in effect.evidence


def test_an_option_that_came_back_is_no_effect():
    effect = get("smp-off").took_effect(evidence({"CONFIG_SMP": "y"}), evidence({"CONFIG_SMP": "y"}, sha="b"))
    assert not effect.shown


def test_a_message_that_is_still_printed_is_no_effect():
    ftrace = ("ftrace: allocating 20000 entries in 80 pages",)
    before = evidence({"CONFIG_FTRACE": "y"}, lines=ftrace)
    gone = get("tracing-off").took_effect(before, evidence({"CONFIG_NET": "y"}, sha="b"))
    assert gone.shown
    assert "gone from the log: ftrace: allocating" in gone.evidence
    still = get("tracing-off").took_effect(before, evidence({"CONFIG_NET": "y"}, sha="b", lines=ftrace))
    assert not still.shown


def test_a_recording_without_its_configuration_proves_nothing():
    assert not get("smp-off").took_effect(evidence({}), evidence({}, sha="b")).shown


@pytest.mark.parametrize(
    ("technique", "config", "labels"),
    [
        ("kernel-compression", {"KERNEL_GZIP": "y"}, ["lzma", "xz", "lzo", "lz4"]),
        ("compiler-optimisation", {"CC_OPTIMIZE_FOR_PERFORMANCE": "y"}, ["Os"]),
        ("compiler-optimisation", {"CC_OPTIMIZE_FOR_SIZE": "y"}, ["O2"]),
        ("timer-frequency", {"HZ": "100"}, ["250", "1000"]),
        ("slab-allocator", {"SLUB": "y"}, ["slab", "slob"]),
    ],
)
def test_choices_propose_the_others(technique, config, labels):
    asked = context({f"CONFIG_{k}": v for k, v in config.items()})
    assert get(technique).applies(asked).answer is Answer.YES
    assert [change.label for change in get(technique).changes(asked)] == labels


@pytest.mark.parametrize(
    ("version", "labels"),
    [((5, 4), ["slab", "slob"]), ((6, 2), ["slab", "slob", "slub-tiny"]), ((6, 9), ["slub-tiny"])],
)
def test_allocators_by_version(version, labels):
    asked = msgspec.structs.replace(context({"CONFIG_SLUB": "y"}), kernel_version=version)
    assert [change.label for change in get("slab-allocator").changes(asked)] == labels


@pytest.mark.parametrize(
    ("version", "now", "label", "options"),
    [
        ((6, 1), "SLUB", "slob", (("EXPERT", "y"), ("SLOB", "y"))),
        ((6, 3), "SLUB", "slob", (("EXPERT", "y"), ("SLOB_DEPRECATED", "y"))),
        ((6, 4), "SLUB", "slab", (("SLAB", "y"),)),
        ((6, 6), "SLUB", "slab", (("SLAB_DEPRECATED", "y"),)),
        ((6, 6), "SLAB", "slub-tiny", (("EXPERT", "y"), ("SLUB", "y"), ("SLUB_TINY", "y"))),
        ((6, 12), "SLUB_TINY", "slub", (("SLUB_TINY", "n"), ("SLUB", "y"))),
    ],
)
def test_an_allocator_is_asked_for_as_the_version_calls_it(version, now, label, options):
    config = {"CONFIG_SLUB": "y"} if now == "SLUB_TINY" else {}
    asked = msgspec.structs.replace(context(config | {f"CONFIG_{now}": "y"}), kernel_version=version)
    found = {change.label: change.ops for change in get("slab-allocator").changes(asked)}
    assert found[label] == (SetKernelOptions(options),)


def test_an_allocator_made_large_again_is_proved():
    before = evidence({"CONFIG_SLUB": "y", "CONFIG_SLUB_TINY": "y"})
    effect = get("slab-allocator").took_effect(before, evidence({"CONFIG_SLUB": "y"}, sha="b"))
    assert effect.shown
    assert "CONFIG_SLUB_TINY: y -> off" in effect.evidence


def test_a_choice_is_proved_by_what_booted():
    before = evidence({"CONFIG_KERNEL_GZIP": "y"})
    assert get("kernel-compression").took_effect(before, evidence({"CONFIG_KERNEL_LZ4": "y"}, sha="b")).shown
    assert not get("kernel-compression").took_effect(before, evidence({"CONFIG_KERNEL_GZIP": "y"}, sha="b")).shown
    assert (
        get("timer-frequency")
        .took_effect(evidence({"CONFIG_HZ": "100"}), evidence({"CONFIG_HZ": "250"}, sha="b"))
        .shown
    )


RENAMED = [
    ("expert-trims", (6, 1), {"BASE_FULL": "y", "BASE_SMALL": "0"}, ("BASE_FULL", "n")),
    ("expert-trims", (6, 12), {"BASE_SMALL": "n"}, ("BASE_SMALL", "y")),
    ("proc-sysctl-off", (6, 12), {"PROC_FS": "y", "PROC_SYSCTL": "y", "SYSCTL": "y"}, ("PROC_SYSCTL", "n")),
    ("proc-sysctl-off", (7, 3), {"PROC_FS": "y", "SYSCTL": "y"}, ("SYSCTL", "n")),
    ("proc-sysctl-off", (7, 0), {"PROC_FS": "y", "SYSCTL": "y"}, ("SYSCTL", "n")),
    ("crypto-selftests-off", (6, 12), {"CRYPTO_MANAGER_DISABLE_TESTS": "n"}, ("CRYPTO_MANAGER_DISABLE_TESTS", "y")),
    # A distribution may carry a change back: what the configuration states stands above the version.
    ("crypto-selftests-off", (6, 12), {"CRYPTO_SELFTESTS": "y"}, ("CRYPTO_SELFTESTS", "n")),
    ("debug-info-off", (6, 12), {"DEBUG_INFO": "y", "DEBUG_INFO_NONE": "n"}, ("DEBUG_INFO_NONE", "y")),
    ("debug-info-off", (5, 10), {"DEBUG_INFO": "y"}, ("DEBUG_INFO", "n")),
]


@pytest.mark.parametrize(("name", "version", "config", "wanted"), RENAMED)
def test_the_configuration_says_under_which_name_an_option_goes(name, version, config, wanted):
    technique = get(name)
    asked = context({f"CONFIG_{option}": value for option, value in config.items()})
    asked = msgspec.structs.replace(asked, kernel_version=version)
    assert wanted in technique.wanted(asked)
    assert wanted in technique.pending(asked)
    built = {f"CONFIG_{option}": value for option, value in (config | dict(technique.wanted(asked))).items()}
    assert technique.took_effect(evidence(asked.config), evidence(built, sha="b")).shown


def test_a_processor_is_trusted_where_the_kernel_has_no_option_for_it():
    config = {"CONFIG_PRINTK": "y"}
    technique = get("random-trust-cpu")
    answers = {}
    for version in ((6, 1, 50), (6, 2), (7, 3, 4)):
        asked = msgspec.structs.replace(context(config), kernel_version=version)
        answers[version] = technique.applies(asked)
    assert answers[6, 1, 50].answer is Answer.YES
    assert {answers[version].answer for version in ((6, 2), (7, 3, 4))} == {Answer.NO}
    assert "by default" in answers[7, 3, 4].reason
