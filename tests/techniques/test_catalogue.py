# SPDX-License-Identifier: MIT
"""Rules that every technique keeps, whatever it does."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import bootlab.techniques
from bootlab.techniques import all_techniques, registry
from bootlab.techniques.base import Risk, Technique
from bootlab.techniques.scope import kernel_range
from tests.techniques.recordings import FOLDER

TECHNIQUES = registry.BUILT_IN
IDS = {t.id for t in TECHNIQUES}
STAGES = ("firmware", "loader", "image", "kernel", "initramfs", "storage", "init", "userspace")
every_technique = pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda t: t.id)


def _modules():
    for info in pkgutil.walk_packages(bootlab.techniques.__path__, "bootlab.techniques."):
        yield importlib.import_module(info.name)


def _written():
    """Return every class of the package that is a technique of its own: it has an id, and no row gives it one."""
    classes = [found for module in _modules() for found in vars(module).values() if isinstance(found, type)]
    return {c for c in classes if issubclass(c, Technique) and isinstance(vars(c).get("id"), str)}


def test_no_two_are_alike():
    assert len(IDS) == len(TECHNIQUES) == len({t.title for t in TECHNIQUES})


def test_every_class_and_every_row_of_the_package_is_registered_once():
    assert {type(t) for t in TECHNIQUES if "id" in vars(type(t))} == _written()
    tables = [row for module in _modules() for row in getattr(module, "TECHNIQUES", ())]
    assert len(tables) > 50
    assert {id(row) for row in tables} <= {id(t) for t in TECHNIQUES}


@pytest.mark.parametrize("technique", [t for t in TECHNIQUES if "id" in vars(type(t))], ids=lambda t: t.id)
def test_a_class_is_named_after_its_id(technique):
    assert type(technique).__name__ == "".join(word.capitalize() for word in technique.id.split("-"))


@every_technique
def test_every_fact_is_filled(technique):
    assert registry.unfilled(technique) == ()
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", technique.id)
    assert technique.stage in STAGES
    assert isinstance(technique.risk, Risk)
    assert technique.proof in {"recording", "kernel-log", "diagnosis"}
    assert technique.needs_diagnosis or technique.proof != "diagnosis"
    assert set(technique.architectures) <= {"x86_64", "arm", "arm64", "riscv64"}
    # It raises when the range cannot be read.
    kernel_range(technique.kernels)
    for sentence in (technique.what, technique.why, technique.when_not, technique.cost):
        assert sentence[0].isupper() or sentence[0] == "`", sentence
        assert sentence.endswith("."), sentence
    assert not technique.title.endswith(".")
    for gain in technique.published:
        assert gain.gain
        assert gain.machine
        assert gain.source
    for method in (technique.applies, technique.took_effect, technique.changes):
        assert inspect.getdoc(method)
    assert inspect.getdoc(type(technique))
    assert type(technique).__doc__


@every_technique
def test_what_hides_a_technique_is_known(technique):
    for other in technique.hidden_by:
        assert registry.get(other).id != technique.id


@pytest.mark.parametrize("technique", registry.all_techniques(), ids=lambda t: t.id)
def test_conflicts_are_known_and_mutual(technique):
    for other in technique.conflicts:
        assert other in IDS
        assert other != technique.id
        assert technique.id in registry.get(other).conflicts
    assert set(technique.requires) <= IDS


def test_what_a_stack_leaves_out_by_default():
    off = {t.id: t.risk.costs for t in all_techniques() if t.risk.off_by_default}
    security = {"mitigations-off", "init-on-alloc", "audit-off", "lsm-off", "random-trust-cpu", "hardening-checks-off"}
    assert security <= {i for i, costs in off.items() if "security" in costs}
    function = {"initcall-blacklist", "acpi-off", "pci-off", "memory-limit", "app-as-init", "console-dropped"}
    assert function <= {i for i, costs in off.items() if "function" in costs}
    runtime = {"no-apic-timer", "noreplace-smp", "rcu-expedited", "timer-frequency", "slab-allocator", "thumb2-kernel"}
    assert runtime <= {i for i, costs in off.items() if "runtime" in costs}
    on = {t.id for t in all_techniques()} - off.keys()
    assert {"quiet", "crypto-selftests", "lpj-preset", "initramfs-compression", "kernel-pvh", "firmware-qboot"} <= on


@every_technique
def test_what_slows_the_running_system_by_its_own_words_says_so_as_a_risk(technique):
    words = re.search(
        r"slower at run time|all the while the system runs|wake-ups|worse|under load|register less|lock prefix",
        technique.cost,
    )
    assert not words or technique.risk.runtime


def test_recordings_are_small_and_used():
    source = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    for folder in FOLDER.iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert f'"{folder.name}"' in source, "a recording that no test reads"
            assert (folder / "console.log.xz").stat().st_size < 24_000
