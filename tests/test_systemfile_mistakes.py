# SPDX-License-Identifier: MIT
"""Every way to get a system file wrong: the key, what is said of it, and the hint."""

import os

import pytest

from bootlab.errors import SystemFileError
from bootlab.systemfile import load
from tests.systemfile_text import FILES, MINIMAL, after, filled, read, wrong

ARGUMENTS = 'application = "/app"\napplication_arguments = [%s]\n' + MINIMAL


@pytest.fixture
def folder(tmp_path):
    return filled(tmp_path)


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
