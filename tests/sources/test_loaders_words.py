# SPDX-License-Identifier: MIT
"""What loaders set and start by themselves: GRUB's folder of a file, empty variables, U-Boot as kernel8.img."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.formats.partitions import Partition
from bootlab.formats.superblock import FileSystem
from bootlab.model.fstab import MountLine
from bootlab.sources import boot_entries, sysupgrade
from bootlab.sources.facts import BootEntry, DiskFacts, MappedLine, PartitionFacts, RootFacts, SourceFacts
from bootlab.sources.medium import BootMedium
from bootlab.sources.menus import uboot_kept
from bootlab.sources.menus.extlinux import parse_extlinux
from bootlab.sources.menus.grub import parse_grub
from bootlab.sources.menus.grub_machine import GrubMachine
from bootlab.systemfile.mount_notes import mount_notes

KERNEL = bytes(0x202) + b"HdrS" + bytes(0x1000)
SAVED = """
if [ -f ${config_directory}/grubenv ]; then
  load_env -f ${config_directory}/grubenv
fi
set default="${saved_entry}"
set tuned_initrd=""
blscfg
"""


def view_of(folder: Path, files: dict[str, bytes]) -> FileView:
    """Write files, and look at them."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return FileView(FolderFiles(folder))


def test_grub_takes_the_saved_entry_of_the_block_beside_its_menu():
    block = "# GRUB Environment Block\nsaved_entry=abc-5.1\n"
    own = [
        (f"abc-5.{number}", BootEntry(title=f"5.{number}", kernel=f"/k-5.{number}", initrds=("/i", "/$tuned_initrd")))
        for number in (2, 1)
    ]
    reads = {"/boot/grub2/grubenv": block}.get
    entries = parse_grub(SAVED, "/boot/grub2/grub.cfg", reads, {}, tuple(own))
    (taken,) = [entry for entry in entries if entry.default]
    assert (taken.title, taken.initrds, taken.notes) == ("5.1", ("/i",), ())


def test_a_variable_of_an_entry_that_nothing_sets_is_said_and_is_no_file():
    own = BootEntry(title="a", kernel="/k", initrds=("/boot/i", "/boot/$more"))
    (entry,) = parse_grub("blscfg", "/boot/grub2/grub.cfg", specified=(("a", own),))
    assert entry.initrds == ("/boot/i",)
    assert "$more" in entry.notes[0]
    (entry,) = parse_grub('more="/x.img y.img"\nblscfg', "/boot/grub2/grub.cfg", specified=(("a", own),))
    assert (entry.initrds, entry.notes) == (("/boot/i", "/boot/x.img", "/boot/y.img"), ())


def test_grub_s_menu_in_pieces_below_the_folder_of_each_file(tmp_path):
    pieces = {
        "boot/grub/parts/10-all.cfg": b"for f in ${config_directory}/more/*.cfg; do source $f; done\ndefault=second",
        "boot/grub/parts/more/1.cfg": b"menuentry one --id first {\n linux /k1 a\n}",
        "boot/grub/parts/more/2.cfg": b"menuentry two --id second {\n linux /k2 b\n}",
    }
    view = view_of(tmp_path, pieces)
    text = "for f in ${prefix}/parts/*.cfg; do source $f; done"
    entries = parse_grub(text, "/boot/grub/grub.cfg", view.text, machine=GrubMachine(view))
    assert [(entry.title, entry.cmdline, entry.default) for entry in entries] == [
        ("one", "a", False),
        ("two", "b", True),
    ]


@pytest.mark.parametrize(("source", "title"), [("/isolinux/isolinux.cfg", "live"), ("/syslinux/syslinux.cfg", "disk")])
def test_syslinux_goes_on_by_its_variant_and_from_the_folder_that_is_given(source: str, title: str):
    files = {
        "/sys/a.cfg": "DEFAULT w\nLABEL w\nCOM32 b/whichsys.c32\nAPPEND -pxe- p -sys- d -iso- l\n"
        "LABEL d\nCONFIG b/disk.cfg\nLABEL l\nCONFIG b/live.cfg\n",
        "/sys/b/disk.cfg": "LABEL disk\nLINUX b/k\nINITRD b/i,b/j\nAPPEND x\n",
        "/sys/b/live.cfg": "LABEL live\nLINUX b/k\nINITRD b/i,b/j\nAPPEND x\n",
    }
    (entry,) = parse_extlinux("DEFAULT c\nLABEL c\nCONFIG /sys/a.cfg\nAPPEND /sys/\n", source, reads=files.get)
    assert (entry.title, entry.kernel, entry.initrds) == (title, "/sys/b/k", ("/sys/b/i", "/sys/b/j"))


def test_a_line_with_an_initrd_only_is_an_empty_line_that_is_known():
    (known,) = parse_extlinux("LABEL a\n KERNEL /k\n APPEND initrd=/i\n", "/syslinux/syslinux.cfg")
    (unknown,) = parse_extlinux("LABEL a\n KERNEL /k\n INITRD /i\n", "/extlinux/extlinux.conf")
    assert (known.cmdline, known.says_line, unknown.says_line) == ("", True, False)


def _disk(*systems: FileSystem | None) -> DiskFacts:
    parts = tuple(
        PartitionFacts(partition=Partition(number=n, start_bytes=n << 20, size_bytes=1 << 20), file_system=system)
        for n, system in enumerate(systems, 1)
    )
    return DiskFacts(path=Path("d.img"), form="raw", size_bytes=8 << 20, table="gpt", partitions=parts, root=1)


@pytest.mark.parametrize(
    ("device", "mapped", "said"),
    [
        ("/dev/mapper/swap0", MappedLine("swap0", "UUID=22", "/dev/urandom"), ""),
        ("/dev/mapper/swap0", MappedLine("swap0", "UUID=99", "/dev/urandom"), "crypttab makes it of UUID=99"),
        ("/dev/mapper/swap0", MappedLine("swap0", "UUID=22", "none"), "passphrase"),
        ("/dev/mapper/other", MappedLine("swap0", "UUID=22"), "neither /etc/crypttab nor a partition"),
        ("/dev/zram0", MappedLine("swap0", "UUID=22"), ""),
        ("UUID=22", MappedLine("swap0", "UUID=22"), ""),
        ("UUID=77", MappedLine("swap0", "UUID=22"), "systemd waits 90 s"),
    ],
)
def test_systemd_waits_for_no_device_that_a_program_makes(device: str, mapped: MappedLine, said: str):
    root = RootFacts(init_kind="systemd", mounts=(MountLine(device, "none", "swap"),), mapped=(mapped,))
    disk = _disk(FileSystem(fstype="ext4", uuid="11"), FileSystem(fstype="swap", uuid="22"))
    notes = mount_notes(SourceFacts(source=Path("d.img"), what="", root=root, disk=disk))
    assert (said in notes[0]) if said else not notes
    assert not notes or ("waits 90" in notes[0]) == device.startswith("UUID")


def test_a_mark_that_may_lie_inside_of_a_partition_is_not_said_to_be_lacking():
    root = RootFacts(init_kind="systemd", mounts=(MountLine("UUID=77", "/srv", "ext4"),))
    disk = _disk(FileSystem(fstype="ext4", uuid="11"), FileSystem(fstype="LVM2_member", uuid="22"))
    (note,) = mount_notes(SourceFacts(source=Path("d.img"), what="", root=root, disk=disk))
    assert "partition 2" in note
    assert "waits" not in note


FIRMWARE = {
    "boot/start4.elf": b"x",
    "boot/config.txt": b"dtoverlay=one,a=b\ndtoverlay=two\n",
    "boot/cmdline.txt": b"root=/dev/mmcblk0p2 quiet\n",
    "boot/bcm2711-rpi-4-b.dtb": b"t",
    "boot/bcm2710-rpi-3-b.dtb": b"t",
}


def test_the_firmware_s_overlays_and_the_trees_of_other_models_are_listed(tmp_path):
    entry = boot_entries.read(view_of(tmp_path, FIRMWARE | {"boot/kernel8.img": KERNEL}))[0]
    assert entry.overlays == ("one,a=b", "two")
    assert any("bcm2710-rpi-3-b.dtb (Raspberry Pi 3)" in note for note in entry.notes)


@pytest.mark.parametrize("loader", [b"\x01\x02" + b"U-Boot 2031.04 (made up)" + bytes(99), b"\xff" * 5000])
def test_a_loader_under_a_kernel_s_name_hands_over_the_firmware_s_line_and_tree(tmp_path, loader: bytes):
    script = (
        b"fdt addr ${fdt_addr} && fdt get value bootargs /chosen bootargs\n"
        b"load mmc 0:1 ${kernel_addr_r} Image\nbooti ${kernel_addr_r} - ${fdt_addr}\n"
    )
    files = FIRMWARE | {"boot/kernel8.img": loader, "boot/boot.scr": script, "boot/Image": KERNEL}
    entry = boot_entries.read(view_of(tmp_path, files))[0]
    assert (entry.kernel, entry.cmdline) == ("/boot/Image", "root=/dev/mmcblk0p2 quiet")
    assert (entry.device_tree, entry.overlays) == ("/boot/bcm2711-rpi-4-b.dtb", ("one,a=b", "two"))
    assert any("taken for U-Boot" in note for note in entry.notes)


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size_bytes = len(data)

    def read(self, offset: int, count: int) -> bytes:
        return self._data[offset : offset + count]


def test_the_environment_that_u_boot_was_built_with_boots_what_no_menu_names(tmp_path):
    variables = {
        "bootcmd": "run args; load mmc 1:1 ${loadaddr} Image; booti ${loadaddr} - ${fdt_addr_r}",
        "args": "setenv bootargs console=${console} root=${root}",
        "console": "ttyX0",
        "root": "/dev/mmcblk1p2 rw",
        "baudrate": "115200",
    }
    data = b"\xffcode\0" + b"".join(f"{name}={value}\0".encode() for name, value in variables.items()) + b"\0more"
    files = view_of(tmp_path, {"Image": KERNEL})
    part = PartitionFacts(
        partition=Partition(number=1, start_bytes=4096, size_bytes=4096),
        file_system=FileSystem(fstype="vfat"),
        is_read=True,
    )
    medium = BootMedium(_Bytes(data + bytes(9000)), (part,), {1: files})
    assert uboot_kept.built_in(medium) == (variables, 6)
    view = FileView(FolderFiles(tmp_path))
    medium.show_in(view)
    entry = boot_entries.read(view, medium)[0]
    assert (entry.cmdline, entry.source) == (
        "console=ttyX0 root=/dev/mmcblk1p2 rw",
        "U-Boot's own environment (at byte 6)",
    )


def _archive(path: Path, names: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        folder = tarfile.TarInfo(next(iter(names)).rpartition("/")[0])
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in names.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def test_the_parts_of_a_router_s_update(tmp_path):
    parts = {"sysupgrade-some_board/CONTROL": b"BOARD=some", "sysupgrade-some_board/kernel": b"k"}
    path = _archive(tmp_path / "a.bin", parts | {"sysupgrade-some_board/root": b"r"})
    assert path.read_bytes().startswith(sysupgrade.STARTS)
    found = sysupgrade.unpacked(path, tmp_path / "kept")
    assert found is not None
    assert found.root is not None
    assert (found.kernel.read_bytes(), found.root.read_bytes()) == (b"k", b"r")
    assert sysupgrade.unpacked(_archive(tmp_path / "b.tar", {"rootfs/kernel": b"k"}), tmp_path / "kept") is None
    # Not by extractall: Debian 12's Python (3.11.2) has no filter for it, and later ones warn without.
    for name, data in (parts | {"sysupgrade-some_board/root": b"r"}).items():
        file = tmp_path / "out" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    for folder in (tmp_path / "out", tmp_path / "out/sysupgrade-some_board"):
        assert sysupgrade.in_folder(folder) is not None
    assert sysupgrade.in_folder(tmp_path) is None
