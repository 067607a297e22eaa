# SPDX-License-Identifier: MIT
"""Ways to start Linux that are no plain entry of a menu: several initrds, scripts, hypervisors, guests, image files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.first_contact_images import initrd, kernel, tree, with_files
from hypothesis import given
from hypothesis import strategies as st

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.formats.archive import unpacked
from bootlab.formats.disk_bytes import ByteSource
from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.formats.superblock import identify
from bootlab.model.cmdline import CommandLine
from bootlab.sources import guest_config, several_initrds
from bootlab.sources.facts import SourceFacts
from bootlab.sources.look import Looker
from bootlab.sources.menus import network
from bootlab.sources.menus.extlinux import parse_extlinux
from bootlab.sources.menus.grub import parse_grub
from bootlab.systemfile.loader import load
from bootlab.systemfile.proposal import propose
from bootlab.systemfile.written import written
from tests.examples import examples
from tests.sources import images


def looked(tmp_path: Path, *given: Path) -> SourceFacts:
    """Look at what is given."""
    return Looker(tmp_path / "kept", Cache(tmp_path / "cache"), tmp_path / "store").all(list(given))


def test_several_initrds_are_put_together_as_the_loader_does(tmp_path):
    menu = "DEFAULT a\nLABEL a\n LINUX /vmlinuz\n INITRD /core.gz,/apps.gz\n APPEND quiet\n"
    files = {"vmlinuz": kernel("taken"), "core.gz": initrd("core"), "apps.gz": initrd("apps") + b"\0"}
    part = images.ext(tmp_path / "p", with_files(tmp_path / "tree", files | {"extlinux/extlinux.conf": menu}))
    found = looked(tmp_path, images.mbr(tmp_path / "d.img", [(0x83, part)]))
    assert found.initramfs is not None
    names = set(dict(unpacked(found.initramfs.path, tmp_path / "store").tree.entries))
    assert {"/core", "/apps"} <= names
    assert any("/core.gz, /apps.gz" in note for note in found.notes)


def test_each_part_is_filled_up_to_four_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abcde")
    (tmp_path / "b").write_bytes(b"f")
    assert several_initrds.joined([tmp_path / "a", tmp_path / "b"]) == b"abcde\0\0\0f\0\0\0"


LABELS = "LABEL one\n KERNEL /a\nLABEL two\n KERNEL /b\nLABEL three\n KERNEL /c\n"


@pytest.mark.parametrize(
    ("said", "booted"),
    [
        ("DEFAULT two\n", "/b"),
        ("DEFAULT menu.c32\nONTIMEOUT three\n", "/c"),
        ("UI vesamenu.c32\nDEFAULT two\n", "/b"),
        ("DEFAULT menu.c32\n", "/a"),
        ("DEFAULT two\nPROMPT 0\nONTIMEOUT three\n", "/b"),
        ("DEFAULT two\nPROMPT 1\nONTIMEOUT three\n", "/c"),
        ("DEFAULT two\nDEFAULT three\n", "/c"),
    ],
)
def test_what_syslinux_boots_when_nobody_touches_a_key(said, booted):
    for text in (said + LABELS, LABELS + said):
        assert [entry.kernel for entry in parse_extlinux(text, "/syslinux.cfg") if entry.default] == [booted]


def test_a_menu_that_boots_the_local_disk_by_itself_is_said():
    text = "DEFAULT menu.c32\nONTIMEOUT disk\nLABEL disk\n LOCALBOOT 0\nLABEL net\n KERNEL /a\n APPEND b\n"
    (entry,) = parse_extlinux(text, "/pxelinux.cfg/default")
    assert entry.default
    assert "'disk', which starts no Linux" in entry.notes[0]


def test_a_servers_menu_takes_its_own_choice_first(tmp_path):
    menu = "DEFAULT menu.c32\nONTIMEOUT b\nLABEL a\n KERNEL k1\n APPEND a\nLABEL b\n KERNEL k2\n APPEND b\n"
    files = {"pxelinux.cfg/default": menu, "k1": kernel("one"), "k2": kernel("two")}
    found = network.entries(FileView(FolderFiles(with_files(tmp_path / "tftp", files))))
    assert [entry.kernel for entry in found] == ["/k2", "/k1"]


def test_so_is_an_entry_of_grub_that_starts_another_loader():
    text = "set default=1\nmenuentry 'L' {\n linux /a b\n}\nmenuentry 'Windows' {\n chainloader /EFI/w.efi\n}\n"
    (entry,) = parse_grub(text, "/boot/grub/grub.cfg")
    assert (entry.title, entry.default) == ("L", True)
    assert "'Windows', which starts no Linux" in entry.notes[0]


SCRIPT = """
function load { load_env --skip-sig --file ${prefix}/env1/env slot tries; }
load
if test "${tries}" = "1"; then slot=2; fi
root="hd0,gpt${slot}"
if linux (${root})/boot/vmlinuz root=/dev/sda${slot} quiet; then
    initrd (${root})/boot/initrd.img
    boot
fi
menuentry 'never' {
 linux /other x
}
"""


def test_a_script_of_grub_that_boots_without_a_menu():
    kept = "slot=3\ntries=1\nother=7\n"
    found = parse_grub(SCRIPT, "/EFI/BOOT/grub.cfg", {"/EFI/BOOT/env1/env": kept}.get)
    (entry,) = found
    assert (entry.kernel, entry.initrds) == ("/boot/vmlinuz", ("/boot/initrd.img",))
    assert (entry.cmdline, entry.partition, entry.default) == ("root=/dev/sda2 quiet", 2, True)


def test_only_the_variables_that_are_named_are_loaded():
    text = "load_env --file /env b\nmenuentry 'a' {\n linux /k a=$a b=$b\n}\n"
    (entry,) = parse_grub(text, "/grub.cfg", {"/env": "a=1\nb=2\n"}.get)
    assert entry.cmdline == "a= b=2"


def test_linux_below_a_hypervisor_is_taken_and_said():
    text = "menuentry 'X' {\n multiboot2 /xen.gz placeholder dom0_mem=512M\n"
    text += " module2 /vmlinuz placeholder root=/dev/sda1 ro\n"
    (entry,) = parse_grub(text + " module2 --nounzip /initrd\n}\n", "/boot/grub/grub.cfg")
    assert (entry.kernel, entry.initrds, entry.cmdline) == ("/vmlinuz", ("/initrd",), "root=/dev/sda1 ro")
    assert "hypervisor /xen.gz" in entry.notes[0]


def test_a_kernel_inside_an_image_file_is_refused_with_the_way(tmp_path):
    menu = "menuentry 'L' {\n set iso=/l.iso\n loopback loop $iso\n linux (loop)/live/vmlinuz boot=live\n}\n"
    tree = with_files(tmp_path / "part", {"boot/grub/grub.cfg": menu, "l.iso": b"x" * 4096})
    disk = images.mbr(tmp_path / "d.img", [(0x83, images.ext(tmp_path / "p", tree))])
    with pytest.raises(UserError, match=r"out of the image /l\.iso.*boot=live"):
        propose(looked(tmp_path, disk), "it")


def test_a_chromebooks_kernel_is_named():
    class Bytes(ByteSource):
        size_bytes = 4096

        def read(self, at: int, size: int) -> bytes:
            return (b"CHROMEOS" + bytes(4088))[at : at + size]

    found = identify(Bytes())
    assert found is not None
    assert found.fstype == "chromeos_kernel"


class TestGuests:
    """Configurations of virtual machines."""

    @pytest.fixture
    def files(self, tmp_path: Path) -> Path:
        """Return a folder with a kernel, an initrd and a root."""
        (tmp_path / "guest").mkdir()
        images.ext(tmp_path / "guest/root.ext4", tree(tmp_path / "root", {}, systemd=False))
        return with_files(tmp_path / "guest", {"vmlinuz": kernel("taken"), "early.gz": initrd("early")})

    def test_firecracker(self, files, tmp_path):
        config = {
            "boot-source": {"kernel_image_path": "vmlinuz", "boot_args": "console=ttyS0 pci=off"},
            "drives": [
                {"drive_id": "r", "path_on_host": "/srv/root.ext4", "is_root_device": True, "is_read_only": True}
            ],
            "machine-config": {"vcpu_count": 2, "mem_size_mib": 256},
        }
        (files / "vm.json").write_text(json.dumps(config))
        found = looked(tmp_path, files / "vm.json")
        assert found.entry is not None
        assert found.entry.cmdline == "console=ttyS0 pci=off root=/dev/vda ro"
        assert found.initramfs is None
        assert found.disk is not None
        assert any("256 MiB" in note for note in found.notes)
        line = propose(found, "it").cmdline
        assert "pci=off" not in line
        assert "root=/dev/vda" in line

    def test_cloud_hypervisor(self, files, tmp_path):
        config = {
            "payload": {"kernel": "vmlinuz", "initramfs": "early.gz", "cmdline": "a=b"},
            "disks": [{"path": "root.ext4"}],
        }
        (files / "vm.json").write_text(json.dumps(config))
        found = looked(tmp_path, files / "vm.json")
        assert found.entry is not None
        assert (found.entry.cmdline, found.initramfs is not None, found.disk is not None) == ("a=b", True, True)

    def test_libvirt(self, files, tmp_path):
        text = (
            "<?xml version='1.0'?>\n<!-- <kernel>no</kernel> -->\n<domain type='kvm'><os><kernel>vmlinuz</kernel>"
            "<initrd>early.gz</initrd><cmdline>root=/dev/vda quiet a=&quot;b c&quot;</cmdline></os><devices>"
            "<disk type='file' device='cdrom'><source file='no.iso'/></disk>"
            "<disk type='file' device='disk'><source file='root.ext4'/></disk></devices></domain>"
        )
        (files / "vm.xml").write_text(text)
        found = looked(tmp_path, files / "vm.xml")
        assert found.entry is not None
        assert found.entry.cmdline == 'root=/dev/vda quiet a="b c"'
        assert found.initramfs is not None
        assert found.disk is not None
        assert CommandLine.parse(found.entry.cmdline).value("root") == "/dev/vda"

    def test_a_file_that_is_not_there_is_named(self, tmp_path):
        (tmp_path / "vm.json").write_text('{"boot-source": {"kernel_image_path": "/srv/gone"}}')
        with pytest.raises(UserError, match="/srv/gone, which is not there"):
            looked(tmp_path, tmp_path / "vm.json")

    @examples(200)
    @given(st.text(max_size=200))
    def test_any_text_is_read(self, tmp_path_factory, text):
        path = tmp_path_factory.getbasetemp() / "any.json"
        for start in ("", "{", '{"boot-source":', "<domain>"):
            path.write_text(start + text)
            guest_config.of(path)


def test_no_root_is_added_where_the_loaders_line_has_none_and_the_initrd_is_the_system(tmp_path):
    menu = "DEFAULT a\nLABEL a\n LINUX /vmlinuz\n INITRD /core.gz\n APPEND quiet\n"
    files = {"vmlinuz": kernel("taken"), "core.gz": initrd("core"), "extlinux/extlinux.conf": menu, "etc/x": ""}
    part = images.ext(tmp_path / "p", with_files(tree(tmp_path / "tree", {}, systemd=False), files))
    disk = images.mbr(tmp_path / "d.img", [(0x83, part)])
    proposal = propose(looked(tmp_path, disk), "it")
    assert "root=" not in proposal.cmdline
    assert any("no root= was added" in note for note in proposal.cmdline_notes)
    # What is written boots with the line that the loader has, too.
    (tmp_path / "it.toml").write_text(written(proposal, tmp_path))
    system = load(tmp_path / "it.toml")
    assert not system.cmdline.has("root")
    assert len(system.machine.disks) == 1


MENU = "DEFAULT b\nLABEL a\n LINUX vmlinuz\n APPEND wrong=1\nLABEL b\n LINUX {}\n INITRD {}\n APPEND hub=1\n"


@pytest.mark.parametrize(
    "place", ["extlinux/extlinux.conf", "extlinux.conf", "syslinux.cfg", "boot/extlinux/extlinux.conf"]
)
def test_a_menu_beside_the_kernel_in_a_plain_folder_is_read(tmp_path, place):
    files = {"vmlinuz": kernel("old"), "vmlinuz-2": kernel("taken"), "b.gz": initrd("b"), "initrd.gz": initrd("a")}
    folder = with_files(tmp_path / "f", files | {place: MENU.format("/vmlinuz-2", "/b.gz")})
    found = looked(tmp_path, folder)
    assert found.kernel is not None
    assert b"taken" in found.kernel.path.read_bytes()
    assert (found.entry.cmdline, found.initramfs.path.name) == ("hub=1", "b.gz")


def test_a_menu_beside_a_medium_gives_the_command_line(tmp_path):
    part = images.ext(tmp_path / "p", with_files(tree(tmp_path / "tree", {}, systemd=False), {"etc/x": ""}))
    files = {
        "vmlinuz": kernel("taken"),
        "root.ext4": part.read_bytes(),
        "extlinux.conf": MENU.format("vmlinuz", "none"),
    }
    found = looked(tmp_path, with_files(tmp_path / "f", files))
    assert found.disk is not None
    assert found.entry.cmdline == "hub=1"
    # One whose kernel is not here is another system's.
    (tmp_path / "f/extlinux.conf").write_text(MENU.format("other", "none"))
    assert looked(tmp_path, tmp_path / "f").entry is None


def test_a_disk_without_a_known_root_gets_no_root_that_is_the_whole_disk(tmp_path):
    part = images.ext(tmp_path / "p", with_files(tmp_path / "boot", {"loader": "", "k": kernel("taken")}))
    disk = images.mbr(tmp_path / "d.img", [(0x83, part)])
    (tmp_path / "vmlinuz").write_bytes(kernel("taken"))
    proposal = propose(looked(tmp_path, disk, tmp_path / "vmlinuz"), "it")
    assert "root=" not in proposal.cmdline


def test_a_card_that_qemu_would_refuse_is_left_out_and_said(tmp_path):
    menu = "DEFAULT a\nLABEL a\n LINUX /Image\n INITRD /core.gz\n FDT /b.dtb\n APPEND quiet\n"
    tree_of_board = images.device_tree({"compatible": "raspberrypi,3-model-b", "model": "Pi"})
    files = {"Image": kernel("taken", "arm64"), "core.gz": initrd("core"), "b.dtb": tree_of_board}
    part = images.ext(tmp_path / "p", with_files(tmp_path / "boot", files | {"extlinux/extlinux.conf": menu}))
    disk = images.mbr(tmp_path / "d.img", [(0x83, part)])
    proposal = propose(looked(tmp_path, disk), "it")
    assert proposal.machine == "raspi3b"
    assert proposal.attached is None
    assert "machine.sd" in " ".join(proposal.notes)
