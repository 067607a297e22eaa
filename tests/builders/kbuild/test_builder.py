"""The builder on a tiny tree: what comes out, what is not built twice, what goes on, what errors say."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder, configuration
from bootlab.builders.kbuild.fragment import Layer
from bootlab.builders.kbuild.make_run import Make, run
from bootlab.errors import BootlabError, EnvironmentFault, KernelBuildError, ToolMissing, UserError
from bootlab.model.source_patch import KernelPatch
from bootlab.model.system import KernelBuild
from tests.builders.kbuild.fake_tree import make_tree

PATCH = KernelPatch(
    name="two.patch", text="--- a/src/two.c\n+++ b/src/two.c\n@@ -1 +1,2 @@\n int two;\n+int patched;\n"
)


class Seen:
    def __init__(self) -> None:
        self.events: list[tuple[object, ...]] = []

    def build_started(self, label: str) -> None:
        self.events.append(("start",))

    def build_progress(self, label: str, made: int, expected: int | None, name: str) -> None:
        self.events.append((made, expected, name))

    def build_ended(self, label: str, wall_s: float) -> None:
        self.events.append(("end",))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "linux")


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def builder(tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch) -> KernelBuilder:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bison", "flex", "bc"):
        (tools / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tools}")
    return KernelBuilder(Cache(tmp_path / "cache"), jobs=1, observer=seen)


def request(tree: Path, **fields: object) -> KernelBuild:
    return msgspec.structs.replace(KernelBuild(source=str(tree), options=(("A", "y"),)), **fields)


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
    with pytest.raises(UserError, match="no configuration 'other_defconfig'"):
        builder.config(msgspec.structs.replace(build, base="other_defconfig"), "x86_64")


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


def test_a_full_disk_is_said_to_be_one(builder: KernelBuilder, tree: Path, tmp_path: Path) -> None:
    (tree / "src/two.c").write_text("#full\n")
    with pytest.raises(EnvironmentFault, match="the disk is full") as caught:
        builder.build(request(tree), "x86_64")
    assert "df -h" in caught.value.hint
    assert not list((tmp_path / "cache/kernels").glob("built/*"))


def test_a_compiler_that_is_missing_is_named_with_its_package(builder: KernelBuilder, tree: Path) -> None:
    with pytest.raises(ToolMissing, match="mips64-unknown-gcc") as caught:
        builder.build(request(tree, compiler="mips64-unknown-"), "x86_64")
    assert "gcc-mips64-unknown " in caught.value.hint


def test_a_full_disk_that_no_tool_names(builder: KernelBuilder, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "src/two.c").write_text("#error two\n")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=4096))
    with pytest.raises(EnvironmentFault, match="the disk is full"):
        builder.build(request(tree), "x86_64")


def test_the_log_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\t@echo one\n\t@echo two\n")
    log = tmp_path / "build.log"
    seen: list[str] = []
    call = Make(tree=tmp_path, variables={})
    assert run(call, ("all",), log, line=lambda text: seen.append(log.read_text().splitlines()[-1]), extra={}) == 0
    assert {"one", "two"} <= set(seen)


def test_a_log_that_does_not_fit_is_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\t@yes | head -c 100000\n")
    call = Make(tree=tmp_path, variables={})
    with pytest.raises(EnvironmentFault, match="the disk is full: No space left") as caught:
        run(call, ("all",), Path("/dev/full"), line=lambda _: None, extra={})
    assert "the next run continues" in caught.value.hint


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("tar: a/b: Cannot write: No space left on device\ntar: c: Cannot write", "the disk is full: tar: a/b: Cannot"),
        ("xz: (stdin): Compressed data is corrupt", r"\.tar\.xz cannot be unpacked: xz: .stdin.: Compressed"),
    ],
)
def test_a_source_that_cannot_be_unpacked(
    builder: KernelBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, message: str
) -> None:
    (tmp_path / "linux-source-6.1.tar.xz").write_bytes(b"x")
    monkeypatch.setattr("bootlab.builders.kbuild.source.DEBIAN_ARCHIVES", tmp_path)
    tar = tmp_path / "bin/tar"
    tar.write_text(f"#!/bin/sh\ncat >&2 <<'.'\n{said}\n.\nexit 2\n")
    tar.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(EnvironmentFault, match=message):
        builder.build(KernelBuild(), "x86_64")
    assert not [path for path in (tmp_path / "cache/kernels/sources").iterdir() if path.is_dir()]


def test_a_build_that_is_killed_goes_on(builder: KernelBuilder, tree: Path, tmp_path: Path, seen: Seen) -> None:
    (tree / "src/three.c").write_text("#slow\n")
    script = (
        "import sys; from pathlib import Path; from bootlab.builders.cache import Cache;"
        "from bootlab.builders.kbuild import KernelBuilder; from bootlab.model.system import KernelBuild;"
        "KernelBuilder(Cache(Path(sys.argv[1])), jobs=1)"
        ".build(KernelBuild(source=sys.argv[2], options=(('A', 'y'),)), 'x86_64')"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "cache"), str(tree)]) as process:
        try:
            until = time.monotonic() + 60
            waiting: list[Path] = []
            while not waiting and time.monotonic() < until and process.poll() is None:
                waiting = list((tmp_path / "cache").rglob("obj/waiting"))
                time.sleep(0.05)
            assert waiting
        finally:
            process.send_signal(signal.SIGKILL)
    obj = waiting[0].parent
    assert not list((tmp_path / "cache/kernels").glob("built/*"))
    # The same content, but no longer slow: the file's digest is remembered by size and time.
    status = (tree / "src/three.c").stat()
    (tree / "src/three.c").write_text("int x;")
    os.utime(tree / "src/three.c", ns=(status.st_atime_ns, status.st_mtime_ns))
    (obj / "three.o").unlink(missing_ok=True)
    built = builder.build(request(tree), "x86_64")
    assert [event[2] for event in seen.events if len(event) == 3] == ["three.o"]
    assert "int one;" in built.image.read_text()


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
