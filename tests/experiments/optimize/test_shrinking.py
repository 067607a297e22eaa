# SPDX-License-Identifier: MIT
"""Which options may be offered at all: by what ran for the goal and by Kconfig, without a boot."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from bootlab.analysis.coverage import FunctionCover
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import KernelBuildError, UserError
from bootlab.experiments.base import Base
from bootlab.experiments.optimize import shrinking
from bootlab.experiments.optimize.halving import Family
from bootlab.experiments.optimize.shrinking import without_options
from bootlab.experiments.optimize.unused_options import (
    RunOptions,
    Unused,
    families_of,
    holding,
    ran,
    settled,
)
from bootlab.kernelsource.advice import Dependent, Reason
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Kernel, KernelBuild
from bootlab.techniques.base import Evidence
from tests.experiments.fake_bench import SYSTEM


class Told:
    """An advisor with answers of its own. `fixed`: kind of the reason by symbol."""

    def __init__(self, hanging=None, fixed=None):
        self._hanging, self._fixed = hanging or {}, fixed or {}

    def may_be(self, symbol, value):
        assert value == "n"
        if symbol in self._fixed:
            return "no", (Reason(kind=self._fixed[symbol], text=f"{symbol} is fixed"),)
        return "yes", ()

    def dependents(self, symbol, value="n"):
        return [Dependent(symbol=one, value="n", through=symbol) for one in self._hanging.get(symbol, ())]


def found(needed=(), **tiers):
    return RunOptions(needed=dict.fromkeys(needed, "f() ran when programs ran"), tiers=tiers)


def row(function, symbol, *, executed=False, initcall=""):
    return FunctionCover(function=function, bytes=16, executed=executed, symbol=symbol, initcall=initcall)


def test_options_are_sorted_by_when_their_code_ran():
    rows = [
        row("tty_write", "TTY", executed=True),
        row("tty_never", "TTY"),
        row("pvh_start", "PVH", executed=True),
        msgspec.structs.replace(
            row("populate_rootfs", "BLK_DEV_INITRD", executed=True, initcall="rootfs_initcall"),
            object="init/initramfs.o",
        ),
        row("p4d_offset", "EFI", executed=True),
        row("p4d_offset", "NVME", executed=True),
        row("cpumask_weight.constprop.0", "NVME", executed=True),
        row("never", "SOUND"),
        row("virtio_init", "VIRTIO_BLK", executed=True, initcall="device_initcall"),
        row("virtblk_probe", "VIRTIO_BLK"),
        row("inet_init", "INET", executed=True, initcall="fs_initcall"),
        row("ip_init", "INET", executed=True),
        row("topology", "TOPOLOGY", executed=True, initcall="core_initcall"),
        row("no_option", "", executed=True),
    ]
    got = ran(
        rows,
        frozenset({"tty_write", "no_option", "p4d_offset", "cpumask_weight.constprop.0"}),
        frozenset({"pvh_start"}),
    )
    assert got.needed == {
        "TTY": "tty_write() ran when programs ran",
        "PVH": "pvh_start() starts the kernel",
        "BLK_DEV_INITRD": "populate_rootfs() unpacks the initramfs",
    }
    assert got.tiers == {"EFI": 2, "NVME": 2, "SOUND": 0, "VIRTIO_BLK": 1, "INET": 2, "TOPOLOGY": 2}


def test_where_the_console_waited_for_a_device_what_bound_one_stays():
    rows = [
        row("clk_osc_probe", "CLK_OSC", executed=True),
        msgspec.structs.replace(row("sysreg_map", "SYSREG", executed=True), object="drivers/mfd/sysreg.o"),
        msgspec.structs.replace(
            row("pwm_init", "PWM", executed=True, initcall="device_initcall"), object="drivers/mfd/pwm.o"
        ),
        msgspec.structs.replace(row("never", "SOC_NEVER"), object="drivers/soc/never.o"),
        row("blake2s_test", "BLAKE2S", executed=True),
    ]
    got = ran(rows, frozenset(), frozenset(), waited=True)
    assert got.needed == {
        "CLK_OSC": "clk_osc_probe() ran, and the console waited for a device",
        "SYSREG": "sysreg_map() ran, and the console waited for a device",
    }
    assert got.tiers == {"PWM": 1, "SOC_NEVER": 0, "BLAKE2S": 2}
    assert not ran(rows, frozenset(), frozenset()).needed, "on a PC nothing has to wait"


def test_what_turns_something_needed_on_stays_and_of_several_the_one_that_ran():
    """A board's timer has no prompt: boards select it, some through a group of boards."""
    selected = {"TIMER": {"BOARD", "OTHER_BOARD", "GROUP"}, "GROUP": {"THIRD_BOARD"}, "CLOCK": {"TIMER"}}

    def settle(off):
        on = {"BOARD", "OTHER_BOARD", "THIRD_BOARD", "SOUND"} - off
        for _ in selected:
            on |= {name for name, by in selected.items() if by & on}
        return dict.fromkeys(on, "y")

    families = [
        Family(name=name, members=frozenset({name})) for name in ("BOARD", "OTHER_BOARD", "THIRD_BOARD", "SOUND")
    ]
    needed = found(["TIMER", "CLOCK"], BOARD=2, OTHER_BOARD=1, THIRD_BOARD=0, SOUND=0)
    left, kept = holding(families, needed, lambda name: frozenset(selected.get(name, ())), settle)
    assert [family.name for family in left] == ["OTHER_BOARD", "THIRD_BOARD", "SOUND"]
    assert kept == {"BOARD": "TIMER is on because of it, and f() ran when programs ran"}


def test_what_is_lost_for_an_unknown_reason_is_left_to_a_boot():
    families = [Family(name="A", members=frozenset({"A"}))]
    left, kept = holding(families, found(["GONE"], A=0), lambda _name: frozenset(), lambda _off: {})
    assert (left, kept) == (families, {})


def test_what_ran_for_the_goal_is_not_offered_and_what_did_not_is():
    families, kept = families_of(found(["RAN"], NEVER=0), Told(), ())
    assert families == [Family(name="NEVER", members=frozenset({"NEVER"}))]
    assert kept == {}


def test_a_parent_of_what_ran_stays():
    families, kept = families_of(
        found(["UNIX"], NET=2, SOUND=0, SND_HDA=0),
        Told({"NET": ["UNIX"], "SOUND": ["SND_HDA", "SND_TIMER"]}),
        (),
    )
    assert families == [
        Family(name="SOUND", members=frozenset({"SOUND", "SND_HDA", "SND_TIMER"})),
        Family(name="SND_HDA", members=frozenset({"SND_HDA"})),
    ]
    assert kept == {"NET": "UNIX cannot be on without it, and f() ran when programs ran"}


def test_a_family_is_as_unlikely_to_go_as_the_least_likely_of_it():
    families, _ = families_of(found(BUS=0, DRIVER=1, CORE=2), Told({"BUS": ["DRIVER"]}), ())
    assert [(family.name, family.tier) for family in families] == [("BUS", 1), ("DRIVER", 1), ("CORE", 2)]


@pytest.mark.parametrize("name", ["SECURITY_SELINUX", "SECCOMP_FILTER", "HARDENED_USERCOPY", "AUDITSYSCALL", "KEYS"])
def test_what_guards_is_never_offered(name):
    families, kept = families_of(found(**{name: 0, "PARENT": 0}), Told({"PARENT": [name]}), ())
    assert families == []
    assert "guards" in kept[name]
    assert kept["PARENT"] == f"{name} would go with it"


def test_what_guards_is_offered_to_who_gives_security_up():
    families, _ = families_of(
        found(SECURITY_SELINUX=2, PARENT=0), Told({"PARENT": ["SECURITY_SELINUX"]}), (), unguarded=True
    )
    assert [family.name for family in families] == ["SECURITY_SELINUX", "PARENT"]


def test_the_console_of_a_driver_that_is_used_stays():
    families, kept = families_of(found(["SERIAL_8250"], SERIAL_8250_CONSOLE=0, VT_CONSOLE=0), Told(), ())
    assert [family.name for family in families] == ["VT_CONSOLE"]
    assert "which is used" in kept["SERIAL_8250_CONSOLE"]


def test_what_is_selected_may_go_with_what_selects_it_and_what_cannot_be_set_stays():
    told = Told(fixed={"FORCED": "no prompt", "CHOSEN": "choice", "CRC": "selected"})
    families, kept = families_of(found(MINE=0, FORCED=0, CHOSEN=0, CRC=0), told, ("MINE",))
    assert [family.name for family in families] == ["CRC"]
    assert kept == {"MINE": "the plan keeps it", "FORCED": "FORCED is fixed", "CHOSEN": "CHOSEN is fixed"}


def test_what_the_configuration_switches_on_again_is_not_asked_in_a_build():
    asked = []

    def settle(dropped):
        asked.append(dropped)
        # Something that stays selects CRC; CHILD comes back as soon as CRC stays.
        return {"CRC": "y", "CHILD": "m" if len(asked) == 2 else "n", "EXT4": "n"}

    assert settled(frozenset({"CRC", "EXT4", "CHILD"}), settle) == {"EXT4"}
    assert len(asked) == 3


def test_a_system_without_options_builds_another_kernel():
    system = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild()))
    changed = without_options(system, frozenset({"B", "A"}))
    assert changed.kernel.build.changes == ((("A", "n"), ("B", "n")),)


def test_a_kernel_that_cannot_be_traced_is_not_shrunk_and_the_search_goes_on(monkeypatch):
    def refused(*_args, **_rest):
        raise UserError("functions can be traced on one processor only", hint="set machine.cpus = 1")

    said = []
    monkeypatch.setattr(shrinking, "unused_options", refused)
    monkeypatch.setattr(shrinking, "KernelBuilder", lambda _cache: None)
    bench = SimpleNamespace(cache=None, decided=said.append)
    built = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="zImage", build=KernelBuild(source="debian")))
    recording = Recording(meta=Meta(), lines=(), marks=())
    standing = Evidence(system=built, recording=recording)
    base = Base(system=built, recording=recording, diagnosis=None, info=KernelInfo(kind="zimage", arch="arm"))
    assert shrinking.shrink_kernel(bench, base, standing, ()) is None
    assert "one processor only" in said[0]


@pytest.fixture
def shrink(tmp_path, monkeypatch):
    """Return a function that shrinks a kernel of which some options are needed by the linker or by the boot."""

    def run(unlinked=None, broken=(), also=lambda *_: ""):
        options = [f"O{number}" for number in range(8)]
        families = [Family(name=one, members=frozenset({one})) for one in options]
        unused = Unused(
            families=families, kept={}, option_of={"f3": "O3"}, needed={"TTY": "tty_write() ran when programs ran"}
        )
        monkeypatch.setattr(shrinking, "unused_options", lambda *_args, **_rest: unused)
        monkeypatch.setattr(shrinking, "KernelBuilder", lambda _cache: SimpleNamespace(settled=lambda *_: {}))
        built = []

        def boot(system, label):
            off = {name for change in system.kernel.build.changes for name, value in change if value == "n"}
            built.append(frozenset(off))
            if unlinked in off:
                raise KernelBuildError("ld: undefined reference to f3", missing=frozenset({"f3"}))
            outcome = Outcome.PANIC if off & set(broken) else Outcome.GOAL
            meta = Meta(key=f"{len(built)}", outcome=outcome, reason="because", goal_ns=1)
            return Recording(meta=meta, lines=(), marks=())

        bench = SimpleNamespace(
            cache=Cache(tmp_path / "cache"),
            decided=lambda _: None,
            phase=lambda *_: None,
            boot=boot,
            guesses=0,
            build_guessed=lambda _: None,
        )
        system = msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=KernelBuild()))
        recording = Recording(meta=Meta(key="base", outcome=Outcome.GOAL), lines=(), marks=())
        standing = Evidence(system=system, recording=recording)
        base = Base(system=system, recording=recording, diagnosis=None, info=KernelInfo())
        return shrinking.shrink_kernel(bench, base, standing, (), also=also), built

    return run


def test_what_the_linker_missed_is_not_linked_again_by_the_next_run(shrink):
    found, built = shrink(unlinked="O3")
    assert set(found.dropped) == {f"O{number}" for number in range(8)} - {"O3"}
    assert found.kept["O3"] == "it cannot be built: ld: undefined reference to f3"
    assert len(built) == 2
    again, built_again = shrink(unlinked="O3")
    assert (again.dropped, again.kept, again.questions) == (found.dropped, found.kept, found.questions)
    assert not [off for off in built_again if "O3" in off]
    other, built = shrink(broken=("O5",))
    assert other.kept["O5"] == "panic: because"
    assert built, "what links is booted by the bench, which keeps it"


def test_every_question_about_a_kernel_is_told_and_what_ran_is_named(shrink):
    found, built = shrink(broken=("O1",))
    assert [one.what for one in found.questions] == [f"kernel without {len(off)} options" for off in built]
    assert {one.broken for one in found.questions} == {"", "panic: because"}
    assert found.needed == {"TTY": "tty_write() ran when programs ran"}


def test_a_final_check_has_a_say_in_what_the_kernel_loses(shrink):
    def also(system, _recording, _label):
        off = {name for change in system.kernel.build.changes for name, _ in change}
        return "the final check '/bin/net' ended with 1, in the base with 0" if "O6" in off else ""

    found, _ = shrink(also=also)
    assert set(found.dropped) == {f"O{number}" for number in range(8)} - {"O6"}
    assert found.kept["O6"].startswith("the final check '/bin/net'")
