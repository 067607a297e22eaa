# SPDX-License-Identifier: MIT
"""A new build held against the hand-over: what was applied is found, what was left out on purpose is missing."""

from __future__ import annotations

import io
import lzma
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from bootlab.api.deliver import Verified, verify
from bootlab.builders import cpio
from bootlab.cli.__main__ import app
from bootlab.deliver.evidence import HandOver
from bootlab.deliver.written import write
from bootlab.errors import Found
from bootlab.model.tree import Entry, FileTree
from tests.deliver.made import LINE, over
from tests.mini_kernel import mini_kernel
from tests.sources import images

OLD_LINE = "root=/dev/sda1 ro splash console=ttyS0"
OLD_CONFIG = 'CONFIG_DEBUG_INFO=y\nCONFIG_HZ=250\nCONFIG_NAME="x"\n'
needs_mke2fs = pytest.mark.skipif(
    shutil.which("mke2fs", path="/usr/sbin:/sbin:/usr/bin:/bin") is None, reason="no mke2fs here"
)


@pytest.fixture
def handed(tmp_path) -> tuple[HandOver, Path]:
    made = over()
    return made, write(made, tmp_path / "result")


def fates(found: Verified) -> dict[str, str]:
    return {change.change_id: change.fate for change in found.changes}


def sh(script: str, **environment: str) -> str:
    done = subprocess.run(
        ["sh", "-euc", script], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def merged(fragments: Iterator[Path]) -> str:
    """Return a configuration with fragments behind it, as merge_config.sh makes it."""
    values = dict(line.split("=", 1) for line in OLD_CONFIG.splitlines())
    for fragment in sorted(fragments):
        for line in fragment.read_text().splitlines():
            if line.startswith("# "):
                values.pop(line.split()[1], None)
            else:
                name, value = line.split("=", 1)
                values[name] = value
    # Debian's short files beside a kernel only say where the real ones are.
    return "#" * 1000 + "\n" + "".join(f"{name}={value}\n" for name, value in values.items())


def archive(place: Path, *, with_floppy: bool = False) -> None:
    files = {"/init": Entry(kind="file", text="#!/bin/sh\n"), "/scripts/local": Entry(kind="dir")}
    if with_floppy:
        files["/lib/modules/6.1/kernel/floppy.ko"] = Entry(kind="file", text="x")
    out = io.BytesIO()
    cpio.write(FileTree.of(files), out)
    place.write_bytes(lzma.compress(out.getvalue(), check=lzma.CHECK_CRC32))


def grub_line(folder: Path) -> str:
    script = 'GRUB_CMDLINE_LINUX="ro splash console=ttyS0"; GRUB_CMDLINE_LINUX_DEFAULT=\n'
    script += "".join(f". '{path}'\n" for path in sorted(folder.glob("etc/default/grub.d/*.cfg")))
    return "root=/dev/sda1 " + sh(f'{script}echo "$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT"')


def debian(folder: Path, handed: Path) -> Path:
    """Apply Debian's folder to a root tree, and make its boot files as update-grub and update-initramfs would."""
    root = images.root_tree(folder)
    mini_kernel(root / "boot/vmlinuz-6.1.0-1-amd64", "x")
    shutil.copytree(handed / "debian/etc", root / "etc", symlinks=True, dirs_exist_ok=True)
    (root / "boot/config-6.1.0-1-amd64").write_text(merged((handed / "debian/kernel").glob("*.config")))
    grub = root / "boot/grub/grub.cfg"
    grub.write_text(grub.read_text().replace("root=/dev/sda1 ro  quiet", grub_line(root)))
    archive(root / "boot/initrd.img-6.1.0-1-amd64")
    return root


def test_debian_s_tree_has_what_its_folder_says(tmp_path, handed):
    made, folder = handed
    found = verify([debian(tmp_path / "root", folder)], folder, cache=tmp_path / "cache")
    assert fates(found) == {
        "quiet": "found",
        "no-tracefs": "found",
        "no-slab-sysfs": "found",
        "small-kernel": "found",
        "patched": "unknown",
        "units": "found",
        "start-first": "missing",
        "trimmed": "found",
        "slim": "found",
        "packed": "found",
        "loader": "unknown",
        "firmware": "unknown",
    }
    (part,) = next(change for change in found.changes if change.change_id == "start-first").parts
    assert part.reason == "it is not there", "Debian's folder says that it does not carry it"
    assert len(found.changes) == len(made.changes)


@pytest.mark.parametrize("left_out", ["quiet", "no-slab-sysfs", "small-kernel", "units"])
def test_a_change_that_was_left_out_is_the_one_that_is_missing(tmp_path, handed, left_out):
    _, folder = handed
    for file in (folder / "debian").rglob("*"):
        in_the_unit = left_out == "units" and file.name == "10-early.conf"
        if file.is_file() and "patches" not in file.parts and (left_out in file.name or in_the_unit):
            file.unlink()
    found = verify([debian(tmp_path / "root", folder)], folder, cache=tmp_path / "cache")
    assert {name for name, fate in fates(found).items() if fate == "missing"} == {left_out, "start-first"}


def buildroot(folder: Path, handed: Path, *, post_build: bool = True) -> Path:
    """Apply Buildroot's folder to an output folder, as its make would."""
    target = folder / "target"
    for name in ("etc", "usr/share/doc", "usr/bin", "sbin"):
        (target / name).mkdir(parents=True)
    (target / "etc/motd").write_text("hello\n")
    (target / "sbin/init").symlink_to("../bin/busybox")
    shutil.copytree(handed / "buildroot/overlay", target, symlinks=True, dirs_exist_ok=True)
    if post_build:
        sh(str(handed / "buildroot/post-build.sh"), TARGET_DIR=str(target))
    (folder / "images").mkdir()
    (folder / "build/linux-6.1").mkdir(parents=True)
    (folder / "build/linux-6.1/.config").write_text(merged((handed / "buildroot/linux").glob("*.config")))
    (folder / ".config").write_text("BR2_x86_64=y\n")
    mini_kernel(folder / "images/bzImage", "x")
    archive(folder / "images/rootfs.cpio.xz")
    (folder / "images/start-qemu.sh").write_text(f'exec qemu-system-x86_64 -M pc -append "{LINE}"\n')
    return folder


def test_buildroot_s_output(tmp_path, handed):
    _, folder = handed
    found = fates(verify([buildroot(tmp_path / "output", folder)], folder, cache=tmp_path / "cache"))
    assert [name for name, fate in found.items() if fate != "found"] == ["patched", "loader", "firmware"]


def test_a_post_build_script_that_was_not_run_is_seen(tmp_path, handed):
    _, folder = handed
    found = verify([buildroot(tmp_path / "output", folder, post_build=False)], folder, cache=tmp_path / "cache")
    (change,) = found.of("missing")
    assert change.change_id == "trimmed"
    assert change.parts[0].reason == "still there: /usr/share/doc, /etc/motd"


def yocto(folder: Path, handed: Path, *, options: bool = True) -> Path:
    """Apply the layer to a deploy folder: its classes as BitBake runs them, its variables as BitBake joins them."""
    layer, root = handed / "yocto/meta-bootlab-result", folder / "root"
    for name in ("bin", "etc", "usr/share/doc", "usr/bin", "sbin", "lib"):
        (root / name).mkdir(parents=True)
    (root / "etc/motd").write_text("hello\n")
    (root / "bin/busybox").write_text("x")
    (root / "sbin/init").symlink_to("../bin/busybox")
    text = (layer / "classes/bootlab_root.bbclass").read_text()
    bodies = [part.partition("}\n")[0] for part in text.split(":append () {\n")[1:]]
    sh("\n".join(bodies), IMAGE_ROOTFS=str(root), BOOTLAB_LAYER=str(layer))
    words = OLD_LINE
    for line in (layer / "conf/bootlab.inc").read_text().splitlines():
        if line.startswith("QB_KERNEL_CMDLINE_APPEND:append"):
            words += line.split('"')[1]
    for line in (layer / "conf/bootlab.inc").read_text().splitlines():
        if line.startswith("QB_KERNEL_CMDLINE_APPEND:remove"):
            words = " ".join(word for word in words.split() if word != line.split('"')[1])
    deploy = folder / "deploy"
    deploy.mkdir()
    mini_kernel(deploy / "bzImage", "x")
    configs = (layer / "recipes-kernel/linux/files").glob("*.cfg")
    (deploy / "kernel-config-6.1").write_text(merged(configs if options else iter(())))
    images.ext(deploy / "image-qemux86-64.ext4", root, mib=4)
    (deploy / "image.manifest").write_text("busybox x86_64 1.36\n")
    (deploy / "image.qemuboot.conf").write_text(
        f"[config_bsp]\nqb_machine = -machine q35\nqb_kernel_cmdline_append = {words}\n"
    )
    return deploy


@needs_mke2fs
def test_yocto_s_deploy_folder(tmp_path, handed):
    _, folder = handed
    found = verify([yocto(tmp_path, folder)], folder, cache=tmp_path / "cache")
    unknown = ["patched", "slim", "packed", "loader", "firmware"]
    assert {name: fate for name, fate in fates(found).items() if fate != "found"} == dict.fromkeys(unknown, "unknown")
    assert found.changes[0].parts[0].what == "kernel parameter quiet"


@needs_mke2fs
def test_fragments_that_the_kernel_s_recipe_did_not_take_are_named(tmp_path, handed):
    _, folder = handed
    found = verify([yocto(tmp_path, folder, options=False)], folder, cache=tmp_path / "cache")
    (change,) = found.of("missing")
    assert change.parts[0].reason == 'DEBUG_INFO is y, not n, HZ is 250, not 100, NAME is x, not "a b"'


def systemd(folder: Path, handed: Path) -> Path:
    """Copy systemd's folder over a root tree, and write its boot entry as kernel-install would."""
    root = images.root_tree(folder)
    mini_kernel(root / "boot/vmlinuz-6.1.0-1-amd64", "x")
    shutil.copytree(handed / "systemd/etc", root / "etc", symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(root / "boot/grub")
    (root / "boot/loader/entries").mkdir(parents=True)
    line = (root / "etc/kernel/cmdline").read_text().strip()
    (root / "boot/loader/entries/6.1.conf").write_text(f"title x\nlinux /vmlinuz-6.1.0-1-amd64\noptions {line}\n")
    return root


def test_systemd_s_folder_and_a_drop_in_that_was_left_out(tmp_path, handed):
    _, folder = handed
    own = ("quiet", "no-tracefs", "no-slab-sysfs", "units")
    whole = fates(verify([systemd(tmp_path / "whole", folder)], folder, cache=tmp_path / "cache"))
    assert {name: whole[name] for name in own} == dict.fromkeys(own, "found")
    for file in (folder / "systemd").rglob("10-early.conf"):
        file.unlink()
    lacks = fates(verify([systemd(tmp_path / "lacks", folder)], folder, cache=tmp_path / "cache"))
    assert {name: fate for name, fate in lacks.items() if fate != whole[name]} == {"units": "missing"}


def test_a_kernel_s_tree_alone_tells_of_options_and_of_nothing_else(tmp_path, handed):
    _, folder = handed
    tree = tmp_path / "linux"
    (tree / "arch/x86/boot").mkdir(parents=True)
    mini_kernel(tree / "arch/x86/boot/bzImage", "x")
    for name in ("Kconfig", "Makefile"):
        (tree / name).write_text("")
    (tree / ".config").write_text(merged((folder / "kernel").glob("*.config")))
    found = verify([tree], folder, cache=tmp_path / "cache")
    assert [change.change_id for change in found.of("found")] == ["small-kernel"]
    assert not found.of("missing")


def test_the_built_in_command_line_counts(tmp_path, handed):
    _, folder = handed
    tree = tmp_path / "linux"
    (tree / "arch/x86/boot").mkdir(parents=True)
    mini_kernel(tree / "arch/x86/boot/bzImage", "x")
    for name in ("Kconfig", "Makefile"):
        (tree / name).write_text("")
    (tree / ".config").write_text(
        'CONFIG_X86=y\nCONFIG_CMDLINE_BOOL=y\nCONFIG_CMDLINE="quiet initcall_blacklist=one"\n'
    )
    found = fates(verify([tree], folder, cache=tmp_path / "cache"))
    assert (found["quiet"], found["no-tracefs"], found["no-slab-sysfs"]) == ("found", "found", "missing")


def test_the_verb_ends_with_what_it_found(tmp_path, handed, monkeypatch):
    _, folder = handed
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "cache"))
    root = debian(tmp_path / "root", folder)
    asked = CliRunner().invoke(app, ["verify", str(root), "--hand-over", str(folder)])
    assert asked.exit_code == Found.NOT_SO, asked.output
    assert "of 12 changes, 1 missing, 3 unknown, 8 found" in asked.output
    assert asked.output.index("start-first") < asked.output.index("firmware") < asked.output.index("quiet")
    told = CliRunner().invoke(app, ["verify", str(root), "--hand-over", str(folder), "--json"])
    document = msgspec.json.decode(told.stdout)
    assert document["format"] == "bootlab-verify"
    assert document["verified"]["changes"][0]["parts"][0]["fate"] == "found"


def test_one_that_has_all_passes(tmp_path):
    made = over("quiet", "small-kernel")
    made = msgspec.structs.replace(made, cmdline="root=/dev/sda1 ro console=ttyS0 quiet")
    folder = write(made, tmp_path / "result")
    root = debian(tmp_path / "root", folder)
    done = CliRunner().invoke(app, ["verify", str(root), "--hand-over", str(folder)])
    assert done.exit_code == 0, done.output
