# SPDX-License-Identifier: MIT
"""Programs out of C files and commands: kept by content, with the libraries they need, or an error that helps."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.programs import ProgramBuilder, built_programs, with_built_programs
from bootlab.builders.programs.toolchain import musl_roots
from bootlab.errors import ProgramBuildError, SourceMissing, ToolMissing, UserError
from bootlab.model.program import Program
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or os.uname().machine != "x86_64", reason="no gcc for x86_64 here"
)

HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'
HAS_MUSL = Path("/usr/lib/x86_64-linux-musl/libc.a").is_file()


@pytest.fixture
def hello(tmp_path):
    source = tmp_path / "src" / "hello.c"
    source.parent.mkdir()
    source.write_text(HELLO)
    return Program(path="/usr/bin/hello", sources=(str(source),))


def system(*programs, tree=None):
    return SystemDescription(
        name="x",
        kernel=Kernel(image="k"),
        goal=Goal(console="x"),
        initramfs=Initramfs(tree=FileTree.of(tree or {})),
        programs=programs,
    )


def test_a_c_file_becomes_a_program_with_its_loader_and_libraries(hello, cache):
    made, built = built_programs(system(hello), cache)
    tree = made.initramfs.tree.as_dict()
    assert made.programs == ()
    assert tree["/usr/bin/hello"].mode == 0o755
    assert {"/lib64/ld-linux-x86-64.so.2", "/lib/libc.so.6"} <= tree.keys()
    (program,) = built.programs
    assert (program.elf.kind, program.elf.interpreter) == ("executable", "/lib64/ld-linux-x86-64.so.2")
    assert program.elf.needed == ("libc.so.6",)
    assert {file.path for file in built.files if file.role == "toolchain"} == tree.keys() - {
        "/usr",
        "/usr/bin",
        program.path,
    }


def test_the_same_is_built_once_and_other_flags_are_another_program(hello, cache):
    builder = ProgramBuilder(cache)
    first, second = builder.build(hello, "x86_64"), builder.build(hello, "x86_64")
    assert (first.reused, second.reused) == (False, True)
    assert first.folder == second.folder
    assert "hello.c" in first.log.read_text()
    for other in ({"cflags": ("-Os",)}, {"link": "static"}, {"strip": True}):
        assert builder.build(msgspec.structs.replace(hello, **other), "x86_64").folder != first.folder
    Path(hello.sources[0]).write_text(HELLO.replace("hello", "other"))
    assert builder.build(hello, "x86_64").folder != first.folder


def test_two_folders_give_the_same_bytes(hello, tmp_path, cache):
    Path(hello.sources[0]).write_text(HELLO.replace('"hello"', "__FILE__"))
    moved = tmp_path / "elsewhere"
    shutil.copytree(Path(hello.sources[0]).parent, moved)
    other = msgspec.structs.replace(hello, sources=(str(moved / "hello.c"),), cflags=("-O2", "-g"))
    one = ProgramBuilder(cache).build(msgspec.structs.replace(hello, cflags=("-O2", "-g")), "x86_64")
    two = ProgramBuilder(Cache(tmp_path / "other-cache")).build(other, "x86_64")
    assert (one.folder / "tree/usr/bin/hello").read_bytes() == (two.folder / "tree/usr/bin/hello").read_bytes()


@pytest.mark.parametrize("link", ["static", "static-pie"])
def test_static_programs_need_nothing(hello, cache, link):
    made, built = built_programs(system(msgspec.structs.replace(hello, link=link)), cache)
    (program,) = built.files
    assert program.elf.interpreter is None
    assert program.elf.needed == ()
    assert program.elf.pie == (link == "static-pie")
    assert [path for path, entry in made.initramfs.tree.entries if entry.kind == "file"] == ["/usr/bin/hello"]


@pytest.mark.skipif(not HAS_MUSL, reason="no musl here: scripts/setup-debian.sh programs")
@pytest.mark.parametrize("link", ["shared", "static", "static-pie"])
def test_musl_brings_its_own_loader_alone(hello, cache, link):
    made, built = built_programs(system(msgspec.structs.replace(hello, libc="musl", link=link)), cache)
    added = {file.path for file in built.files if file.role == "toolchain"}
    assert added == ({"/lib/ld-musl-x86_64.so.1"} if link == "shared" else set())
    assert "GLIBC" not in Path(made.initramfs.tree.get("/usr/bin/hello").source).read_bytes().decode("latin-1")


def test_a_command_installs_what_it_likes(tmp_path, cache):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.c").write_text("int answer(void) { return 42; }\n")
    (tmp_path / "src/app.c").write_text("int answer(void);\nint main(void) { return answer(); }\n")
    command = (
        'mkdir -p "$DESTDIR/opt/lib" && $CC $CFLAGS -shared -fPIC -o "$DESTDIR/opt/lib/libanswer.so" lib.c\n'
        '$CC $CFLAGS -o "$OUT" app.c -L"$DESTDIR/opt/lib" -lanswer -Wl,-rpath,/opt/lib $LDFLAGS\n'
        'echo "$ARCH $LINK $LIBC" > "$DESTDIR/opt/facts"'
    )
    program = Program(path="/bin/app", sources=(str(tmp_path / "src"),), build=command)
    made, built = built_programs(system(program), cache)
    tree = made.initramfs.tree
    assert Path(tree.get("/opt/facts").source).read_text() == "x86_64 shared glibc\n"
    roles = {file.path: file.role for file in built.files}
    assert roles["/opt/lib/libanswer.so"] == "own"
    assert roles["/lib/libc.so.6"] == "toolchain"
    assert built.programs[0].elf.search_path == ("/opt/lib",)


def test_libraries_of_the_tree_are_taken_as_they_are(hello, cache, tmp_path):
    (tmp_path / "mine").write_text("")
    own = Entry(kind="file", source=str(tmp_path / "mine"))
    made = with_built_programs(system(hello, tree={"/usr/lib/libc.so.6": own}), cache)
    assert made.initramfs.tree.get("/lib/libc.so.6") is None


def test_libraries_go_where_the_link_leads(hello, cache):
    tree = {"/lib": Entry(kind="symlink", target="usr/lib"), "/lib64": Entry(kind="symlink", target="/usr/lib")}
    made = with_built_programs(system(hello, tree=tree), cache)
    assert made.initramfs.tree.get("/usr/lib/libc.so.6") is not None
    assert made.initramfs.tree.get("/usr/lib/ld-linux-x86-64.so.2") is not None
    assert made.initramfs.tree.get("/lib").kind == "symlink"


def test_the_first_error_and_the_log_are_named(hello, cache):
    Path(hello.sources[0]).write_text("int main(void) { return nothing; }\n")
    with pytest.raises(ProgramBuildError, match=r"hello\.c:1: 'nothing' undeclared") as caught:
        ProgramBuilder(cache).build(hello, "x86_64")
    log = Path(caught.value.hint.split(": ")[1])
    assert "undeclared" in log.read_text()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        ("true", r"made no /usr/bin/hello"),
        ("exit 7", "ended with 7"),
        ("no-such-tool --build", "no-such-tool: not found"),
    ],
)
def test_a_command_that_fails(hello, cache, build, words):
    with pytest.raises(ProgramBuildError, match=words):
        ProgramBuilder(cache).build(msgspec.structs.replace(hello, build=build), "x86_64")


def test_missing_compilers_name_their_package(hello, cache, monkeypatch):
    with pytest.raises(ToolMissing, match="no-such-gcc"):
        ProgramBuilder(cache).build(msgspec.structs.replace(hello, compiler="no-such-"), "x86_64")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolMissing) as caught:
        ProgramBuilder(cache).build(hello, "arm")
    assert "gcc-arm-linux-gnueabihf" in caught.value.hint


def test_musl_that_is_not_there_names_the_script(hello, cache, monkeypatch, tmp_path):
    if shutil.which("arm-linux-gnueabihf-gcc") is None:
        pytest.skip("no cross compiler here: scripts/setup-debian.sh boards")
    monkeypatch.setenv("BOOTLAB_MUSL", str(tmp_path))
    assert musl_roots("arm")[0] == tmp_path / "arm"
    with pytest.raises(SourceMissing, match="musl for arm is not installed") as caught:
        ProgramBuilder(cache).build(msgspec.structs.replace(hello, libc="musl"), "arm")
    assert "fetch-musl.sh arm" in caught.value.hint


def test_a_library_that_nobody_has(hello, cache, tmp_path):
    command = (
        'echo "int f(void) { return 1; }" > f.c; $CC -shared -fPIC -Wl,-soname,libgone.so.1 -o libgone.so f.c\n'
        '$CC $CFLAGS -o "$OUT" hello.c -Wl,--no-as-needed -L. -lgone'
    )
    with pytest.raises(ProgramBuildError, match=r"/usr/bin/hello needs libgone\.so\.1"):
        with_built_programs(system(msgspec.structs.replace(hello, build=command)), cache)


def test_sources_that_are_gone_and_trees_that_are_not_there(hello, cache):
    with pytest.raises(UserError, match="there is no /nowhere"):
        ProgramBuilder(cache).build(msgspec.structs.replace(hello, sources=("/nowhere/x.c",)), "x86_64")
    with pytest.raises(UserError, match="no tree to install them in"):
        with_built_programs(msgspec.structs.replace(system(hello), initramfs=None), cache)


def test_strip_takes_the_symbols(hello, cache):
    stripped = built_programs(system(msgspec.structs.replace(hello, strip=True)), cache)[1].programs[0]
    whole = built_programs(system(hello), cache)[1].programs[0]
    assert (whole.elf.stripped, stripped.elf.stripped) == (False, True)
    assert stripped.elf.file_bytes < whole.elf.file_bytes
