# SPDX-License-Identifier: MIT
"""From sources to a system file: what is found, what is decided, and that the file loads."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import struct
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from bootlab.builders import cpio
from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.model.system import Machine
from bootlab.model.tree import Entry, FileTree
from bootlab.sources import boards
from bootlab.sources.boot_entries import parse_extlinux, parse_grub, parse_loader_entry
from bootlab.sources.facts import RootFacts, UnitFacts
from bootlab.sources.look import Looker
from bootlab.sources.merge import merged
from bootlab.systemfile import load, proposal
from bootlab.systemfile.goals import from_boot as goals_of
from bootlab.systemfile.printed import Printed
from bootlab.systemfile.proposal import propose
from bootlab.systemfile.written import written
from tests.mini_boards import mini_board_kernel
from tests.mini_kernel import mini_kernel
from tests.sources import images


def archive(path: Path, *modules: str) -> Path:
    entries = {f"/lib/modules/6.1.0/kernel/{name}.ko": Entry(kind="file", text="") for name in modules}
    entries |= {"/init": Entry(kind="file", text="x"), "/scripts/local": Entry(kind="file", text="x")}
    out = io.BytesIO()
    cpio.write(FileTree.of(entries), out)
    path.write_bytes(gzip.compress(out.getvalue()))
    return path


@pytest.fixture
def disk(tmp_path) -> Path:
    """A disk as distributions make them: GRUB, a kernel with its configuration, an initrd with a card's modules."""
    kernel = mini_kernel(tmp_path / "vmlinuz", "hello")
    root = images.root_tree(tmp_path / "root", kernel=kernel.read_bytes())
    options = ("EXT4_FS", "MMC", "MMC_BLOCK", "MMC_SDHCI", "MMC_SDHCI_PCI", "LIBNVDIMM", "ACPI_NFIT", "BLK_DEV_PMEM")
    (root / "boot/config-6.1.0-1-amd64").write_text(
        "".join(f"CONFIG_{name}=m\n" for name in options) + "# long\n" * 300
    )
    archive(root / "boot/initrd.img-6.1.0-1-amd64", "ext4", "mmc_core", "mmc_block", "sdhci", "sdhci-pci")
    return images.mbr(tmp_path / "disk.img", [(0x83, images.ext(tmp_path / "part", root, mib=8))])


def from_boot(lines, root, begin=0):
    """Return the goals of lines with their times."""
    return goals_of(Printed(tuple(text for text, _ in lines), lambda index, _: lines[index][1], begin), root)


def proposed(looker: Looker, *sources: Path):
    return propose(merged([looker.look(source) for source in sources]), "it")


def test_a_distribution_s_disk_becomes_a_system(tmp_path, looker, disk):
    found = proposed(looker, disk)
    assert found.root is not None
    assert (found.root.medium, found.root.partition, found.machine) == ("sd", 1, "q35")
    assert found.cmdline == "root=/dev/mmcblk0p1 ro quiet console=ttyS0,115200 systemd.show_status=1"
    assert "Test Linux 1" in found.what
    assert any("/dev/sdb1" in note and "90 s" in note for note in found.notes)
    (tmp_path / "it.toml").write_text(written(found, tmp_path))
    system = load(tmp_path / "it.toml", unpack_dir=tmp_path / "unpacked")
    assert system.root is not None
    assert system.root.image == str(disk)
    assert system.initramfs is not None
    assert system.initramfs.as_given is not None
    assert str(system.cmdline) == found.cmdline
    assert system.kernel.config == str(tmp_path / "kept/config-6.1.0-1-amd64")
    assert system.goal.console == "box login:"


def test_the_nvdimm_comes_first_where_its_drivers_are(looker, disk, tmp_path):
    early = archive(tmp_path / "initrd", "ext4", "libnvdimm", "nfit", "nd_pmem")
    found = proposed(looker, disk, early)
    assert found.root is not None
    assert found.root.medium == "pmem"
    assert "root=/dev/pmem0p1" in found.cmdline


def test_a_virtio_disk_comes_first_where_it_is_exact(monkeypatch, looker, disk, tmp_path):
    early = archive(
        tmp_path / "initrd", "ext4", "virtio_blk", "virtio_pci", "mmc_core", "mmc_block", "sdhci", "sdhci-pci"
    )
    monkeypatch.setattr(proposal, "_DISKS_ARE_EXACT", True)
    found = proposed(looker, disk, early)
    assert found.root is not None
    assert (found.root.medium, "root=/dev/vda1" in found.cmdline) == ("disk", True)
    assert not any("host's pace" in note for note in found.notes)
    monkeypatch.setattr(proposal, "_DISKS_ARE_EXACT", False)
    elsewhere = proposed(looker, disk, early)
    assert elsewhere.root is not None
    assert elsewhere.root.medium == "sd"


def test_a_root_without_drivers_is_said(looker, disk, tmp_path):
    found = proposed(looker, disk, archive(tmp_path / "initrd", "ext4"))
    assert any("no driver can mount the root" in note for note in found.notes)


def test_a_qcow2_is_the_disk_that_it_holds(tmp_path, looker, disk):
    whole = proposed(looker, disk)
    packed = proposed(looker, images.qcow2(tmp_path / "disk.qcow2", disk.read_bytes(), packed=True))
    assert packed.cmdline == whole.cmdline
    assert packed.kernel.read_bytes() == whole.kernel.read_bytes()


def test_a_tree_keeps_its_owners(tmp_path, looker, disk):
    found = proposed(looker, tmp_path / "root")
    assert found.root is not None
    assert found.root.tree == tmp_path / "root"
    text = written(found, tmp_path)
    assert 'owners = "kept"' in text
    assert 'dir = "root"' in text


def test_a_tree_s_file_capabilities_are_named(tmp_path, looker, disk):
    program = tmp_path / "root/usr/bin/ping"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_bytes(b"x")
    try:
        # CAP_NET_RAW, permitted and effective (include/uapi/linux/capability.h: vfs_cap_data).
        os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
    except OSError:
        pytest.skip("no right to set capabilities here")
    assert any(
        "/usr/bin/ping: file capabilities are left out" in note for note in proposed(looker, program.parents[2]).notes
    )


def board_files(folder: Path, node: images.Node = images.BOARD) -> tuple[Path, Path]:
    kernel = mini_board_kernel(folder / "zImage", Machine(arch="arm", type="vexpress-a9"), "x")
    blob = folder / "board.dtb"
    blob.write_bytes(images.device_tree(node))
    return kernel, blob


def test_the_machine_is_the_board_s(tmp_path, looker):
    found = proposed(looker, *board_files(tmp_path), archive(tmp_path / "rootfs.cpio.gz"))
    assert found.machine == "sabrelite"
    assert found.memory_mib == 1024
    assert found.cmdline == "console=ttymxc1 quiet"
    assert found.board.console_port == 1
    text = written(found, tmp_path)
    assert "console_port = 1" in text
    assert 'dtb = "board.dtb"' in text
    assert any("configuration" in note for note in found.unknown)


@pytest.mark.parametrize(
    ("compatible", "machine", "said"),
    [
        (["acme,panel", "fsl,imx6ul"], "mcimx6ul-evk", "the same chip or family"),
        (["acme,panel", "acme,chip"], "virt", "knows no QEMU machine for acme,panel"),
    ],
)
def test_a_board_that_qemu_has_not_gets_the_next_best(tmp_path, looker, compatible, machine, said):
    found = proposed(looker, *board_files(tmp_path, {**images.BOARD, "compatible": compatible}))
    assert found.machine == machine
    assert any(said in note for note in found.notes)
    if machine == "virt":
        assert found.dtb is None
        assert "console=ttyAMA0" in found.cmdline


def test_a_fit_image_gives_its_default_configuration(tmp_path, looker):
    kernel, blob = board_files(tmp_path)
    parts: images.Node = {
        "images": {
            "kernel-1": {"type": "kernel", "arch": "arm", "compression": "none", "data": kernel.read_bytes()},
            "fdt-1": {"type": "flat_dt", "data": blob.read_bytes()},
            "rd": {"type": "ramdisk", "data": archive(tmp_path / "rd").read_bytes()},
        },
        "configurations": {
            "default": "b",
            "a": {"kernel": "none"},
            "b": {"kernel": "kernel-1", "fdt": "fdt-1", "ramdisk": "rd"},
        },
    }
    fit = tmp_path / "fitImage"
    fit.write_bytes(images.device_tree(parts))
    found = proposed(looker, fit)
    assert found.machine == "sabrelite"
    assert found.initramfs is not None
    assert any("2 configurations" in note for note in found.notes)


def test_a_boot_log_gives_command_line_and_goal(tmp_path, looker):
    log = tmp_path / "boot.log"
    log.write_text(
        "U-Boot 2022\n[    0.000000] Linux version 5.0 (old)\n[    0.000000] Linux version 6.1.0 (gcc)\n"
        "[    0.000000] Kernel command line: console=ttymxc1,115200 lpj=3997696\n"
        "[    0.000000] Memory: 1010000K/1048576K available (x)\n[    1.000000] Run /init as init process\n"
        "Starting syslogd: OK\npanel: ready\n\nbox login: \n"
    )
    kernel, _ = board_files(tmp_path)
    found = proposed(looker, kernel, archive(tmp_path / "rd"), log)
    assert "lpj=3997696" in found.cmdline
    assert found.memory_mib == 1024
    assert found.goals.goal.pattern == "box login:"
    assert [name for name, _ in found.goals.marks] == ["rc-scripts"]


def test_a_log_is_known_in_every_form(tmp_path, looker):
    text = "[    0.000000] Linux version 6.1.0 (a@b) (aarch64-linux-gnu-gcc 12) #1\nKernel command line: lpj=5\n"
    for name, data in (
        ("plain.log", text.encode()),
        ("packed.gz", gzip.compress(text.encode())),
        ("packed.xz", lzma.compress(text.encode())),
        ("wide.txt", text.encode("utf-16")),
    ):
        (tmp_path / name).write_bytes(data)
        found = looker.look(tmp_path / name)
        assert found.log is not None, name
        assert (found.log.cmdline, found.log.arch) == ("lpj=5", "arm64"), name
    kernel, _ = board_files(tmp_path)
    other = proposed(looker, kernel, archive(tmp_path / "rd"), tmp_path / "plain.log")
    assert any("is a log of arm64, and the kernel is for arm" in note for note in other.notes)


def test_what_boots_nothing_is_refused_with_a_way_out(tmp_path, looker):
    _, blob = board_files(tmp_path)
    with pytest.raises(UserError, match="no kernel") as caught:
        proposed(looker, blob)
    assert "--from KERNEL" in caught.value.hint
    for name, data, said in (
        ("rubbish", b"\x01\x02\x03" * 99, "bootlab does not recognise"),
        ("empty", b"", "is empty"),
        ("root.tar", bytes(257) + b"ustar".ljust(300, b"\0"), "tar archive"),
        ("disk.vmdk", b"KDMV".ljust(600, b"\0"), "is a VMDK image, which bootlab does not boot"),
        ("disk.img.gz", gzip.compress(bytes(5000)), "initramfs"),
    ):
        (tmp_path / name).write_bytes(data)
        if name == "disk.img.gz":
            continue
        with pytest.raises(UserError, match=said):
            looker.look(tmp_path / name)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(UserError, match="is empty"):
        looker.look(tmp_path / "nothing")


def test_grub_s_menu():
    found = parse_grub(images.GRUB, "/boot/grub/grub.cfg")
    assert [entry.title for entry in found] == ["Test Linux", "Test Linux (recovery mode)"]
    assert found[0].default
    assert found[0].cmdline == "root=/dev/sda1 ro quiet"
    assert found[0].initrds == ("/boot/initrd.img-6.1.0-1-amd64",)
    second = parse_grub(images.GRUB.replace('default="0"', 'default="1"'), "")
    assert [entry.default for entry in second] == [False, True]


def test_extlinux_and_systemd_boot():
    text = (
        "DEFAULT b\nLABEL a\n KERNEL ../zImage\nLABEL b\n  LINUX /Image\n  FDT /dtb/x.dtb\n  INITRD /rd\n"
        "  APPEND root=/dev/mmcblk0p2 rw\n"
    )
    found = parse_extlinux(text, "/boot/extlinux/extlinux.conf")
    assert [entry.kernel for entry in found] == ["/boot/zImage", "/Image"]
    assert (found[1].default, found[1].device_tree, found[1].cmdline) == (True, "/dtb/x.dtb", "root=/dev/mmcblk0p2 rw")
    entry = parse_loader_entry("title T\nlinux /k\ninitrd /a\ninitrd /b\noptions root=X quiet\n", "e.conf", "/boot")
    assert entry is not None
    assert (entry.kernel, entry.initrds, entry.cmdline) == ("/boot/k", ("/boot/a", "/boot/b"), "root=X quiet")
    assert parse_loader_entry("title T\nefi /shell.efi\n", "e.conf") is None


def test_goals_of_a_boot():
    lines = [
        ("[    0.1] kernel", 1),
        ("Welcome to Test Linux!", 10),
        ("[  OK  ] Started cron.service.", 20),
        ("         Starting web.service - The web server...", 30),
        ("[  OK  ] Started web.service - The web server.", 40),
        ("[  OK  ] Reached target multi-user.target - Multi-User System.", 50),
        ("box login: [   13.026311] amba 1000f000.wdt: deferred probe pending", 60),
    ]
    found = from_boot(lines, RootFacts(units=(UnitFacts("web.service", "The web server"),)))
    assert found is not None
    assert (found.goal.pattern, found.goal.ns) == (r"Started web\.service", 40)
    assert "box login:" in [other.pattern for other in found.others]
    assert dict(found.marks)["application"].pattern == r"Starting web\.service"
    later = [*lines, ("         Starting check.service - Asks the server...", 70)]
    both = RootFacts(units=(UnitFacts("web.service", "The web server", "/usr/bin/web"), UnitFacts("check.service", "")))
    beside = from_boot(later, both)
    assert beside is not None
    assert dict(beside.marks)["application"].pattern == r"Starting web\.service", (
        "what starts behind the goal is not it"
    )
    assert beside.application == "/usr/bin/web"
    assert dict(found.marks)["units"].ns == 20
    assert "rc-scripts" not in dict(found.marks)
    coloured = [(text.replace("[  OK  ]", "[\x1b[0;32m  OK  \x1b[0m]"), ns) for text, ns in lines]
    again = from_boot(coloured, None)
    assert again is not None
    assert dict(again.marks)["units"].ns == 20
    plain = from_boot(lines, None)
    assert plain is not None
    assert plain.goal.pattern == "box login:"
    assert from_boot([("[    0.100000] only the kernel", 1)], None) is None


def test_every_board_can_be_asked_for():
    for row in boards.BOARDS:
        assert boards.of_machine(row.machine, row.arch) is row
        for name in row.compatible:
            assert boards.choose((name,), row.arch).board is row
        assert row.own_tree or row.compatible


@pytest.mark.telling("new")
def test_the_verb_writes_without_a_boot(tmp_path, disk):
    path = tmp_path / "server.toml"
    done = CliRunner().invoke(app, ["new", str(path), "--from", str(disk), "--no-boot", "--json"])
    assert done.exit_code == 0, done.output
    document = msgspec.json.decode(done.stdout)
    assert document["medium"] == "sd"
    assert document["goal_shown"] is False
    assert (tmp_path / "server.files/vmlinuz-6.1.0-1-amd64").is_file()
    again = CliRunner().invoke(app, ["new", str(path), "--from", str(disk), "--no-boot"])
    assert isinstance(again.exception, UserError)
    alone = CliRunner().invoke(app, ["new", str(tmp_path / "x.toml"), "--log", str(path)])
    assert isinstance(alone.exception, UserError)


def test_hostile_names_stay_in_comments(tmp_path, looker, disk):
    root = tmp_path / "root"
    (root / "etc/os-release").write_text('PRETTY_NAME="\x1b[31m\u202eevil\\n[goal]"\n')
    found = proposed(looker, root)
    text = written(found, tmp_path)
    assert "\x1b" not in text
    (tmp_path / "h.toml").write_text(text)
    load(tmp_path / "h.toml", unpack_dir=tmp_path / "unpacked")


def test_a_kernel_of_an_architecture_that_is_not_booted_is_said(tmp_path, looker):
    path = tmp_path / "vmlinux"
    path.write_bytes(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHI", 2, 21, 1).ljust(200, b"\0"))
    with pytest.raises(UserError):
        proposed(looker, path)


@pytest.mark.parametrize("said", ["Booting from ROM..", "Press F12\rBooting from Hard Disk..."])
def test_the_goal_has_none_of_the_firmwares_words(said):
    """SeaBIOS ends no line; where the kernel is quiet, the first words of user space stand behind its own."""
    found = from_boot([(f"{said}app: ready now", 5)], None)
    assert (found.goal.pattern, found.goal.ns) == ("app: ready now", 5)
    assert from_boot([(said, 5)], None) is None
