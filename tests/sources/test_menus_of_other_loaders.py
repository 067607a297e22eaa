# SPDX-License-Identifier: MIT
"""Menus of older loaders, of the firmware itself and of boards: what stands in them is what would be booted."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.formats import fit, packed_file
from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.model.cmdline import CommandLine
from bootlab.sources import boot_entries
from bootlab.sources.menus import board_environment, raspberry, uboot
from bootlab.sources.menus.extlinux import parse_extlinux
from bootlab.sources.menus.grub_legacy import parse_menu_lst
from bootlab.sources.menus.ipxe import parse_ipxe
from bootlab.sources.menus.lilo import parse_lilo
from bootlab.sources.menus.shell_script import parse_shell_script
from bootlab.systemfile.proposed_cmdline import on_a_server
from tests.examples import examples
from tests.sources import images
from tests.sources.test_look_further import unified


def test_menu_lst_counts_from_zero_and_leaves_its_partitions_out():
    text = "default=1\n# title none\ntitle A\nkernel /a x=1\ntitle Windows\nchainloader +1\ntitle B\n"
    text += "root (hd0,0)\nkernel (hd0,0)/b root=/dev/sda1 ro\ninitrd (hd0,0)/i\n"
    first, second = parse_menu_lst(text.replace("default=1", "default 2"), "m")
    assert (first.kernel, first.cmdline, first.default) == ("/a", "x=1", False)
    assert (second.title, second.kernel, second.cmdline) == ("B", "/b", "root=/dev/sda1 ro")
    assert (second.initrds, second.default) == (("/i",), True)
    assert not any(entry.default for entry in parse_menu_lst(text, "m")), "the default starts no Linux"


@pytest.mark.parametrize(
    ("own", "line"),
    [
        ("", "root=/dev/sda2 ro a=1"),
        ("read-write\n", "root=/dev/sda2 rw a=1"),
        ('append="b=2"\n', "root=/dev/sda2 ro b=2"),
        ('addappend="b=2"\n', "root=/dev/sda2 ro a=1 b=2"),
        ('literal="c"\n', "c"),
    ],
)
def test_an_image_of_lilo_has_its_own_options_or_the_general_ones(own, line):
    text = f'root=/dev/sda2\nread-only # as always\nappend="a=1"\nimage=/vmlinuz\n{own}other=/dev/sda3\nlabel=w\n'
    (entry,) = parse_lilo(text, "lilo.conf")
    assert (entry.kernel, entry.title, entry.cmdline, entry.default) == ("/vmlinuz", "vmlinuz", line, True)


def test_a_refind_line_without_quotes_and_an_initrd_of_its_version(tmp_path: Path):
    (tmp_path / "boot").mkdir()
    for name in ("vmlinuz-6.1", "vmlinuz-6.9", "initrd.img-6.9", "other-6.9"):
        (tmp_path / "boot" / name).write_text("x")
    text = '# comment\n"Standard" "root=/dev/sda1 ""quoted"""\n"Other" "initrd=boot\\other-%v  x"\n"Bare" ro\n'
    (tmp_path / "boot/refind_linux.conf").write_text(text)
    entries = boot_entries.read(FileView(FolderFiles(tmp_path)))
    assert [(entry.title, entry.cmdline, entry.default) for entry in entries] == [
        ("Standard", 'root=/dev/sda1 "quoted"', True),
        ("Other", "x", False),
        ("Bare", "ro", False),
    ]
    assert [entry.kernel for entry in entries] == ["/boot/vmlinuz-6.9"] * 3
    assert [entry.initrds for entry in entries] == [
        ("/boot/initrd.img-6.9",),
        ("/boot/other-6.9",),
        ("/boot/initrd.img-6.9",),
    ]


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("# none\nfs0:\n\\linux.efi root=/dev/vda1", "/efi/linux.efi"),
        ("fs1:\\EFI\\linux.efi root=/dev/vda1", "/efi/EFI/linux.efi"),
        ("fs0:\r\ncd EFI\\Linux\r\nlinux root=/dev/vda1\r\n", "/efi/EFI/Linux/linux.efi"),
        ("\\EFI\\BOOT\\BOOTX64.EFI", None),
        ("", None),
    ],
)
def test_the_shell_s_script_starts_a_kernel_and_no_loader(text, kernel):
    entry = parse_shell_script(text, "/efi/startup.nsh", "/efi", lambda path: path.endswith("/linux.efi"))
    assert (entry.kernel if entry is not None else None) == kernel
    assert entry is None or entry.cmdline == "root=/dev/vda1"


def test_a_tries_number_is_no_version_and_a_spent_image_comes_last(tmp_path: Path):
    folder = tmp_path / "loader/entries"
    folder.mkdir(parents=True)
    for name in ("os-1+3.conf", "os-2+0-3.conf", "os-1.5+1-2.conf"):
        (folder / name).write_text(f"title {name}\nlinux /{name}\n")
    entries = boot_entries.read(FileView(FolderFiles(tmp_path)))
    assert [entry.title for entry in entries] == ["os-1.5+1-2.conf", "os-1+3.conf", "os-2+0-3.conf"]


def test_the_firmware_starts_a_unified_image_before_its_shell(tmp_path: Path):
    folder = tmp_path / "EFI/BOOT"
    folder.mkdir(parents=True)
    (folder / "BOOTX64.EFI").write_bytes(unified({".linux": b"x", ".cmdline": b"own"}))
    (tmp_path / "startup.nsh").write_text("fs0:\\EFI\\BOOT\\BOOTX64.EFI other\n")
    (tmp_path / "menu.lst").write_text("title old\nkernel /EFI/BOOT/BOOTX64.EFI old\n")
    entries = boot_entries.read(FileView(FolderFiles(tmp_path)))
    assert entries[0].title == "BOOTX64.EFI"
    assert len(entries) == 3


@pytest.mark.parametrize(
    ("text", "kernel", "line"),
    [
        ("uname_r=6.1-x\ncmdline=quiet\n", "/boot/vmlinuz-6.1-x", "quiet"),
        ("LINUX=/zImage\nINITRD=/uInitrd\nFDT=/d.dtb\nAPPEND=root=LABEL=R rw\n", "/zImage", "root=LABEL=R rw"),
        ("uenvcmd=load mmc 0:1 ${loadaddr} Image; setenv bootargs a; booti ${loadaddr}\n", "/boot/Image", "a"),
        ("optargs=quiet\n", None, None),
    ],
)
def test_a_board_s_variables(text, kernel, line):
    reads = {"/boot/Image": b"x"}.get
    entry = board_environment.entry_of(text, "/boot/uEnv.txt", reads, {})
    assert ((entry.kernel, entry.cmdline) if entry is not None else (None, None)) == (kernel, line)


def test_an_address_that_only_the_board_s_loader_knows_is_one():
    text = "fatload mmc 0:1 ${k} Image\nfatload mmc 0:1 $d b.dtb\nsetenv bootargs a\nbooti ${k} - $d\n"
    entry = uboot.parse_script(text, "/boot/boot.ini", {"/boot/Image": b"x", "/boot/b.dtb": b"y"}.get).entry
    assert entry is not None
    assert (entry.kernel, entry.device_tree, entry.initrds) == ("/boot/Image", "/boot/b.dtb", ())


def test_a_variable_of_the_loader_is_left_out_of_the_line_and_said():
    (entry,) = parse_extlinux("LABEL a\nLINUX /k\nAPPEND ${cbootargs} root=/dev/sda1\n", "/boot/extlinux/extlinux.conf")
    assert entry.cmdline == "root=/dev/sda1"
    assert any("${cbootargs}" in note for note in entry.notes)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("boot_partition=2\n[tryboot]\nboot_partition=3\n", 2),
        ("[all]\ntryboot_a_b=1\nboot_partition=5\n", 5),
        ("[tryboot]\nboot_partition=3\n", None),
        ("boot_partition=x\n", None),
    ],
)
def test_the_partition_of_a_plain_start(text, number):
    assert raspberry.boot_partition(text) == number


@pytest.mark.parametrize(
    ("text", "kernel", "line", "initrds"),
    [
        ("kernel vmlinuz a=1 initrd=i\ninitrd i\nboot\nkernel other\n", "/tftp/vmlinuz", "a=1", ("/tftp/i",)),
        ("set b http://h/deb\nkernel ${b}/linux || shell\nboot", "/deb/linux", "", ()),
        ("kernel --name x /linux a\nimgargs x b initrd=i\ninitrd --name i /i.gz", "/linux", "b", ("/i.gz",)),
        ("dhcp\nchain http://h/x.efi\n", None, None, None),
        ("kernel http://[bad/linux\n", None, None, None),
    ],
)
def test_an_ipxe_script(text, kernel, line, initrds):
    entry = parse_ipxe(text, "/tftp/boot.ipxe", "/tftp")
    said = (entry.kernel, entry.cmdline, entry.initrds) if entry is not None else (None, None, None)
    assert said == (kernel, line, initrds)


def test_a_configuration_of_a_fit_image_is_kept_with_its_entry():
    (entry,) = parse_extlinux("LABEL a\nKERNEL /fitImage#conf-b.dtb#overlay\n", "/extlinux.conf")
    assert (entry.kernel, entry.configuration) == ("/fitImage", "conf-b.dtb")
    fit_bytes = images.device_tree({"images": {}})
    script = uboot.parse_script(
        "load mmc 0 ${loadaddr} f\nbootm ${loadaddr}#c2", "/boot.scr", {"/f": fit_bytes}.get
    ).entry
    assert script is not None
    assert (script.kernel, script.configuration) == ("/f", "c2")
    assert script.notes == (), "the image has its device tree"


def test_a_fit_image_without_the_configuration_is_refused(tmp_path: Path):
    node: images.Node = {"images": {"k": {"data": b"x", "type": "kernel"}}, "configurations": {"c": {"kernel": "k"}}}
    (tmp_path / "f").write_bytes(images.device_tree(node))
    assert fit.read(tmp_path / "f", "c").kernel == b"x"
    with pytest.raises(UserError, match="no configuration d"):
        fit.read(tmp_path / "f", "d")


@pytest.mark.parametrize(
    ("line", "server"),
    [
        ("root=/dev/nfs nfsroot=10.0.0.1:/srv ip=dhcp", "root=/dev/nfs"),
        ("root=live:http://h/squash.img", "root=live:http://h/squash.img"),
        ("root=nbd:10.0.0.1:disk", "root=nbd:10.0.0.1:disk"),
        ("boot=live fetch=http://h/filesystem.squashfs", "fetch=http://h/filesystem.squashfs"),
        ("root=/dev/nfsdisk", ""),
        ("root=LABEL=nfs quiet", ""),
        ("root=live:LABEL=x", ""),
    ],
)
def test_a_root_on_a_server(line, server):
    assert on_a_server(CommandLine.parse(line)) == server


def archive(path: Path, **files: bytes) -> Path:
    with tarfile.open(path, "w:gz") as out:
        for number, (name, data) in enumerate(files.items()):
            member = path.parent / f"member-{number}"
            member.write_bytes(data)
            out.add(member, name.replace("_", "."))
    return path


def test_the_disk_alone_in_an_archive_is_taken_out(tmp_path: Path):
    disk = b"boot" + bytes(3 << 20)
    path = archive(tmp_path / "a.tar.gz", metadata_json=b"{}", disk_raw=disk)
    taken = packed_file.archived_disk(path, tmp_path / "kept")
    assert taken is not None
    assert taken.read_bytes() == disk
    assert packed_file.archived_disk(archive(tmp_path / "n.tar.gz", readme_txt=b"x"), tmp_path / "kept") is None
    two = archive(tmp_path / "two.tar.gz", a_img=b"a", b_img=b"b")
    assert packed_file.archived_disk(two, tmp_path / "two") is None
    assert list((tmp_path / "two").iterdir()) == [], "of several, none is kept"


def test_a_damaged_archive_leaves_nothing(tmp_path: Path):
    path = archive(tmp_path / "a.tar.gz", disk_raw=bytes(range(256)) * 9000)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(UserError, match="cannot be taken out"):
        packed_file.archived_disk(path, tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


_WORDS = st.sampled_from(
    ["title", "kernel", "image=", "default", "label=", "append=", "other=", "cd", "fs0:", "initrd=", '"', "${x}", "\n",
     "LABEL", "LINUX", "APPEND", "/a", "..", "\\", "0", "=", "#", "uname_r=", "uenvcmd=", "LINUX=",
     "boot_partition=", "[all]"]
)  # fmt: skip


@examples(200)
@given(st.lists(_WORDS, max_size=50).map(" ".join))
def test_no_text_is_too_odd(text: str):
    for entry in (*parse_menu_lst(text, "m"), *parse_lilo(text, "l"), *parse_extlinux(text, "/e")):
        assert entry.source
    parse_shell_script(text, "s", "", lambda path: path.endswith("a"))
    board_environment.entry_of(text, "/uEnv.txt", lambda _path: None, {})
    raspberry.boot_partition(text)
    parse_ipxe(text, "i", "")
