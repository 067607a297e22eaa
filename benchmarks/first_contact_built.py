# SPDX-License-Identifier: MIT
"""Systems of Debian packages that nobody prepared for bootlab: disks of PCs, whole, so that they boot.

What is true of each was written by the loaders' and packages' manuals before bootlab read one of them.
"""

# ruff: noqa: E501 - menus, scripts and command lines stand as their loaders have them

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_base import (
    EFI,
    LINUX,
    XBOOT,
    Base,
    Built,
    disk,
    ext4,
    fat,
    part_uuid,
    put,
    run,
    used,
)  # fmt: skip

UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"
BOOT_UUID = "0c9f2a44-5b1d-4e0c-9f5e-7d2e8a90b412"
APP = "#!/bin/sh\necho 'sensor-hub: listening on port 7000'\nwhile :; do sleep 1000; done\n"
# The line of the application, and the prompt of a login where there is one: the second is what bootlab prefers.
LISTENS = (
    "sensor-hub: listening on port 7000",
    "hub login: ",
    "(none) login: ",
    "mirror login: ",
    "flakes login: ",
    "Please press Enter to activate this console",
)
SETUP = "mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs tmpfs /run\n"
# As grub-mkconfig writes it, cut down to what decides.
GRUB = """if [ -s $prefix/grubenv ]; then
  set have_grubenv=true
  load_env
fi
if [ "${{next_entry}}" ] ; then
   set default="${{next_entry}}"
   set next_entry=
   save_env next_entry
else
   set default="0"
fi
if [ x"${{feature_menuentry_id}}" = xy ]; then
  menuentry_id_option="--id"
else
  menuentry_id_option=""
fi
set timeout=5
menuentry 'Debian GNU/Linux' --class debian $menuentry_id_option 'gnulinux-simple-{uuid}' {{
	insmod gzio
	insmod part_gpt
	search --no-floppy --fs-uuid --set=root {uuid}
	echo	'Loading Linux ...'
	linux	{folder}/{kernel} {line}
	echo	'Loading initial ramdisk ...'
	initrd	{folder}/{initrd}
}}
"""


def boot_partition(base: Base, at: Path, early: Path, line: str) -> Path:
    """Return a partition with kernel, initrd and GRUB's menu, apart from the root."""
    menu = GRUB.format(folder="", kernel="vmlinuz", initrd="initrd.img", line=line, uuid=BOOT_UUID)
    files = {"vmlinuz": base.kernel, "initrd.img": early, "grub/grub.cfg": menu}
    return ext4(at / "boot.ext4", put(at / "boot", files), uuid=BOOT_UUID)


def raid_lvm(base: Base, at: Path) -> Built:
    """LVM on one half of an MD mirror, /boot of its own with GRUB, runit as the first program."""
    line = "root=/dev/mapper/vg0-root ro quiet"
    services = {
        "etc/runit/1": f"#!/bin/sh\n{SETUP}mount -o remount,rw /\n",
        "etc/runit/2": "#!/bin/sh\nexec runsvdir -P /srv/service\n",
        "etc/runit/3": "#!/bin/sh\nsync\n",
        "srv/service/hub/run": APP,
        "srv/service/tty/run": "#!/bin/sh\nexec getty 115200 ttyS0 vt100\n",
        "etc/hostname": "mirror\n",
        "etc/fstab": "/dev/mapper/vg0-root / ext4 defaults 0 1\n",
    }
    tree = base.tree(at / "root", "runit libc6", services)
    (tree / "sbin/init").unlink(missing_ok=True)
    (tree / "sbin/init").symlink_to("runit")
    root = ext4(at / "root.ext4", tree, uuid=UUID)
    early = base.initrd("plain")
    boot = boot_partition(base, at, early, line)
    (at / "empty").write_bytes(b"")
    run("truncate", "-s", f"{(root.stat().st_size >> 20) + 32}M", at / "empty")
    image = disk(at / "d.img", [("linux", boot), ("raid", at / "empty")])
    script = (
        '#!/bin/sh\n[ "$1" = prereqs ] && exit 0\nmodprobe virtio_pci; modprobe virtio_blk; modprobe raid1; modprobe dm_mod; sleep 2\n'
        "mdadm --create /dev/md0 --run --level=1 --metadata=1.2 --raid-devices=2 --homehost=mirror /dev/vda2 missing\n"
        "lvm pvcreate -ff -y /dev/md0 && lvm vgcreate vg0 /dev/md0 && lvm lvcreate -y -Zn -l 100%FREE -n root vg0\n"
        "lvm vgchange -ay --sysinit vg0; lvm vgmknodes; dd if=/dev/vdb of=/dev/mapper/vg0-root bs=1M && echo MADE; sync\n"
        "lvm vgchange -an vg0; mdadm --stop /dev/md0; poweroff -f\n"
    )
    maker = base.initrd("maker-of-mirror", files={"scripts/init-premount/make": script})
    machine(base, maker, image, root)
    return Built((image,), base.kernel, (early,), line, 2, LISTENS, says=("array",), loses=("root=/dev/vda2",))


def machine(base: Base, initrd: Path, *disks: Path) -> None:
    """Run a machine that makes what only a kernel can make."""
    drives = [word for item in disks for word in ("-drive", f"file={item},format=raw,if=virtio")]
    done = subprocess.run(
        ["qemu-system-x86_64", "-accel", "tcg", "-m", "1024", "-nographic", "-no-reboot", "-kernel", base.kernel, "-initrd", initrd,
         "-append", "console=ttyS0 panic=-1 root=/dev/none", *drives], capture_output=True, timeout=300, check=False)  # fmt: skip
    if b"MADE" not in done.stdout:
        raise RuntimeError(done.stdout.decode(errors="replace")[-3000:] + done.stderr.decode())


def openrc_tree(base: Base, at: Path, fstab: str) -> Path:
    """Return a tree with OpenRC behind BusyBox's init."""
    files = {
        "etc/inittab": "::sysinit:/sbin/openrc sysinit\n::sysinit:/sbin/openrc boot\n::wait:/sbin/openrc default\nttyS0::respawn:/sbin/getty 115200 ttyS0\n",
        "etc/init.d/hub": "#!/sbin/openrc-run\ncommand=/usr/bin/hub\ncommand_background=yes\npidfile=/run/hub.pid\n",
        "usr/bin/hub": "#!/bin/sh\necho 'sensor-hub: listening on port 7000' > /dev/console\nwhile :; do sleep 1000; done\n",
        "etc/fstab": fstab,
        "etc/hostname": "flakes\n",
    }
    tree = base.tree(
        at, "openrc libc6 libpam0g libeinfo1 librc1 libselinux1 libpcre2-8-0 libaudit1 libcap-ng0 libcrypt1", files
    )
    (tree / "etc/runlevels/default").mkdir(parents=True, exist_ok=True)
    (tree / "etc/runlevels/default/hub").symlink_to("/etc/init.d/hub")
    return tree


def btrfs_subvolume(base: Base, at: Path) -> Built:
    """The root in a subvolume of btrfs, /boot beside it with GRUB, OpenRC."""
    line = f"root=UUID={UUID} ro rootflags=subvol=@ quiet"
    tree = openrc_tree(base, at / "root", f"UUID={UUID} / btrfs subvol=@ 0 0\n")
    image = at / "root.btrfs"
    run("truncate", "-s", f"{used(tree) * 2 + 128}M", image)
    run("mkfs.btrfs", "-q", "-U", UUID, image)
    (at / "mnt").mkdir()
    run("mount", "-o", "loop", image, at / "mnt")
    try:
        run("btrfs", "subvolume", "create", at / "mnt/@")
        run("btrfs", "subvolume", "create", at / "mnt/@home")
        run("cp", "-a", f"{tree}/.", at / "mnt/@/")
    finally:
        run("umount", at / "mnt")
    early = base.initrd("plain")
    boot = boot_partition(base, at, early, line)
    image = disk(at / "d.img", [(LINUX, boot), (LINUX, image)])
    return Built((image,), base.kernel, (early,), line, 2, LISTENS, keeps=("rootflags=subvol=@",))


def extended_loader_partition(base: Base, at: Path) -> Built:
    """systemd-boot on the EFI partition, its entries on an XBOOTLDR partition, two initrds in one entry, Finit."""
    line = f"root=PARTUUID={part_uuid(3)} rw quiet"
    files = {"etc/finit.conf": "host hub\nservice [2345] <> name:hub /usr/bin/hub -- Sensor hub\ntty [2345] /dev/ttyS0 115200 vt100 noclear\n",
             "usr/bin/hub": APP.replace("'\n", "' > /dev/console\n", 1), "etc/fstab": "", "etc/hostname": "hub\n"}  # fmt: skip
    tree = base.tree(at / "root", "finit libc6 libuev3 libite5", files)
    (tree / "sbin/init").unlink(missing_ok=True)
    (tree / "sbin/init").symlink_to("finit")
    root = ext4(at / "root.ext4", tree)
    early = base.initrd("plain")
    stamp = at / "stamp.cpio"
    put(at / "stamp", {"etc/stamp": "2026\n"})
    stamp.write_bytes(
        subprocess.run(
            ["cpio", "-o", "-H", "newc", "--quiet"],
            input=b"etc\netc/stamp\n",
            cwd=at / "stamp",
            capture_output=True,
            check=True,
        ).stdout
    )
    entry = "title Hub {0}\nversion {0}\nlinux /hub/{0}/linux\ninitrd /hub/stamp.cpio\ninitrd /hub/{0}/initrd\noptions {1}\n"
    boot = fat(at / "xboot.fat", {
        "loader/entries/hub-1.conf": entry.format(1, f"{line} old=1"), "loader/entries/hub-2.conf": entry.format(2, line),
        "hub/1/linux": b"MZ", "hub/1/initrd": b"", "hub/2/linux": base.kernel, "hub/2/initrd": early, "hub/stamp.cpio": stamp})  # fmt: skip
    esp = fat(
        at / "esp.fat",
        {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/systemd/systemd-bootx64.efi": b"MZ", "loader/loader.conf": "timeout 3\n"},
    )
    image = disk(at / "d.img", [(EFI, esp), (XBOOT, boot), (LINUX, root)])
    return Built((image,), base.kernel, (stamp, early), line, 3, LISTENS)


def squashfs_s6(base: Base, at: Path) -> Built:
    """A read-only squashfs partition as the root, extlinux on a FAT partition, s6 started by a script."""
    line = "root=/dev/sda2 rootfstype=squashfs ro console=ttyS0,115200"
    init = f"#!/bin/sh\n{SETUP}mkdir -p /run/service/hub; cp /etc/hub.run /run/service/hub/run; chmod +x /run/service/hub/run\nexec s6-svscan /run/service\n"
    tree = base.tree(
        at / "root", "s6 libc6 libskarnet2.13 libexecline2.9", {"etc/hub.run": APP, "etc/hostname": "ro\n"}
    )
    (tree / "sbin/init").unlink(missing_ok=True)
    put(tree, {"sbin/init": init})
    (tree / "usr/sbin/init").chmod(0o755)
    run("mksquashfs", tree, at / "root.sqfs", "-quiet", "-no-progress", "-comp", "zstd")
    early = base.initrd("plain")
    text = f"DEFAULT linux\nPROMPT 0\nLABEL linux\n KERNEL /vmlinuz\n INITRD /initrd.img\n APPEND {line}\n"
    boot = fat(at / "boot.fat", {"vmlinuz": base.kernel, "initrd.img": early, "syslinux/syslinux.cfg": text})
    image = disk(at / "d.img", [("c", boot), ("83", at / "root.sqfs")], label="dos")
    return Built((image,), base.kernel, (early,), line, 2, LISTENS)


def erofs_label(base: Base, at: Path) -> Built:
    """An EROFS root that is named by its partition's label, GRUB on the EFI partition alone, BusyBox's init."""
    line = "root=PARTLABEL=system_a rootfstype=erofs ro quiet"
    inittab = "::sysinit:/etc/rc\n::respawn:-/bin/sh\n"
    tree = base.tree(
        at / "root",
        "libc6",
        {"etc/inittab": inittab, "etc/rc": f"#!/bin/sh\n{SETUP}echo 'sensor-hub: listening on port 7000'\n"},
    )
    run("mkfs.erofs", "-zlz4", "--quiet", at / "root.erofs", tree)
    early = base.initrd("plain")
    menu = f"set timeout=1\nset default=a\nmenuentry 'A' --id a {{\n  linux /vmlinuz {line}\n  initrd /initrd.img\n}}\nmenuentry 'B' --id b {{\n  linux /vmlinuz {line.replace('_a', '_b')}\n  initrd /initrd.img\n}}\n"
    esp = fat(
        at / "esp.fat",
        {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/BOOT/grub.cfg": menu, "vmlinuz": base.kernel, "initrd.img": early},
    )
    image = disk(
        at / "d.img",
        [(EFI, esp), (LINUX, at / "root.erofs"), (LINUX, at / "root.erofs")],
        names=("esp", "system_a", "system_b"),
    )
    return Built((image,), base.kernel, (early,), line, 2, LISTENS)


def live_files(base: Base, at: Path) -> dict[str, str | Path | bytes]:
    """Return kernel, initrd and squashfs of a live system as live-build lays them out."""
    tree = base.tree(at / "live-root", "libc6", {
        "etc/inittab": "::sysinit:/etc/rc\nttyS0::respawn:/sbin/getty -n -l /bin/sh 115200 ttyS0\n", "etc/hostname": "live\n",
        "etc/rc": f"#!/bin/sh\n{SETUP}echo 'sensor-hub: listening on port 7000'\n"})  # fmt: skip
    (tree / "sbin/init").unlink(missing_ok=True)
    (tree / "sbin/init").symlink_to("/usr/bin/busybox")
    run("mksquashfs", tree, at / "filesystem.squashfs", "-quiet", "-no-progress", "-comp", "zstd")
    return {"live/vmlinuz": base.kernel, "live/initrd.img": base.initrd("plain"),
            "live/filesystem.squashfs": at / "filesystem.squashfs"}  # fmt: skip


LIVE = "boot=live components quiet"


def iso(base: Base, at: Path) -> Path:
    """Return a hybrid ISO with isolinux's and GRUB's menus, as live-build makes it."""
    menu = f"default live\nprompt 0\ntimeout 0\nlabel live\n  menu label Live\n  menu default\n  linux /live/vmlinuz\n  initrd /live/initrd.img\n  append {LIVE} splash\n"
    grub = f'set default=0\nmenuentry "Live system" {{\n  linux /live/vmlinuz {LIVE} findiso=${{iso_path}}\n  initrd /live/initrd.img\n}}\n'
    lib = base.root / "usr/lib"
    folder = put(at / "iso", live_files(base, at) | {"isolinux/live.cfg": menu, "isolinux/isolinux.cfg": "include live.cfg\n", "boot/grub/grub.cfg": grub,
        "isolinux/isolinux.bin": lib / "ISOLINUX/isolinux.bin", "isolinux/ldlinux.c32": lib / "syslinux/modules/bios/ldlinux.c32", ".disk/info": "Made\n"})  # fmt: skip
    shared = base.root / "iso-folder"
    run("rm", "-rf", shared)
    run("cp", "-a", folder, shared)
    base.chroot("xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-V", "LIVE", "-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat",
        "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "-isohybrid-mbr", "/usr/lib/ISOLINUX/isohdpfx.bin", "-o", "/made.iso", "/iso-folder")  # fmt: skip
    (base.root / "made.iso").rename(at / "live.iso")
    run("rm", "-rf", shared)
    return at / "live.iso"


def live_iso(base: Base, at: Path) -> Built:
    """A live system's hybrid ISO: isolinux names kernel, initrd and line; the root is a file in it."""
    image = iso(base, at)
    return Built((image,), base.kernel, (base.initrd("plain"),), f"{LIVE} splash", None, LISTENS, refused="ISO")


def loopback(base: Base, at: Path) -> Built:
    """GRUB boots a kernel out of an ISO file on an ext4 partition (`loopback`), live-boot finds the file again."""
    image = iso(base, at)
    line = f"{LIVE} findiso=/iso/live.iso"
    menu = f"set timeout=1\nmenuentry 'Live from a file' {{\n  set isofile=/iso/live.iso\n  loopback loop $isofile\n  linux (loop)/live/vmlinuz {LIVE} findiso=$isofile\n  initrd (loop)/live/initrd.img\n}}\n"
    part = ext4(at / "part.ext4", put(at / "part", {"iso/live.iso": image, "boot/grub/grub.cfg": menu}))
    made = disk(at / "d.img", [("83", part)], label="dos")
    return Built((made,), base.kernel, (base.initrd("plain"),), line, None, LISTENS, refused="ISO")


PCS: dict[str, Callable[[Base, Path], Built]] = {
    "LVM on a mirror, runit": raid_lvm,
    "btrfs subvolume, OpenRC": btrfs_subvolume,
    "XBOOTLDR, two initrds, Finit": extended_loader_partition,
    "squashfs partition, s6": squashfs_s6,
    "EROFS by PARTLABEL": erofs_label,
    "live ISO": live_iso,
    "ISO in a partition, loopback": loopback,
}
