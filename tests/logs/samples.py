# SPDX-License-Identifier: MIT
"""Small logs made for the tests."""

BOOT = """\
U-Boot SPL 2024.01 (Jan 01 2024 - 00:00:00 +0000)
U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)
Hit any key to stop autoboot:  2
Starting kernel ...

[    0.000000] Booting Linux on physical CPU 0x0
[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP Mon Jan 1 00:00:00 UTC 2024
[    0.000000] Machine model: Sample Board
[    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug root=/dev/mmcblk0p2 rootwait
[    0.001000] Calibrating delay loop... 996.14 BogoMIPS (lpj=4980736)
[    0.101000] pid_max: default: 32768 minimum: 301
[    0.200000] calling  early_init+0x0/0x10 @ 1
[    0.201000] initcall early_init+0x0/0x10 returned 0 after 1000 usecs
[    0.250000] clocksource: Switched to clocksource arch_sys_counter
[    0.300000] calling  slow_init+0x0/0x10 @ 1
[    0.350000] calling  quick_init+0x0/0x10 [quick] @ 77
[    0.351000] initcall quick_init+0x0/0x10 [quick] returned 0 after 1000 usecs
[    0.400000] probe of 4900000.i2c returned 517 after 2000 usecs
[    0.600000] initcall slow_init+0x0/0x10 returned 0 after 250000 usecs
[    0.700000] probe of 4900000.i2c returned 0 after 3000 usecs
[    0.800000] Freeing unused kernel image (initmem) memory: 1024K
[    0.801000] Run /sbin/init as init process
Starting syslogd: OK

sample login:
"""

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  outer() {
 0)   2.000 us    |    inner();
 0)   3.000 us    |    inner();
 0) + 15.000 us   |  }
this line is no call
"""

HOSTILE_NAME = "</script><script>alert(1)</script>\u202e"


def slower(text: str, initcall_end: str = "0.900000") -> str:
    """Return the boot with a longer slow_init: everything behind it moves on by 300 ms."""
    text = text.replace("[    0.600000]", f"[    {initcall_end}]").replace("[    0.700000]", "[    1.000000]")
    return text.replace("[    0.800000]", "[    1.100000]").replace("[    0.801000]", "[    1.101000]")


def hostile() -> bytes:
    """Return a boot whose every text tries to be something else."""
    text = BOOT.replace("slow_init", "<img src=x onerror=alert(1)>").replace("4900000.i2c", HOSTILE_NAME)
    text = text.replace("Sample Board", "[bold red]{{ 7*7 }}\x1b[31m\x1b]0;owned\x07")
    return text.encode() + b"\xff\xfe\x00garbage\x00"


SERIAL_HEAD = """\
[0.000000 0.000000] U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)
[0.100000 0.100000] Hit any key to stop autoboot:  2
[2.100000 2.000000] Starting kernel ...
[2.200000 0.100000] [    0.000000] Linux version 6.6.0 (me@here) (aarch64-linux-gnu-gcc 13) #1 SMP
[3.200000 1.000000] [    1.000000] Run /sbin/init as init process
[4.200000 1.000000] Starting network: OK
"""
"""A console with two clocks in front of its lines, up to the first service."""
