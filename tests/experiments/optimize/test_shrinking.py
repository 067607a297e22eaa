"""Which options may be offered at all: by coverage and Kconfig, without a boot."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.coverage import Cover
from bootlab.experiments.optimize.halving import Family
from bootlab.experiments.optimize.shrinking import without_options
from bootlab.experiments.optimize.unused_options import configurable, families_of
from bootlab.kernelsource.advice import Dependent, Reason
from bootlab.model.system import Kernel, KernelBuild
from tests.experiments.fake_bench import SYSTEM


def cover(name: str, ran: str = "nothing") -> Cover:
    return Cover(name=name, bytes=100, never_bytes=100, functions=2, never=2 if ran == "nothing" else 0, ran=ran)


class Told:
    """An advisor with answers of its own."""

    def __init__(self, hanging=None, fixed=()):
        self._hanging, self._fixed = hanging or {}, fixed

    def may_be(self, symbol, value):
        assert value == "n"
        if symbol in self._fixed:
            return "no", (Reason(kind="selected", text="X86 selects it"),)
        return "yes", ()

    def dependents(self, symbol, value="n"):
        return [Dependent(symbol=one, value="n", through=symbol) for one in self._hanging.get(symbol, ())]


def test_what_ran_is_not_offered_and_what_never_ran_is():
    families, kept = families_of([cover("RAN", "partly"), cover("NEVER")], Told(), ())
    assert families == [Family(name="NEVER", members=frozenset({"NEVER"}))]
    assert kept == {}


def test_a_parent_of_what_ran_stays():
    families, kept = families_of(
        [cover("NET"), cover("INET", "all"), cover("SOUND"), cover("SND_HDA")],
        Told({"NET": ["INET"], "SOUND": ["SND_HDA", "SND_TIMER"]}),
        (),
    )
    assert families == [
        Family(name="SOUND", members=frozenset({"SOUND", "SND_HDA", "SND_TIMER"})),
        Family(name="SND_HDA", members=frozenset({"SND_HDA"})),
    ]
    assert kept == {"NET": "code of INET ran, which cannot be on without it"}


@pytest.mark.parametrize("name", ["SECURITY_SELINUX", "SECCOMP_FILTER", "HARDENED_USERCOPY", "AUDITSYSCALL", "KEYS"])
def test_what_guards_is_never_offered(name):
    families, kept = families_of([cover(name), cover("PARENT")], Told({"PARENT": [name]}), ())
    assert families == []
    assert "guards" in kept[name]
    assert kept["PARENT"] == f"{name} would go with it"


def test_what_the_user_keeps_and_what_kconfig_forces_stays_with_its_reason():
    families, kept = families_of([cover("MINE"), cover("FORCED")], Told(fixed=("FORCED",)), ("MINE",))
    assert families == []
    assert kept == {"MINE": "the plan keeps it", "FORCED": "X86 selects it"}


def test_a_system_without_options_builds_another_kernel():
    system = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild()))
    changed = without_options(system, frozenset({"B", "A"}))
    assert changed.kernel.build.changes == ((("A", "n"), ("B", "n")),)


def registered(name: str) -> Cover:
    return msgspec.structs.replace(cover(name, "partly"), only_registered=True)


def test_what_only_said_that_it_is_there_is_asked_after_what_never_ran():
    families, kept = families_of([registered("DRIVER"), cover("NEVER"), cover("BUS")], Told({"BUS": ["DRIVER"]}), ())
    assert [(family.name, family.tier) for family in families] == [("DRIVER", 1), ("NEVER", 0), ("BUS", 1)]
    assert kept == {}


def test_what_the_configuration_switches_on_again_is_not_asked_in_a_build():
    offered = [
        Family(name="CRC", members=frozenset({"CRC"})),
        Family(name="EXT4", members=frozenset({"EXT4", "EXT4_ACL"})),
        Family(name="BUS", members=frozenset({"BUS", "CHILD"})),
    ]
    asked = []

    def settle(dropped):
        asked.append(dropped)
        # Something that stays selects CRC; CHILD comes back as soon as CRC stays.
        return {"CRC": "y", "CHILD": "m" if len(asked) == 2 else "n", "EXT4": "n"}

    families, kept = configurable(offered, settle)
    assert families == [
        Family(name="EXT4", members=frozenset({"EXT4", "EXT4_ACL"})),
        Family(name="BUS", members=frozenset({"BUS"})),
    ]
    assert kept == {"CRC": "the kernel's configuration switches it on again"}
    assert len(asked) == 3
