# SPDX-License-Identifier: MIT
"""More systems of Debian packages that nobody prepared for bootlab: memory-only systems, slots, guests, boards.

What is true of each was written by the loaders' and packages' manuals before bootlab read one of them.
"""

# ruff: noqa: E501 - menus, scripts and command lines stand as their loaders have them

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_base import EFI, LINUX, Base, Built, disk, ext4, fat, put, run
from benchmarks.first_contact_built import APP, GRUB, LISTENS, SETUP, UUID

REPOSITORY = Path(__file__).resolve().parents[1]
BOARDS = REPOSITORY / ".cache/kernel-arm64-boards"
RC = f"#!/bin/sh\n{SETUP}echo 'sensor-hub: listening on port 7000'\n"
INITTAB = "::sysinit:/etc/rc\nttyS0::respawn:/sbin/getty 115200 ttyS0 vt100\n"
CHROMEOS_KERNEL, CHROMEOS_ROOT = "fe3a2a5d-4f32-41a7-b725-accc3285a309", "3cb8e202-3b7e-47dd-8a3c-7ff2a13cfcec"


def packed_tree(tree: Path, path: Path) -> Path:
    """Return a tree as a packed cpio archive."""
    names = subprocess.run(["find", ".", "-print0"], cwd=tree, capture_output=True, check=True).stdout
    made = subprocess.run(
        ["cpio", "-0", "-o", "-H", "newc", "--quiet", "-R", "0:0"],
        cwd=tree,
        input=names,
        capture_output=True,
        check=True,
    )
    path.write_bytes(gzip.compress(made.stdout, 6, mtime=0))
    return path


def busybox_tree(base: Base, at: Path, files: dict[str, str] | None = None) -> Path:
    """Return a tree with BusyBox's init and one application."""
    tree = base.tree(
        at, "libc6", {"etc/inittab": INITTAB, "etc/rc": RC, "etc/hostname": "hub\n", "etc/fstab": ""} | (files or {})
    )
    (tree / "sbin/init").unlink(missing_ok=True)
    (tree / "sbin/init").symlink_to("/usr/bin/busybox")
    return tree


def two_archives(base: Base, at: Path) -> Built:
    """Tiny Core's way: the whole system in two archives, Syslinux gives both; the application is in the second."""
    rc = f"#!/bin/sh\n{SETUP}[ -x /opt/hub ] && exec /opt/hub\necho 'no application'\n"
    tree = busybox_tree(base, at / "core", {"etc/rc": rc})
    (tree / "init").symlink_to("sbin/init")
    core = packed_tree(tree, at / "core.gz")
    apps = put(at / "apps", {"opt/hub": APP})
    (apps / "opt/hub").chmod(0o755)
    second = packed_tree(apps, at / "apps.gz")
    line = "loglevel=3 tce=sda1"
    text = (
        f"DEFAULT core\nLABEL core\n  KERNEL /boot/vmlinuz64\n  INITRD /boot/core.gz,/boot/apps.gz\n  APPEND {line}\n"
    )
    part = fat(
        at / "p.fat",
        {
            "boot/vmlinuz64": base.kernel,
            "boot/core.gz": core,
            "boot/apps.gz": second,
            "boot/syslinux/syslinux.cfg": text,
        },
    )
    image = disk(at / "d.img", [("c", part)], label="dos")
    return Built((image,), base.kernel, (core, second), line, None, LISTENS, loses=("root=",))


def pxe_tree(base: Base, at: Path) -> Built:
    """A TFTP server's folder: a menu whose ONTIMEOUT says what boots by itself, not the first label."""
    tree = busybox_tree(base, at / "ram")
    (tree / "init").symlink_to("sbin/init")
    ram = packed_tree(tree, at / "ram.gz")
    line = "console=ttyS0,115200 hub=ram"
    text = (
        "DEFAULT menu.c32\nPROMPT 0\nTIMEOUT 50\nONTIMEOUT ram\nMENU TITLE Net\n"
        "LABEL disk\n  MENU LABEL Boot from the disk\n  LOCALBOOT 0\n"
        "LABEL nfs\n  KERNEL images/vmlinuz\n  APPEND initrd=images/nfs.img root=/dev/nfs ip=dhcp nfsroot=10.0.0.1:/srv\n"
        f"LABEL ram\n  KERNEL images/vmlinuz\n  INITRD images/ram.gz\n  APPEND {line}\n  IPAPPEND 2\n"
    )
    files: dict[str, str | Path | bytes] = {"pxelinux.0": b"\xfa" * 64, "menu.c32": b"\x7fELF", "pxelinux.cfg/default": text,
        "images/vmlinuz": base.kernel, "images/ram.gz": ram, "images/nfs.img": base.initrd("plain")}  # fmt: skip
    return Built((put(at / "tftpboot", files),), base.kernel, (ram,), line, None, LISTENS, loses=("nfsroot",))


MENDER = """mender_rootfsa_part=2
mender_rootfsb_part=3
mender_kernel_root_base=/dev/sda
mender_grub_storage_device=hd0
kernel_imagetype=vmlinuz
initrd_imagetype=initrd.img
console_bootargs="console=ttyS0,115200n8"
bootargs="${console_bootargs} quiet"
function mender_load_env {
    load_env --skip-sig --file ${prefix}/mender_grubenv1/env mender_boot_part upgrade_available bootcount
    if test "${editing}" = 1; then
        load_env --skip-sig --file ${prefix}/mender_grubenv2/env mender_boot_part upgrade_available bootcount
    fi
}
function mender_save_env {
    save_env --file ${prefix}/mender_grubenv2/env mender_boot_part upgrade_available bootcount
}
mender_load_env
if test "${upgrade_available}" = "1"; then
    if test "${bootcount}" != "0"; then
        if test "${mender_boot_part}" = "${mender_rootfsa_part}"; then
            mender_boot_part="${mender_rootfsb_part}"
        else
            mender_boot_part="${mender_rootfsa_part}"
        fi
        upgrade_available=0
        bootcount=0
    else
        bootcount=1
    fi
    mender_save_env
fi
set mender_kernel_root="${mender_kernel_root_base}${mender_boot_part}"
root="${mender_grub_storage_device},gpt${mender_boot_part}"
if linux (${root})/boot/${kernel_imagetype} root=${mender_kernel_root} ${bootargs}; then
    initrd (${root})/boot/${initrd_imagetype}
    boot
fi
"""


def two_slots(base: Base, at: Path) -> Built:
    """Mender's way: no menu, two environment files; an update whose first boot failed goes back to slot A."""
    early = base.initrd("plain")
    parts = []
    for slot in "ab":
        tree = busybox_tree(base, at / f"root-{slot}", {"etc/slot": slot})
        put(tree, {"boot/vmlinuz": base.kernel, "boot/initrd.img": early})
        parts.append(ext4(at / f"root-{slot}.ext4", tree))
    env = "# GRUB Environment Block\nmender_boot_part=3\nupgrade_available=1\nbootcount=1\n".ljust(1024, "#")
    esp = fat(at / "esp.fat", {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/BOOT/grub.cfg": MENDER,
        "EFI/BOOT/mender_grubenv1/env": env, "EFI/BOOT/mender_grubenv2/env": env})  # fmt: skip
    data = ext4(at / "data.ext4", put(at / "data", {"u-boot/x": ""}))
    image = disk(at / "d.img", [(EFI, esp), (LINUX, parts[0]), (LINUX, parts[1]), (LINUX, data)])
    return Built((image,), base.kernel, (early,), "root=/dev/sda2 console=ttyS0,115200n8 quiet", 2, LISTENS)


def xen_host(base: Base, at: Path) -> Built:
    """A host of Xen: GRUB's first entry starts the hypervisor, and Linux is its first guest."""
    line = f"placeholder root=UUID={UUID} ro console=hvc0"
    plain = GRUB.format(
        folder="/boot", kernel="vmlinuz", initrd="initrd.img", line=f"root=UUID={UUID} ro quiet", uuid=UUID
    )
    menu, _, rest = plain.partition("menuentry 'Debian")
    menu += f"menuentry 'Debian GNU/Linux, with Xen hypervisor' {{\n\tsearch --no-floppy --fs-uuid --set=root {UUID}\n\tmultiboot2\t/boot/xen-4.17-amd64.gz placeholder dom0_mem=512M\n\tmodule2\t/boot/vmlinuz {line}\n\tmodule2\t--nounzip /boot/initrd.img\n}}\n"
    menu += f"menuentry 'Debian{rest}"
    early = base.initrd("plain")
    tree = busybox_tree(base, at / "root", {"etc/fstab": f"UUID={UUID} / ext4 defaults 0 1\n"})
    put(
        tree,
        {
            "boot/vmlinuz": base.kernel,
            "boot/initrd.img": early,
            "boot/grub/grub.cfg": menu,
            "boot/xen-4.17-amd64.gz": gzip.compress(b"\x7fELF" + bytes(4096)),
        },
    )
    image = disk(at / "d.img", [("83", ext4(at / "root.ext4", tree, uuid=UUID))], label="dos")
    return Built((image,), base.kernel, (early,), line.removeprefix("placeholder "), 1, LISTENS, says=("Xen",))


def firecracker(base: Base, at: Path) -> Built:
    """A guest of Firecracker: its configuration names kernel, initrd, line and drives."""
    line = "console=ttyS0 reboot=k panic=1 pci=off"
    root = ext4(at / "rootfs.ext4", busybox_tree(base, at / "root"))
    early = base.initrd("plain")
    put(at, {"vmlinuz": base.kernel, "initrd.img": early})
    config = {"boot-source": {"kernel_image_path": "vmlinuz", "initrd_path": "initrd.img", "boot_args": line},
        "drives": [{"drive_id": "rootfs", "path_on_host": "rootfs.ext4", "is_root_device": True, "is_read_only": False}],
        "machine-config": {"vcpu_count": 1, "mem_size_mib": 256}}  # fmt: skip
    (at / "vm_config.json").write_text(json.dumps(config, indent=2))
    assert root.exists()
    return Built(
        (at / "vm_config.json",), base.kernel, (early,), f"{line} root=/dev/vda rw", 0, LISTENS, refused="Firecracker"
    )


def libvirt(base: Base, at: Path) -> Built:
    """A guest of libvirt with a kernel of its own: its XML names kernel, initrd, line and disk."""
    line = "console=ttyS0 root=/dev/vda1 rw"
    root = ext4(at / "root.ext4", busybox_tree(base, at / "root"))
    disk(at / "disk.img", [("83", root)], label="dos")
    early = base.initrd("plain")
    put(at, {"vmlinuz": base.kernel, "initrd.img": early})
    text = f"<domain type='kvm'>\n  <name>hub</name>\n  <memory unit='MiB'>256</memory>\n  <vcpu>1</vcpu>\n  <os>\n    <type arch='x86_64' machine='q35'>hvm</type>\n    <kernel>{at}/vmlinuz</kernel>\n    <initrd>{at}/initrd.img</initrd>\n    <cmdline>{line}</cmdline>\n  </os>\n  <devices>\n    <disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='{at}/disk.img'/><target dev='vda' bus='virtio'/></disk>\n    <serial type='pty'/>\n  </devices>\n</domain>\n"
    (at / "hub.xml").write_text(text)
    return Built((at / "hub.xml",), base.kernel, (early,), line, 1, LISTENS, refused="libvirt")


def chromebook(base: Base, at: Path) -> Built:
    """A Chromebook's disk: the kernel is signed in a partition of its own, with its line; two slots by priority."""
    line = "console=tty1 root=PARTUUID=%U/PARTNROFF=1 rootwait rw"
    root = ext4(at / "root.ext4", busybox_tree(base, at / "root"))
    keys = "/usr/share/vboot/devkeys"
    put(base.root / "kpart", {"line": line, "stub": b"x" * 512})
    base.chroot("vbutil_kernel", "--pack", "/kpart/out", "--keyblock", f"{keys}/kernel.keyblock", "--signprivate", f"{keys}/kernel_data_key.vbprivk",
        "--version", "1", "--vmlinuz", f"/boot/{base.kernel.name}", "--bootloader", "/kpart/stub", "--config", "/kpart/line", "--arch", "x86_64")  # fmt: skip
    (base.root / "kpart/out").rename(at / "kernel.part")
    image = disk(
        at / "d.img", [(CHROMEOS_KERNEL, at / "kernel.part"), (CHROMEOS_ROOT, root)], names=("KERN-A", "ROOT-A")
    )
    return Built((image,), base.kernel, (), line, 2, LISTENS, refused="ChromeOS")


def unified_dracut(base: Base, at: Path) -> Built:
    """A unified image with an initrd by dracut, started by its default name; an XFS-less ext4 root by its label."""
    line = "root=LABEL=hubroot rw quiet"
    version = base.version
    base.chroot(
        "dracut",
        "--force",
        "--no-hostonly",
        "--kver",
        version,
        "--add-drivers",
        "virtio_blk virtio_pci ext4",
        "/boot/dracut.img",
    )
    early = base.root / "boot/dracut.img"
    (at / "line").write_text(line)
    (at / "osrel").write_text('ID=hub\nPRETTY_NAME="Hub"\n')
    stub = Path("/usr/lib/systemd/boot/efi/linuxx64.efi.stub")
    words = [w for name, item, place in ((".osrel", at / "osrel", 0x20000), (".cmdline", at / "line", 0x30000), (".linux", base.kernel, 0x2000000), (".initrd", early, 0x4000000))
             for w in ("--add-section", f"{name}={item}", "--change-section-vma", f"{name}={place:#x}")]  # fmt: skip
    run("objcopy", *words, stub, at / "hub.efi")
    esp = fat(at / "esp.fat", {"EFI/BOOT/BOOTX64.EFI": at / "hub.efi"})
    root = ext4(at / "root.ext4", busybox_tree(base, at / "root"), label="hubroot")
    image = disk(at / "d.img", [(EFI, esp), (LINUX, root)])
    return Built((image,), base.kernel, (early,), line, 2, LISTENS)


def tiny_initramfs(base: Base, at: Path) -> Built:
    """Debian's tiny-initramfs: one C program that loads its modules and mounts the root by its UUID."""
    line = f"root=UUID={UUID} rootfstype=ext4 rw quiet"
    base.chroot("mktirfs", "-m", "no", "--include-modules=virtio_pci,virtio_blk", "-o", "/boot/tiny.img", base.version)
    early = base.root / "boot/tiny.img"
    tree = busybox_tree(base, at / "root", {"etc/fstab": f"UUID={UUID} / ext4 defaults 0 1\n"})
    menu = GRUB.format(folder="/boot", kernel="vmlinuz", initrd="initrd.img", line=line, uuid=UUID)
    put(tree, {"boot/vmlinuz": base.kernel, "boot/initrd.img": early, "boot/grub/grub.cfg": menu})
    image = disk(at / "d.img", [("83", ext4(at / "root.ext4", tree, uuid=UUID))], label="dos")
    return Built((image,), base.kernel, (early,), line, 1, LISTENS)


def kexec_loader(base: Base, at: Path) -> Built:
    """LinuxBoot's way: the first kernel's initrd is the boot loader, it starts the disk's kernel by kexec."""
    rc = (
        f"#!/bin/sh\n{SETUP}mount -t devtmpfs dev /dev\nmodprobe virtio_pci; modprobe virtio_blk; modprobe ext4; sleep 1\nmkdir /d; mount -o ro /dev/vda1 /d\n"
        "echo 'loader: starting the kernel on the disk'\nkexec -s -l /d/boot/vmlinuz --initrd=/d/boot/initrd.img --append=\"root=/dev/vda1 rw quiet console=ttyS0\" && kexec -e\n"
    )
    tree = base.tree(
        at / "loader",
        "kexec-tools libc6 zlib1g liblzma5 kmod libzstd1 libssl3 libkmod2",
        {"etc/rc": rc, "etc/inittab": "::sysinit:/etc/rc\n"},
    )
    (tree / "sbin/init").unlink(missing_ok=True)
    (tree / "sbin/init").symlink_to("/usr/bin/busybox")
    (tree / "init").symlink_to("sbin/init")
    for part in ("drivers/virtio", "drivers/block/virtio_blk.ko", "drivers/char/hw_random"):
        source = base.root / "lib/modules" / base.version / "kernel" / part
        target = tree / "lib/modules" / base.version / "kernel" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        run("cp", "-a", source, target.parent)
    run("depmod", "-b", tree, base.version)
    loader = packed_tree(tree, at / "loader.gz")
    early = base.initrd("plain")
    system = busybox_tree(base, at / "root")
    put(system, {"boot/vmlinuz": base.kernel, "boot/initrd.img": early})
    image = disk(at / "disk.img", [("83", ext4(at / "root.ext4", system))], label="dos")
    put(at, {"vmlinuz": base.kernel})
    return Built(
        (image, at / "vmlinuz", loader),
        base.kernel,
        (loader,),
        "",
        1,
        LISTENS,
        not_goal="loader: starting the kernel on the disk",
    )


def arm_tree(at: Path) -> Path:
    """Return a small tree for arm64, which is its own initrd."""
    folder = put(at, {"bin/busybox": REPOSITORY / ".cache/busybox-arm64/busybox", "etc/inittab": "::sysinit:/etc/rc\n::respawn:-/bin/sh\n",
        "etc/rc": "#!/bin/sh\n/bin/busybox mount -t proc proc /proc\necho 'sensor-hub: listening on port 7000'\n"})  # fmt: skip
    for name in ("proc", "sys", "dev", "sbin", "run"):
        (folder / name).mkdir(exist_ok=True)
    for name in ("bin/sh", "sbin/init", "init"):
        (folder / name).symlink_to("/bin/busybox")
    for name in ("bin/busybox", "etc/rc"):
        (folder / name).chmod(0o755)
    return folder


def raspberry_prefix(base: Base, at: Path) -> Built:  # noqa: ARG001 - one signature for all
    """A Raspberry Pi 3's card: `include` and `os_prefix` take everything from a folder of one update."""
    kernel = next((BOARDS / "unpacked/boot").glob("vmlinuz-*"))
    line = "console=ttyS1,115200 hub=b"
    ram = packed_tree(arm_tree(at / "ram"), at / "ram.gz")
    dtb = BOARDS / "dtbs/broadcom/bcm2837-rpi-3-b.dtb"
    files: dict[str, str | Path | bytes] = {
        "config.txt": "arm_64bit=1\nenable_uart=1\ninclude update.txt\n[pi4]\nos_prefix=none/\n[pi3]\ndevice_tree=bcm2837-rpi-3-b.dtb\n[all]\n",
        "update.txt": "os_prefix=b/\nkernel=vmlinuz\ninitramfs ram.gz followkernel\ncmdline=line.txt\n",
        "cmdline.txt": "root=/dev/mmcblk0p2 wrong=1\n", "line.txt": "wrong=2\n", "b/line.txt": f"{line}\n", "b/vmlinuz": kernel, "b/ram.gz": ram,
        "b/bcm2837-rpi-3-b.dtb": dtb, "a/vmlinuz": b"x", "bootcode.bin": b"x", "start.elf": b"x", "kernel8.img": b"x"}  # fmt: skip
    image = disk(at / "card.img", [("c", fat(at / "boot.fat", files, mib=120))], label="dos")
    return Built((image,), kernel, (ram,), line, None, LISTENS, arch="arm64")


def android_2(base: Base, at: Path) -> Built:
    """An Android boot image of version 2 by mkbootimg: kernel, ramdisk, device tree, a line in two parts."""
    kernel = next((BOARDS / "unpacked/boot").glob("vmlinuz-*"))
    line = "console=ttyAMA0 androidboot.hardware=hub " + " ".join(
        f"androidboot.property{n}=value{n}" for n in range(30)
    )
    ram = packed_tree(arm_tree(at / "ram"), at / "ram.gz")
    dtb = at / "virt.dtb"
    subprocess.run(
        ["qemu-system-aarch64", "-machine", f"virt,dumpdtb={dtb}", "-cpu", "cortex-a72", "-m", "512", "-nographic"],
        check=True,
        capture_output=True,
    )
    put(base.root / "abi", {"kernel": kernel, "ram": ram, "dtb": dtb})
    base.chroot("mkbootimg", "--header_version", "2", "--kernel", "/abi/kernel", "--ramdisk", "/abi/ram", "--dtb", "/abi/dtb", "--cmdline", line,
        "--os_version", "13.0.0", "--os_patch_level", "2024-01", "--pagesize", "4096", "-o", "/abi/boot.img")  # fmt: skip
    (base.root / "abi/boot.img").rename(at / "boot.img")
    return Built((at / "boot.img",), kernel, (ram,), line, None, LISTENS, arch="arm64")


OTHERS: dict[str, Callable[[Base, Path], Built]] = {
    "two archives, Tiny Core's way": two_archives,
    "PXE tree, ONTIMEOUT": pxe_tree,
    "two slots, Mender's way": two_slots,
    "Xen host": xen_host,
    "Firecracker's configuration": firecracker,
    "libvirt's XML": libvirt,
    "Chromebook": chromebook,
    "unified image, dracut": unified_dracut,
    "tiny-initramfs": tiny_initramfs,
    "kexec as the loader": kexec_loader,
    "Raspberry Pi 3, os_prefix": raspberry_prefix,
    "Android 2, mkbootimg": android_2,
}
