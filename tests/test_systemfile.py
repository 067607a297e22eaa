# SPDX-License-Identifier: MIT
"""The system file: what is read."""

from pathlib import Path

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.cmdline import Param
from bootlab.model.system import Limits
from bootlab.model.tree import Entry
from bootlab.systemfile import load, loads, template
from tests.systemfile_text import MINIMAL, after, filled, read, wrong


@pytest.fixture
def folder(tmp_path):
    return filled(tmp_path)


def initramfs(folder: Path, text: str, **environ: str):
    return read(folder, MINIMAL + text, **environ).initramfs


def test_minimal(folder):
    system = read(folder, MINIMAL)
    assert system.name == "demo"
    assert system.kernel.image == str(folder / "vmlinuz-6.1")
    assert system.kernel.config is None
    assert system.initramfs is None
    assert system.limits == Limits()
    assert system.path == str(folder / "system.toml")


def test_configuration_and_symbols_beside_the_image(folder):
    (folder / "config-6.1").touch()
    (folder / "System.map-6.1").touch()
    kernel = read(folder, MINIMAL).kernel
    assert kernel.config == str(folder / "config-6.1")
    assert kernel.symbols == str(folder / "System.map-6.1")


def test_configuration_beside_what_the_image_links_to(folder):
    (folder / "boot").mkdir()
    for name in ("vmlinuz-6.2", "config-6.2", "System.map-6.2"):
        (folder / "boot" / name).touch()
    (folder / "vmlinuz").symlink_to("boot/vmlinuz-6.2")
    (folder / "config").touch()
    kernel = read(folder, MINIMAL.replace("vmlinuz-6.1", "vmlinuz")).kernel
    assert kernel.image == str(folder / "vmlinuz")
    assert kernel.config == str(folder / "config")
    assert kernel.symbols == str(folder / "boot" / "System.map-6.2")


def test_everything(folder):
    (folder / "disk.img").touch()
    system = read(
        folder,
        """
name = "full"
target = "qemu"
application = "/usr/bin/app"
application_arguments = ["-i", "a b", "size=2x3"]
cmdline = 'console=ttyS0,115200 quiet dyndbg="file a +p" -- one'
[machine]
type = "microvm"
cpu = "qemu64"
memory_mib = 64
cpus = 2
firmware = "qboot"
options = ["acpi=off"]
devices = ["virtio-rng"]
disks = ["disk.img"]
extra = ["-nic", "none"]
emulator = "qemu-system-x86_64"
[clock]
mode = "free"
shift = 3
rtc_base = "2025-05-05"
accel = "kvm"
[kernel]
image = "vmlinuz-6.1"
form = "vmlinux"
[initramfs]
compression = "xz"
level = 6
dir = "rootfs"
keep = ["/etc/motd"]
[initramfs.files]
"/bin//app/" = { source = "app" }
"/bin/sh" = { symlink = "app" }
"/dev/console" = { char = [5, 1] }
"/dev/loop0" = { block = [7, 0], mode = "0640", gid = 6 }
"/etc/motd" = { text = "other" }
"/etc/fifo" = { fifo = true, uid = 7 }
"/proc" = { dir = true, mode = "0o555" }
[goal]
console = "ready"
name = "up"
[check]
console = "sum=(.*)"
[marks]
rc-scripts = "^rc"
[limits]
virtual_s = 5
""",
    )
    machine = system.machine
    assert (machine.type, machine.cpu, machine.memory_mib, machine.cpus) == ("microvm", "qemu64", 64, 2)
    assert machine.disks == (str(folder / "disk.img"),)
    assert machine.extra == ("-nic", "none")
    assert system.clock.rtc_base == "2025-05-05T00:00:00"
    assert (system.clock.mode, system.clock.shift, system.clock.accel) == ("free", 3, "kvm")
    assert system.cmdline.params[2] == Param("dyndbg", "file a +p")
    assert system.cmdline.init_args == ("one",)
    assert system.check.console == ("sum=(.*)",)
    assert system.marks == (("rc-scripts", "^rc"),)
    assert system.limits.virtual_s == 5.0
    assert system.application == "/usr/bin/app"
    assert system.application_arguments == ("-i", "a b", "size=2x3")
    assert system.initramfs.tree.as_dict() == {
        "/bin/app": Entry(kind="file", source=str(folder / "app"), mode=0o750),
        "/bin/sh": Entry(kind="symlink", target="app", mode=0o777),
        "/dev/console": Entry(kind="char", major=5, minor=1, mode=0o600),
        "/dev/loop0": Entry(kind="block", major=7, mode=0o640, gid=6),
        "/etc": system.initramfs.tree.get("/etc"),
        "/etc/fifo": Entry(kind="fifo", mode=0o644, uid=7),
        "/etc/motd": Entry(kind="file", text="other", mode=0o644),
        "/proc": Entry(kind="dir", mode=0o555),
    }


def test_command_line_and_application_may_stand_in_the_kernel_table(folder):
    text = MINIMAL.replace("[goal]", 'cmdline = "quiet"\napplication = "/app"\n[goal]')
    system = read(folder, text)
    assert str(system.cmdline) == "quiet"
    assert system.application == "/app"


def test_variables_and_home(folder):
    (folder / "a$b").touch()
    text = '[initramfs.files]\n"/a" = { source = "$HERE/app" }\n"/b" = { source = "~/app" }\n'
    text += '"/c" = { source = "${HERE}/a$$b" }\n'
    tree = initramfs(folder, text, HERE=str(folder), HOME=str(folder)).tree
    assert tree.get("/a").source == tree.get("/b").source == str(folder / "app")
    assert tree.get("/c").source == str(folder / "a$b")


def test_the_template_loads(folder):
    text = template("my-box", kernel=str(folder / "vmlinuz-6.1"), busybox=str(folder / "app"))
    system = read(folder, text)
    assert system.name == "my-box"
    assert system.initramfs.tree.get("/init").text.startswith("#!/bin/sh\n")
    assert system.check.console


def test_the_template_takes_odd_paths(folder):
    odd = folder / 'a "b" \\ ü'
    odd.touch()
    assert read(folder, template(kernel=str(odd), busybox=str(odd))).kernel.image == str(odd)


def test_replay_needs_no_kernel(folder):
    system = read(folder, 'name = "r"\ntarget = "replay"\n[goal]\nconsole = "x"\n')
    assert system.kernel.image == ""


def test_replay_needs_no_files(folder):
    text = after("kernel", 'config = "none"').replace('"vmlinuz-6.1"', '"$NOPE/vmlinuz-6.1"')
    text += '[initramfs.files]\n"/a" = { source = "none" }\n"/b" = { source = "app" }\n'
    assert wrong(folder, text).where.startswith("initramfs.files")
    system = read(folder, 'target = "replay"\n' + text)
    assert system.kernel.image == str(folder / "$NOPE/vmlinuz-6.1")
    assert system.initramfs.tree.get("/a") == Entry(kind="file", source=str(folder / "none"), mode=0o755)
    assert system.initramfs.tree.get("/b").mode == 0o750


def test_load_is_loads(folder):
    (folder / "s.toml").write_text("\ufeff" + MINIMAL, encoding="utf-8")
    assert load(folder / "s.toml", environ={}).kernel.image == str(folder / "vmlinuz-6.1")


def test_the_demo_is_well_formed(folder, monkeypatch):
    repository = Path(__file__).parents[1]
    text = (repository / "examples/demo/system.toml").read_text().replace("../../guest/build/", str(folder) + "/")
    for name in ("camera", "factory-test", "scene.bin", "sensor-firmware.bin", "busybox"):
        (folder / name).touch()
    text = text.replace('"/bin/busybox", mode', f'"{folder}/busybox", mode')
    system = loads(
        text,
        path=str(repository / "examples/demo/system.toml"),
        environ={"BOOTLAB_KERNEL": str(folder / "vmlinuz-6.1")},
    )
    assert system.initramfs.tree.get("/bin/sh") == Entry(kind="symlink", target="busybox", mode=0o777)
    assert system.initramfs.tree.get("/init").mode & 0o111
    assert {name for name, _ in system.marks} == {"rc-scripts", "application"}


@pytest.mark.parametrize(
    ("shift", "limits", "virtual_s", "stall_virtual_s"),
    [(0, "", 120, 30), (1, "", 120, 30), (4, "", 960, 240), (4, "\n[limits]\nstall_virtual_s = 30", 960, 30)],
)
def test_usual_limits_leave_room_for_as_many_instructions_at_every_shift(
    folder, shift, limits, virtual_s, stall_virtual_s
):
    found = read(folder, f"{MINIMAL}\n[clock]\nshift = {shift}\n{limits}\n").limits
    assert (found.virtual_s, found.stall_virtual_s) == (virtual_s, stall_virtual_s)


@pytest.mark.parametrize("pattern", ["one\\ntwo", "line\\r\\n$"])
def test_a_goal_over_two_lines_cannot_match(folder, pattern):
    with pytest.raises(SystemFileError, match="line by line"):
        read(folder, MINIMAL.replace('"ready"', f"'{pattern}'"))


@pytest.mark.parametrize("pattern", ["done\\r?$", "[^\\n]+ ready", "C:\\\\new"])
def test_a_goal_that_only_speaks_of_ends_of_lines_can(folder, pattern):
    read(folder, MINIMAL.replace('"ready"', f"'{pattern}'"))


def test_the_pace_of_a_console(folder):
    free = after("clock", 'mode = "free"') + "[machine]\nconsole_baud = 9600\n"
    assert read(folder, free).machine.console_baud == 9600
    error = wrong(folder, after("machine", "console_baud = 9600"))
    assert (error.where, "clock.mode" in error.hint) == ("machine.console_baud", True)
    assert wrong(folder, free.replace("9600", "5000000")).where == "machine.console_baud"
