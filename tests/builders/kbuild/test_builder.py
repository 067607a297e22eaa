# SPDX-License-Identifier: MIT
"""The builder on a tiny tree: what comes out, what is not built twice, what goes on, what errors say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bootlab.builders.kbuild import KernelBuilder, configuration
from bootlab.builders.kbuild.fragment import Layer
from bootlab.builders.kbuild.make_run import Make
from bootlab.errors import BootlabError, KernelBuildError, ToolMissing, UserError
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import KernelBuild
from tests.builders.kbuild.conftest import Seen
from tests.builders.kbuild.fake_tree import request

PATCH = KernelPatch(
    name="two.patch", text="--- a/src/two.c\n+++ b/src/two.c\n@@ -1 +1,2 @@\n int two;\n+int patched;\n"
)


def fragment(tmp_path: Path, text: str) -> str:
    path = tmp_path / "f.config"
    path.write_text(text)
    return str(path)


def test_the_first_build_tells_how_many_objects_it_takes(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    builder.build(request(tree), "x86_64")
    assert seen.events == [("start",), (1, 3, "one.o"), (2, 3, "two.o"), (3, 3, "three.o"), ("end",)]


def test_makefiles_that_name_nothing_leave_the_number_open(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    (tree / "src/Makefile").unlink()
    builder.build(request(tree), "x86_64")
    assert (3, None, "three.o") in seen.events


def test_a_build_cut_off_counts_what_is_left(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    (tree / "src/two.c").write_text("#error two\n")
    with pytest.raises(KernelBuildError):
        builder.build(request(tree), "x86_64")
    seen.events.clear()
    with pytest.raises(KernelBuildError):
        builder.build(request(tree), "x86_64")
    assert seen.events == [("start",), (1, 2, "two.o"), ("end",)]


def test_a_build_gives_everything(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    before = sorted(tree.rglob("*"))
    built = builder.build(request(tree), "x86_64")
    assert not built.reused
    assert "int three;" in built.image.read_text()
    assert built.image.name == "bzImage"
    assert built.config.read_text() == "CONFIG_A=y\n"
    assert "start_kernel" in built.system_map.read_text()
    assert built.vmlinux.is_file()
    assert "CC      one.o" in built.log.read_text()
    assert built.facts.source == "6.1.9"
    assert built.facts.objects_built == 3
    assert built.facts.sizes_bytes["bzImage"] == built.image.stat().st_size
    assert sorted(tree.rglob("*")) == before


def test_equal_requests_are_built_once(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    first = builder.build(request(tree), "x86_64")
    seen.events.clear()
    again = builder.build(request(tree), "x86_64")
    assert again.reused
    assert again.folder == first.folder
    assert seen.events == []


def test_a_touched_tree_is_the_same_and_an_edited_one_is_not(builder: KernelBuilder, tree: Path) -> None:
    first = builder.build(request(tree), "x86_64")
    os.utime(tree / "src/one.c")
    assert builder.build(request(tree), "x86_64").reused
    (tree / "src/one.c").write_text("int other;\n")
    second = builder.build(request(tree), "x86_64")
    assert not second.reused
    assert second.folder != first.folder
    assert "int other;" in second.image.read_text()


def test_a_variant_starts_from_the_objects_that_are_there(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    builder.build(request(tree), "x86_64")
    seen.events.clear()
    variant = builder.build(request(tree, options=(("A", "y"), ("C", "y"))), "x86_64")
    # The tiny Makefile knows no dependence on options, so nothing is made again; the real one has fixdep.
    assert variant.facts.objects_built == 0
    assert variant.config.read_text() == "CONFIG_A=y\nCONFIG_C=y\n"
    assert variant.facts.objects == 3


def test_a_patch_is_applied_beside_the_tree(builder: KernelBuilder, tree: Path) -> None:
    plain = builder.build(request(tree), "x86_64")
    patched = builder.build(request(tree, patches=(PATCH,)), "x86_64")
    assert "int patched;" in patched.image.read_text()
    assert patched.facts.objects_built == 1
    assert "patched" not in (tree / "src/two.c").read_text()
    assert "patched" not in plain.image.read_text()
    back = builder.build(request(tree, options=(("A", "y"), ("C", "y"))), "x86_64")
    assert "patched" not in back.image.read_text()


def test_a_patch_that_does_not_apply_says_where(builder: KernelBuilder, tree: Path) -> None:
    wrong = msgspec.structs.replace(PATCH, text=PATCH.text.replace("int two", "int six"))
    with pytest.raises(KernelBuildError, match=r"two\.patch does not apply.*FAILED"):
        builder.build(request(tree, patches=(wrong,)), "x86_64")
    with pytest.raises(UserError, match="names no file"):
        builder.build(request(tree, patches=(KernelPatch(name="x", text="hello"),)), "x86_64")


def test_an_option_that_is_lost_names_what_it_needs(builder: KernelBuilder, tree: Path, tmp_path: Path) -> None:
    path = fragment(tmp_path, "# why\n\nCONFIG_B=y\n")
    with pytest.raises(KernelBuildError) as caught:
        builder.build(KernelBuild(source=str(tree), fragments=(path,)), "x86_64")
    assert caught.value.message == f"CONFIG_B=y ({path}:3) did not take effect, it is not there: B needs A (A is n)"


def test_members_of_one_choice_exclude_each_other(builder: KernelBuilder, tree: Path, tmp_path: Path) -> None:
    path = fragment(tmp_path, "CONFIG_LEFT=y\nCONFIG_RIGHT=y\n")
    with pytest.raises(KernelBuildError, match=r"LEFT=y \(\S+:1\) did not .*: LEFT and RIGHT exclude each other"):
        builder.build(KernelBuild(source=str(tree), fragments=(path,)), "x86_64")


def test_what_a_later_layer_takes_away_is_no_error(builder: KernelBuilder, tree: Path, tmp_path: Path) -> None:
    path = fragment(tmp_path, "CONFIG_A=y\nCONFIG_B=y\n")
    built = builder.build(KernelBuild(source=str(tree), fragments=(path,), options=(("A", "n"),)), "x86_64")
    assert built.config.read_text() == "# CONFIG_A is not set\n"


def test_without_modules_what_was_one_is_left_out_and_not_built_in(builder: KernelBuilder, tree: Path) -> None:
    base = request(tree, options=(("MODULES", "y"), ("A", "y"), ("DRIVER", "m"), ("OTHER", "m")))
    assert "CONFIG_DRIVER=m" in builder.config(base, "x86_64")
    without = builder.config(base.with_options((("MODULES", "n"), ("OTHER", "y"))), "x86_64").splitlines()
    assert "# CONFIG_DRIVER is not set" in without
    assert "CONFIG_OTHER=y" in without
    later = base.with_options((("MODULES", "n"),)).with_options((("DRIVER", "y"),))
    assert "CONFIG_DRIVER=y" in builder.config(later, "x86_64")


def test_a_fragment_that_contradicts_itself_names_both_lines(
    builder: KernelBuilder, tree: Path, tmp_path: Path
) -> None:
    path = fragment(tmp_path, "CONFIG_A=y\n# CONFIG_A is not set\n")
    with pytest.raises(UserError, match=r"line 1 asks for CONFIG_A=y, line 2 for CONFIG_A=n"):
        builder.build(KernelBuild(source=str(tree), fragments=(path,)), "x86_64")


def test_a_defconfig_is_the_base(builder: KernelBuilder, tree: Path) -> None:
    build = KernelBuild(source=str(tree), base="tiny_defconfig", options=(("B", "y"),))
    assert builder.config(build, "x86_64") == "CONFIG_A=y\nCONFIG_B=y\n"
    with pytest.raises(UserError, match="no configuration 'other_defconfig'") as caught:
        builder.config(msgspec.structs.replace(build, base="other_defconfig"), "x86_64")
    assert "arch/*/configs" in caught.value.hint
    assert "./other_defconfig" in caught.value.hint


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda tree: (tree / "init/Kconfig").unlink(), "not a kernel source tree: it has no init/Kconfig"),
        (lambda tree: (tree / ".config").write_text(""), "contains a build"),
        (lambda tree: (tree / "Makefile").write_text("all:\n"), "does not name a version"),
    ],
)
def test_a_tree_that_is_none(builder: KernelBuilder, tree: Path, spoil: object, message: str) -> None:
    assert callable(spoil)
    spoil(tree)
    with pytest.raises(UserError, match=message) as caught:
        builder.build(request(tree), "x86_64")
    if "contains a build" in message:
        assert f"make -C {tree} mrproper" in caught.value.hint


def test_a_missing_compiler_names_its_package(
    builder: KernelBuilder, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "few"))
    (tmp_path / "few").mkdir()
    for name in ("make", "gcc", "ld", "bison", "flex", "bc", "perl"):
        (tmp_path / "few" / name).symlink_to("/bin/true")
    with pytest.raises(ToolMissing, match="riscv64-linux-gnu-gcc is not installed") as caught:
        builder.build(request(tree), "riscv64")
    assert "apt-get install gcc-riscv64-linux-gnu" in caught.value.hint


@pytest.mark.parametrize(
    ("prefix", "package"), [("", "gcc-12-plugin-dev"), ("riscv64-x_y-gnu-", "gcc-12-plugin-dev-riscv64-x-y-gnu")]
)
def test_missing_headers_for_plugins_are_named_with_their_package(
    builder: KernelBuilder, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str, package: str
) -> None:
    # A compiler with headers in `plugin`, once they are there, as Debian's package brings them.
    gcc = tmp_path / f"bin/{prefix}gcc"
    gcc.write_text(
        f'#!/bin/sh\ncase "$1" in -print*) echo {tmp_path}/plugin;; -dumpversion) echo 12;; *) echo v;; esac\n'
    )
    gcc.chmod(0o755)
    (tmp_path / f"bin/{prefix}ld").unlink(missing_ok=True)
    (tmp_path / f"bin/{prefix}ld").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    build = request(tree, compiler=prefix, options=(("GCC_PLUGIN_LATENT_ENTROPY", "y"), ("A", "y")))
    with pytest.raises(ToolMissing, match="needed by CONFIG_GCC_PLUGIN_LATENT_ENTROPY=y") as caught:
        builder.config(build, "x86_64")
    assert f"apt-get install {package} " in caught.value.hint
    assert builder.config(request(tree, compiler=prefix), "x86_64") == "CONFIG_A=y\n"
    (tmp_path / "plugin/include").mkdir(parents=True)
    (tmp_path / "plugin/include/plugin-version.h").write_text("")
    assert "LATENT_ENTROPY=y" in builder.config(build, "x86_64")


def test_the_first_error_is_the_one_that_is_told(builder: KernelBuilder, tree: Path) -> None:
    (tree / "src/two.c").write_text("#error\n")
    with pytest.raises(KernelBuildError, match=r"src/two\.c:1: #error two$") as caught:
        builder.build(request(tree), "x86_64")
    log = Path(caught.value.hint.split()[3])
    assert "later" in log.read_text()
    # What was made stays; the repaired source is another one, and is built.
    (tree / "src/two.c").write_text("int two;\n")
    assert builder.build(request(tree), "x86_64").image.is_file()


def test_objects_of_a_build_that_failed_serve_the_next_one(builder: KernelBuilder, tree: Path) -> None:
    """An option whose file does not compile is left out of the next question: what is compiled already stays."""
    (tree / "src/three.c").write_text("#error\n")
    makefile = (tree / "Makefile").read_text()
    (tree / "Makefile").write_text(
        makefile.replace(
            "SRCS := one two three", "SRCS := one two $(shell grep -q '^CONFIG_A=y' obj/.config && echo three)"
        )
    )
    with pytest.raises(KernelBuildError, match="#error three"):
        builder.build(request(tree), "x86_64")
    without = builder.build(request(tree, options=(("A", "n"),)), "x86_64")
    assert without.facts.objects_built == 0


def test_many_changes_are_configured_in_one_run(
    builder: KernelBuilder, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    resolve = configuration.resolve

    def counted(make: Make, base: str, layers: tuple[Layer, ...], log: Path, **rest: Any) -> str:
        asked.append(len(layers))
        return resolve(make, base, layers, log, **rest)

    monkeypatch.setattr(configuration, "resolve", counted)
    changes = tuple(((f"O{number}", "y"),) for number in range(30))
    builder.config(request(tree, changes=changes), "x86_64")
    assert asked == [31], "the options of the file and thirty changes"
    asked.clear()
    # A=n takes B away, which was asked for before: that it could be had is looked up.
    changes = ((("B", "y"),), *changes, (("A", "n"),))
    builder.config(request(tree, changes=changes), "x86_64")
    assert asked == [33, 1, 2]
    asked.clear()
    with pytest.raises(KernelBuildError, match="CONFIG_B=y"):
        builder.config(
            request(tree, options=(("A", "n"),), changes=((("B", "y"),), (("A", "y"),), (("A", "n"),))), "x86_64"
        )


def test_what_a_configuration_comes_to_is_told_without_a_build(builder: KernelBuilder, tree: Path, seen: Seen) -> None:
    build = request(tree, options=(("A", "y"), ("B", "y")))
    assert builder.settled(build, "x86_64", (("A", "n"),)).get("B", "n") == "n"
    assert builder.settled(build, "x86_64", (("LATER", "y"),))["B"] == "y"
    assert seen.events == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"image": "zImage"}, '"zImage" is not a kernel image of x86_64'),
        ({"variables": (("ARCH", "arm"),)}, "ARCH cannot be set"),
        ({"options": (("A", "maybe"),)}, "cannot be 'maybe'"),
        ({"options": (("A B", "y"),)}, "not an option name"),
        ({"base": "hello"}, "not a configuration target"),
        ({"options": (("A", "y"), ("INITRAMFS_SOURCE", '"root"'))}, "absolute path"),
    ],
)
def test_requests_that_make_no_sense(
    builder: KernelBuilder, tree: Path, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(BootlabError, match=message):
        builder.build(request(tree, **fields), "x86_64")
