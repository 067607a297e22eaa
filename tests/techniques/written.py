# SPDX-License-Identifier: MIT
"""Excerpts written by hand, for what no x86 boot of this kernel shows. Formats: the kernel source named beside each."""

# net/ipv4/ipconfig.c ic_dynamic(), ip_auto_config()
IP_CONFIG = """\
[    1.204512] Sending DHCP requests ., OK
[    1.254001] IP-Config: Got DHCP answer from 10.0.2.2, my address is 10.0.2.15
[    1.254120] IP-Config: Complete:
[    1.254130]      device=eth0, hwaddr=52:54:00:12:34:56, ipaddr=10.0.2.15, mask=255.255.255.0, gw=10.0.2.2
[    1.300000] Run /init as init process"""

# drivers/md/md-autodetect.c autodetect_raid()
MD_WAITING = """\
[    1.800000] md: Waiting for all devices to be available before autodetect
[    1.800010] md: If you don't use raid, use raid=noautodetect
[    1.900000] md: Autodetecting RAID arrays.
[    1.900010] md: autorun ...
[    1.900020] md: ... autorun DONE."""
# drivers/md/md-autodetect.c md_run_setup()
MD_SKIPPING = "[    1.800000] md: Skipping autodetection of RAID arrays. (raid=autodetect will force)"

# drivers/base/dd.c deferred_probe_timeout_work_func()
PROBE_PENDING = """\
[    2.000000] Run /init as init process
[   12.100000] platform fe201000.serial: deferred probe pending"""

# kernel/watchdog_hld.c hardlockup_detector_perf_enable()
NMI_WATCHDOG = "[    0.140000] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter."

# arch/x86/kernel/smpboot.c, kernel/smp.c smp_init()
TWO_CPUS = """\
[    0.020000] smpboot: Allowing 2 CPUs, 0 hotplug CPUs
[    0.100000] smp: Bringing up secondary CPUs ...
[    0.130000] smp: Brought up 1 node, 2 CPUs
[    0.130010] smpboot: Total of 2 processors activated (7983.99 BogoMIPS)"""
TWO_CPUS_FASTER = TWO_CPUS.replace("0.130", "0.109")
ONE_OF_TWO_CPUS = """\
[    0.020000] smpboot: Allowing 1 CPUs, 0 hotplug CPUs
[    0.100000] smp: Bringing up secondary CPUs ...
[    0.100010] smp: Brought up 1 node, 1 CPU"""

# fs/ext4/super.c, init/do_mounts.c do_mount_root()
WRONG_TYPE_FIRST = """\
[    1.500000] F2FS-fs (mmcblk0p2): Magic Mismatch, valid(0xf2f52010) - read(0x0)
[    1.510000] EXT4-fs (mmcblk0p2): mounted filesystem with ordered data mode. Quota mode: none.
[    1.510100] VFS: Mounted root (ext4 filesystem) readonly on device 179:2."""
RIGHT_TYPE_FIRST = WRONG_TYPE_FIRST.split("\n", 1)[1]

# arch/x86/mm/srat.c, arch/x86/mm/numa.c
TWO_NODES = """\
[    0.010000] SRAT: PXM 0 -> APIC 0x00 -> Node 0
[    0.010010] NUMA: Node 0 [mem 0x00000000-0x0009ffff] + [mem 0x00100000-0x7fffffff] -> [mem 0x00000000-0x7fffffff]"""

# arch/x86/kernel/apic/apic.c init_apic_mappings()
DEADLINE_TIMER = "[    0.000020] TSC deadline timer available"

# arch/x86/kernel/kvm.c, arch/x86/kernel/setup.c
KVM_GUEST = """\
[    0.000000] Hypervisor detected: KVM
[    0.010000] Booting paravirtualized kernel on KVM
[    0.020000] ..TIMER: vector=0x30 apic1=0 pin1=2 apic2=-1 pin2=-1"""

# init/calibrate.c calibrate_delay(), on an OMAP3 without a timer-based delay loop
ARM_CALIBRATED = "[    0.000427] Calibrating delay loop... 597.60 BogoMIPS (lpj=2334720)"

# The same on x86: the first processor knows its TSC's frequency, and the others calibrate without a word.
# arch/x86/kernel/smpboot.c, kernel/smp.c; Linux 6.1 with four processors on QEMU 10.0.2
_FOUR_CPUS = """\
[    0.250000] Calibrating delay loop (skipped){how} 1999.90 BogoMIPS (lpj=3999804)
[    0.539832] smp: Bringing up secondary CPUs ...
[    {end}] smp: Brought up 1 node, 4 CPUs"""
OTHERS_CALIBRATE = _FOUR_CPUS.format(how=", value calculated using timer frequency..", end="0.813974")
OTHERS_KNOWN = _FOUR_CPUS.format(how=", value calculated using timer frequency..", end="0.570000")
OTHERS_PRESET = _FOUR_CPUS.format(how=" preset value..", end="0.575000")

# drivers/ata/ahci.c ahci_init_one(), drivers/ata/libahci.c ahci_print_info()
STAGGERED = """\
[    1.200000] ahci 0000:00:1f.2: SSS flag set, parallel bus scan disabled
[    1.200100] ahci 0000:00:1f.2: AHCI 0001.0300 32 slots 6 ports 6 Gbps 0x3f impl SATA mode"""
NOT_STAGGERED = STAGGERED.split("\n", 1)[1]

# e2fsck/unix.c main(): what systemd-fsck and initramfs-tools let through to the console
CHECKED = "/dev/vda2: clean, 1204/32768 files, 51234/131072 blocks"
