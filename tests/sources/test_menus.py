# SPDX-License-Identifier: MIT
"""Boot entries as each loader's own files say them."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.formats.file_view import FileView
from bootlab.formats.folder import FolderFiles
from bootlab.sources import boot_entries, taken
from bootlab.sources.menus import uboot
from bootlab.sources.menus.grub import parse_grub
from bootlab.sources.menus.words import commands_of, expanded
from tests.examples import examples
from tests.sources import images

SLOTS = """
default=0
set ORDER="A B"
set A_OK=0
set B_OK=0
set A_TRY=0
set B_TRY=0
load_env
for SLOT in $ORDER; do
    if [ "$SLOT" == "A" ]; then
        INDEX=0
        OK=$A_OK
        TRY=$A_TRY
    elif [ "$SLOT" == "B" ]; then
        INDEX=1
        OK=$B_OK
        TRY=$B_TRY
    fi
    if [ "$OK" -eq 1 -a "$TRY" -eq 0 ]; then
        default=$INDEX
        break
    fi
done
CMDLINE="panic=60 quiet"
menuentry "Slot A" {
    linux (hd0,2)/vmlinuz root=/dev/sda2 $CMDLINE rauc.slot=A
}
menuentry "Slot B" {
    linux (hd0,3)/vmlinuz root=/dev/sda3 $CMDLINE rauc.slot=B
}
"""
ARMBIAN = """
setenv load_addr "0x45000000"
setenv rootdev "/dev/mmcblk0p1"
setenv verbosity "1"
if test -e ${devtype} ${devnum} ${prefix}armbianEnv.txt; then
  load ${devtype} ${devnum} ${load_addr} ${prefix}armbianEnv.txt
  env import -t ${load_addr} ${filesize}
fi
if test "${console}" = "serial" || test "${console}" = "both"; then setenv consoleargs "console=ttyS0,115200"; fi
setenv bootargs "root=${rootdev} rootwait rootfstype=${rootfstype} ${consoleargs} loglevel=${verbosity} ${extraargs}"
load ${devtype} ${devnum} ${fdt_addr_r} ${prefix}dtb/${fdtfile}
load ${devtype} ${devnum} ${kernel_addr_r} ${prefix}Image
load ${devtype} ${devnum} ${ramdisk_addr_r} ${prefix}uInitrd
booti ${kernel_addr_r} ${ramdisk_addr_r} ${fdt_addr_r}
"""


def entries(folder, files: dict[str, str]):
    """Return the entries of a tree with these files."""
    for name, text in files.items():
        at = folder / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)
    return boot_entries.read(FileView(FolderFiles(folder)))


@pytest.mark.parametrize(
    ("environment", "title"),
    [({}, "Slot A"), ({"A_OK": "1", "B_OK": "1", "ORDER": "B A"}, "Slot B"), ({"B_OK": "1"}, "Slot B")],
)
def test_the_slot_that_grub_s_environment_says(environment, title):
    found = parse_grub(SLOTS, "/EFI/BOOT/grub.cfg", environment=environment)
    assert [entry.title for entry in found if entry.default] == [title]
    assert [(entry.partition, entry.cmdline) for entry in found] == [
        (2, "root=/dev/sda2 panic=60 quiet rauc.slot=A"),
        (3, "root=/dev/sda3 panic=60 quiet rauc.slot=B"),
    ]


@pytest.mark.parametrize("place", ["boot/efi", "efi", "boot", "."])
def test_grub_on_the_efi_partition(tmp_path, place):
    menu = "menuentry 'one'{\nlinux /bzImage root=PARTUUID=1 rootwait console=ttyS0\n}\n"
    (found,) = entries(tmp_path, {f"{place}/EFI/BOOT/grub.cfg": menu})
    assert (found.kernel, found.cmdline) == ("/bzImage", "root=PARTUUID=1 rootwait console=ttyS0")


def test_a_stub_on_the_efi_partition_leads_to_the_menu(tmp_path):
    stub = "search.fs_uuid 1234 root hd0,gpt1\nset prefix=($root)'/boot/grub'\nconfigfile $prefix/grub.cfg\n"
    saved = 'load_env\nset default="${saved_entry}"\nsource $prefix/more.cfg\n'
    more = "menuentry 'a' --id first { linux /boot/a x=1 }\nmenuentry 'b' --id second { linux /boot/b x=2 }\n"
    found = entries(
        tmp_path,
        {
            "boot/efi/EFI/debian/grub.cfg": stub,
            "boot/grub/grub.cfg": saved + more,
            "boot/grub/more.cfg": "submenu 'old' {\n menuentry 'c' { linux /boot/c }\n}\n",
            "boot/grub/grubenv": "# GRUB Environment Block\nsaved_entry=second\n",
        },
    )
    assert [(entry.title, entry.cmdline, entry.default) for entry in found] == [
        ("b", "x=2", True),
        ("c", "", False),
        ("a", "x=1", False),
    ]


def test_fedora_s_entries(tmp_path):
    entry = "title F {}\nversion {}\nlinux /vmlinuz-{}\ninitrd /initramfs-{}.img\noptions root=UUID=1 $kernelopts\n"
    files = {f"boot/loader/entries/id-{v}.conf": entry.replace("{}", v) for v in ("6.1.9", "6.1.10")}
    files |= {"boot/grub2/grub.cfg": 'load_env\nset default="${saved_entry}"\nblscfg\n'}
    newest = entries(tmp_path, files)
    assert [e.title for e in newest] == ["F 6.1.10", "F 6.1.9"]
    saved = entries(tmp_path, {"boot/grub2/grubenv": "saved_entry=id-6.1.9\nkernelopts=quiet rhgb\n"})
    assert (saved[0].title, saved[0].cmdline) == ("F 6.1.9", "root=UUID=1 quiet rhgb")


def test_entries_that_failed_come_last(tmp_path):
    files = {f"loader/entries/{name}.conf": f"title {name}\nlinux /{name}\n" for name in ("a-3+0-2", "a-2", "a-1+3")}
    assert [entry.title for entry in entries(tmp_path, files)] == ["a-2", "a-1+3", "a-3+0-2"]


def test_the_raspberry_s_sections(tmp_path):
    config = "auto_initramfs=1\n[pi5]\nkernel=kernel_2712.img\n[pi4]\narm_boost=1\n[all]\n[none]\nkernel=no.img\n"
    files = {f"boot/firmware/{name}": "" for name in ("kernel8.img", "kernel_2712.img", "initramfs8", "initramfs_2712")}
    files |= {"boot/firmware/config.txt": config, "boot/firmware/cmdline.txt": "root=PARTUUID=1-02 rootwait\n"}
    (five,) = entries(tmp_path / "five", files)
    assert (five.kernel, five.initrds) == ("/boot/firmware/kernel_2712.img", ("/boot/firmware/initramfs_2712",))
    both = files | {"boot/firmware/config.txt": "auto_initramfs=1\n[cm5]\ndtoverlay=x\n"}
    found = entries(tmp_path / "both", both)
    assert [entry.title for entry in found] == ["Raspberry Pi 4, kernel8.img", "Raspberry Pi 5, kernel_2712.img"]
    assert found[0].initrds == ("/boot/firmware/initramfs8",)
    assert found[0].overlays == ()
    files |= {f"boot/firmware/{name}": text for name, text in (
        ("config.txt", "include more.txt\n"),
        ("more.txt", "kernel=k.img\ncmdline=c.txt\ninitramfs i.img followkernel"),
        ("c.txt", "quiet"),
    )}  # fmt: skip
    named = entries(tmp_path / "named", files)
    assert [(e.kernel, e.initrds, e.cmdline) for e in named] == [
        ("/boot/firmware/k.img", ("/boot/firmware/i.img",), "quiet")
    ]


def test_armbian_s_script_and_environment(tmp_path):
    script = b"\x27\x05\x19\x56" + bytes(60) + len(ARMBIAN).to_bytes(4, "big") + bytes(4) + ARMBIAN.encode()
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/boot.scr").write_bytes(script)
    files = {f"boot/{name}": "" for name in ("Image", "uInitrd", "dtb/rockchip/rk3588-rock-5b.dtb")}
    files["boot/armbianEnv.txt"] = (
        "verbosity=4\nconsole=serial\nfdtfile=rockchip/rk3588-rock-5b.dtb\nrootdev=UUID=77\nrootfstype=ext4\n"
        "overlays=panthor-gpu\nextraargs=cma=256M\n"
    )
    (found,) = entries(tmp_path, files)
    assert found.cmdline == "root=UUID=77 rootwait rootfstype=ext4 console=ttyS0,115200 loglevel=4 cma=256M"
    assert (found.kernel, found.initrds) == ("/boot/Image", ("/boot/uInitrd",))
    assert found.device_tree == "/boot/dtb/rockchip/rk3588-rock-5b.dtb"
    assert found.overlays == ("panthor-gpu",)
    del files["boot/armbianEnv.txt"]
    (tmp_path / "boot/armbianEnv.txt").unlink()
    (bare,) = entries(tmp_path, files)
    assert bare.device_tree == ""
    assert "$fdtfile" in bare.asks_tree


def test_what_a_script_asks_the_disk_for_is_left_out_and_said(tmp_path):
    text = (
        'part uuid ${devtype} ${devnum}:1 partuuid\nif test -z "${rootdev}"; then rootdev=PARTUUID="${partuuid}"; fi\n'
        'test -n "${distro}" || distro=1\nsetenv bootargs "root=${rootdev} ro d=${distro}"\n'
        "load mmc 0 ${fdt_addr_r} /boot/dtb/${fdt_file} || load mmc 0 ${fdt_addr_r} b.dtb  # one of both\n"
        "for o in a none; do\n if load mmc 0 ${load_addr} ${prefix}$o.dtbo; then fdt apply ${load_addr}; fi\ndone\n"
        "load mmc 0 ${ramdisk_addr_r} uInitrd || load mmc 0 ${ramdisk_addr_r} no\nload mmc 0 ${loadaddr} zImage\n"
        "bootz ${loadaddr} ${ramdisk_addr_r}:${filesize} ${fdt_addr_r}\n"
    )
    files = {"boot/boot.cmd": text, "boot/zImage": "k", "boot/b.dtb": "t", "boot/a.dtbo": "o"}
    (found,) = entries(tmp_path, files)
    assert (found.kernel, found.device_tree, found.initrds) == ("/boot/zImage", "/boot/b.dtb", ())
    assert found.cmdline == "ro d=1"
    assert found.overlays == ("/boot/a.dtbo",)
    assert any("root=PARTUUID=… was left out" in note for note in found.notes)
    assert [note for note in found.notes if "not there" in note] == ["/boot/boot.cmd would load no, which is not there"]


def generated_head(default: str) -> str:
    """Return how a menu of grub-mkconfig begins; `default`: the entry where none is asked for once."""
    return f"""if [ -s $prefix/grubenv ]; then
  set have_grubenv=true
  load_env
fi
if [ "${{next_entry}}" ] ; then
   set default="${{next_entry}}"
   set next_entry=
   save_env next_entry
   set boot_once=true
else
   set default="{default}"
fi
"""


def test_a_menu_as_distributions_generate_it(tmp_path):
    text = (
        generated_head("0")
        + """
if [ x"${feature_menuentry_id}" = xy ]; then
  menuentry_id_option="--id"
else
  menuentry_id_option=""
fi
export menuentry_id_option
function gfxmode {
\tset gfxpayload="${1}"
\tif [ "${1}" = "keep" ]; then
\t\tset vt_handoff=vt.handoff=7
\telse
\t\tset vt_handoff=
\tfi
}
if [ x$feature_default_font_path = xy ] ; then font=unicode; else insmod part_gpt; fi
if loadfont $font ; then set gfxmode=auto; fi
set linux_gfx_mode=keep
menuentry 'Debian' --class debian --class gnu $menuentry_id_option 'gnulinux-simple-7' {
\tgfxmode $linux_gfx_mode
\tif [ x$grub_platform = xxen ]; then insmod xzio; insmod lzopio; fi
\tset root='hd0,gpt2'
\tif [ x$feature_platform_search_hint = xy ]; then
\t  search --no-floppy --fs-uuid --set=root --hint-bios=hd0,gpt2  7
\telse
\t  search --no-floppy --fs-uuid --set=root 7
\tfi
\techo\t'Loading Linux ...'
\tif [ "${initrdfail}" = 1 ]; then
\t  linux\t/boot/vmlinuz-2 root=PARTUUID=7 ro panic=-1
\telse
\t  linux\t/boot/vmlinuz-2 root=UUID=7 ro  quiet $vt_handoff
\t  initrd\t/boot/initrd.img-2
\tfi
}
submenu 'Advanced options for Debian' $menuentry_id_option 'gnulinux-advanced-7' {
\tmenuentry 'Debian, with Linux 1' --class debian $menuentry_id_option 'gnulinux-1-advanced-7' {
\t\tlinux /boot/vmlinuz-1 root=UUID=7 ro "dyndbg=file a.c +p"
\t}
}
if [ "$grub_platform" = "efi" ]; then
\tmenuentry 'UEFI Firmware Settings' $menuentry_id_option 'uefi-firmware' {
\t\tfwsetup
\t}
fi
if [ -f  ${config_directory}/custom.cfg ]; then
  source ${config_directory}/custom.cfg
elif [ -z "${config_directory}" -a -f  $prefix/custom.cfg ]; then
  source $prefix/custom.cfg
fi
"""
    )
    found = entries(tmp_path, {"boot/grub/grub.cfg": text, "boot/grub/grubenv": "# x\n"})
    assert [(entry.title, entry.cmdline) for entry in found] == [
        ("Debian", "root=UUID=7 ro quiet vt.handoff=7"),
        ("Debian, with Linux 1", 'root=UUID=7 ro "dyndbg=file a.c +p"'),
    ]
    once = "next_entry=gnulinux-advanced-7>gnulinux-1-advanced-7\n"
    other = entries(tmp_path, {"boot/grub/grubenv": once, "boot/grub/custom.cfg": "menuentry c { linux /c x }\n"})
    assert [entry.title for entry in other] == ["Debian, with Linux 1", "Debian", "c"]


def test_grub_s_root_names_the_partition():
    text = (
        'set d=hd0\nmenuentry A {\n set root="(${d},gpt3)"\n linux /vmlinuz root=PARTUUID=3\n}\n'
        "menuentry B {\n set root=hd0,msdos2\n search --set=root --fs-uuid 7\n linux /vmlinuz root=PARTUUID=2\n}\n"
    )
    assert [entry.partition for entry in parse_grub(text, "/boot/grub/grub.cfg")] == [3, 0]


def test_extlinux_of_u_boot(tmp_path):
    text = (
        "menu title x\ndefault gone\nlabel a\n\tlinux /Image\n\tfdtdir /dtbs\n\tappend  root=/dev/mmcblk0p2\n"
        "label b\n  menu label  Second\n  menu default\n  linux /Image\n  fdt /b.dtb\n"
        "  fdtoverlays /o/a.dtbo /o/b.dtbo\n"
    )
    found = entries(tmp_path, {"boot/extlinux/extlinux.conf": text})
    assert [(entry.title, entry.default) for entry in found] == [("Second", True), ("a", False)]
    assert found[0].overlays == ("/o/a.dtbo", "/o/b.dtbo")
    assert "/dtbs" in found[1].asks_tree


def test_an_entry_is_taken_by_its_title(tmp_path):
    found = parse_grub(SLOTS, "/EFI/BOOT/grub.cfg")
    assert [entry.title for entry in taken.asked_for(found, "slot b")] == ["Slot B", "Slot A"]
    assert taken.asked_for(found, "2")[0].title == "Slot B"
    with pytest.raises(UserError, match="no boot entry is called 'C'") as caught:
        taken.asked_for(found, "C")
    assert "'Slot A', 'Slot B'" in caught.value.hint


def test_a_disk_with_two_slots(tmp_path, looker):
    """The menu on the EFI partition says which of two roots is booted; how the other is, is said."""
    from tests.mini_kernel import mini_kernel  # noqa: PLC0415 - it needs a compiler

    kernel = mini_kernel(tmp_path / "vmlinuz", "hello").read_bytes()
    root = images.root_tree(tmp_path / "root", kernel=kernel)
    (root / "vmlinuz").write_bytes(kernel)
    for path in (root / "boot").rglob("grub.cfg"):
        path.unlink()
    system = images.ext(tmp_path / "part", root, mib=8)
    (tmp_path / "efi/EFI/BOOT").mkdir(parents=True)
    (tmp_path / "efi/EFI/BOOT/grub.cfg").write_text(SLOTS)
    (tmp_path / "efi/EFI/BOOT/grubenv").write_text("# GRUB Environment Block\nB_OK=1\n")
    efi = images.ext(tmp_path / "efi.img", tmp_path / "efi")
    disk = images.mbr(tmp_path / "disk.img", [(0xEF, efi), (0x83, system), (0x83, system)])
    found = looker.look(disk)
    assert found.disk.root == 3
    assert found.entry.cmdline == "root=/dev/sda3 panic=60 quiet rauc.slot=B"
    assert any("partitions 2, 3 hold a root each: 3 is booted" in note for note in found.notes)
    assert any("to boot partition 2 instead: --entry 'Slot A'" in note for note in found.notes)
    other = msgspec.structs.replace(found.entry, partition=2)
    assert taken.root_of(other, found.disk) == 2
    assert any("kernels in it that are not used" in note for note in found.notes)
    inside = looker.look(disk.with_name("disk.img:") / "vmlinuz")
    assert inside.kernel is not None


_WORD = st.sampled_from(
    ["if", "then", "fi", "for", "in", "do", "done", "else", "{", "}", ";", "\n", "[", "]", "-eq", "set", "a=b", "$a",
     "menuentry", "linux", "'x y'", '"$a', "submenu", "source", "/x", "||", "&&", "!", "load", "booti", "setenv", "\\"]
)  # fmt: skip


@examples(150)
@given(st.lists(_WORD, max_size=60).map(" ".join))
def test_no_script_is_too_odd(text):
    for entry in parse_grub(text, "/boot/grub/grub.cfg", lambda _path: text):
        assert entry.kernel
    uboot.parse_script(text, "/boot/boot.scr", lambda _path: text.encode())
    assert isinstance(commands_of(text), tuple)


def test_words_with_quotes_and_variables():
    assert expanded('a"$x y"', {"x": "1 2"}) == ["a1 2 y"]
    assert expanded("$x", {"x": "1 2"}) == ["1", "2"]
    assert expanded("$x", {}) == []
    assert expanded('""', {}) == [""]
    assert expanded("'$x'", {"x": "1"}) == ["$x"]
    assert expanded("${x}b", {"x": "1"}) == ["1b"]
