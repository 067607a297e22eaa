# SPDX-License-Identifier: MIT
"""Systems of Debian packages that nobody prepared for bootlab: a root that is encrypted, and one that is verified.

What is true of each was written by the manuals of cryptsetup, veritysetup and initramfs-tools before bootlab read it.
"""

# ruff: noqa: E501 - menus, scripts and command lines stand as their loaders have them

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_base import EFI, LINUX, Base, Built, disk, ext4, fat, put, run
from benchmarks.first_contact_built import LISTENS, SETUP, UUID, boot_partition, machine, openrc_tree

VAULT = "2f0d8a6c-7d0e-4a55-9c1b-3a3d6c1f7e10"
# The hook of Debian's cryptsetup-initramfs leaves these out where nothing in /etc/crypttab asks for them.
HOOK = """#!/bin/sh
[ "$1" = prereqs ] && exit 0
. /usr/share/initramfs-tools/hook-functions
copy_exec /usr/sbin/cryptsetup
copy_exec /usr/sbin/veritysetup
for one in dm_mod dm_crypt dm_verity algif_skcipher aes_generic aesni_intel xts sha256_generic ext4 erofs; do manual_add_modules $one; done
"""


def luks(base: Base, at: Path) -> Built:
    """A LUKS2 root whose key lies in the initrd (crypttab, Debian's cryptsetup-initramfs), GRUB's menu on an ext4 /boot, OpenRC."""
    line = "root=/dev/mapper/vault ro quiet"
    key = bytes(range(64))
    tree = openrc_tree(base, at / "root", "/dev/mapper/vault / ext4 defaults 0 1\n")
    root = ext4(at / "root.ext4", tree, uuid=UUID)
    etc = base.root / "etc"
    put(etc, {"keys/vault.key": key, "crypttab": f"vault UUID={VAULT} /etc/keys/vault.key luks,initramfs\n"})
    (etc / "cryptsetup-initramfs/conf-hook").write_text('KEYFILE_PATTERN="/etc/keys/*.key"\n')
    try:
        early = base.initrd("vault", files={"hooks/vault": HOOK})
    finally:
        (etc / "crypttab").unlink()
    boot = boot_partition(base, at, early, line)
    empty = _empty(at / "empty", (root.stat().st_size >> 20) + 32)
    image = disk(at / "d.img", [(LINUX, boot), (LINUX, empty)])
    # A key of 64 random bytes needs no slow derivation (cryptsetup's FAQ), and a fixed count makes the volume the same.
    script = (
        '#!/bin/sh\n[ "$1" = prereqs ] && exit 0\nmodprobe virtio_pci; modprobe virtio_blk; modprobe dm_crypt; sleep 2\n'
        f"cryptsetup -q luksFormat --type luks2 --uuid {VAULT} --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/vda2 /key\n"
        "cryptsetup open --key-file /key /dev/vda2 vault && dd if=/dev/vdb of=/dev/mapper/vault bs=1M && echo MADE; sync\n"
        "cryptsetup close vault; poweroff -f\n"
    )
    hook = HOOK + "cp /etc/keys/vault.key $DESTDIR/key\n"
    maker = base.initrd("maker-of-vault", files={"hooks/vault": hook, "scripts/init-premount/make": script})
    machine(base, maker, image, root)
    return Built((image,), base.kernel, (early,), line, 2, LISTENS, never=("passphrase",), loses=("root=/dev/vda2",))


def verity(base: Base, at: Path) -> Built:
    """An EROFS root behind dm-verity: its hashes in a third partition, their root on the command line, GRUB on the EFI partition."""
    tree = base.tree(
        at / "root",
        "libc6",
        {
            "etc/inittab": "::sysinit:/etc/rc\n::respawn:-/bin/sh\n",
            "etc/rc": f"#!/bin/sh\n{SETUP}echo 'sensor-hub: listening on port 7000'\n",
        },
    )
    root, hashes = base.root / "tmp/root.erofs", base.root / "tmp/hashes"
    run("mkfs.erofs", "-zlz4", "--quiet", root, tree)
    words = ["veritysetup", "format", "--salt=00112233", f"--uuid={VAULT}", "/tmp/root.erofs", "/tmp/hashes"]
    said = base.chroot(*words).decode()
    found = re.search(r"Root hash:\s+([0-9a-f]{64})", said)
    assert found is not None, said
    script = (
        '#!/bin/sh\n[ "$1" = prereqs ] && exit 0\n. /scripts/functions\nmodprobe virtio_pci; modprobe virtio_blk; modprobe dm_verity\n'
        'for word in $(cat /proc/cmdline); do case "$word" in roothash=*) hash=${word#roothash=};; esac; done\n'
        "udevadm settle 2>/dev/null; sleep 1\nveritysetup open /dev/vda2 root /dev/vda3 $hash || panic 'the root is not what was signed'\n"
    )
    early = base.initrd("verity", files={"hooks/vault": HOOK, "scripts/local-top/verity": script})
    line = f"root=/dev/mapper/root roothash={found[1]} rootfstype=erofs ro quiet"
    menu = f"set timeout=1\nmenuentry 'System' {{\n  linux /vmlinuz {line}\n  initrd /initrd.img\n}}\n"
    esp = fat(
        at / "esp.fat",
        {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/BOOT/grub.cfg": menu, "vmlinuz": base.kernel, "initrd.img": early},
    )
    parts = [(EFI, esp), (LINUX, root), (LINUX, hashes)]
    image = disk(at / "d.img", parts, names=("esp", "root", "root-verity"))
    return Built((image,), base.kernel, (early,), line, 2, LISTENS, loses=("root=/dev/vda2",))


def _empty(path: Path, mib: int) -> Path:
    path.write_bytes(b"")
    run("truncate", "-s", f"{mib}M", path)
    return path


ENCRYPTED: dict[str, Callable[[Base, Path], Built]] = {
    "LUKS2, key in the initrd, OpenRC": luks,
    "EROFS behind dm-verity": verity,
}
