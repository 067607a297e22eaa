# SPDX-License-Identifier: MIT
"""What a file is that stands where something else was wanted: told by its first bytes, with the way to what is wanted.

Magic numbers: `file`'s, and the headers of the programs that write these files.
"""

from __future__ import annotations

import bz2
import lzma
import re
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.formats import magics, processor, tar_archive, uboot_header
from bootlab.formats.portable_executable import PortableExecutable, read_pe

Kind = Literal["kernel", "initramfs", "device tree", "medium", "archived medium", "packed", "other"]
HEAD_BYTES = 0x11000
"""What has to be read of a file: the last of the magic numbers lies at 64 KiB."""
_PACKED_MEMORY_BYTES = 64 << 20
_TOOL_S = 10


class Named(msgspec.Struct, frozen=True):
    """What a file is, in words that follow `is`, and the next command; {path} stands for the file in it.

    {unpacked}: its name without the last ending. `packer`: what it is packed with. `listed`: `what` goes on with what
    is in it, behind a comma. `why`: why bootlab does not boot it, where there is more to say than that.
    """

    kind: Kind
    what: str
    way: str = ""
    packer: str = ""
    listed: bool = False
    why: str = ""

    def hint(self, path: Path | str) -> str:
        """Return the next command with the file's name in it; "" where there is none."""
        plain = str(path).rpartition(".")[0] or str(path)
        return self.way.replace("{path}", str(path)).replace("{unpacked}", plain)


_CONVERT = "convert it: qemu-img convert -O raw {path} disk.img   (package qemu-utils)"
_NO_UPDATE = "give the kernel and the root that it was made of"
_ENVIRONMENT = Named("other", "U-Boot's environment", "give the kernel; its bootargs belong in kernel.cmdline")
_EFI = Named(
    "other", "an EFI program without a kernel in it, perhaps a boot loader", "give the kernel, or the whole disk"
)
_TAR = Named(
    "other", "a tar archive", "unpack it and give the folder: mkdir root; tar -xpf {path} -C root", listed=True
)
_REPACK = "pack it anew: mkdir t; cd t; cpio -id < {path}; find . | cpio -o -H newc > ../initramfs"
ZIP = Named("other", "a zip archive", "unpack it: unzip {path}")
"""What a zip archive is called; the names in it say more."""
PAYLOAD = Named("other", "a payload of Android's update over the air")
_ZEROS = Named("other", "nothing but zeros", "copy it again; a copy may have been cut off")
_EXT = Named("medium", "an ext file system")
_S390X = Named("other", "a kernel for s390x", processor.WAY_OUT, why=processor.UNSUPPORTED)
SWUPDATE = "an update for SWUpdate"
"""What a file is called that this updater takes."""
_ISO_MAKES = "give the disk image of an installed system, or kernel and initrd out of it: {unpack}"
_ISO = Named(
    "medium",
    "an ISO image, of an installation medium or a live system",
    # A folder with a boot loader's menu is read as that loader would.
    _ISO_MAKES.format(unpack="7z x -oFOLDER {path}, then --from FOLDER, whose menu names them and the command line")
    + '; the live system itself is on the ISO: machine.disks = ["{path}"] adds it',
)
# In this order: what is sure first. (offset, bytes, what it is)
_MAGICS: tuple[tuple[int, bytes, Named], ...] = (
    (0, b"!<arch>\ndebian", Named("other", "a Debian package", "take its files out: dpkg-deb -x {path} FOLDER")),
    (0, b"!<arch>\n", Named("other", "an archive of object files (ar)")),
    (0, b"\xed\xab\xee\xdb", Named("other", "an RPM package", "take its files out: rpm2cpio {path} | cpio -idm")),
    # arch/s390/boot/head.S
    (0x10008, b"S390EP", _S390X),
    (0, b"PK\x03\x04", ZIP),
    (0, b"CrAU", PAYLOAD),
    (
        0,
        b"VMA\0",
        Named(
            "other",
            "a backup of Proxmox VE's (VMA)",
            "take its disks out where Proxmox VE is: vma extract {path} disks; then --from disks/disk-drive-NAME.raw",
        ),
    ),
    (
        0,
        b"RKFW",
        Named(
            "other",
            "an update image of Rockchip's (RKFW)",
            "take its partitions out: rkunpack {path}   (package rkflashtool); then --from boot.img",
        ),
    ),
    (
        0,
        b"IMAGEWTY",
        Named(
            "other",
            "an image of Allwinner's (PhoenixCard)",
            "make a card of it: OpenixCard -d {path}; then --from the image that it makes",
        ),
    ),
    (
        8,
        b"\x56\x19\xb5\x27",
        Named(
            "other",
            "a burning image of Amlogic's",
            "take its partitions out: aml_image_v2_packer -d {path} parts; then --from parts/boot.PARTITION",
        ),
    ),
    (
        4096,
        b"gDla",
        Named(
            "other",
            "Android's super partition, with the file systems of several",
            "the kernel is in none of them: give boot.img, init_boot.img and vendor_boot.img of the same build; "
            "lpunpack {path} parts takes the file systems out",
        ),
    ),
    (
        0,
        b"AVB0",
        Named(
            "other",
            "Android's table of signatures (vbmeta)",
            "give boot.img, init_boot.img and vendor_boot.img of the same build",
        ),
    ),
    (0, b"7z\xbc\xaf\x27\x1c", Named("other", "a 7z archive", "unpack it: 7z x {path}")),
    (257, b"ustar", _TAR),
    (
        0,
        b"ANDROID!",
        Named("other", "an Android boot image", "describe it: bootlab new FILE.toml --from {path}"),
    ),
    (0, b"\x3a\xff\x26\xed", Named("other", "an Android sparse image", "expand it: simg2img {path} disk.img")),
    (0, b"UBI#", Named("other", "an image of raw flash (UBI)", "give the file system's tree instead: [root] dir")),
    (0, b"KDMV", Named("other", "a VMDK image", _CONVERT)),
    (0, b"COWD", Named("other", "a VMDK image", _CONVERT)),
    (0, b"# Disk DescriptorFile", Named("other", "the description of a VMDK image", _CONVERT)),
    (0, b"vhdxfile", Named("other", "a VHDX image", _CONVERT)),
    (0, b"conectix", Named("other", "a VHD image", _CONVERT)),
    (0, b"<<< ", Named("other", "a VDI image", _CONVERT)),
    (0, b"QED\0", Named("other", "a QED image", _CONVERT)),
    (0, b"QFI\xfb\0\0\0\1", Named("other", "a qcow image of version 1", _CONVERT)),
    (0, b"HDR0", Named("other", "an update for a router (TRX)", _NO_UPDATE)),
    (0, b"DSDT", Named("other", "a table of ACPI")),
    (
        0,
        b"LPKSHHRH",
        Named("other", "a journal of systemd's", "make a log of it: journalctl -b -o short-monotonic --file {path}"),
    ),
    (3, b"NTFS    ", Named("other", "a file system of Windows (NTFS)")),
    (3, b"EXFAT   ", Named("other", "an exFAT file system", "give the disk that it was a part of")),
    (4, b"bootcmd=", _ENVIRONMENT),
    (5, b"bootcmd=", _ENVIRONMENT),
    (
        0,
        b"version https://git-lfs.github.com/spec/",
        Named("other", "a pointer that Git LFS left in the file's place", "fetch the file: git lfs pull"),
    ),
    (0, b"MM\0*", Named("other", "a picture")),
    (0, b"\x89PNG", Named("other", "a picture")),
    (0, b"%PDF", Named("other", "a PDF document")),
    (0, b"\xd0\x0d\xfe\xed", Named("device tree", "a device tree or FIT image")),
    (0x8001, b"CD001", _ISO),
    # ECMA-167, part 2, 9.1: what a medium with UDF and without ISO 9660 begins with.
    (0x8001, b"BEA01", Named("other", "a UDF image, as of a DVD", "give the disk image of an installed system")),
    (0, b"QFI\xfb", Named("medium", "a qcow2 image")),
    (0, b"LUKS\xba\xbe", Named("medium", "an encrypted volume (LUKS)")),
    (0x202, b"HdrS", Named("kernel", "a Linux kernel")),
    (0x24, b"\x18\x28\x6f\x01", Named("kernel", "a Linux kernel")),
    (0x38, b"ARM\x64", Named("kernel", "a Linux kernel")),
    (0x38, b"RSC\x05", Named("kernel", "a Linux kernel")),
    (0, b"hsqs", Named("medium", "a SquashFS file system")),
    (1080, b"\x53\xef", _EXT),
    (1024, b"\xe2\xe1\xf5\xe0", Named("medium", "an EROFS file system")),
    (0x10040, b"_BHRfS_M", Named("medium", "a Btrfs file system")),
    (0, b"070701", Named("initramfs", "an initramfs (a cpio archive)")),
    (0, b"070702", Named("initramfs", "an initramfs (a cpio archive)")),
    (0, b"0707", Named("initramfs", "a cpio archive in the old text format", _REPACK)),
    (0, b"\xc7\x71", Named("initramfs", "a cpio archive in the old binary format", _REPACK)),
)
_PACKERS: tuple[tuple[bytes, str, str], ...] = (
    (magics.GZIP, "gzip", "gunzip -k {path}"),
    (magics.BZIP2, "bzip2", "bunzip2 -k {path}"),
    (magics.XZ, "xz", "unxz -k {path}"),
    (magics.ZSTD, "zstd", "unzstd {path}"),
    (magics.LZ4, "lz4", "unlz4 {path}"),
    (magics.LZ4_OF_THE_KERNEL, "lz4", "unlz4 {path}"),
    (magics.LZMA, "lzma", "unlzma -k {path}"),
)
_UBOOT_BYTES = 64
# include/image.h of U-Boot: IH_TYPE_*, the byte behind the operating system and the architecture.
_UBOOT_TYPES: dict[int, Named] = {
    3: Named("initramfs", "an initramfs with U-Boot's header", "cut the 64 bytes off: tail -c +65 {path} > initramfs"),
    4: Named(
        "other",
        "a U-Boot image of several parts",
        "describe it: bootlab new FILE.toml --from {path}",
    ),
    5: Named("other", "firmware with U-Boot's header"),
    6: Named("other", "a script of U-Boot's", "give the kernel that it loads: tail -c +73 {path} shows its commands"),
    7: Named("medium", "a file system with U-Boot's header", "cut the 64 bytes off: tail -c +65 {path} > image"),
    8: Named(
        "device tree", "a device tree with U-Boot's header", "cut the 64 bytes off: tail -c +65 {path} > board.dtb"
    ),
}
_ELF_RELOCATABLE, _ELF_CORE, _ELF_LITTLE = 1, 4, 1
_TEXT_SHARE = 0.9
_TEXTS: tuple[tuple[str, Named], ...] = (
    (
        r"\s*(?:<!doctype html|<html)",
        Named("other", "a web page, most likely an error of the server", "download it again, and look at the address"),
    ),
    (
        r"\s*<\?xml[\s\S]{0,200}<bmap",
        Named("other", "the block map of an image", "give the image that lies beside it (.wic)"),
    ),
    (
        r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<domain",
        Named(
            "other", "a virtual machine of libvirt's", "give the disk image that it names: grep 'source file' {path}"
        ),
    ),
    (r"\s*<\?xml", Named("other", "an XML file")),
    (r"#cloud-config", Named("other", "a configuration of cloud-init's", "give the disk image that it goes with")),
    (r":[0-9A-F]{8,}\r?\n:|S0[0-9A-F]{6,}\r?\n", Named("other", "a program for a bare processor (hex records)")),
    (
        r"\s*(?:/\*[\s\S]{0,4000}?\*/\s*|//.*\s*)*/dts-v1/",
        Named("other", "the source of a device tree", "compile it: dtc -I dts -O dtb -o board.dtb {path}"),
    ),
    (
        r"(?:#[^\n]*\n){0,4}#[^\n]*Kernel Configuration|(?:# )?CONFIG_\w+",
        Named(
            "other",
            "a kernel's configuration",
            "give the kernel; its configuration is found beside it, or named as kernel.config",
        ),
    ),
    (
        r"(?:\s*#.*\n)*\s*(?:name\s*=|\[(?:machine|kernel|goal)\])",
        Named("other", "a system file of bootlab's", "boot it: bootlab boot {path}"),
    ),
    (r"#!", Named("other", "a script")),
)


def named(path: Path) -> Named | None:
    """Say what a file is, and what is packed in it; None when nobody knows, or it cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return None
    return named_by(head)


def named_by(head: bytes, *, texts: bool = True) -> Named | None:
    """Say what a file is by its first bytes (:data:`HEAD_BYTES`); None when nobody knows. `texts`: texts too."""
    for packer in _PACKERS:
        if head.startswith(packer[0]):
            return _packed(head, *packer[1:])
    return _by_header(head) or _by_magic(head) or (_text(head) if texts else None)


def _by_header(head: bytes) -> Named | None:
    """Say what a file is whose header says more than that it is one."""
    if head.startswith(uboot_header.MAGIC) and len(head) > _UBOOT_BYTES:
        return _UBOOT_TYPES.get(head[30], Named("kernel", "a kernel with U-Boot's header"))
    if head.startswith(b"070702") and head[110:124] == b"sw-description":
        return Named("other", SWUPDATE, "give the image inside: cpio -idv < {path}")
    return _elf(head) if head.startswith(magics.ELF) else None


def _by_magic(head: bytes) -> Named | None:
    for at, magic, found in _MAGICS:
        if head[at : at + len(magic)] == magic:
            return _tar(head) if found is _TAR else found
    if head[510:512] == b"\x55\xaa":
        return Named("medium", "a disk image")
    if head.startswith(b"MZ") and (pe := read_pe(head)) is not None and not _is_kernel(head, pe):
        return _EFI
    return _ZEROS if head and not head.strip(b"\0") else None


def _tar(head: bytes) -> Named:
    """Say what an archive is of, by its first names."""
    kind = tar_archive.kind_of(head)
    if kind is None:
        return _TAR
    of: Kind = "archived medium" if kind.holds_disk else "other"
    return Named(of, f"a tar archive, {kind.what}", kind.way, listed=True)


def _packed(head: bytes, packer: str, unpack: str) -> Named:
    inside = _unpacked_head(head, packer)
    found = named_by(inside) if inside else None
    if found is None or found is _ZEROS:
        return Named("packed", f"packed with {packer}", f"unpack it: {unpack}")
    if found is _ISO:
        way = _ISO_MAKES.format(unpack=f"{unpack}, then 7z x on what it makes")
        return Named("other", f"{_ISO.what}, packed with {packer}", way, packer)
    if found.kind == "medium":
        return Named("medium", f"a disk image packed with {packer}", f"unpack it: {unpack}", packer)
    comma = "" if found.listed else ","
    # tar unpacks by itself.
    way = found.way if found.listed or "{path}" not in found.way else _after(unpack, found.way)
    return Named(found.kind, f"{found.what}{comma} packed with {packer}", way, packer)


def _after(unpack: str, way: str) -> str:
    return f"unpack it: {unpack}; then {way}".replace("{path}", "{unpacked}").replace("{unpacked}", "{path}", 1)


def _unpacked_head(head: bytes, packer: str) -> bytes:
    """Return the beginning of what is packed; nothing where nothing here unpacks it, or it is damaged."""
    try:
        if packer == "gzip":
            return zlib.decompressobj(31).decompress(head, HEAD_BYTES)
        if packer == "bzip2":
            return bz2.BZ2Decompressor().decompress(head, HEAD_BYTES)
        if packer in {"xz", "lzma"}:
            return lzma.LZMADecompressor(memlimit=_PACKED_MEMORY_BYTES).decompress(head, HEAD_BYTES)
        if (program := shutil.which(packer)) is not None:
            # Cut off as it is, it ends with an error; what was unpacked until then is enough.
            done = subprocess.run([program, "-dc"], input=head, capture_output=True, timeout=_TOOL_S, check=False)
            return done.stdout[:HEAD_BYTES]
    except (zlib.error, OSError, lzma.LZMAError, EOFError, subprocess.TimeoutExpired):
        return b""
    return b""


def _elf(head: bytes) -> Named:
    kind = int.from_bytes(head[16:18], "little" if head[5:6] == bytes([_ELF_LITTLE]) else "big")
    if kind == _ELF_RELOCATABLE:
        return Named("other", "a kernel module or an object file", "give the kernel: vmlinuz, bzImage, zImage or Image")
    if kind == _ELF_CORE:
        return Named("other", "the memory of a program that crashed (a core file)")
    return Named("kernel", "an ELF program")


def _is_kernel(head: bytes, pe: PortableExecutable) -> bool:
    """Tell whether an EFI program is a kernel, or carries one (a unified image, zboot)."""
    return head[4:8] == b"zimg" or any(one.name == ".linux" for one in pe.sections)


def _text(head: bytes) -> Named | None:
    plain = sum(1 for byte in head[:4096] if byte in b"\t\r\n\x1b" or 32 <= byte < 127)
    if not head or plain <= len(head[:4096]) * _TEXT_SHARE:
        return None
    text = head[:8192].decode("utf-8", "replace")
    return next((found for pattern, found in _TEXTS if re.match(pattern, text, re.IGNORECASE)), None)
