# SPDX-License-Identifier: MIT
"""The builder of U-Boot on a tiny tree: what comes out, what is not built twice, what errors say."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.loader.uboot import UbootBuilder
from bootlab.errors import LoaderBuildError, SourceMissing, UserError
from bootlab.model.boot_loader import LoaderBuild, loader_board
from bootlab.model.source_build import KernelPatch

BOARD = loader_board("orangepi-pc")
# `tiny_defconfig` asks for nothing; B needs A, as with the real tools. The SPL says what it was built of.
_MAKEFILE = r"""
VERSION = 2023
PATCHLEVEL = 01
tiny_defconfig:
	@echo CONFIG_A=y > obj/.config
olddefconfig:
	@grep -q '^CONFIG_A=y' obj/.config || sed -i '/^CONFIG_B=/d' obj/.config
obj/spl/sunxi-spl.bin: src.c obj/.config obj/bootlab.env
	@echo '  CC      one.o'
	@mkdir -p obj/spl
	@if grep -q '^#error' src.c; then echo "../src.c:1:2: error: #error one" >&2; exit 1; fi
	@cat src.c obj/.config obj/bootlab.env > $@
	@cp /bin/true obj/spl/u-boot-spl
	@cp /bin/true obj/u-boot
spl/sunxi-spl.bin: obj/spl/sunxi-spl.bin
u-boot-dtb.img:
	@echo U-BOOT > obj/u-boot-dtb.img
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "u-boot"
    for name in ("common/spl", "configs", "board/sunxi"):
        (folder / name).mkdir(parents=True)
    (folder / "Makefile").write_text(_MAKEFILE)
    (folder / "Kconfig").write_text("")
    (folder / "common/spl/spl.c").write_text("")
    (folder / "src.c").write_text("int one;\n")
    return folder


@pytest.fixture
def builder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UbootBuilder:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bison", "flex", "bc", "dtc", "xxd"):
        (tools / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tools}")
    return UbootBuilder(Cache(tmp_path / "cache"), jobs=1)


def request(tree: Path, **fields: object) -> LoaderBuild:
    # This machine's own compiler: the tiny tree compiles nothing, but its symbols are read.
    return msgspec.structs.replace(LoaderBuild(source=str(tree), base="tiny_defconfig", compiler=""), **fields)


def test_both_parts_lie_in_one_file_as_they_do_on_the_card(builder: UbootBuilder, tree: Path) -> None:
    made = builder.build(request(tree), BOARD, "arm", environment="bootcmd=x\n")
    data = made.image.read_bytes()
    assert data.startswith(b"int one;")
    assert b"bootcmd=x" in data
    assert data[32 << 10 :] == b"U-BOOT\n"
    assert made.facts.source == "2023.01"
    assert "CONFIG_A=y" in made.config.read_text()
    assert not made.reused


def test_what_was_built_is_not_built_again(builder: UbootBuilder, tree: Path) -> None:
    first = builder.build(request(tree), BOARD, "arm")
    assert builder.build(request(tree), BOARD, "arm").reused
    other = builder.build(request(tree, options=(("B", "y"),)), BOARD, "arm")
    assert not other.reused
    assert b"CONFIG_B=y" in other.image.read_bytes()
    assert builder.build(request(tree), BOARD, "arm", environment="bootcmd=y\n").folder != first.folder


def test_an_option_that_does_not_hold_is_an_error_with_its_place(builder: UbootBuilder, tree: Path) -> None:
    with pytest.raises(LoaderBuildError, match=r"CONFIG_B=y \(loader.options\) did not take effect"):
        builder.build(request(tree, options=(("A", "n"), ("B", "y"))), BOARD, "arm")


def test_an_error_of_the_compiler_is_said_with_its_line(builder: UbootBuilder, tree: Path) -> None:
    (tree / "src.c").write_text("#error\n")
    with pytest.raises(LoaderBuildError, match=r"src.c:1: #error one"):
        builder.build(request(tree), BOARD, "arm")


def test_patches_are_built_and_the_tree_stays_as_it_is(builder: UbootBuilder, tree: Path) -> None:
    patch = KernelPatch(name="p", text="--- a/src.c\n+++ b/src.c\n@@ -1 +1,2 @@\n int one;\n+int two;\n")
    made = builder.build(request(tree, patches=(patch,)), BOARD, "arm")
    assert b"int two;" in made.image.read_bytes()
    assert (tree / "src.c").read_text() == "int one;\n"
    wrong = KernelPatch(name="w", text="--- a/src.c\n+++ b/src.c\n@@ -1 +1,2 @@\n int six;\n+int two;\n")
    with pytest.raises(LoaderBuildError, match="w does not apply"):
        builder.build(request(tree, patches=(wrong,)), BOARD, "arm")


def test_falcon_mode_brings_its_patch_only_where_the_board_lacks_it(builder: UbootBuilder, tree: Path) -> None:
    (tree / "board/sunxi/board.c").write_text("int spl_start_uboot(void);\n")
    builder.build(request(tree), BOARD, "arm", falcon=True)
    (tree / "board/sunxi/board.c").write_text("\n")
    with pytest.raises(LoaderBuildError, match=r"falcon-sunxi\.patch does not apply"):
        builder.build(request(tree), BOARD, "arm", falcon=True)


def test_folders_that_cannot_be_built_are_refused(builder: UbootBuilder, tree: Path, monkeypatch, tmp_path) -> None:
    with pytest.raises(UserError, match="which board"):
        builder.build(request(tree, base=""), BOARD, "arm")
    with pytest.raises(UserError, match="no configuration 'none_defconfig'"):
        builder.build(request(tree, base="none_defconfig"), BOARD, "arm")
    (tree / ".config").write_text("")
    with pytest.raises(UserError, match="contains a build"):
        builder.build(request(tree), BOARD, "arm")
    with pytest.raises(UserError, match="no Makefile"):
        builder.build(request(tmp_path), BOARD, "arm")
    monkeypatch.setenv("BOOTLAB_UBOOT_SOURCE", str(tmp_path / "none"))
    with pytest.raises(SourceMissing, match="source of U-Boot") as caught:
        builder.build(request(tree, source="debian"), BOARD, "arm")
    assert "fetch-uboot-source.sh" in caught.value.hint
