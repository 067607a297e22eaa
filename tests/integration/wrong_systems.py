# SPDX-License-Identifier: MIT
"""Systems with the mistakes that people make, made for real: a distribution's kernel, BusyBox, a system file.

benchmarks/mistakes.py boots them as a user does and prints when each mistake was named; test_wrong_systems.py tests it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.integration.board_folders import BOARDS, BoardCase, buildroot, yocto

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / ".cache"
# The kernel's own tests of ciphers take half of the boot and have nothing to do with any mistake.
_LINE = "console=ttyS0 cryptomgr.notests"
_READY = "#!/bin/sh\\nmount -t proc proc /proc\\necho panel: ready\\nexec sleep 1000\\n"
CAMERA = REPOSITORY / "guest/build/camera"
_DYNAMIC = "/bin/sleep"
_INIT = '"/init" = {{ source = "{}", mode = "0755" }}'
_APPLICATION = '"/usr/bin/camera" = {{ source = "{}", mode = "{}" }}'
_SORTS = "#!/bin/sh\\nsort /dev/zero && echo panel: ready\\nexec sleep 1000\\n"
_STARTS = "#!/bin/sh\\n/usr/bin/camera 10\\nexec sleep 1000\\n"
_LOGIN_ELSEWHERE = (
    '"/sbin/init" = { symlink = "/bin/busybox" }',
    '"/sbin/getty" = { symlink = "/bin/busybox" }',
    '"/etc/inittab" = { text = "tty1::respawn:/sbin/getty 38400 tty1\\n" }',
)
_APPLETS = ("sh", "mount", "sleep", "echo", "sort", "reboot")


@dataclass(frozen=True)
class Wrong:
    """A mistake: what was done, on which architecture, what must be said of it, and whether a machine must run.

    `hint`: a part of the way out. `expected`: what is said while the kernel still boots, where the files tell it.
    """

    id: str
    arch: str
    mistake: str
    said: str
    hint: str
    make: Callable[[Path], str]
    boots: bool = False
    expected: str = ""


@dataclass(frozen=True)
class _Parts:
    """A system file in the making; what is left as it is boots."""

    line: str = _LINE
    init: str | None = _READY
    goal: str = "^panel: ready"
    machine: str = ""
    root: str = ""
    files: tuple[str, ...] = ()
    kernel: Path | None = None
    busybox: Path = Path("/bin/busybox")

    def text(self) -> str:
        """Return the system file."""
        kernel = self.kernel or Path(os.environ.get("BOOTLAB_KERNEL") or CACHE / "kernel/vmlinuz")
        lines = ['name = "panel"', "[machine]", self.machine, "[kernel]", f'image = "{kernel}"']
        lines += [f'cmdline = "{self.line}"', self.root]
        if not self.root:
            lines += ["[initramfs.files]", f'"/bin/busybox" = {{ source = "{self.busybox}", mode = "0755" }}']
            lines += [f'"/bin/{name}" = {{ symlink = "busybox" }}' for name in _APPLETS]
            lines += ['"/proc" = { dir = true }', '"/dev" = { dir = true }', '"/dev/console" = { char = [5, 1] }']
            lines += ['"/dev/zero" = { char = [1, 5] }']
            lines += [f'"/init" = {{ text = "{self.init}", mode = "0755" }}'] if self.init is not None else []
            lines += self.files
        return "\n".join([*lines, "[goal]", f"console = '{self.goal}'", ""])


def _changed(**parts: object) -> Callable[[Path], str]:
    return lambda _: _Parts(**parts).text()  # type: ignore[arg-type]


def _arm64(**parts: object) -> Callable[[Path], str]:
    own = {"line": "console=ttyAMA0", "machine": 'arch = "arm64"', "kernel": CACHE / "kernel-arm64/vmlinuz"}
    return _changed(**{**own, "busybox": CACHE / "busybox-arm64/busybox", **parts})


def armhf_packages() -> Path | None:
    """Return the folder of Debian's ARM kernel, where one was named."""
    named = os.environ.get("BOOTLAB_ARMHF_PACKAGES", "")
    return Path(named) if named else None


def _on_board(line: str, *, tree: bool = True) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        case, packages = _vexpress()
        output = buildroot(packages, case, folder)
        blob = f'dtb = "{output}/images/{case.tree}"' if tree else ""
        return "\n".join(
            [
                *('name = "panel"', "[machine]", 'arch = "arm"', 'type = "vexpress-a9"', blob, "[kernel]"),
                *(f'image = "{output}/images/zImage"', f'config = "{output}/build/linux-6.1/.config"'),
                *(f'cmdline = "{line}"', "[initramfs]", f'archive = "{output}/images/rootfs.cpio.gz"'),
                *("[goal]", "console = 'panel login:'", ""),
            ]
        )

    return make


def _on_card(line: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        case, packages = _vexpress()
        deploy = yocto(packages, case, folder)
        return "\n".join(
            [
                *('name = "panel"', "[machine]", 'arch = "arm"', 'type = "vexpress-a9"'),
                *(f'dtb = "{deploy}/{case.tree}"', "[kernel]", f'image = "{deploy}/zImage"'),
                *(f'config = "{deploy}/kernel-config-6.1"', f'cmdline = "{line}"', "[initramfs]"),
                *(f'archive = "{deploy}/core-image-minimal-initramfs-board.cpio.gz"', "[root]"),
                *('medium = "sd"', f'image = "{deploy}/core-image-minimal-board.wic"'),
                *("[goal]", "console = 'panel login:'", ""),
            ]
        )

    return make


def _vexpress() -> tuple[BoardCase, Path]:
    packages = armhf_packages()
    assert packages is not None
    return next(case for case in BOARDS if case.machine == "vexpress-a9"), packages


WRONG = (
    Wrong("no-console", "x86_64", "no `console=` on the command line", "has no console=", "console=ttyS0",
          _changed(line="quiet")),
    Wrong("foreign-console", "arm", "the console of another board", "console=ttyS0 is not a port of this machine",
          "console=ttyAMA0", _on_board("console=ttyS0,115200")),
    Wrong("no-device-tree", "arm", "a board without its device tree", "vexpress-a9 has no device tree", "machine.dtb",
          _on_board("console=ttyAMA0", tree=False)),
    Wrong("foreign-kernel", "x86_64", "a kernel for another architecture", "is a kernel for arm64",
          'machine.arch = "arm64"', _changed(kernel=CACHE / "kernel-arm64/vmlinuz")),
    Wrong("root-module", "x86_64", "a root whose driver is a module, without an initramfs", "VIRTIO_BLK",
          "initramfs", _changed(line="console=ttyS0 root=/dev/vda1", root="# no initramfs")),
    Wrong("wrong-partition", "arm", "a partition that the image does not have", "has no partition 7",
          "root=", _on_card("console=ttyAMA0 root=/dev/mmcblk0p7")),
    Wrong("no-init", "arm64", "an initramfs without a first program", "/init", "init", _arm64(init=None)),
    Wrong("foreign-program", "arm64", "programs for another processor", "is a program for x86-64; the machine is arm64",
          "right architecture",
          _arm64(busybox=Path("/bin/busybox"))),
    Wrong("dos-script", "x86_64", "a first script with the line ends of another system", "ends with a carriage return",
          "Unix line ends",
          _changed(init=_READY.replace("\\n", "\\r\\n"))),
    Wrong("prompt-goal", "x86_64", "a goal that ends before the prompt does", "a prompt ends with a space",
          "leave the $ out",
          _changed(goal="login:$")),
    Wrong("little-memory", "x86_64", "a machine with too little memory", "of memory to unpack itself", "memory_mib",
          _changed(machine="memory_mib = 48")),
    Wrong("misspelt-goal", "x86_64", "a goal with a letter wrong", "is nearly the goal", "misspelt",
          _changed(goal="^panel: raedy"), boots=True, expected="which is nearly the goal"),
    Wrong("other-goal", "arm64", "a goal that nothing prints", "it said last 'panel: ready'", "started",
          _arm64(goal="buildroot login:"), boots=True, expected="prints 'panel: ready', which does not match"),
    Wrong("init-ends", "x86_64", "a first program that ends", "the first program ended with status 0",
          "it must keep running", _changed(init="#!/bin/sh\\necho hello\\n"), boots=True,
          expected="and then ends"),
    Wrong("no-command", "x86_64", "a command that is not in the tree", "/usr/bin/camera: not found",
          "not in the tree", _changed(init="#!/bin/sh\\nexec /usr/bin/camera\\n"), boots=True,
          expected="starts /usr/bin/camera, which is not in the tree"),
    Wrong("screen", "x86_64", "programs that print on the screen", "programs print on tty0", "put it last",
          _changed(line=f"{_LINE} console=tty0"), boots=True, expected="programs print on tty0"),
    Wrong("shell", "x86_64", "a shell instead of the application", "the machine is in a shell", "did not run",
          _changed(init="#!/bin/sh\\necho starting\\nexec sh\\n"), boots=True, expected="becomes a shell"),
    Wrong("waits", "x86_64", "a program that waits for a device", "comes again and again", "does not have",
          _changed(init="#!/bin/sh\\nwhile :; do echo no sensor; sleep 1; done\\n"), boots=True,
          expected="prints 'no sensor', which does not match"),
    Wrong("computes", "x86_64", "a program that computes for ever", "it said last 'starting'", "started",
          _changed(init="#!/bin/sh\\necho starting\\nwhile :; do :; done\\n"), boots=True,
          expected="prints 'starting', which does not match"),
    Wrong("restarts", "x86_64", "a script that restarts the machine", "user space restarted the machine after",
          "watchdog", _changed(init="#!/bin/sh\\necho starting\\nreboot -f\\n"), boots=True,
          expected="calls reboot"),
    Wrong("compiled", "x86_64", "a compiled first program that never prints the goal", "none of its", "started",
          _changed(init=None, files=(_INIT.format(CAMERA),)), boots=True,
          expected="no file of the tree has the word 'panel' of the goal"),
    Wrong("no-library", "x86_64", "an application without its libraries", "/usr/bin/camera: not found",
          "rootfs check", _changed(init=_STARTS, files=(_APPLICATION.format(_DYNAMIC, "0755"),)), boots=True,
          expected="/init starts /usr/bin/camera: "),
    Wrong("no-rights", "x86_64", "an application that is not executable", "Permission denied", "0755",
          _changed(init=_STARTS, files=(_APPLICATION.format(CAMERA, "0644"),)), boots=True,
          expected="is not executable (mode 0644)"),
    Wrong("other-port", "x86_64", "a login on a port that nobody reads", "printed nothing", "console",
          _changed(init=None, goal="panel login:", line=f"{_LINE} rdinit=/sbin/init", files=_LOGIN_ELSEWHERE),
          boots=True, expected="/etc/inittab starts a login on tty1 only, and bootlab reads ttyS0"),
    Wrong("memory-ends", "x86_64", "a program that needs more memory than there is", "the memory ran out (sort",
          "memory_mib", _changed(init=_SORTS, machine="memory_mib = 128"), boots=True),
)  # fmt: skip
