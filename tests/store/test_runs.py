# SPDX-License-Identifier: MIT
"""Runs are found by what a person remembers of them; the faster system is handed over as files."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.qemu_launch import Parts, launch_of
from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine
from bootlab.model.launch import DEVICES_PLUGIN, InMemory, LoadedFirst, LoadedPlugin
from bootlab.model.root import Root
from bootlab.model.system import Check, Clockwork, Goal, Initramfs, Kernel, Limits, Machine, SystemDescription
from bootlab.recordings import sealed
from bootlab.store import runs
from bootlab.store.handover import hand_over
from bootlab.systemfile import load
from bootlab.systemfile.writer import system_toml


def ran(store, name, finished):
    """Write what a run that ended at a time leaves."""
    folder = store / "runs" / name
    folder.mkdir(parents=True)
    (folder / "results.json").write_bytes(sealed.text_of({"finished": finished}))
    return folder / "results.json"


@pytest.fixture
def store(tmp_path):
    for name in ("20260101-000000-boot-cam", "20260102-000000-stack-box", "20260102-000000-try-cam"):
        ran(tmp_path, name, "2026-01-02T00:00:00+00:00" if "box" in name else "2026-01-02T00:00:01+00:00")
    (tmp_path / "runs" / "20260103-000000-boot-unfinished").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("last", "20260102-000000-try-cam"),
        ("20260101", "20260101-000000-boot-cam"),
        ("20260102-000000-stack-box", "20260102-000000-stack-box"),
        ("stack", "20260102-000000-stack-box"),
    ],
)
def test_find(store, name, found):
    assert runs.find(store, name).id == found


def test_find_by_folder_and_file(store, tmp_path):
    folder = store / "runs" / "20260101-000000-boot-cam"
    for name in (folder, folder / "results.json"):
        run = runs.find(tmp_path / "elsewhere", str(name))
        assert (run.id, run.results) == (folder.name, folder / "results.json")


@pytest.mark.parametrize(
    ("name", "said"),
    [("cam", "not one run but several"), ("20260102", "several"), ("box2", "is not a run"), ("", "several")],
)
def test_what_is_not_one_run(store, name, said):
    with pytest.raises(UserError, match=said) as caught:
        runs.find(store, name)
    assert "20260102-000000-try-cam" in caught.value.hint


def test_names_that_no_file_can_have(store):
    for name in ("x" * 5000, "a\0b"):
        with pytest.raises(UserError, match="is not a run"):
            runs.find(store, name)


def test_the_last_run_is_the_one_that_ended_last(tmp_path):
    """Not the one whose name comes last: of two in one second, or in a folder that somebody renamed or copied."""
    newest = ran(tmp_path, "20260101-000000-boot-cam", "2026-03-01T00:00:00+00:00")
    ran(tmp_path, "20260101-000000-try-cam", "2026-02-01T00:00:00+01:00")
    old = ran(tmp_path, "zzz-kept", "2025-01-01T00:00:00+00:00")
    assert runs.find(tmp_path, "last").folder == newest.parent
    # Damage does not make another run the last one in silence: who reads it is told.
    raw = newest.read_bytes()
    newest.write_bytes(raw.replace(b"2026-03", b"2006-03"))
    os.utime(old, (1, 1))
    assert runs.find(tmp_path, "last").folder == newest.parent


def test_a_campaign_goes_on_in_its_run_and_never_beside_another_command(tmp_path):
    first, mine = runs.resumed(tmp_path, "optimize", "cam", "d1")
    other, theirs = runs.resumed(tmp_path, "optimize", "cam", "d1")
    assert other != first
    mine.release()
    again, mine = runs.resumed(tmp_path, "optimize", "cam", "d1")
    assert again == first
    runs.finish(again)
    mine.release()
    theirs.release()
    again, mine = runs.resumed(tmp_path, "optimize", "cam", "d1")
    assert again == other
    mine.release()


def test_an_empty_store(tmp_path):
    with pytest.raises(UserError, match="there is no run"):
        runs.find(tmp_path, "last")


def test_create(tmp_path):
    first, second = (runs.create(tmp_path, "boot", "../Ein System\n!") for _ in range(2))
    assert first.folder.parent == tmp_path / "runs"
    assert first.id != second.id
    assert "boot-Ein-System" in first.id
    assert runs.create(tmp_path, "boot", "///").id.split("-boot-")[1].startswith("system")


def test_create_where_nothing_can_be_made(tmp_path):
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(EnvironmentFault) as caught:
        runs.create(tmp_path, "boot", "s")
    assert "--store" in caught.value.hint


@pytest.fixture
def everything(tmp_path):
    """Return a system in which nothing is as it is by default."""
    (tmp_path / "k").write_bytes(b"kernel")
    (tmp_path / "i.gz").write_bytes(b"initramfs")
    (tmp_path / "disk$1.img").write_bytes(b"")
    (tmp_path / "config").write_text("CONFIG_X=y\n")
    return SystemDescription(
        name="everything",
        kernel=Kernel(image=str(tmp_path / "k"), config=str(tmp_path / "config")),
        goal=Goal(console='ready "now" \\d+', name="first use"),
        machine=Machine(type="pc", cpu="max,+avx", memory_mib=64, cpus=1, firmware="qboot", options=("hpet=off",),
                        devices=("virtio-rng-pci",), disks=(str(tmp_path / "disk$1.img"),), extra=("-nic", "none")),
        clock=Clockwork(mode="free", shift=3, rtc_base="2027-01-01T00:00:00", accel="tcg"),
        cmdline=CommandLine.parse('console=ttyS0 dyndbg="file a +p" -- single'),
        marks=(("rc-scripts", "^rc"), ("application", "app\x7f")),
        check=Check(console=("sum=(\\d+)",)),
        limits=Limits(virtual_s=9, wall_s=99.5),
        application="/bin/app",
    )  # fmt: skip


def test_what_is_handed_over_loads_as_the_same_system(everything, tmp_path):
    started = launch_of(everything, Parts(emulator="qemu", kernel=str(tmp_path / "k"), initramfs=None, accel="tcg"))
    plan = BootPlan(
        system=everything,
        purpose="timing",
        launch=started,
        key="k",
        info=KernelInfo(),
        sizes_bytes={},
        sha256={},
    )
    faster = hand_over(tmp_path / "run", everything, plan)
    again = load(faster.files["system"])
    expected = msgspec.structs.replace(
        everything,
        name="everything-stacked",
        path=again.path,
        kernel=msgspec.structs.replace(everything.kernel, image=faster.files["kernel"]),
    )
    assert again == expected
    assert (tmp_path / "run/faster/cmdline.txt").read_text() == f"{everything.cmdline}\n"
    assert (tmp_path / "run/faster/kernel").read_bytes() == b"kernel"


def test_every_field_of_the_machine_and_limits_survives(everything):
    text = system_toml(everything, {"kernel": "kernel", "initramfs": "initramfs.cpio.xz"})
    for table in (everything.machine, everything.limits):
        default = type(table)()
        changed = [f for f in table.__struct_fields__ if getattr(table, f) != getattr(default, f)]
        assert all(f"\n{field} = " in text for field in changed)
    packed = msgspec.structs.replace(everything, initramfs=Initramfs(compression="xz", level=3, keep=("/a",)))
    text = system_toml(packed, {"kernel": "kernel", "initramfs": "/x/initramfs.cpio.xz"})
    assert 'archive = "initramfs.cpio.xz"\n' in text
    # It boots as the file it is, which naming its compression would change.
    assert "compression" not in text
    assert 'keep = ["/a"]' in text


def test_a_uefi_is_handed_over_where_the_kernel_is_its_program(everything, tmp_path):
    firmware = tmp_path / "OVMF$.fd"
    firmware.write_bytes(b"firmware")
    with_uefi = msgspec.structs.replace(everything, loader=Loader(uefi=str(firmware), start="stub"))
    place = tmp_path / "system.toml"
    place.write_text(system_toml(with_uefi, {"kernel": "k"}), encoding="utf-8")
    (tmp_path / "kernel").write_bytes(b"kernel")
    assert load(place).loader == with_uefi.loader
    menu = msgspec.structs.replace(with_uefi.loader, start="menu", program="systemd-boot.efi")
    text = system_toml(msgspec.structs.replace(with_uefi, loader=menu), {"kernel": "k", "card": "card.disk"})
    assert "card" not in text


def test_the_script_boots_without_bootlab(everything, tmp_path):
    parts = Parts(
        emulator="echo", kernel=str(tmp_path / "k"), initramfs=str(tmp_path / "i.gz"), accel="tcg", plugin="/p.so"
    )
    started = launch_of(msgspec.structs.replace(everything, clock=Clockwork()), parts)
    plan = BootPlan(
        system=everything,
        purpose="timing",
        launch=started,
        key="k",
        info=KernelInfo(),
        sizes_bytes={},
        sha256={},
    )
    faster = hand_over(tmp_path / "r u n", everything, plan)
    assert os.access(faster.files["script"], os.X_OK)
    done = subprocess.run([faster.files["script"]], capture_output=True, text=True, check=True)
    words = done.stdout
    assert "-plugin" not in words
    assert "console.log" not in words
    assert "-chardev stdio,id=console,signal=on -serial chardev:console" in words
    assert "-kernel kernel -initrd initramfs.cpio.gz" in words
    assert '-append console=ttyS0 dyndbg="file a +p" bootlab.early=" nokaslr " -- single' in words


def test_a_distribution_s_system_takes_its_plugin_along(everything, tmp_path):
    for name in ("k", "initrd.img-6.12.118+deb13-arm64", "devices.so"):
        (tmp_path / name).write_bytes(b"bytes")
    initrd = str(tmp_path / "initrd.img-6.12.118+deb13-arm64")
    parts = Parts(emulator="echo", kernel=str(tmp_path / "k"), initramfs=initrd, accel="tcg", plugin="/p.so")
    loaded = LoadedPlugin(file=str(tmp_path / "devices.so"), carried_as=DEVICES_PLUGIN)
    started = launch_of(msgspec.structs.replace(everything, clock=Clockwork()), parts).with_plugin(loaded)
    plan = BootPlan(
        system=everything, purpose="timing", launch=started, key="k", info=KernelInfo(), sizes_bytes={}, sha256={}
    )
    script = Path(hand_over(tmp_path / "run", everything, plan).files["script"])
    words = subprocess.run([script], capture_output=True, text=True, check=True).stdout
    assert f"-plugin ./{DEVICES_PLUGIN} " in words
    assert (script.parent / DEVICES_PLUGIN).read_bytes() == b"bytes"
    assert "-initrd initramfs.cpio " in words, "the end of a version packs nothing"
    assert f"# {DEVICES_PLUGIN} beside this script" in script.read_text()


@pytest.mark.parametrize("mode", ["parallel", "shared"])
def test_the_script_of_several_processors_says_what_it_needs(everything, tmp_path, mode):
    (tmp_path / "cache").mkdir()
    built = tmp_path / "cache" / "smp.so"
    built.write_bytes(b"plugin")
    clock = Clockwork(processors=mode)
    system = msgspec.structs.replace(everything, clock=clock, machine=Machine(memory_mib=64, cpus=4))
    loaded = (
        LoadedPlugin(file=str(built), arguments=("quantum=5000",), carried_as="qemu-smp.so")
        if mode == "parallel"
        else None
    )
    parts = Parts(
        emulator="echo",
        kernel=str(tmp_path / "k"),
        initramfs=None,
        accel="tcg",
        plugin="/p.so",
        processors_plugin=loaded,
    )
    plan = BootPlan(
        system=system,
        purpose="timing",
        launch=launch_of(system, parts),
        key="k",
        info=KernelInfo(),
        sizes_bytes={},
        sha256={},
        processors=system.processors,
    )
    script = Path(hand_over(tmp_path / "run", system, plan).files["script"])
    text, words = script.read_text(), subprocess.run([script], capture_output=True, text=True, check=True).stdout
    assert "-smp 4" in words
    assert str(tmp_path) not in text
    if mode == "parallel":
        assert "-plugin ./qemu-smp.so,quantum=5000 " in words
        assert (script.parent / "qemu-smp.so").read_bytes() == b"plugin"
        needs = f"needs QEMU 10 on a {platform.machine()} host and qemu-smp.so beside"
        assert f"# 4 processors, parallel, quantum 5 us: {needs}" in text
    else:
        assert "-plugin" not in words
        assert "# 4 processors, shared: needs QEMU 10.\n" in text


@pytest.mark.parametrize("own", ["console=ttyS0 quiet", "console=ttyS0 nokaslr quiet"])
def test_what_exact_mode_needs_is_not_handed_over_and_boots_all_the_same(everything, tmp_path, own):
    exact = msgspec.structs.replace(
        everything, clock=Clockwork(), cmdline=CommandLine.parse(own), machine=Machine(memory_mib=64)
    )
    parts = Parts(emulator="qemu", kernel=str(tmp_path / "k"), initramfs=None, accel="tcg")
    plan = BootPlan(
        system=exact,
        purpose="timing",
        launch=launch_of(exact, parts),
        key="k",
        info=KernelInfo(),
        sizes_bytes={},
        sha256={},
    )
    faster = hand_over(tmp_path / "run", exact, plan)
    assert faster.cmdline == own
    assert Path(faster.files["cmdline"]).read_text() == f"{own}\n"
    again = load(faster.files["system"])
    assert str(again.cmdline) == own
    # Booted again it is the same boot, word for word.
    assert launch_of(again, parts) == launch_of(exact, parts)
    script = Path(faster.files["script"]).read_text()
    assert "nokaslr" in script
    assert ("Exact mode adds to the kernel's command line: nokaslr" in script) == ("nokaslr" not in own)


def test_what_bootlab_put_on_media_is_copied_and_named(everything, tmp_path):
    for name in ("root.sd", "bank.bin", "k"):
        (tmp_path / name).write_bytes(name.encode())
    root, bank = str(tmp_path / "root.sd"), str(tmp_path / "bank.bin")
    machine = Machine(arch="arm", type="vexpress-a9", flash=(bank,))
    system = msgspec.structs.replace(everything, machine=machine, root=Root())
    placed = msgspec.structs.replace(system, machine=msgspec.structs.replace(system.machine, sd=root))
    started = launch_of(
        placed,
        Parts(emulator="qemu", kernel=str(tmp_path / "k"), initramfs=None, accel="tcg", root=root, start=bank),
    )
    assert [medium.holds for medium in started.media] == ["start", "root"]
    plan = BootPlan(
        system=system, purpose="timing", launch=started, key="k", info=KernelInfo(), sizes_bytes={}, sha256={}
    )
    faster = hand_over(tmp_path / "run", system, plan)
    assert Path(faster.files["root"]).read_bytes() == b"root.sd"
    assert Path(faster.files["start"]).read_bytes() == b"bank.bin"
    script = Path(faster.files["script"]).read_text()
    assert str(tmp_path) not in script
    assert "-drive file=root.sd,format=raw,if=sd,snapshot=on,index=0" in script
    assert "-drive file=start.bin,format=raw,if=pflash,snapshot=on,unit=0" in script


def test_a_boot_loader_that_the_emulator_starts_is_handed_over_with_its_parts(everything, tmp_path):
    for name in ("u-boot.bin", "virt.dtb", "k.uimage", "i"):
        (tmp_path / name).write_bytes(name.encode())
    memory = (InMemory(file=str(tmp_path / "k.uimage"), address=0x1000), InMemory(file=str(tmp_path / "i"), address=1))
    first = LoadedFirst(
        file=str(tmp_path / "u-boot.bin"), instead_of="kernel", dtb=str(tmp_path / "virt.dtb"), memory=memory
    )
    machine = Machine(arch="riscv64", type="virt")
    system = msgspec.structs.replace(everything, machine=machine, kernel=Kernel(image=str(tmp_path / "i")))
    started = launch_of(system, Parts(emulator="qemu", kernel=None, initramfs=None, accel="tcg", loader=first))
    plan = BootPlan(
        system=system, purpose="timing", launch=started, key="k", info=KernelInfo(), sizes_bytes={}, sha256={}
    )
    faster = hand_over(tmp_path / "run", system, plan)
    script = Path(faster.files["script"]).read_text()
    assert str(tmp_path) not in script
    assert "-kernel loader.bin" in script
    assert "-dtb loader1.dtb" in script
    assert "loader,file=loader2.uimage,addr=0x1000,force-raw=on" in script
    assert (Path(faster.folder) / "loader3").read_bytes() == b"i"


def test_a_recording_that_is_played_leaves_no_images(everything, tmp_path):
    plan = BootPlan(system=everything, purpose="timing", key="k", info=KernelInfo(), sizes_bytes={}, sha256={})
    faster = hand_over(tmp_path / "run", everything, plan)
    assert sorted(faster.files) == ["cmdline", "system"]
    assert not (tmp_path / "run/faster/boot.sh").exists()
