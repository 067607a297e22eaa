# SPDX-License-Identifier: MIT
"""`[kernel]` of a kernel that is built: what it becomes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.builders.artefacts import with_built_kernel
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import SystemFileError
from bootlab.model.change import Change
from bootlab.model.kernel_change import (
    AddKernelFragment,
    AddKernelPatch,
    SetKernelImage,
    SetKernelOptions,
    SetKernelVariables,
)
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import KernelBuild, SystemDescription
from bootlab.systemfile import load

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*/kernel.config"))


def read(folder: Path, kernel: str) -> SystemDescription:
    (folder / "a.config").write_text("CONFIG_A=y\n")
    (folder / "p.patch").write_text("--- a/x\n+++ b/x\n")
    (folder / "linux").mkdir(exist_ok=True)
    file = folder / "system.toml"
    file.write_text(f'name = "s"\n[kernel]\n{kernel}\n[goal]\nconsole = "x"\n')
    return load(file)


def test_everything_can_be_said(tmp_path: Path) -> None:
    build = read(
        tmp_path,
        """source = "linux"
        defconfig = "tiny_defconfig"
        config = ["a.config"]
        options = { SMP = false, CONFIG_HZ_100 = true, NR_CPUS = 4, LOCALVERSION = '"-x"' }
        patches = ["p.patch"]
        image = "vmlinux"
        variables = { KCFLAGS = "-g0" }
        compiler = "my-"
        device_tree = "b.dtb"
        embed_initramfs = true""",
    ).kernel.build
    assert build == KernelBuild(
        source=str(tmp_path / "linux"),
        base="tiny_defconfig",
        fragments=(str(tmp_path / "a.config"),),
        options=(("SMP", "n"), ("HZ_100", "y"), ("NR_CPUS", "4"), ("LOCALVERSION", '"-x"')),
        patches=(KernelPatch(name="p.patch", text="--- a/x\n+++ b/x\n"),),
        image="vmlinux",
        variables=(("KCFLAGS", "-g0"),),
        compiler="my-",
        device_tree="b.dtb",
        embed_initramfs=True,
    )


def test_a_file_without_its_place_is_named_with_the_way(tmp_path: Path) -> None:
    """The source has configurations of its own, which a bare name is looked for among."""
    with pytest.raises(SystemFileError, match="own configurations") as caught:
        read(tmp_path, 'source = "linux"\ndefconfig = "a.config"')
    assert 'defconfig = "./a.config"' in caught.value.hint
    build = read(tmp_path, 'source = "linux"\ndefconfig = "./a.config"').kernel.build
    assert build is not None
    assert build.base == str(tmp_path / "a.config")


def test_a_kernel_of_a_distribution_is_booted_until_a_change_asks_for_another(tmp_path: Path) -> None:
    (tmp_path / "vmlinuz").write_bytes(b"MZ")
    keys = 'source = "linux"\ndefconfig = "./a.config"\nprebuilt = "vmlinuz"\nmodules = false'
    system = read(tmp_path, keys)
    build = system.kernel.build
    assert build is not None
    assert (build.prebuilt, build.base) == (str(tmp_path / "vmlinuz"), str(tmp_path / "a.config"))
    booted = with_built_kernel(system, Cache(tmp_path / "cache"), KernelBuilder(Cache(tmp_path / "cache")))
    assert (booted.kernel.image, booted.kernel.config) == (build.prebuilt, build.base)
    changed = SetKernelOptions((("SMP", "n"),)).apply(system)
    assert changed.kernel.build is not None
    assert (changed.kernel.build.prebuilt, changed.kernel.build.modules) == (None, False)
    same = SetKernelImage().apply(system)
    assert same == system


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ("", "kernel.defconfig"),
        ('defconfig = "defconfig"', "kernel.defconfig"),
        ('defconfig = "./a.config"\npatches = ["p.patch"]', "kernel.patches"),
        ('defconfig = "./a.config"\nembed_initramfs = true', "kernel.embed_initramfs"),
    ],
)
def test_a_kernel_that_was_built_elsewhere_cannot_be_another(tmp_path: Path, more: str, where: str) -> None:
    (tmp_path / "vmlinuz").write_bytes(b"MZ")
    with pytest.raises(SystemFileError) as caught:
        read(tmp_path, f'source = "linux"\nprebuilt = "vmlinuz"\n{more}')
    assert caught.value.where == where


def test_modules_that_are_not_built_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(SystemFileError, match="cannot be loaded later"):
        read(tmp_path, 'source = "linux"\nmodules = false\nlate_modules_ms = 5')
    with pytest.raises(SystemFileError, match="no source is given"):
        read(tmp_path, 'image = "a.config"\nmodules = false')


def test_little_need_be_said(tmp_path: Path) -> None:
    assert read(tmp_path, 'source = "debian"').kernel.build == KernelBuild()
    one = read(tmp_path, 'source = "debian"\nconfig = "a.config"\ndefconfig = "./a.config"').kernel.build
    assert one == KernelBuild(base=str(tmp_path / "a.config"), fragments=(str(tmp_path / "a.config"),))


@pytest.mark.parametrize(
    ("kernel", "where", "message"),
    [
        ('image = "a.config"\noptions = { A = true }', "kernel.options", "no source is given"),
        ('image = "a.config"\nconfig = ["a.config"]', "kernel.config", "no source is given"),
        ('source = "debian"\nimage = "/boot/vmlinuz"', "kernel.image", "is a path"),
        ('source = "debian"\nsymbols = "a.config"', "kernel.symbols", "brings its own"),
        ('source = "nowhere"', "kernel.source", "no folder"),
        ('source = "debian"\nconfig = ["b.config"]', "kernel.config[0]", "no file"),
        ('source = "debian"\noptions = { "A B" = true }', "kernel.options", "option's name"),
    ],
)
def test_what_makes_no_sense_names_its_key(tmp_path: Path, kernel: str, where: str, message: str) -> None:
    with pytest.raises(SystemFileError, match=message) as caught:
        read(tmp_path, kernel)
    assert caught.value.where.startswith(where)


def test_changes_make_another_kernel(tmp_path: Path) -> None:
    system = read(tmp_path, 'source = "debian"\noptions = { SMP = true }')
    patch = KernelPatch(name="p", text="t")
    change = Change(
        technique="t",
        ops=(
            SetKernelOptions((("SMP", "n"), ("HZ_100", "y"))),
            AddKernelFragment("/f"),
            AddKernelPatch(patch),
            SetKernelVariables((("KCFLAGS", "-Os"),)),
            SetKernelImage("xipImage", embed_initramfs=True),
        ),
    )
    changed = change.apply(system)
    assert changed.kernel.build == KernelBuild(
        options=(("SMP", "y"),),
        changes=((("SMP", "n"), ("HZ_100", "y")),),
        fragments=("/f",),
        patches=(patch,),
        variables=(("KCFLAGS", "-Os"),),
        image="xipImage",
        embed_initramfs=True,
    )
    assert system.kernel.build == KernelBuild(options=(("SMP", "y"),))
    assert SetKernelOptions((("SMP", "n"),)).apply(changed) == changed
    image = read(tmp_path, 'image = "a.config"')
    assert change.apply(image) == image


@pytest.mark.parametrize("fragment", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_lab_systems_are_well_formed(fragment: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOOTLAB_BUSYBOX", "/bin/sh")
    monkeypatch.setenv("BOOTLAB_VIDEO", str(tmp_path))
    monkeypatch.setenv("BOOTLAB_KERNEL", "/bin/sh")
    monkeypatch.setenv("BOOTLAB_VEXPRESS", str(tmp_path))
    downloaded = (
        "sample.mp4", "ffmpeg.tar", "video/sample.mp4", "video/ffmpeg.tar", "debian/x", "root/x", "kernel/config",
        "kernel/vmlinuz", "kernel/dtbs/vexpress-v2p-ca9.dtb",
    )  # fmt: skip
    for name in downloaded:
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(b"")
    system = load(fragment.with_name("system.toml"))
    assert system.name == fragment.parent.name
    assert system.kernel.build is not None
    assert system.kernel.build.fragments[-1] == str(fragment)
    if Path(system.kernel.build.base).is_relative_to(tmp_path):
        # The configuration of a package: what a boot of it tells counts.
        return
    base = [system.kernel.build.base] if system.kernel.build.base.startswith("/") else []
    lines = [line for path in [*base, *system.kernel.build.fragments] for line in Path(path).read_text().splitlines()]
    # Otherwise exact mode loses ticks while the processor is idle.
    assert "CONFIG_HIGH_RES_TIMERS=y" in lines
    assert {"CONFIG_NO_HZ_IDLE=y", "CONFIG_NO_HZ_FULL=y"} & set(lines)
