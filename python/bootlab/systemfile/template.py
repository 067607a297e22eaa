# SPDX-License-Identifier: MIT
"""The commented system file that `bootlab new` writes."""

from __future__ import annotations

from bootlab.systemfile.toml_text import quoted

_TEMPLATE = """\
# A system for bootlab: everything that is booted. Paths are relative to this file; ~ and $VARIABLES are expanded.
# Boot it:  bootlab boot THIS-FILE      Try every technique on it:  bootlab stack THIS-FILE

name = @NAME@
target = "qemu"                       # qemu | replay

# The program that gives first use, if it may also run as init (used by the technique that does so).
# application = "/usr/bin/app"
# application_arguments = ["--fullscreen"]

[machine]
arch = "x86_64"                       # x86_64 | arm | arm64 | riscv64
type = "q35"                          # QEMU's -machine; left out: q35, or virt
cpu = "max"                           # QEMU's -cpu; left out: the architecture's usual one
memory_mib = 256
cpus = 1
firmware = "default"                  # default | seabios | qboot
# options = ["graphics=off"]          # appended to -machine TYPE,...
# devices = ["virtio-rng-pci"]        # each becomes -device ...
# disks = ["disk.img"]                # files
# flash = ["nor.img"]                 # parallel flash banks; sd = "card.img": the SD card
# dtb = "board.dtb"                   # the board's device tree
# extra = ["-nic", "user"]            # passed on unchanged
# emulator = "/usr/bin/qemu-system-x86_64"

[clock]
mode = "exact"                        # exact: one instruction takes 2**shift ns | free: the host's clock
shift = 1
rtc_base = "2026-01-01T00:00:00"      # what the guest's clock shows at power-on, UTC
accel = "auto"                        # for free: auto | tcg | kvm
# seed = 1                            # exact mode: seed of the random numbers that the emulator gives to the guest

[kernel]
image = @KERNEL@
# config = "config"                   # default: config-VERSION beside vmlinuz-VERSION, if it exists
# symbols = "System.map"              # default: System.map-VERSION beside it
form = "image"                        # image | vmlinux: unpacked on the host, entered by PVH
cmdline = "console=ttyS0,115200 panic=-1"

# What bootlab packs as the initramfs: an archive, then a folder, then single entries; later ones override earlier ones.
[initramfs]
compression = "gzip"                  # none | gzip | bzip2 | lzma | xz | lzo | lz4 | zstd
# level = 9                           # default: the strongest of the format
# dir = "rootfs/"
# archive = "initrd.img"
# keep = ["/etc/ssl"]                 # slimming never removes these

[initramfs.files]
"/bin/busybox" = { source = @BUSYBOX@, mode = "0755" }
"/bin/sh" = { symlink = "busybox" }
"/dev/console" = { char = [5, 1], mode = "0600" }
"/proc" = { dir = true }
"/init" = { mode = "0755", text = \"\"\"
#!/bin/sh
/bin/busybox mount -t proc proc /proc
echo "hello: ready"
/bin/busybox sleep 100000
\"\"\" }

# First available use: the first console line that this regular expression matches.
[goal]
console = 'hello: ready'
name = "ready"

# What must still work in a faster system: every pattern must match, and its (groups) must capture the same text.
[check]
console = ['(hello: ready)']
# A command run inside the booted system after the goal; its output must stay the same.
# command = ["/bin/sh", "-c", "ls /usr/bin | wc -l"]

# Console lines that start a stage. rc-scripts and application are the classic ones.
[marks]
# rc-scripts = '^rc: start'
# application = '^application: start'

# When bootlab gives a boot up. Virtual limits have the same effect on every machine; the wall ones are a safety net.
[limits]
# virtual_s = 120.0
# stall_virtual_s = 30.0
# check_s = 2.0             # seconds after the goal in which the check's text may come
wall_s = 180.0
stall_wall_s = 60.0
"""


def template(name: str = "my-system", *, kernel: str = "$BOOTLAB_KERNEL", busybox: str = "/bin/busybox") -> str:
    """Return a system file that loads as it is, given a kernel image and a static busybox."""
    values = {"@NAME@": name, "@KERNEL@": kernel, "@BUSYBOX@": busybox}
    text = _TEMPLATE
    for key, value in values.items():
        text = text.replace(key, quoted(value))
    return text
