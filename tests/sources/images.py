# SPDX-License-Identifier: MIT
"""Media for the tests, made here: partition tables by hand, ext by mke2fs, FAT by hand, device trees by hand."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from pathlib import Path

SECTOR = 512


def mbr(path: Path, parts: list[tuple[int, Path]], *, disk: int = 0x1234ABCD) -> Path:
    """Write a disk with primary partitions of (type, contents), each at a multiple of 1 MiB."""
    table, body, at = bytearray(64), bytearray(1 << 20), 1 << 20
    for index, (kind, content) in enumerate(parts):
        data = content.read_bytes()
        data += bytes(-len(data) % (1 << 20))
        struct.pack_into("<BxxxBxxxII", table, 16 * index, 0, kind, at // SECTOR, len(data) // SECTOR)
        body += data
        at += len(data)
    struct.pack_into("<I", body, 440, disk)
    body[446:510] = table
    body[510:512] = b"\x55\xaa"
    path.write_bytes(bytes(body))
    return path


def gpt(path: Path, parts: list[tuple[bytes, str, Path]]) -> Path:
    """Write a disk with GPT partitions of (type, name, contents)."""
    entries, body, at = bytearray(128 * 128), bytearray(), 1 << 20
    for index, (kind, name, content) in enumerate(parts):
        data = content.read_bytes()
        data += bytes(-len(data) % (1 << 20))
        last = (at + len(data)) // SECTOR - 1
        own = bytes([index + 1]) * 16
        struct.pack_into("<16s16sQQQ", entries, 128 * index, kind, own, at // SECTOR, last, 0)
        label = name.encode("utf-16-le")
        entries[128 * index + 56 : 128 * index + 56 + len(label)] = label
        body += data
        at += len(data)
    head = bytearray(92)
    facts = (b"EFI PART", 0x10000, 92, 0, 0, 1, 0, 34, 99, b"d" * 16, 2, 128, 128, zlib.crc32(entries))
    struct.pack_into("<8sIIIIQQQQ16sQIII", head, 0, *facts)
    struct.pack_into("<I", head, 16, zlib.crc32(head))
    first = bytearray(SECTOR)
    first[446 + 4] = 0xEE
    struct.pack_into("<II", first, 446 + 8, 1, 0xFFFFFFFF)
    first[510:512] = b"\x55\xaa"
    start = bytes(first) + bytes(head).ljust(SECTOR, b"\0") + bytes(entries)
    path.write_bytes(start.ljust(1 << 20, b"\0") + bytes(body))
    return path


def ext(path: Path, tree: Path, *, kind: str = "ext4", mib: int = 4, options: tuple[str, ...] = ()) -> Path:
    """Make an ext file system of a folder."""
    tool = shutil.which("mke2fs", path="/usr/sbin:/sbin:/usr/bin:/bin")
    assert tool is not None
    path.unlink(missing_ok=True)
    words = [tool, "-q", "-F", "-t", kind, *options, "-d", str(tree), str(path), f"{mib}m"]
    subprocess.run(words, check=True, capture_output=True)
    return path


def fat16(path: Path, files: dict[str, bytes], *, clusters: int = 5000) -> Path:
    """Write a FAT16 file system with files in its root, each under a long name."""
    sectors_of_table = -(-(clusters + 2) * 2 // SECTOR)
    root_entries = 512
    total = 1 + 2 * sectors_of_table + root_entries * 32 // SECTOR + clusters
    boot = bytearray(SECTOR)
    boot[0:3] = b"\xeb\x3c\x90"
    struct.pack_into("<HBHBHHBH", boot, 11, SECTOR, 1, 1, 2, root_entries, total, 0xF8, sectors_of_table)
    boot[39:43] = b"\x78\x56\x34\x12"
    boot[43:54] = b"BOOT       "
    boot[54:62] = b"FAT16   "
    boot[510:512] = b"\x55\xaa"
    table, root, data = bytearray(sectors_of_table * SECTOR), bytearray(), bytearray()
    struct.pack_into("<HH", table, 0, 0xFFF8, 0xFFFF)
    cluster = 2
    for number, (name, content) in enumerate(files.items()):
        count = max(1, -(-len(content) // SECTOR))
        for step in range(count):
            struct.pack_into("<H", table, 2 * (cluster + step), cluster + step + 1 if step < count - 1 else 0xFFFF)
        long = name.encode("utf-16-le") + b"\0\0"
        long += b"\xff" * (-len(long) % 26)
        pieces = [long[i : i + 26] for i in range(0, len(long), 26)]
        for order in range(len(pieces), 0, -1):
            piece = pieces[order - 1]
            flag = order | (0x40 if order == len(pieces) else 0)
            root += bytes([flag]) + piece[:10] + b"\x0f\0\0" + piece[10:22] + b"\0\0" + piece[22:26]
        short = f"FILE{number:04d}BIN".encode()
        root += short + b"\x20" + bytes(14) + struct.pack("<HI", cluster, len(content))
        data += content.ljust(count * SECTOR, b"\0")
        cluster += count
    image = bytes(boot) + bytes(table) * 2 + bytes(root).ljust(root_entries * 32, b"\0") + bytes(data)
    path.write_bytes(image.ljust(total * SECTOR, b"\0"))
    return path


def qcow2(path: Path, raw: bytes, *, bits: int = 16, packed: bool = False) -> Path:
    """Write a qcow2 image of version 2; all-zero clusters are left out, the others packed if asked."""
    size = 1 << bits
    per_table = size // 8
    clusters = -(-len(raw) // size)
    tables = -(-clusters // per_table)
    l1_at, l2_at = size, 2 * size
    body = bytearray()
    at = l2_at + tables * size
    l2 = [0] * (tables * per_table)
    for number in range(clusters):
        data = raw[number * size : (number + 1) * size].ljust(size, b"\0")
        if not any(data):
            continue
        if packed:
            press = zlib.compressobj(9, zlib.DEFLATED, -12)
            small = press.compress(data) + press.flush()
            split = 62 - (bits - 8)
            sectors = -(-(at % 512 + len(small)) // 512) - 1
            l2[number] = 1 << 62 | sectors << split | at
            body += small
            at += len(small)
        else:
            pad = -at % size
            body += bytes(pad)
            at += pad
            l2[number] = 1 << 63 | at
            body += data
            at += size
    head = struct.pack(">4sIQIIQIIQQIIQ", b"QFI\xfb", 2, 0, 0, bits, len(raw), 0, tables, l1_at, 0, 0, 0, 0)
    l1 = struct.pack(f">{tables}Q", *(1 << 63 | l2_at + i * size for i in range(tables)))
    path.write_bytes(head.ljust(size, b"\0") + l1.ljust(size, b"\0") + struct.pack(f">{len(l2)}Q", *l2) + bytes(body))
    return path


Node = dict[str, object]


def device_tree(node: Node) -> bytes:
    """Return a blob: dictionaries are nodes; bytes, texts, numbers (a cell) and lists of them are properties."""
    strings = bytearray()
    offsets: dict[str, int] = {}

    def value_of(value: object) -> bytes:
        if isinstance(value, bytes):
            return value
        if isinstance(value, str):
            return value.encode() + b"\0"
        if isinstance(value, int):
            return struct.pack(">I", value)
        assert isinstance(value, list | tuple)
        return b"".join(value_of(item) for item in value)

    def write(name: str, node: Node) -> bytes:
        text = name.encode() + b"\0"
        out = struct.pack(">I", 1) + text + bytes(-len(text) % 4)
        for key, value in node.items():
            if isinstance(value, dict):
                continue
            data = value_of(value)
            if key not in offsets:
                offsets[key] = len(strings)
                strings.extend(key.encode() + b"\0")
            out += struct.pack(">III", 3, len(data), offsets[key]) + data + bytes(-len(data) % 4)
        for key, value in node.items():
            if isinstance(value, dict):
                out += write(key, value)
        return out + struct.pack(">I", 2)

    structure = write("", node) + struct.pack(">I", 9)
    reserved_at = 40
    structure_at = reserved_at + 16
    strings_at = structure_at + len(structure)
    total = strings_at + len(strings)
    head = struct.pack(">10I", 0xD00DFEED, total, structure_at, strings_at, reserved_at, 17, 16, 0, len(strings),
                       len(structure))  # fmt: skip
    return head + bytes(16) + structure + bytes(strings)


BOARD: Node = {
    "model": "Boundary Devices i.MX6 Quad SABRE Lite Board",
    "compatible": ["fsl,imx6q-sabrelite", "fsl,imx6q"],
    "#address-cells": 1,
    "#size-cells": 1,
    "chosen": {"stdout-path": "serial1:115200n8", "bootargs": "console=ttymxc1 quiet"},
    "aliases": {"serial0": "/soc/serial@2020000", "serial1": "/soc/serial@21e8000"},
    "memory@10000000": {"device_type": "memory", "reg": [0x10000000, 0x40000000]},
    "cpus": {"cpu@0": {"device_type": "cpu"}, "cpu@1": {"device_type": "cpu"}},
    "soc": {"serial@21e8000": {"compatible": ["fsl,imx6q-uart", "fsl,imx21-uart"]}},
}


def root_tree(folder: Path, *, kernel: bytes = b"kernel", systemd: bool = True) -> Path:
    """Make a small root tree as distributions have it: systemd, a service, a kernel, GRUB's menu."""
    for name in ("etc/systemd/system/multi-user.target.wants", "usr/lib/systemd/system", "usr/bin", "boot/grub",
                 "usr/sbin", "usr/lib/modules/6.1.0-1-amd64"):  # fmt: skip
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib"):
        (folder / name).symlink_to(f"usr/{name}")
    elf = b"\x7fELF\x02\x01\x01".ljust(18, b"\0") + struct.pack("<H", 62)
    if systemd:
        (folder / "usr/lib/systemd/systemd").write_bytes(elf)
        (folder / "usr/sbin/init").symlink_to("/lib/systemd/systemd")
    else:
        (folder / "usr/bin/busybox").write_bytes(elf)
        (folder / "usr/sbin/init").symlink_to("../bin/busybox")
        (folder / "etc/inittab").write_text("ttymxc0::respawn:/sbin/getty -L ttymxc0 115200 vt100\n")
    (folder / "usr/lib/systemd/system/web.service").write_text("[Unit]\nDescription=The web server\n")
    (folder / "etc/systemd/system/multi-user.target.wants/web.service").symlink_to("/lib/systemd/system/web.service")
    (folder / "etc/systemd/system/multi-user.target.wants/cron.service").symlink_to("/lib/systemd/system/cron.service")
    (folder / "etc/os-release").write_text('PRETTY_NAME="Test Linux 1"\nVERSION_ID="1"\n')
    (folder / "etc/hostname").write_text("box\n")
    (folder / "etc/fstab").write_text("UUID=0 / ext4 ro 0 1\n/dev/sdb1 /data ext4 defaults 0 2\n")
    (folder / "boot/vmlinuz-6.1.0-1-amd64").write_bytes(kernel)
    (folder / "usr/lib/modules/6.1.0-1-amd64/modules.builtin").write_text("kernel/fs/ext4/ext4.ko\n")
    (folder / "boot/grub/grub.cfg").write_text(GRUB)
    return folder


GRUB = """\
set default="0"
function gfxmode {
    set gfxpayload="${1}"
}
menuentry 'Test Linux' --class os $menuentry_id_option 'gnulinux-simple' {
    insmod gzio
    if [ x$grub_platform = xxen ]; then insmod xzio; fi
    linux   /boot/vmlinuz-6.1.0-1-amd64 root=/dev/sda1 ro  quiet
    initrd  /boot/initrd.img-6.1.0-1-amd64
}
submenu 'Advanced options' {
    menuentry 'Test Linux (recovery mode)' {
        linux /boot/vmlinuz-6.1.0-1-amd64 root=/dev/sda1 ro single
    }
}
"""
