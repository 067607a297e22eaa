# SPDX-License-Identifier: MIT
"""More images that nobody prepared for bootlab: initrds of other makers, roots that an initrd puts together, updates.

Written before bootlab read one of them; the truth is what the formats' own documents say. Real file systems where a
tool of Debian's makes one (erofs-utils, squashfs-tools); of containers (LUKS, MD, verity) the superblock only.
"""

from __future__ import annotations

import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_images import BOOT, EFI, GRUB, ROOT, Image, fat, initrd, kernel, pair, tree, with_files
from tests.sources import images
from tests.sources.test_look_further import unified

_UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"
_RAW_UUID = bytes.fromhex(_UUID.replace("-", ""))
_VERITY = bytes.fromhex("d13c5d2c75d2b145a4ccd5e6dd0d1a3f")


def microcode() -> bytes:
    """Return an uncompressed archive of microcode, as it stands before an initramfs."""
    name, data = b"kernel/x86/microcode/GenuineIntel.bin\0", b"\1" * 64
    out = b""
    for path, body, mode in ((name, data, 0o100644), (b"TRAILER!!!\0", b"", 0)):
        head = b"070701" + b"%08X" * 13 % (1, mode, 0, 0, 1, 0, len(body), 0, 0, 0, 0, len(path), 0)
        out += (head + path).ljust(-(-(110 + len(path)) // 4) * 4, b"\0") + body.ljust(-(-len(body) // 4) * 4, b"\0")
    return out.ljust(-(-len(out) // 512) * 512, b"\0")


def packed(word: str) -> bytes:
    """Return an initramfs packed with zstd."""
    return subprocess.run(["zstd", "-q", "-c"], input=_bare(word), stdout=subprocess.PIPE, check=True).stdout


def _bare(word: str) -> bytes:
    import gzip  # noqa: PLC0415 - here alone

    return gzip.decompress(initrd(word))


def _disk(at: Path, root: Path, line: str, **rest: str) -> Image:
    disk = images.mbr(at / "d.img", [(0x83, images.ext(at / "p", root, mib=8))])
    return Image((disk,), "taken", rest.get("early", "early"), line, 1)


def split_microcode(at: Path) -> Image:
    """Debian's initramfs-tools and dracut with microcode: two archives in one file, the second packed with zstd."""
    line = f"root=UUID={_UUID} ro quiet"
    files = pair("boot/") | {"boot/initrd.img-2": microcode() + packed("early")}
    return _disk(at, tree(at / "root", files | {"boot/grub/grub.cfg": GRUB.format("/boot", line)}), line)


def arch_mkinitcpio(at: Path) -> Image:
    """Arch: kernels without a version in their names, a fallback initramfs, microcode in a file of its own."""
    line = f"root=UUID={_UUID} rw loglevel=3 quiet"
    menu = f"menuentry 'Arch Linux' {{\n set root='hd0,msdos1'\n linux /boot/vmlinuz-linux {line}\n"
    menu += " initrd /boot/intel-ucode.img /boot/initramfs-linux.img\n}\n"
    files: dict[str, str | bytes] = {"boot/vmlinuz-linux": kernel("taken"), "boot/vmlinuz-linux-lts": kernel("older")}
    files |= {f"boot/initramfs-linux{end}.img": packed(word) for end, word in (("", "early"), ("-fallback", "all"))}
    return _disk(at, tree(at / "root", files | {"boot/intel-ucode.img": microcode(), "boot/grub/grub.cfg": menu}), line)


def booster(at: Path) -> Image:
    """booster and systemd-boot: loader.conf's default names the file of the entry."""
    line = f"rd.luks.uuid={_UUID} root=UUID={_UUID} rw"
    entry = f"title Arch\nlinux /vmlinuz-linux\ninitrd /amd-ucode.img\ninitrd /booster-linux.img\noptions {line}\n"
    files: dict[str, str | bytes] = {"vmlinuz-linux": kernel("taken"), "booster-linux.img": packed("early")}
    files |= {"amd-ucode.img": microcode(), "loader/entries/arch.conf": entry, "loader/loader.conf": "default arch\n"}
    efi = fat(at / "efi", files | {"EFI/systemd/systemd-bootx64.efi": b"MZ"})
    (at / "root").write_bytes(luks())
    disk = images.gpt(at / "d.img", [(EFI, "efi", efi), (ROOT, "root", at / "root")])
    return Image((disk,), "taken", "early", line, 2)


def luks() -> bytes:
    """Return the begin of a LUKS2 volume."""
    head = b"LUKS\xba\xbe\0\x02" + struct.pack(">QQ", 16384, 1)
    return (head.ljust(168, b"\0") + _UUID.encode()).ljust(4 << 20, b"\0")


def luks_with_key(at: Path) -> Image:
    """Debian with cryptsetup-initramfs and a key file in the initrd: nobody types a passphrase."""
    line = "root=/dev/mapper/vault ro quiet"
    key = {"/cryptroot/crypttab": f"vault UUID={_UUID} /cryptroot/keyfiles/vault.key luks\n",
           "/cryptroot/keyfiles/vault.key": "k"}  # fmt: skip
    boot = pair("") | {"initrd.img-2": early_with("early", key), "grub/grub.cfg": GRUB.format("", line)}
    (at / "root").write_bytes(luks())
    disk = images.mbr(at / "d.img", [(0x83, images.ext(at / "b", with_files(at / "bd", boot))), (0x83, at / "root")])
    return Image((disk,), "taken", "early", line, 2, never=("waits for the passphrase",))


def early_with(word: str, files: dict[str, str]) -> bytes:
    """Return an initramfs with some files."""
    import gzip  # noqa: PLC0415 - here alone
    import io  # noqa: PLC0415

    from bootlab.builders import cpio  # noqa: PLC0415
    from bootlab.model.tree import Entry, FileTree  # noqa: PLC0415

    texts = {"/init": "x", f"/{word}": "", **files}
    out = io.BytesIO()
    cpio.write(FileTree.of({path: Entry(kind="file", text=text, mode=0o755) for path, text in texts.items()}), out)
    return gzip.compress(out.getvalue(), mtime=0)


def raid(at: Path) -> Image:
    """One disk of a mirror: /boot on metadata 1.0, which lies at the end, so that GRUB reads it; the root on 1.2."""
    line = f"root=UUID={_UUID} ro"
    boot = images.ext(at / "b", with_files(at / "bd", pair("") | {"grub/grub.cfg": GRUB.format("", line)}), mib=3)
    (at / "boot").write_bytes((boot.read_bytes() + member()).ljust(4 << 20, b"\0"))
    (at / "root").write_bytes((bytes(4096) + member()).ljust(4 << 20, b"\0"))
    disk = images.mbr(at / "d.img", [(0xFD, at / "boot"), (0xFD, at / "root")])
    return Image((disk,), "taken", "early", line, 2)


def member() -> bytes:
    """Return a superblock of MD."""
    return (struct.pack("<IIII", 0xA92B4EFC, 1, 0, 0) + _RAW_UUID + b"box:0".ljust(32, b"\0")).ljust(4096, b"\0")


def read_only(at: Path, fstype: str) -> Path:
    """Return a root of a file system that is written once."""
    root, place = tree(at / "root", {"usr/lib/modules/7.0.1/vmlinuz": kernel("inside")}), at / "ro"
    tools = {"erofs": ["mkfs.erofs", "-zlz4", "--quiet", str(place), str(root)],
             "squashfs": ["mksquashfs", str(root), str(place), "-quiet", "-no-progress"]}  # fmt: skip
    subprocess.run(tools[fstype], check=True, stdout=subprocess.DEVNULL)
    return place


def erofs(at: Path) -> Image:
    """An EROFS root beside an EFI partition with entries."""
    line = f"root=PARTUUID={'02' * 4}-{'02' * 2}-{'02' * 2}-{'02' * 2}-{'02' * 6} rootfstype=erofs ro"
    entry = f"title E\nlinux /vmlinuz-2\ninitrd /initrd.img-2\noptions {line}\n"
    efi = fat(at / "efi", pair("") | {"loader/entries/e.conf": entry})
    disk = images.gpt(at / "d.img", [(EFI, "efi", efi), (ROOT, "root", read_only(at, "erofs"))])
    return Image((disk,), "taken", "early", line, 2)


def verity_unified(at: Path) -> Image:
    """mkosi: a unified image with `roothash=`, the root in squashfs, its hashes in a partition behind it."""
    line = f"roothash={'ab' * 32} systemd.volatile=overlay console=ttyS0"
    image = unified({".cmdline": line.encode(), ".linux": kernel("taken"), ".initrd": initrd("early")})
    efi = fat(at / "efi", {"EFI/Linux/mkosi_1.efi": image, "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    (at / "hash").write_bytes((b"verity\0\0" + struct.pack("<II", 1, 1) + _RAW_UUID + b"sha256").ljust(1 << 20, b"\0"))
    parts = [(EFI, "esp", efi), (ROOT, "root_1", read_only(at, "squashfs")), (_VERITY, "root_1-verity", at / "hash")]
    disk = images.gpt(at / "d.img", parts)
    # systemd finds data and hashes by the root hash; `root=` would mount the data past the check.
    return Image((disk,), "taken", "early", line, 2, keeps=("roothash=",), loses=("root=/",))


def verity_by_kernel(at: Path) -> Image:
    """A root that the kernel verifies without an initrd: `dm-mod.create=` names data and hashes."""
    table = "vroot,,,ro,0 8192 verity 1 /dev/mmcblk0p2 /dev/mmcblk0p3 4096 4096 1024 1 sha256 " + "ab" * 32 + " 00"
    line = f'console=ttyS0 dm-mod.create="{table}" root=/dev/dm-0 ro rootwait'
    text = f"default v\nlabel v\n kernel /vmlinuz-2\n append {line}\n"
    boot = fat(at / "boot", {"vmlinuz-2": kernel("taken"), "extlinux/extlinux.conf": text})
    (at / "hash").write_bytes((b"verity\0\0" + struct.pack("<II", 1, 1) + _RAW_UUID + b"sha256").ljust(1 << 20, b"\0"))
    parts = [(0x0C, boot), (0x83, read_only(at, "squashfs")), (0x83, at / "hash")]
    disk = images.mbr(at / "d.img", parts)
    return Image((disk,), "taken", "", line, 2, keeps=("dm-mod.create=", "root=/dev/dm-0"), loses=("/dev/mmcblk0",))


def live_stick(at: Path) -> Image:
    """Debian live on a USB stick: one FAT partition, the root is a file in it."""
    line = "boot=live components quiet splash"
    menu = f"set default=0\nmenuentry 'Live system' {{\n linux /live/vmlinuz {line}\n initrd /live/initrd.img\n}}\n"
    files: dict[str, str | bytes] = {"live/vmlinuz": kernel("taken"), "live/initrd.img": packed("early")}
    files |= {"live/filesystem.squashfs": read_only(at, "squashfs").read_bytes(), "boot/grub/grub.cfg": menu}
    return Image(
        (images.mbr(at / "d.img", [(0x0C, fat(at / "f", files))]),), "taken", "early", line, None, loses=("root=",)
    )


def live_folder(at: Path) -> Image:
    """What live-build leaves for a netboot: kernel, initrd and the squashfs in one folder."""
    names: dict[str, str | bytes] = {"vmlinuz-2": kernel("taken"), "initrd.img-2": packed("early")}
    folder = with_files(at / "live", names | {"filesystem.squashfs": read_only(at, "squashfs").read_bytes()})
    return Image((folder,), "taken", "early", "", None, any_root=True)


def netboot(at: Path) -> Image:
    """Debian's netboot.tar.gz: the installer below its architecture's folder, PXELINUX's menu says the line."""
    base = "debian-installer/amd64/"
    menu = f"default install\nlabel install\n\tkernel {base}linux\n\tappend vga=788 initrd={base}initrd.gz --- quiet\n"
    files: dict[str, str | bytes] = {f"{base}linux": kernel("taken"), f"{base}initrd.gz": initrd("early")}
    files |= {f"{base}boot-screens/txt.cfg": menu, f"{base}pxelinux.cfg/default": menu, f"{base}pxelinux.0": b"x"}
    return Image((with_files(at / "netboot", files),), "taken", "early", "vga=788 --- quiet", None)


def ostree(at: Path) -> Image:
    """Fedora CoreOS and the like: the root's tree lies below /ostree/deploy, /boot has links to the entries."""
    line = f"root=UUID={_UUID} rw ostree=/ostree/boot.1/fcos/aa/0"
    boot = {"ostree/fcos-aa/vmlinuz-6.1": kernel("taken"), "ostree/fcos-aa/initramfs-6.1.img": initrd("early")}
    old = line.replace("boot.1/fcos/aa", "boot.1/fcos/bb")
    entry = "title F {3}\nversion {3}\noptions {0}\nlinux /ostree/fcos-{1}/vmlinuz-{2}\n"
    boot |= {"ostree/fcos-bb/vmlinuz-6.0": kernel("older")}
    folder = with_files(at / "b", boot)  # type: ignore[arg-type]
    new_entry = entry.format(line, "aa", "6.1", 2) + "initrd /ostree/fcos-aa/initramfs-6.1.img\n"
    with_files(
        folder / "loader.1/entries", {"ostree-2.conf": new_entry, "ostree-1.conf": entry.format(old, "bb", "6.0", 1)}
    )
    (folder / "loader").symlink_to("loader.1")
    with_files(folder / "grub2", {"grub.cfg": "set default=0\nblscfg\n"})
    deployed = tree(at / "root/ostree/deploy/fcos/deploy/aa.0", {})
    (at / "root/ostree/boot.1").symlink_to("boot.1.1")
    assert deployed.is_dir()
    root = images.ext(at / "p", at / "root", mib=8)
    disk = images.gpt(at / "d.img", [(BOOT, "boot", images.ext(at / "bp", folder)), (ROOT, "root", root)])
    return Image((disk,), "taken", "early", line, 2, keeps=("ostree=",))


def composefs(at: Path) -> Image:
    """bootc with composefs: a unified image; the root holds objects and an image of names, no tree."""
    line = f"root=UUID={_UUID} rw composefs={'cd' * 64}"
    image = unified({".cmdline": line.encode(), ".linux": kernel("taken"), ".initrd": initrd("early")})
    efi = fat(at / "efi", {"EFI/Linux/bootc/a.efi": image, "EFI/systemd/systemd-bootx64.efi": b"MZ",
                           "loader/entries/b-1.conf": "title b\nefi /EFI/Linux/bootc/a.efi\n"})  # fmt: skip
    files: dict[str, str | bytes] = {"composefs/objects/ab/cd": b"x", f"composefs/images/{'cd' * 64}": b"y"}
    root = images.ext(at / "p", with_files(at / "root", files | {"state/deploy/etc/hostname": "x\n"}))
    disk = images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "root", root)])
    return Image((disk,), "taken", "early", line, 2, keeps=("composefs=",))


def nixos(at: Path) -> Image:
    """NixOS: no /sbin/init; the line names it in the store, GRUB finds the kernels by a UUID."""
    base, line = "/nix/store/aa-nixos-system-box-26.05", "loglevel=4 lsm=landlock"
    line = f"init={base}/init {line}"
    menu = f'menuentry "NixOS - Default" {{\nsearch --set=drive1 --fs-uuid {_UUID}\n'
    menu += f"linux ($drive1)/boot/kernels/bb-linux-6.1-bzImage {line}\ninitrd ($drive1)/boot/kernels/cc-initrd\n}}\n"
    files: dict[str, str | bytes] = {"boot/kernels/bb-linux-6.1-bzImage": kernel("taken"), "etc/NIXOS": ""}
    files |= {"boot/kernels/cc-initrd": initrd("early"), f"{base[1:]}/init": "#!/nix/store/dd-bash/bin/bash\n"}
    root = with_files(at / "root", files | {"boot/grub/grub.cfg": menu, f"{base[1:]}/etc/os-release": "NAME=NixOS\n"})
    (root / "nix/var/nix/profiles").mkdir(parents=True)
    (root / "nix/var/nix/profiles/system").symlink_to(base)
    return _disk(at, root, line)._replace(keeps=("init=/nix",))


def alpine(at: Path) -> Image:
    """Alpine on a disk: extlinux with names relative to its folder, OpenRC behind BusyBox's init."""
    line = f"root=UUID={_UUID} modules=sd-mod,usb-storage,ext4 quiet rootfstype=ext4"
    text = f"DEFAULT lts\nLABEL lts\n  MENU DEFAULT\n  LINUX vmlinuz-lts\n  INITRD initramfs-lts\n  APPEND {line}\n"
    files: dict[str, str | bytes] = {"boot/vmlinuz-lts": kernel("taken"), "boot/initramfs-lts": initrd("early")}
    root = tree(at / "root", files | {"boot/extlinux.conf": text, "usr/sbin/openrc": "x"}, systemd=False)
    (root / "etc/runlevels/default").mkdir(parents=True)
    return _disk(at, root, line)


def cloud(at: Path) -> Image:
    """Debian's cloud image by FAI: partitions 15, 14 and 1 in this order on the disk."""
    line = "root=PARTUUID=7 ro console=tty0 console=ttyS0,115200 earlyprintk=ttyS0,115200 consoleblank=0"
    root = images.ext(at / "p", tree(at / "root", pair("boot/") | {"boot/grub/grub.cfg": GRUB.format("/boot", line)}))
    efi = fat(at / "efi", {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/debian/grub.cfg": "set prefix=($root)'/boot/grub'\n"})
    (at / "bios").write_bytes(bytes(1 << 20))
    bios = bytes.fromhex("4861682149646f6e744e656564454649")
    empty = [(bytes(16), "", at / "none")] * 12
    (at / "none").write_bytes(b"")
    disk = images.gpt(at / "d.img", [(ROOT, "", root), *empty, (bios, "", at / "bios"), (EFI, "", efi)])
    return Image((disk,), "taken", "early", line, 1)


def binary_environment(at: Path) -> Image:
    """A board without a script: U-Boot's environment in a file, its checksum before the variables."""
    line = "console=ttyS0,115200 root=/dev/mmcblk0p2 rootwait"
    load = "load mmc 0:1 ${kernel_addr_r} ${image}; load mmc 0:1 ${fdt_addr_r} ${fdtfile}; "
    names = {"bootcmd": "run mmcargs loadall", "mmcargs": "setenv bootargs console=${console} root=${mmcroot} rootwait",
             "loadall": f"{load}booti ${{kernel_addr_r}} - ${{fdt_addr_r}}", "image": "Image", "fdtfile": "b.dtb",
             "console": "ttyS0,115200", "mmcroot": "/dev/mmcblk0p2", "kernel_addr_r": "0x48000000",
             "fdt_addr_r": "0x4f000000"}  # fmt: skip
    data = b"".join(f"{name}={value}".encode() + b"\0" for name, value in names.items()).ljust(0x4000 - 4, b"\0")
    files: dict[str, str | bytes] = {"uboot.env": struct.pack("<I", zlib.crc32(data)) + data}
    files |= {"Image": kernel("taken", "arm64"), "b.dtb": images.device_tree(images.BOARD)}
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "boot", files)), (0x83, root)])
    return Image((disk,), "taken", "", line, 2)


def android_4(at: Path) -> Image:
    """Android 13 and later: kernel, first program and vendor's part in three images."""
    page, early = 4096, initrd("early")

    def boot(name: str, data: bytes, ramdisk: bytes, line: bytes) -> Path:
        head = bytearray(page)
        struct.pack_into("<8sIIII", head, 0, b"ANDROID!", len(data), len(ramdisk), 0, 1584)
        struct.pack_into("<I", head, 40, 4)
        head[44 : 44 + len(line)] = line
        (at / name).write_bytes(bytes(head) + b"".join(p + bytes(-len(p) % page) for p in (data, ramdisk)))
        return at / name

    head = bytearray(page)
    struct.pack_into("<8sIIIII", head, 0, b"VNDRBOOT", 4, page, 0, 0, len(early))
    head[28:48] = b"androidboot.hw=mini1"
    struct.pack_into("<I", head, 2096, 2128)
    (at / "vendor_boot.img").write_bytes(bytes(head) + early + bytes(-len(early) % page))
    given = (boot("boot.img", kernel("taken"), b"", b"printk.devkmsg=on"), boot("init_boot.img", b"", early, b""))
    line = "androidboot.hw=mini1 printk.devkmsg=on"
    never = ("--from boot.img", "--from init_boot.img")
    return Image((*given, at / "vendor_boot.img"), "taken", "early", line, never=never)


def limine(at: Path) -> Image:
    """Limine, the default of some of Arch's children: its own menu on the EFI partition."""
    line = f"root=UUID={_UUID} rw"
    menu = f"timeout: 3\n\n/Linux\n    protocol: linux\n    path: boot():/vmlinuz-linux\n    cmdline: {line}\n"
    menu += "    module_path: boot():/initramfs-linux.img\n"
    files: dict[str, str | bytes] = {"vmlinuz-linux": kernel("taken"), "initramfs-linux.img": packed("early")}
    efi = fat(at / "efi", files | {"limine.conf": menu, "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image((images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", root)]),), "taken", "early", line, 2)


def modules_folder(at: Path) -> Image:
    """Debian 14: the kernel's file lies in /usr/lib/modules, /boot has a link or nothing but the initrd."""
    line = f"root=UUID={_UUID} ro"
    menu = f"menuentry 'D' {{\n linux /usr/lib/modules/7.1.3/vmlinuz {line}\n initrd /boot/initrd.img-7.1.3\n}}\n"
    files: dict[str, str | bytes] = {"usr/lib/modules/7.1.3/vmlinuz": kernel("taken")}
    files |= {"usr/lib/modules/7.1.3/config": "CONFIG_EXT4_FS=y\n" * 90, "boot/initrd.img-7.1.3": packed("early")}
    return _disk(at, tree(at / "root", files | {"boot/grub/grub.cfg": menu}), line)


def modules_no_menu(at: Path) -> Image:
    """The same without a menu, as a container's tree or a first stage leaves it."""
    files: dict[str, str | bytes] = {"usr/lib/modules/7.1.3/vmlinuz": kernel("taken")}
    root = tree(at / "root", files | {"boot/initrd.img-7.1.3": packed("early")})
    return Image((root,), "taken", "early", "", None, any_root=True)


OTHERS: dict[str, Callable[[Path], Image]] = {
    "split microcode, zstd": split_microcode,
    "mkinitcpio, Arch": arch_mkinitcpio,
    "booster, systemd-boot": booster,
    "LUKS, key in the initrd": luks_with_key,
    "MD mirror": raid,
    "EROFS root": erofs,
    "verity, unified image": verity_unified,
    "verity, dm-mod.create": verity_by_kernel,
    "live stick": live_stick,
    "live folder": live_folder,
    "netboot folder": netboot,
    "OSTree": ostree,
    "composefs": composefs,
    "NixOS": nixos,
    "Alpine": alpine,
    "cloud image, FAI": cloud,
    "U-Boot, binary environment": binary_environment,
    "Android 4, init_boot": android_4,
    "Limine": limine,
    "kernel in /usr/lib/modules": modules_folder,
    "the same, no menu": modules_no_menu,
}
