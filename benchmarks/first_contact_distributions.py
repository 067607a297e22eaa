# SPDX-License-Identifier: MIT
"""A fifth set of images that nobody prepared for bootlab: distributions for PCs and clouds, their media and updates.

Their files have the shape of those that the projects publish; truth by the manuals and sources of GRUB, systemd-boot,
systemd-stub, Limine, rEFInd and of the distributions' own menus, written before bootlab read one of them.
"""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from benchmarks.first_contact_disks import BIOS_BOOT, ESP, USR_X86_64, XBOOTLDR, Part, gpt, own_uuid, priority, program
from benchmarks.first_contact_images import Image, empty_root, fat, initrd, kernel, pair, tree, with_files
from benchmarks.first_contact_others import microcode, packed, read_only
from tests.sources import images

_UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"
_MACHINE = "0123456789abcdef0123456789abcdef"
Files = dict[str, str | bytes]


def block(text: str) -> str:
    """Return GRUB's environment block."""
    return ("# GRUB Environment Block\n" + text).ljust(1024, "#")


def home_assistant(at: Path) -> Image:
    """Home Assistant OS on a PC: the slot by the environment block, kernels in squashfs partitions."""
    menu = 'set default=99\nset ORDER="A B"\nset A_OK=0\nset A_TRY=0\nload_env\nfor SLOT in $ORDER; do\n'
    menu += '    if [ "$SLOT" == "A" ]; then\n        INDEX=0\n        OK=$A_OK\n    fi\n'
    menu += '    if [ "$OK" -eq 1 -a "$A_TRY" -lt 3 ]; then\n        default=$INDEX\n        break\n    fi\ndone\n'
    menu += "file_env -f ($root)/cmdline.txt cmdline\nregexp --set 1:boothd (.+),.+ ${root}\n"
    menu += 'menuentry "Slot A (OK=$A_OK TRY=$A_TRY)" {\n    linux (${boothd},gpt2)/bzImage '
    menu += "root=PARTUUID=8d3d53e3-6d49-4c38-8349-aff6859e82fd rootwait $cmdline rauc.slot=A\n}\n"
    files: Files = {"EFI/BOOT/grub.cfg": menu, "EFI/BOOT/grubenv": block("ORDER=A B\nA_OK=1\nA_TRY=0\n")}
    boot = fat(at / "b", files | {"cmdline.txt": "console=tty1\n", "EFI/BOOT/bootx64.efi": b"MZ"})
    kernels = at / "bzImage.squashfs"
    folder = with_files(at / "k", {"bzImage": kernel("taken")})
    pack = ["mksquashfs", str(folder), str(kernels), "-quiet", "-no-progress"]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    parts = {1: Part(boot, ESP, "hassos-boot"), 2: Part(kernels, name="hassos-kernel0")}
    own = UUID("8d3d53e3-6d49-4c38-8349-aff6859e82fd")
    parts[3] = Part(read_only(at, "erofs"), name="hassos-system0", own=own)
    line = f"root=PARTUUID={own} rootwait console=tty1 rauc.slot=A"
    return Image((gpt(at / "haos.img", parts),), "taken", "", line, 3)


def coreos(at: Path) -> Image:
    """Fedora CoreOS before its first boot: blscfg, `$ignition_firstboot` set by a file, two deployments, loader.1."""
    menu = "search --label boot --set boot\nset root=$boot\nif [ -s $prefix/grubenv ]; then\n  load_env\nfi\n"
    menu += 'set ignition_firstboot=""\nif [ -f "/ignition.firstboot" ]; then\n'
    menu += "    set ignition_network_kcmdline='rd.neednet=1 ip=dhcp'\n    source \"/ignition.firstboot\"\n"
    menu += '    set ignition_firstboot="ignition.firstboot ${ignition_network_kcmdline}"\nfi\nblscfg\n'
    entry = "title Fedora CoreOS ({0})\nversion {0}\nlinux /boot/ostree/fedora-coreos-{1}/vmlinuz-6.11\n"
    entry += "initrd /boot/ostree/fedora-coreos-{1}/initramfs-6.11.img\n"
    entry += "options ignition.platform.id=qemu $ignition_firstboot ostree=/ostree/boot.1/fedora-coreos/{1}/0 "
    entry += "root=UUID=910678ff rw rootflags=prjquota\n"
    files: Files = {"grub2/grub.cfg": menu, "ignition.firstboot": "", "grub2/grubenv": block("")}
    for number, digest, word in ((1, "aa", "older"), (2, "bb", "taken")):
        files[f"loader.1/entries/ostree-{number}-fedora-coreos.conf"] = entry.format(number, digest)
        files[f"ostree/fedora-coreos-{digest}/vmlinuz-6.11"] = kernel(word)
        files[f"ostree/fedora-coreos-{digest}/initramfs-6.11.img"] = packed("early" if number == 2 else "other")
    folder = with_files(at / "boot", files)
    (folder / "loader").symlink_to("loader.1")
    (folder / "boot").symlink_to(".")
    stub = "search --label boot --set prefix\nset prefix=($prefix)/grub2\nconfigfile $prefix/grub.cfg\n"
    efi = fat(at / "efi", {"EFI/fedora/grub.cfg": stub, "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    root = images.ext(at / "p", with_files(at / "root", {"ostree/repo/config": "[core]\n"}))
    boot = images.ext(at / "b", folder, options=("-L", "boot"), mib=8)
    parts = {1: Part(b"\1" * 512, BIOS_BOOT), 2: Part(efi, ESP, "EFI-SYSTEM"), 3: Part(boot, name="boot")}
    line = "ignition.platform.id=qemu ignition.firstboot rd.neednet=1 ip=dhcp "
    line += "ostree=/ostree/boot.1/fedora-coreos/bb/0 root=UUID=910678ff rw rootflags=prjquota"
    disk = gpt(at / "fcos.img", parts | {4: Part(root, name="root")})
    return Image((disk,), "taken", "early", line, any_root=True)


def flatcar(at: Path) -> Image:
    """Flatcar: `gptprio.next` takes the /usr partition of the higher priority, here B."""
    menu = 'insmod all_video\nset default="flatcar"\nset timeout=1\nset linux_root="root=LABEL=ROOT"\n'
    menu += 'set first_boot=""\nif [ -f "($root)/flatcar/first_boot" ]; then\n'
    menu += '    set first_boot="flatcar.first_boot=detected"\nfi\n'
    menu += 'if [ -z "$linux_console" ]; then\n  if [ "$grub_platform" = pc ]; then\n'
    menu += '    set linux_console="console=ttyS0,115200n8 console=tty0"\n'
    menu += '  elif [ "$grub_platform" = efi ]; then\n    if [ "$grub_cpu" = arm64 ]; then\n'
    menu += '      set linux_console="console=ttyAMA0,115200n8"\n    else\n'
    menu += '      set linux_console="console=ttyS0,115200n8 console=tty0"\n    fi\n  fi\nfi\nset suf=""\n'
    menu += 'set linux_cmdline="rootflags=rw mount.usrflags=ro consoleblank=0 $linux_root $linux_console $first_boot"\n'
    menu += "function gptprio {\n    gptprio.next -d usr_device -u usr_uuid\n"
    menu += '    if [ $? -ne 0 -o -z "$usr_uuid" ]; then\n        echo "Reading the GPT failed!"\n    fi\n'
    menu += '    set gptprio_cmdline="mount.usr=/dev/mapper/usr verity.usr=PARTUUID=$usr_uuid"\n'
    menu += '    if [ "$usr_uuid" = "7130c94a-213a-4e5a-8e26-6cce9662f132" ]; then\n'
    menu += '        set gptprio_kernel="/flatcar/vmlinuz-a"\n    else\n'
    menu += '        set gptprio_kernel="/flatcar/vmlinuz-b"\n    fi\n}\n'
    menu += 'menuentry "Flatcar default" --id=flatcar --unrestricted {\n   gptprio\n'
    menu += "   linux$suf $gptprio_kernel $gptprio_cmdline $linux_cmdline\n}\n"
    menu += 'menuentry "Flatcar USR-A" --id=flatcar-a {\n   linux$suf /flatcar/vmlinuz-a $linux_cmdline\n}\n'
    files: Files = {"flatcar/grub/grub.cfg": menu, "flatcar/first_boot": "", "EFI/boot/bootx64.efi": b"MZ"}
    efi = fat(at / "efi", files | {"flatcar/vmlinuz-a": kernel("older"), "flatcar/vmlinuz-b": kernel("taken")})
    usr = UUID("5dfbf5f4-2848-4bac-aa5e-0d9a20b745a6")
    slots = ("7130c94a-213a-4e5a-8e26-6cce9662f132", "e03dd35c-7c2d-4a47-b3fe-27f15780a57c")
    root = images.ext(at / "p", with_files(at / "root", {"etc/x": ""}), options=("-L", "ROOT"))
    parts = {1: Part(efi, ESP, "EFI-SYSTEM"), 2: Part(b"\1" * 512, BIOS_BOOT, "BIOS-BOOT")}
    for number, (letter, own) in enumerate(zip("AB", slots, strict=True), 3):
        parts[number] = Part(read_only(at / letter, "squashfs"), usr, f"USR-{letter}", UUID(own), priority(number - 2))
    line = f"mount.usr=/dev/mapper/usr verity.usr=PARTUUID={slots[1]} rootflags=rw mount.usrflags=ro consoleblank=0 "
    line += "root=LABEL=ROOT console=ttyS0,115200n8 console=tty0 flatcar.first_boot=detected"
    disk = gpt(at / "flatcar.bin", parts | {9: Part(root, name="ROOT")})
    return Image((disk,), "taken", "", line, any_root=True)


def bottlerocket(at: Path) -> Image:
    """Bottlerocket: the menu asks for `$boot_uuid`, which GRUB's built-in script takes from the partition it boots."""
    verity = "root,,,ro,0 64 verity 1 PARTUUID={0}/PARTNROFF=1 PARTUUID={0}/PARTNROFF=2 4096 4096 8 1 sha256 ab cd"
    menu = 'set default="0"\nset timeout="0"\n\nmenuentry "Bottlerocket OS 1.20" {\n   linux ($root)/vmlinuz '
    menu += "root=/dev/dm-0 \\\n       console=ttyS0 \\\n       rootwait ro \\\n       raid=noautodetect \\\n"
    menu += f'       dm-mod.create="{verity.format("$boot_uuid")}" \\\n       -- \\\n       systemd.log_color=0\n'
    menu += "}\n"
    folder = with_files(at / "boot", {"grub/grub.cfg": menu, "vmlinuz": kernel("taken")})
    boot, root = images.ext(at / "b", folder), images.ext(at / "p", tree(at / "root", {}))
    kind = UUID("6b636168-7420-6568-2070-6c616e657421")
    parts = {1: Part(b"\1" * 512, BIOS_BOOT), 2: Part(fat(at / "e", {"EFI/BOOT/bootx64.efi": b"MZ"}), ESP, "EFI-A")}
    parts |= {3: Part(boot, kind, "BOTTLEROCKET-BOOT-A", attributes=priority(1)), 4: Part(root, name="ROOT-A")}
    parts |= {5: Part(b"\1" * 4096, name="HASH-A"), 6: Part(bytes(1 << 20), kind, "BOTTLEROCKET-BOOT-B")}
    line = f'root=/dev/dm-0 console=ttyS0 rootwait ro raid=noautodetect "dm-mod.create={verity.format(own_uuid(3))}"'
    disk = gpt(at / "bottlerocket.img", parts)
    return Image((disk,), "taken", "", f"{line} -- systemd.log_color=0", any_root=True)


def tumbleweed(at: Path) -> Image:
    """openSUSE with systemd-boot: an entry for each snapshot, the newest by `version`; the root is btrfs."""
    entry = "sort-key opensuse-tumbleweed\ntitle openSUSE\nversion {0}@6.11.{0}-1-default\nmachine-id {1}\n"
    entry += "options root=UUID=5 rootflags=subvol=@/.snapshots/{0}/snapshot quiet systemd.machine_id={1}\n"
    entry += "linux /opensuse-tumbleweed/6.11.{0}-1-default/linux-{2}\n"
    entry += "initrd /opensuse-tumbleweed/6.11.{0}-1-default/initrd-{2}\n"
    files: Files = {"loader/loader.conf": "timeout 5\nconsole-mode keep\n", "loader/entries.srel": "type1\n"}
    for number, word, early in ((9, "older", "other"), (10, "taken", "early")):
        files[f"loader/entries/system-opensuse-tumbleweed-6.11.{number}-1-default-{number}.conf"] = entry.format(
            number, _MACHINE, f"f00{number}"
        )
        folder = f"opensuse-tumbleweed/6.11.{number}-1-default"
        files |= {f"{folder}/linux-f00{number}": kernel(word), f"{folder}/initrd-f00{number}": packed(early)}
    efi = fat(at / "efi", files | {"EFI/systemd/systemd-bootx64.efi": b"MZ", "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    btrfs = bytearray(4 << 20)
    btrfs[0x10040:0x10048] = b"_BHRfS_M"
    line = f"root=UUID=5 rootflags=subvol=@/.snapshots/10/snapshot quiet systemd.machine_id={_MACHINE}"
    disk = gpt(at / "tumbleweed.raw", {1: Part(efi, ESP), 2: Part(bytes(btrfs))})
    return Image((disk,), "taken", "early", line, any_root=True)


def _unified(word: str, early: str, line: str, *more: tuple[str, bytes], release: str = "ID=arch\n") -> bytes:
    return program(
        [
            (".osrel", release.encode()),
            (".cmdline", line.encode()),
            (".linux", kernel(word)),
            (".initrd", initrd(early)),
            *more,
        ]
    )


def arch_unified(at: Path) -> Image:
    """Arch: two unified images, `arch-linux` before `arch-linux-fallback`; an addon appends to the line."""
    line = f"root=UUID={_UUID} rw quiet"
    addon = program([(".cmdline", b"console=ttyS0,115200")])
    files: Files = {"EFI/systemd/systemd-bootx64.efi": b"MZ", "loader/loader.conf": "#timeout 3\n#console-mode keep\n"}
    files |= {
        "EFI/Linux/arch-linux.efi": _unified("taken", "early", line),
        "EFI/Linux/arch-linux-fallback.efi": _unified("older", "all", line),
        "EFI/Linux/arch-linux.efi.extra.d/console.addon.efi": addon,
    }
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = gpt(at / "arch.raw", {1: Part(fat(at / "efi", files, 16), ESP), 2: Part(root)})
    return Image((disk,), "taken", "early", f"{line} console=ttyS0,115200", 2)


def profiles(at: Path) -> Image:
    """A unified image with profiles, which the firmware starts itself: the first profile's line is the one."""
    line = "root=PARTUUID=5b7c1a10-0000-4000-8000-000000000002 rw console=ttyS0"
    more = [(".profile", b"ID=main\n"), (".profile", b"ID=factory-reset\nTITLE=Factory reset\n")]
    image = _unified("taken", "early", line, *more, (".cmdline", line.encode() + b" systemd.unit=factory-reset.target"))
    efi = fat(at / "efi", {"EFI/BOOT/BOOTX64.EFI": image}, 16)
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image((gpt(at / "os.raw", {1: Part(efi, ESP), 2: Part(root)}),), "taken", "early", line, 2)


def updated(at: Path) -> Image:
    """systemd-sysupdate: two versions of /usr, unified images with tries; the newer one has three left."""
    parts, files = {}, {"EFI/systemd/systemd-bootx64.efi": b"MZ", "EFI/BOOT/BOOTX64.EFI": b"MZ"}
    for version, word, early, name in ((8, "older", "other", "p_8.efi"), (9, "taken", "early", "p_9+3-0.efi")):
        release = f"ID=particle\nIMAGE_ID=particle\nIMAGE_VERSION={version}\n"
        line = f"usrhash={version}abc rw mount.usrflags=ro"
        files[f"EFI/Linux/{name}"] = _unified(word, early, line, release=release)
    parts[1] = Part(fat(at / "efi", files, 16), ESP)
    for number, name in ((2, "p_8"), (3, "p_9")):
        parts[number] = Part(read_only(at / name, "erofs"), USR_X86_64, name)
    parts[4] = Part(images.ext(at / "p", with_files(at / "root", {"var/x": ""})), name="root")
    disk = gpt(at / "particle.raw", parts)
    return Image((disk,), "taken", "early", "usrhash=9abc rw mount.usrflags=ro", any_root=True, loses=("root=",))


def ubuntu_cloud(at: Path) -> Image:
    """Ubuntu's cloud image: boot without an initrd first, `panic=-1`; /boot in partition 16, a stub on the ESP."""
    menu = "if [ -s $prefix/grubenv ]; then\n  set have_grubenv=true\n  load_env\nfi\n"
    menu += 'function initrdfail {\n    if [ -n "${have_grubenv}" ]; then if [ -n "${partuuid}" ]; then\n'
    menu += '      if [ -z "${initrdfail}" ]; then\n        set initrdfail=1\n      fi\n      save_env initrdfail\n'
    menu += "    fi; fi\n}\nif [ x${feature_default_font_path} = xy ] ; then\n   font=unicode\nfi\n"
    menu += 'set partuuid=5b7c1a10\nif [ "${recordfail}" = 1 ] ; then\n  set timeout=30\nelse\n  set timeout=0\nfi\n'
    menu += "menuentry 'Ubuntu' --class ubuntu $menuentry_id_option 'gnulinux-simple' {\n\tgfxmode $linux_gfx_mode\n"
    menu += '\tsearch --no-floppy --label --set=root BOOT\n\tif [ "${initrdfail}" = 1 ]; then\n'
    menu += "\t  linux\t/vmlinuz-2 root=PARTUUID=5b7c1a10 ro  console=tty1 console=ttyS0\n\t  initrd\t/initrd.img-2\n"
    menu += "\telse\n\t  linux\t/vmlinuz-2 root=PARTUUID=5b7c1a10 ro  console=tty1 console=ttyS0 panic=-1\n"
    menu += "\t  #Dont try to use initrd\n\tfi\n\tinitrdfail\n}\n"
    boot = with_files(at / "boot", pair("") | {"grub/grub.cfg": menu, "grub/grubenv": block("")})
    stub = "search.fs_uuid 77 root\nset prefix=($root)'/grub'\nconfigfile $prefix/grub.cfg\n"
    efi = fat(at / "efi", {"EFI/ubuntu/grub.cfg": stub, "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    root = empty_root(at, "-L", "cloudimg-rootfs")
    parts = {14: Part(b"\1" * 512, BIOS_BOOT), 15: Part(efi, ESP)}
    parts[16] = Part(images.ext(at / "b", boot, options=("-L", "BOOT")), XBOOTLDR)
    disk = gpt(at / "noble.img", parts | {1: Part(root)})
    return Image((disk,), "taken", "", "root=PARTUUID=5b7c1a10 ro console=tty1 console=ttyS0 panic=-1", 1)


def amazon(at: Path) -> Image:
    """Amazon Linux 2023: entries and kernels in /boot of an XFS root, the newest kernel by its version."""
    entry = "title Amazon Linux ({0}) 2023\nversion {0}\nlinux /boot/vmlinuz-{0}\ninitrd /boot/initramfs-{0}.img\n"
    entry += f"options root=UUID={_UUID} ro console=tty0 console=ttyS0,115200n8 n={{0}}\ngrub_class amzn\n"
    menu = 'if [ -s $prefix/grubenv ]; then\n  load_env\nfi\nset default="${saved_entry}"\ninsmod blscfg\nblscfg\n'
    files: Files = {"boot/grub2/grub.cfg": menu, "boot/grub2/grubenv": block("kernelopts=x\n")}
    for version, word, early in (("6.1.99-99.amzn2023", "older", "other"), ("6.1.112-122.amzn2023", "taken", "early")):
        files[f"boot/loader/entries/{_MACHINE}-{version}.conf"] = entry.format(version)
        files |= {f"boot/vmlinuz-{version}": kernel(word), f"boot/initramfs-{version}.img": packed(early)}
    root = tree(at / "root", files)
    (at / "p").write_bytes(b"")
    os.truncate(at / "p", 300 << 20)  # the smallest that mkfs.xfs makes
    proto = at / "proto"
    proto.write_text(_prototype(root))
    words = ["mkfs.xfs", "-q", "-m", f"uuid={_UUID}", "-p", str(proto), str(at / "p")]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    stub = f"search --no-floppy --set prefix --fs-uuid {_UUID}\nset prefix=($prefix)/boot/grub2\n"
    efi = fat(at / "efi", {"EFI/BOOT/grub.cfg": f"{stub}configfile $prefix/grub.cfg\n", "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    line = f"root=UUID={_UUID} ro console=tty0 console=ttyS0,115200n8 n=6.1.112-122.amzn2023"
    parts = {128: Part(efi, ESP, "EFI System Partition"), 1: Part(at / "p", name="Linux")}
    return Image((gpt(at / "al2023.raw", parts),), "taken", "early", line, 1)


def _prototype(root: Path) -> str:
    """Return a tree as `mkfs.xfs -p` reads it."""

    def of(folder: Path) -> list[str]:
        out = []
        for item in sorted(folder.iterdir()):
            if item.is_symlink():
                out.append(f"{item.name} l--777 0 0 {item.readlink()}")
            elif item.is_dir():
                out += [f"{item.name} d--755 0 0", *of(item), "$"]
            else:
                out.append(f"{item.name} ---755 0 0 {item}")
        return out

    return "\n".join(["/dev/null", "0 0", "d--755 0 0", *of(root), "$", ""])


def nixos_rolled_back(at: Path) -> Image:
    """NixOS, rolled back: loader.conf's default is the generation before the newest one."""
    entry = "title NixOS\nsort-key nixos\nversion Generation {0} NixOS 24.11\nmachine-id {1}\n"
    entry += "linux /EFI/nixos/{2}-linux-6.6-bzImage.efi\ninitrd /EFI/nixos/{2}-initrd-linux-6.6-initrd.efi\n"
    entry += "options init=/nix/store/{2}-nixos-system-box-24.11/init loglevel=4\n"
    files: Files = {"loader/loader.conf": "timeout 5\ndefault nixos-generation-11.conf\nconsole-mode keep\neditor 0\n"}
    store: Files = {"etc/NIXOS": ""}
    for number, digest, word, early in ((11, "aa", "taken", "early"), (12, "bb", "newer", "other")):
        files[f"loader/entries/nixos-generation-{number}.conf"] = entry.format(number, _MACHINE, digest)
        files |= {
            f"EFI/nixos/{digest}-linux-6.6-bzImage.efi": kernel(word),
            f"EFI/nixos/{digest}-initrd-linux-6.6-initrd.efi": packed(early),
        }
        store[f"nix/store/{digest}-nixos-system-box-24.11/init"] = "#!/nix/store/dd-bash/bin/bash\n"
    efi = fat(at / "efi", files | {"EFI/systemd/systemd-bootx64.efi": b"MZ", "loader/entries.srel": "type1\n"})
    root = images.ext(at / "p", with_files(at / "root", store), options=("-L", "nixos"))
    line = "init=/nix/store/aa-nixos-system-box-24.11/init loglevel=4"
    disk = gpt(at / "nixos.raw", {1: Part(efi, ESP), 2: Part(root)})
    return Image((disk,), "taken", "early", line, 2)


def photon(at: Path) -> Image:
    """Photon OS: kernel, line and initrd are variables of a file, to which a link leads."""
    menu = "set default=0\nset timeout=5\nsearch -n -u aa -s\nloadfont ascii\nset rootpartition=PARTUUID=77\n"
    menu += "if [ -f /photon.cfg ]; then\n    load_env -f /photon.cfg\nfi\n"
    menu += "if [ -f /systemd.cfg ]; then\n    load_env -f /systemd.cfg\nelse\n"
    menu += '    set systemd_cmdline=net.ifnames=0\nfi\nmenuentry "Photon" {\n'
    menu += "    linux /$photon_linux root=$rootpartition $photon_cmdline $systemd_cmdline\n"
    menu += "    if [ -f /$photon_initrd ]; then\n        initrd /$photon_initrd\n    fi\n}\n"
    own = "# GRUB Environment Block\nphoton_cmdline=init=/lib/systemd/systemd ro loglevel=3 quiet\n"
    own += "photon_linux=vmlinuz-2\nphoton_initrd=initrd.img-2\n"
    folder = with_files(at / "boot", pair("") | {"grub2/grub.cfg": menu, "linux-6.1.cfg": own})
    (folder / "photon.cfg").symlink_to("linux-6.1.cfg")
    (folder / "grub").symlink_to("grub2")
    (folder / "boot").symlink_to(".")
    parts = {1: Part(b"\1" * 512, BIOS_BOOT), 2: Part(images.ext(at / "b", folder), name="boot")}
    parts[3] = Part(images.ext(at / "p", tree(at / "root", {})), name="root")
    line = "root=PARTUUID=77 init=/lib/systemd/systemd ro loglevel=3 quiet net.ifnames=0"
    return Image((gpt(at / "photon.raw", parts),), "taken", "early", line, 3)


def openwrt_trailer(at: Path) -> Image:
    """OpenWrt for a PC as it is downloaded: gzip, and the update's own data behind the packed disk."""
    line = "root=PARTUUID=1234abcd-02 rootwait console=tty1 console=ttyS0,115200n8 noinitrd"
    menu = "serial --unit=0 --speed=115200 --word=8 --parity=no --stop=1 --rtscts=off\n"
    menu += 'terminal_input console serial; terminal_output console serial\n\nset default="0"\nset timeout="5"\n'
    menu += f"set root='(hd0,msdos1)'\n\nmenuentry \"OpenWrt\" {{\n\tlinux /boot/vmlinuz {line}\n}}\n"
    boot = images.ext(at / "b", with_files(at / "boot", {"boot/grub/grub.cfg": menu, "boot/vmlinuz": kernel("taken")}))
    root = images.ext(at / "p", tree(at / "root", {}, systemd=False))
    disk = images.mbr(at / "d.img", [(0x83, boot), (0x83, root)])
    given = at / "openwrt-x86-64-generic-ext4-combined.img.gz"
    tail = b'{"metadata_version": "1.1", "supported_devices": []}' + b"FWx0\0\0\0\x44"
    given.write_bytes(gzip.compress(disk.read_bytes(), 1) + tail)
    disk.unlink()
    return Image((given,), "taken", "", line, 2)


def limine_folders(at: Path) -> Image:
    """Limine as CachyOS writes it: entries below a folder, counted with it, a digest behind each path."""
    line = f"quiet rw root=UUID={_UUID}"
    entry = "  //{0}\n  comment: kernel-id={0}\n  protocol: linux\n  module_path: boot():/{1}/{0}/initramfs-{0}#0a1b\n"
    entry += "  kernel_path: boot():/{1}/{0}/vmlinuz-{0}#ff00aa\n  cmdline: {2}\n"
    menu = "timeout: 5\nremember_last_entry: no\ndefault_entry: 3\n\n/+CachyOS\n"
    files: Files = {}
    for name, word, early in (("linux-cachyos", "newer", "other"), ("linux-cachyos-lts", "taken", "early")):
        menu += entry.format(name, _MACHINE, line)
        files |= {f"{_MACHINE}/{name}/vmlinuz-{name}": kernel(word)}
        files |= {f"{_MACHINE}/{name}/initramfs-{name}": packed(early)}
    efi = fat(at / "efi", files | {"limine.conf": menu + "/EFI fallback\n  protocol: efi\n  path: boot():/x.efi\n"})
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = gpt(at / "cachy.raw", {1: Part(efi, ESP), 2: Part(root)})
    return Image((disk,), "taken", "early", line, 2)


def refind_stanza(at: Path) -> Image:
    """rEFInd with stanzas written by hand: the default by its title, a disabled one left out."""
    line = f"root=UUID={_UUID} rw add_efi_memmap"
    text = 'timeout 5\nscanfor manual\ndefault_selection "Arch LTS"\nmenuentry "Arch" {\n    disabled\n'
    text += '    loader /vmlinuz-linux\n    options "x"\n}\nmenuentry "Arch LTS" {\n    icon /EFI/refind/icons/os.png\n'
    text += "    loader /vmlinuz-linux-lts\n    initrd /initramfs-linux-lts.img\n"
    text += f'    options "{line}"\n    submenuentry "Terminal" {{\n        add_options "single"\n    }}\n}}\n'
    files: Files = {"EFI/refind/refind.conf": text, "EFI/refind/refind_x64.efi": b"MZ", "amd-ucode.img": microcode()}
    files |= {"vmlinuz-linux": kernel("newer"), "vmlinuz-linux-lts": kernel("taken")}
    efi = fat(at / "efi", files | {"initramfs-linux-lts.img": packed("early")})
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = gpt(at / "refind.raw", {1: Part(efi, ESP), 2: Part(root)})
    return Image((disk,), "taken", "early", line, 2)


DISTRIBUTIONS: dict[str, Callable[[Path], Image]] = {
    "Home Assistant OS, PC": home_assistant,
    "Fedora CoreOS, first boot": coreos,
    "Flatcar, USR-B": flatcar,
    "Bottlerocket": bottlerocket,
    "openSUSE, systemd-boot": tumbleweed,
    "Arch, unified, addon": arch_unified,
    "unified, profiles": profiles,
    "sysupdate, /usr": updated,
    "Ubuntu's cloud image": ubuntu_cloud,
    "Amazon Linux, XFS": amazon,
    "NixOS, rolled back": nixos_rolled_back,
    "Photon OS": photon,
    "OpenWrt, trailer": openwrt_trailer,
    "Limine, folders": limine_folders,
    "rEFInd, stanza": refind_stanza,
}
