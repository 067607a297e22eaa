"""The system file: what is read, and every way to get one wrong."""

import os
from pathlib import Path

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.cmdline import Param
from bootlab.model.system import Limits
from bootlab.model.tree import Entry
from bootlab.systemfile import load, loads, template

MINIMAL = 'name = "demo"\n[kernel]\nimage = "vmlinuz-6.1"\n[goal]\nconsole = "ready"\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vmlinuz-6.1").write_bytes(b"kernel")
    (tmp_path / "app").write_bytes(b"app")
    (tmp_path / "app").chmod(0o750)
    (tmp_path / "rootfs" / "etc").mkdir(parents=True)
    (tmp_path / "rootfs" / "etc" / "motd").write_text("hello")
    return tmp_path


def read(folder: Path, text: str, **environ: str):
    return loads(text, path=str(folder / "system.toml"), environ=environ, unpack_dir=folder / "unpacked")


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


def wrong(folder, text, **environ):
    with pytest.raises(SystemFileError) as caught:
        read(folder, text, **environ)
    error = caught.value
    assert error.path == str(folder / "system.toml")
    assert error.where
    assert str(error).startswith(f"{error.path}: {error.where}: ")
    return error


def after(table: str, line: str) -> str:
    return MINIMAL.replace(f"[{table}]\n", f"[{table}]\n{line}\n") if f"[{table}]" in MINIMAL else (
        f"{MINIMAL}[{table}]\n{line}\n"
    )  # fmt: skip


FILES = "initramfs.files"
ARGUMENTS = 'application = "/app"\napplication_arguments = [%s]\n' + MINIMAL


@pytest.mark.parametrize(
    ("text", "where", "message", "hint"),
    [
        ('name = "a"\nname = "b"\n', "line 2", "overwrite", "quotes"),
        ('name = "a"\n[kernel\n', "line 2", "expected", "quotes"),
        ("name = demo\n", "line 1", "invalid value", "quotes"),
        ('name = "a', "line 1", "", "quotes"),
        ("", "name", "must be given", 'name = "..."'),
        ('name = "a"\n', "goal", "must be given", "[goal]"),
        ('name = "a"\n[goal]\n', "goal.console", "must be given", "[goal]"),
        ('name = "a"\n[goal]\nconsole = "x"\n', "kernel.image", "must be given", "image ="),
        (MINIMAL.replace('"demo"', '"a b"'), "name", "cannot be a name", "letters"),
        (MINIMAL.replace('"demo"', "3"), "name", "expected a text in quotes, got a whole number", "quotes"),
        ("zebra = 1\n" + MINIMAL, "zebra", 'unknown key "zebra"', "known here"),
        ("targt = 'qemu'\n" + MINIMAL, "targt", 'unknown key "targt"', 'did you mean "target"?'),
        ("target = 'qemo'\n" + MINIMAL, "target", "expected one of qemu, replay", 'did you mean "qemu"?'),
        (after("machine", "memory_mb = 3"), "machine.memory_mb", "unknown key", 'did you mean "memory_mib"?'),
        (after("machine", "memory_mib = -1"), "machine.memory_mib", "got -1", "256"),
        (after("machine", 'memory_mib = "256"'), "machine.memory_mib", "whole number, got a text", "without quotes"),
        (after("machine", "memory_mib = 1.5"), "machine.memory_mib", "got a number", ""),
        (after("machine", "cpus = 0"), "machine.cpus", "got 0", ""),
        (after("machine", 'options = "a=b"'), "machine.options", "expected a list, got a text", '["a=b"]'),
        (after("machine", "extra = [1]"), "machine.extra[0]", "expected a text", "quotes"),
        (after("machine", 'extra = [""]'), "machine.extra[0]", "empty", ""),
        (after("machine", 'type = " "'), "machine.type", "empty", "leave"),
        (after("machine", 'arch = "aarch64"'), "machine.arch", "riscv64", 'here it is called "arm64"'),
        (after("machine", 'arch = "amd64"'), "machine.arch", "riscv64", 'here it is called "x86_64"'),
        (after("machine", 'arch = "arm46"'), "machine.arch", "riscv64", 'did you mean "arm64"?'),
        (after("machine", 'arch = "arm"\nfirmware = "qboot"'), "machine.firmware", "x86", "-bios"),
        (after("machine", 'dtb = "no.dtb"'), "machine.dtb", "there is no file", "ls"),
        (after("machine", 'flash = ["", "no.img"]'), "machine.flash[1]", "there is no file", "ls"),
        (after("machine", 'disks = ["no.img"]'), "machine.disks[0]", "there is no file", "ls"),
        (after("machine", 'emulator = "./no"'), "machine.emulator", "there is no file", "ls"),
        (after("machine", 'firmware = "ovmf"'), "machine.firmware", "seabios, qboot, default", "known here"),
        (MINIMAL + "machine = 3\n", "goal.machine", "unknown key", "known here: console, name"),
        ("machine = 3\n" + MINIMAL, "machine", "expected a table, got a whole number", "[like.this]"),
        (after("clock", 'mode = "exakt"'), "clock.mode", "expected one of exact, free", 'did you mean "exact"?'),
        (after("clock", "shift = 99"), "clock.shift", "got 99", "2**shift"),
        (after("clock", 'rtc_base = "yesterday"'), "clock.rtc_base", "not a date", "2026"),
        (after("clock", 'rtc_base = "2026-01-01T00:00:00+02:00"'), "clock.rtc_base", "time zone", "UTC"),
        (after("clock", "rtc_base = 2026-01-01"), "clock.rtc_base", "expected a text", "quotes"),
        (after("clock", 'accel = "kvn"'), "clock.accel", "auto, tcg, kvm", 'did you mean "kvm"?'),
        (MINIMAL.replace("vmlinuz-6.1", "none"), "kernel.image", "there is no file", "relative to the system file"),
        (MINIMAL.replace("vmlinuz-6.1", "rootfs"), "kernel.image", "is a folder", ""),
        (MINIMAL.replace("vmlinuz-6.1", "/dev/null"), "kernel.image", "not a regular file", ""),
        (MINIMAL.replace("vmlinuz-6.1", "$NOPE/k"), "kernel.image", "variable NOPE is not set", "export NOPE="),
        (MINIMAL.replace("vmlinuz-6.1", "${NO PE}/k"), "kernel.image", "not a variable", "$$"),
        (MINIMAL.replace("vmlinuz-6.1", ""), "kernel.image", "must be given", "image ="),
        (after("kernel", 'config = "none"'), "kernel.config", "there is no file", "ls"),
        (after("kernel", 'symbols = "none"'), "kernel.symbols", "there is no file", "ls"),
        (after("kernel", 'form = "elf"'), "kernel.form", "image, vmlinux", ""),
        (after("kernel", "cmdline = 'a=\"b'"), "kernel.cmdline", "never closed", "close it"),
        ('cmdline = "a\\u0000"\n' + MINIMAL, "cmdline", "NUL", ""),
        ('cmdline = "a"\n' + after("kernel", 'cmdline = "b"'), "kernel.cmdline", "occurs twice", "keep one"),
        ('application = "app"\n' + MINIMAL, "application", "not an absolute path", '"/app"'),
        (MINIMAL.replace('"ready"', '"("'), "goal.console", "not a regular expression", "single quotes"),
        (MINIMAL.replace('"ready"', '""'), "goal.console", "empty", ""),
        (MINIMAL.replace('"ready"', '".*"'), "goal.console", "also matches an empty line", ""),
        (after("check", 'console = ["a", "["]'), "check.console[1]", "not a regular expression", ""),
        (after("check", "console = 5"), "check.console", "a text in quotes or a list", ""),
        (after("marks", 'rc = "*"'), "marks.rc", "not a regular expression", ""),
        (after("marks", "rc = 5"), "marks.rc", "regular expression in quotes", ""),
        (after("marks", '"a b" = "x"'), 'marks."a b"', "a mark's name", ""),
        (after("limits", "wall_s = 0"), "limits.wall_s", "above 0", ""),
        (after("limits", "wall_s = nan"), "limits.wall_s", "above 0", ""),
        (after("limits", "wall_s = inf"), "limits.wall_s", "above 0", ""),
        (after("limits", 'wall_s = "1"'), "limits.wall_s", "expected a number", "without quotes"),
        (MINIMAL + "[initramfs]\n", "initramfs", "is empty", "dir"),
        (after("initramfs", 'dir = "none"'), "initramfs.dir", "there is no folder", "ls"),
        (after("initramfs", 'dir = "app"'), "initramfs.dir", "not a folder", ""),
        (after("initramfs", 'archive = "none"'), "initramfs.archive", "there is no file", "ls"),
        (after("initramfs", 'archive = "app"'), "initramfs.archive", "neither a newc archive", "file"),
        (after("initramfs", 'dir = "rootfs"\ncompression = "gz"'), "initramfs.compression", "one of", '"gzip"?'),
        (after("initramfs", 'dir = "rootfs"\nlevel = 10'), "initramfs.level", "expected 1 to 9 for gzip", "best"),
        (after("initramfs", 'dir = "rootfs"\ncompression="none"\nlevel=1'), "initramfs.level", "no levels", "leave"),
        (after("initramfs", 'dir = "rootfs"\nkeep = ["etc"]'), "initramfs.keep[0]", "absolute", '"/etc"'),
        (after(FILES, '"bin/sh" = { dir = true }'), f'{FILES}."bin/sh"', "not an absolute path", ""),
        (after(FILES, '"/a/../b" = { dir = true }'), f'{FILES}."/a/../b"', '".."', ""),
        (after(FILES, '"/" = { dir = true }'), f'{FILES}."/"', "root directory itself", ""),
        (after(FILES, '"/a" = 5'), f'{FILES}."/a"', "expected a table", ""),
        (after(FILES, '"/a" = {}'), f'{FILES}."/a"', "exactly one of", "one kind"),
        (after(FILES, '"/a" = { dir = false }'), f'{FILES}."/a"', "exactly one of", "one kind"),
        (after(FILES, '"/a" = { dir = true, text = "" }'), f'{FILES}."/a"', "got text and dir", "one kind"),
        (after(FILES, '"/a" = { sourc = "x" }'), f'{FILES}."/a".sourc', "unknown key", '"source"?'),
        (after(FILES, '"/a" = { source = "none" }'), f'{FILES}."/a".source', "there is no file", "ls"),
        (after(FILES, '"/a" = { source = 5 }'), f'{FILES}."/a".source', "expected a text", "quotes"),
        (after(FILES, '"/a" = { dir = true, mode = "rwx" }'), f'{FILES}."/a".mode', "octal", ""),
        (after(FILES, '"/a" = { dir = true, mode = 755 }'), f'{FILES}."/a".mode', "expected a text", "quotes"),
        (after(FILES, '"/a" = { dir = true, mode = "0988" }'), f'{FILES}."/a".mode', "octal", ""),
        (after(FILES, '"/a" = { dir = true, uid = -1 }'), f'{FILES}."/a".uid', "got -1", ""),
        (after(FILES, '"/a" = { symlink = "" }'), f'{FILES}."/a".symlink', "at least one", ""),
        (after(FILES, '"/a" = { symlink = "b", mode = "0777" }'), f'{FILES}."/a".mode', "no mode", ""),
        ('application_arguments = ["-x"]\n' + MINIMAL, "application_arguments", "no application", "application ="),
        (ARGUMENTS % r'"-x", "a\" b"', "application_arguments[1]", "no kernel command line", "one argument an entry"),
        (ARGUMENTS % r'"a\nb"', "application_arguments[0]", "can hold", "line breaks"),
        (after(FILES, '"/a" = { char = [5] }'), f'{FILES}."/a".char', "length 2", ""),
        (after(FILES, '"/a" = { char = [5000, 1] }'), f'{FILES}."/a".char', "[5000, 1]", "ls -l"),
        (after(FILES, '"/a" = { block = [1, -1] }'), f'{FILES}."/a".block', "[1, -1]", "ls -l"),
    ],
)
def test_mistakes(folder, text, where, message, hint):
    error = wrong(folder, text)
    assert error.where == where
    assert message in error.message
    assert hint in error.hint
    assert error.exit_code == 2


def test_a_source_that_cannot_be_read(folder):
    (folder / "app").chmod(0)
    if os.access(folder / "app", os.R_OK):
        pytest.skip("root reads everything")
    assert "cannot be read" in wrong(folder, MINIMAL.replace("vmlinuz-6.1", "app")).message


def test_missing_file(tmp_path):
    with pytest.raises(SystemFileError, match="no such file") as caught:
        load(tmp_path / "none.toml")
    assert "bootlab new" in caught.value.hint


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(SystemFileError, match="folder"):
        load(tmp_path)


def test_bytes_that_are_not_utf8(tmp_path):
    (tmp_path / "s.toml").write_bytes(b'name = "a"\n# \xff\n')
    with pytest.raises(SystemFileError, match="not UTF-8") as caught:
        load(tmp_path / "s.toml")
    assert caught.value.where == "line 2"


def test_a_huge_file(tmp_path):
    with (tmp_path / "s.toml").open("wb") as file:
        file.truncate(5 << 20)
    with pytest.raises(SystemFileError, match="larger than 4 MiB"):
        load(tmp_path / "s.toml")


def test_deep_nesting(folder):
    with pytest.raises(SystemFileError):
        read(folder, "a = " + "[" * 100_000)


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
