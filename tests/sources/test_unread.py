# SPDX-License-Identifier: MIT
"""File systems that bootlab does not read, roots inside other files, boards' settings: nothing false, and a way on."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from benchmarks.first_contact_images import kernel, with_files

from bootlab.builders.cache import Cache
from bootlab.builders.images import tool
from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.superblock import identify
from bootlab.sources import raw_flash
from bootlab.sources.facts import SourceFacts
from bootlab.sources.look import Looker
from bootlab.systemfile.proposal import SystemProposal, propose
from tests.sources import images

MIB = 1 << 20
SQUASHFS = b"hsqs".ljust(40, b"\1") + struct.pack("<Q", 4096) + bytes(4048)
EROFS = (bytes(1024) + b"\xe2\xe1\xf5\xe0").ljust(6 * MIB, b"\0")
BTRFS = (bytes(0x10000 + 64) + b"_BHRfS_M").ljust(6 * MIB, b"\0")


def zfs(pool: str) -> bytes:
    """Return the begin of a ZFS label: a list of names and values in XDR."""
    name = pool.encode()
    pairs = b"".join(
        struct.pack(">I", len(key)) + key + bytes(-len(key) % 4) for key in (b"version", b"pool_guid", b"vdev_tree")
    )
    text = struct.pack(">I", 4) + b"name" + struct.pack(">III", 9, 1, len(name)) + name + bytes(-len(name) % 4)
    return (bytes(0x4000) + b"\1\1\0\0" + text + pairs).ljust(6 * MIB, b"\0")


def looked(tmp_path: Path, *given: Path) -> SourceFacts:
    return Looker(tmp_path / "kept", Cache(tmp_path / "cache"), tmp_path / "store").all(list(given))


def proposed(tmp_path: Path, *given: Path) -> SystemProposal:
    return propose(looked(tmp_path, *given), "x")


def refused(tmp_path: Path, *given: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        proposed(tmp_path, *given)
    return caught.value


@pytest.mark.parametrize(
    ("data", "said", "way"),
    [
        (BTRFS, "bootlab does not read the files of btrfs", "mount -o ro ${disk}p1 /mnt (the default subvolume"),
        (zfs("tank-1"), "a pool of ZFS (tank-1)", "zpool import -N -o readonly=on -d ${disk}p1 tank-1"),
        (EROFS, "bootlab does not read the files of erofs", "mount -o ro ${disk}p1 /mnt"),
        (SQUASHFS.ljust(5 * MIB, b"\0"), "SquashFS file system is damaged", "mount -o ro ${disk}p1 /mnt"),
    ],
    ids=["btrfs", "zfs", "erofs", "damaged"],
)
def test_what_cannot_be_read_is_named_with_the_commands_that_open_it(tmp_path, monkeypatch, data, said, way):
    monkeypatch.setattr(tool, "path_of", lambda _: None)
    (tmp_path / "part").write_bytes(data)
    disk = images.mbr(tmp_path / "d.img", [(0x83, tmp_path / "part")])
    error = refused(tmp_path, disk)
    assert "no kernel was found in those parts that bootlab can read" in error.message
    assert said in error.message
    assert way in error.hint
    assert f"--from /mnt --from {disk}" in error.hint


def test_what_lies_behind_a_passphrase_may_be_a_group_of_volumes(tmp_path):
    (tmp_path / "part").write_bytes(b"LUKS\xba\xbe\0\1".ljust(6 * MIB, b"\0"))
    disk = images.mbr(tmp_path / "d.img", [(0x83, tmp_path / "part")])
    hint = refused(tmp_path, disk).hint or ""
    assert "cryptsetup open ${disk}p1 opened; lsblk -f /dev/mapper/opened" in hint
    assert "LVM: sudo vgchange -ay; sudo lvs names the root" in hint
    assert f"--from /mnt --from {disk}" in hint


def test_a_folder_with_kernels_somewhere_below_lists_them(tmp_path):
    top, own = tmp_path / "top", tmp_path / "top/opt/box/share"
    own.mkdir(parents=True)
    (own / "vmlinuz-7.1").write_bytes(kernel("own"))
    (own / "vmlinuz.guest").symlink_to("vmlinuz-7.1")
    (own / "guest.image").write_bytes(BTRFS)
    (top / "opt/box/guest.toml").write_text('kernel = "/opt/box/share/vmlinuz.guest"\n')
    error = refused(tmp_path, top)
    assert "opt/box/share/vmlinuz-7.1, opt/box/share/guest.image; opt/box/guest.toml names one" in error.message
    assert f"--from {own}/vmlinuz-7.1 --from {own}/guest.image;" in (error.hint or "")


def test_a_line_of_the_tree_in_a_fit_image_is_a_known_one(tmp_path):
    tree = images.device_tree({"model": "Box", "chosen": {"bootargs": "console=ttyS0 root=/dev/mmcblk0p2"}})
    parts = {
        "kernel-1": {"type": "kernel", "arch": "x86_64", "compression": "none", "data": kernel("own")},
        "fdt-1": {"type": "flat_dt", "data": tree},
    }
    image = images.device_tree(
        {"images": parts, "configurations": {"default": "c", "c": {"kernel": "kernel-1", "fdt": "fdt-1"}}}
    )
    root = images.root_tree(tmp_path / "root", systemd=False)
    (root / "boot/grub/grub.cfg").unlink()
    (root / "boot/image.ub").write_bytes(image)
    (root / "boot/boot.cmd").write_text("load mmc 0:1 ${loadaddr} /boot/image.ub\nbootm ${loadaddr}\n")
    found = proposed(tmp_path, images.mbr(tmp_path / "d.img", [(0x83, images.ext(tmp_path / "part", root, mib=8))]))
    assert found.board_cmdline == "console=ttyS0 root=/dev/mmcblk0p2"
    assert not any("not known: what was read" in note for note in found.notes)


def test_a_pool_without_a_name_is_one_too(tmp_path):
    (tmp_path / "part").write_bytes(zfs("").replace(b"name", b"none"))
    found = identify(RawFile(tmp_path / "part"))
    assert found is not None
    assert (found.fstype, found.label) == ("zfs_member", "")


def slots(tmp_path: Path) -> Path:
    """Make an EFI partition with GRUB's menu, and two slots of a kernel and a root each that cannot be read."""
    entry = "menuentry 'Slot {}' {{\n linux (hd0,gpt{})/bzImage root=PARTUUID={} rootwait slot={}\n}}\n"
    roots = {number: "-".join(f"{number:02x}" * count for count in (4, 2, 2, 2, 6)) for number in (3, 5)}
    menu = "set default=1\n" + entry.format("A", 2, roots[3], "A") + entry.format("B", 4, roots[5], "B")
    efi = images.ext(tmp_path / "efi", with_files(tmp_path / "tree", {"EFI/BOOT/grub.cfg": menu}))
    (tmp_path / "kernel").write_bytes(SQUASHFS)
    (tmp_path / "root").write_bytes(SQUASHFS.ljust(2 * MIB, b"\0"))
    others = [(b"k" * 16, "", tmp_path / "kernel"), (b"r" * 16, "", tmp_path / "root")]
    return images.gpt(tmp_path / "d.img", [(b"e" * 16, "boot", efi), *others, *others])


def test_a_menu_that_can_be_read_says_which_slot_and_line(tmp_path):
    disk = slots(tmp_path)
    error = refused(tmp_path, disk)
    assert "takes /bzImage of partition 4 (Slot B)" in error.message
    assert "slot=B" in error.message
    assert "mount -o ro ${disk}p4 /mnt" in error.hint
    assert f"--from /mnt/bzImage --from {disk}" in error.hint
    assert "initrd" not in error.hint


def test_the_kernel_that_was_taken_out_gets_the_menu_s_line_and_root(tmp_path):
    disk = slots(tmp_path)
    (tmp_path / "bzImage").write_bytes(kernel("taken"))
    found = proposed(tmp_path, tmp_path / "bzImage", disk)
    assert found.root is not None
    assert found.root.partition == 5
    assert found.cmdline.startswith("root=PARTUUID=05050505-0505-0505-0505-050505050505 rootwait slot=B")


def guest(folder: Path, kernel_name: str) -> str:
    return json.dumps({
        "boot-source": {"kernel_image_path": kernel_name, "boot_args": "console=ttyS0"},
        "drives": [{"drive_id": "r", "is_root_device": True, "is_read_only": True, "path_on_host": "r.ext4"}],
        "from": str(folder),
    })  # fmt: skip


def test_a_folder_with_a_guest_s_description_is_that_guest(tmp_path):
    folder = with_files(tmp_path / "vm", {"a.json": "{}", "vmlinux-1": kernel("a"), "vmlinux-2": kernel("b")})
    images.ext(folder / "r.ext4", images.root_tree(tmp_path / "tree", kernel=kernel("c")), mib=8)
    error = refused(tmp_path, folder)
    assert "vmlinux-1, vmlinux-2" in error.message
    assert f"--from {folder / 'vmlinux-1'} --from {folder / 'r.ext4'}" in error.hint
    (folder / "vm.json").write_text(guest(folder, "vmlinux-2"))
    found = proposed(tmp_path, folder)
    assert found.kernel.name == "vmlinux-2"
    assert found.board_cmdline == "console=ttyS0 root=/dev/vda ro"


@pytest.mark.parametrize("systemd", [True, False])
def test_only_systemd_waits_for_what_fstab_names(tmp_path, systemd):
    tree = images.root_tree(tmp_path / "tree", kernel=kernel("a"), systemd=systemd)
    found = proposed(tmp_path, images.ext(tmp_path / "d.img", tree, mib=8))
    (note,) = [note for note in found.notes if "fstab mounts /dev/sdb1" in note]
    assert ("systemd" in note) is systemd


def test_a_root_in_a_fit_image_is_its_root(tmp_path):
    part = {"type": "kernel", "arch": "arm64", "compression": "none", "data": kernel("fit", "arm64")}
    fit = images.device_tree({
        "images": {"k": part, "r": {"type": "filesystem", "compression": "none", "data": SQUASHFS}},
        "configurations": {"default": "c", "c": {"kernel": "k", "loadables": ["r"]}},
    })  # fmt: skip
    (tmp_path / "a.itb").write_bytes(fit)
    found = proposed(tmp_path, tmp_path / "a.itb")
    assert found.root is not None
    assert found.root.file_system == "squashfs"
    assert found.root.image is not None
    assert found.root.image.read_bytes() == SQUASHFS
    assert not any("user space" in line or "not used" in line for line in (*found.unknown, *found.notes))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            (
                "bootfile=zImage\nbootdir=\ndevtype=mmc\nbootpart=0:1\npart=mmcblk0p2\n"
                "args=setenv bootargs console=ttyS0 root=/dev/${part} rootwait\n"
                "uenvcmd=run args; run loadimage; run loadfdt; bootz ${loadaddr} - ${fdtaddr}\n"
            ),
            "console=ttyS0 root=/dev/mmcblk0p2 rootwait",
        ),
        ("bootargs=console=ttymxc1 root=/dev/mmcblk1p2 ro\n", "console=ttymxc1 root=/dev/mmcblk1p2 ro"),
        ("uenvcmd=run own\nargs=setenv bootargs root=/dev/sda1 ${more}; true\n", "root=/dev/sda1"),
    ],
    ids=["usual commands", "bootargs alone", "a command of the board's own"],
)
def test_uenv_txt_names_the_command_line(tmp_path, text, line):
    part = images.fat16(tmp_path / "boot", {"zImage": kernel("a", "arm"), "uEnv.txt": text.encode()}, clusters=9000)
    root = images.ext(tmp_path / "root", images.root_tree(tmp_path / "tree", systemd=False), mib=8)
    found = looked(tmp_path, images.mbr(tmp_path / "d.img", [(0x0C, part), (0x83, root)]))
    assert found.entry is not None
    assert found.entry.cmdline == line
    assert not any("not known" in note for note in found.notes)


def test_a_dump_of_flash_names_its_processor_and_what_lies_right_behind(tmp_path):
    head = bytearray(b"\x27\x05\x19\x56".ljust(64, b"\0"))
    struct.pack_into(">I", head, 12, 1000)
    head[28:32] = bytes([5, 5, 2, 3])
    head[32:45] = b"MIPS Linux-9\0"
    (tmp_path / "dump").write_bytes(bytes(8192) + bytes(head) + b"k" * 1000 + SQUASHFS + b"\xff" * 8192)
    error = raw_flash.refusal(tmp_path / "dump")
    assert error is not None
    assert "(MIPS Linux-9) at 8,192, a SquashFS file system at 9,256" in error.message
    assert "its kernel is for mips: not supported" in error.message
    assert "skip=9256 count=4096; unsquashfs unpacks part1.squashfs" in error.hint
