# SPDX-License-Identifier: MIT
"""Which files of a tree stay, out of what was seen, without a boot."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.experiments.trim_methods import agreements
from bootlab.experiments.trim_plan import Wanted, kept_names
from bootlab.model.accesses import Access, Accesses, MethodState
from bootlab.model.tree import Entry, FileTree
from bootlab.model.tree_links import follow

ALL = tuple(MethodState(name=name, works=True, text="") for name in ("fanotify", "tracing", "atime"))
NO_ATIME = tuple(MethodState(name=name, works=name != "atime", text="") for name in ("fanotify", "tracing", "atime"))


def text(content="x", **more):
    return Entry(kind="file", text=content, mode=0o755, **more)


def link(target):
    return Entry(kind="symlink", target=target)


def seen(*paths, method="fanotify", kind="read", **more):
    return tuple(Access(path=path, method=method, kind=kind, **more) for path in paths)


def plan(entries, accesses=(), methods=ALL, **wanted):
    tree = FileTree.of({"/init": text("#!/bin/sh\n"), **entries})
    asked = Wanted(**{"init": "/init", **wanted})
    return kept_names(tree, "x86_64", Accesses(methods=methods, seen=tuple(accesses)), asked)


def elf(machine=62, loader="/lib64/ld.so", needed=(), runpath=""):
    """A 64-bit program whose headers name a loader and libraries."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in (*needed, runpath, loader))
    places, at = [], 1
    for name in (*needed, runpath, loader):
        places.append(at)
        at += len(name) + 1
    base = 64 + 3 * 56
    dynamic = [(1, place) for place in places[: len(needed)]]
    dynamic += [(29, places[len(needed)])] if runpath else []
    size = 16 * (len(dynamic) + 3)
    dynamic += [(5, base + size), (10, len(strings)), (0, 0)]
    body = b"".join(struct.pack("<qQ", tag, value) for tag, value in dynamic) + strings
    whole = base + len(body)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
    for kind, offset, length in (
        (1, 0, whole),
        (2, base, size),
        (3 if loader else 0, base + size + places[-1], len(loader) + 1),
    ):
        head += struct.pack("<IIQQQQQQ", kind, 5, offset, offset, 0, length, length, 1)
    return head + body


def program(tmp_path, name, **more):
    (tmp_path / name).write_bytes(elf(**more))
    return Entry(kind="file", source=str(tmp_path / name), mode=0o755)


def test_a_script_keeps_its_interpreter_through_merged_folders():
    kept = plan({"/bin": link("usr/bin"), "/usr/bin/sh": link("dash"), "/usr/bin/dash": text(), "/usr/bin/ls": text()})
    assert set(kept) == {"/init", "/bin", "/usr/bin/sh", "/usr/bin/dash"}
    assert kept["/init"].reason == "first program"
    assert kept["/usr/bin/dash"].reason == "interpreter"
    assert kept["/bin"].reason == "link"


def test_a_program_keeps_its_loader_and_libraries_of_libraries(tmp_path):
    kept = plan(
        {
            "/usr/bin/app": program(tmp_path, "app", needed=("libone.so.1",)),
            "/lib64/ld.so": program(tmp_path, "ld", loader=""),
            "/usr/lib/libone.so.1": link("libone.so.1.2"),
            "/usr/lib/libone.so.1.2": program(tmp_path, "one", loader="", needed=("libtwo.so",), runpath="$ORIGIN/own"),
            "/usr/lib/own/libtwo.so": program(tmp_path, "two", loader=""),
            "/usr/lib/libtwo.so": program(tmp_path, "wrong", loader="", machine=40),
            "/usr/lib/libthree.so": program(tmp_path, "three", loader=""),
        },
        seen("/usr/bin/app", kind="executed", who="init"),
    )
    assert kept["/usr/bin/app"].detail == "executed by init (fanotify)"
    assert kept["/lib64/ld.so"].reason == "loader"
    assert kept["/usr/lib/libone.so.1.2"].reason == "library"
    assert kept["/usr/lib/own/libtwo.so"].detail == "of /usr/lib/libone.so.1.2"
    assert "/usr/lib/libtwo.so" not in kept
    assert "/usr/lib/libthree.so" not in kept


def test_libraries_in_folders_that_ld_so_conf_names(tmp_path):
    kept = plan(
        {
            "/app": program(tmp_path, "app", loader="", needed=("libodd.so",)),
            "/etc/ld.so.conf": text("# odd places\ninclude /etc/ld.so.conf.d/*.conf\n"),
            "/etc/ld.so.conf.d/odd.conf": text("/opt/odd\n"),
            "/opt/odd/libodd.so": program(tmp_path, "odd", loader=""),
            "/opt/other/libodd.so": program(tmp_path, "other", loader=""),
        },
        application="/app",
    )
    assert kept["/opt/odd/libodd.so"].reason == "library"
    assert "/opt/other/libodd.so" not in kept


def test_what_only_the_check_uses_says_so():
    entries = {"/a": text(), "/b": text(), "/c": text()}
    kept = plan(entries, [*seen("/a"), *seen("/a", "/b", phase="check", who="sqlite3")])
    assert kept["/a"].reason == "used"
    assert (kept["/b"].reason, kept["/b"].detail) == ("check", "only while the check ran, by sqlite3 (fanotify)")
    assert "/c" not in kept


def test_a_probe_that_failed_keeps_no_file_but_the_folder_it_was_made_in():
    kept = plan(
        {"/usr/lib/locale/C": text(), "/var/log": Entry(kind="dir"), "/var/log/old": text()},
        [
            *seen("/usr/lib/locale/locale-archive", "/nowhere/at/all", method="tracing", kind="named"),
            *seen("/var/log/new"),
        ],
    )
    assert "/usr/lib/locale/C" not in kept
    assert "/var/log/old" not in kept
    assert kept["/var/log"].reason == "folder"


def test_the_file_itself_says_how_it_was_used_and_not_the_link_to_it():
    accesses = [*seen("/lib/l.so", method="atime", kind="followed"), *seen("/lib/l.so.1", method="atime", kind="read")]
    kept = plan({"/lib/l.so": link("l.so.1"), "/lib/l.so.1": text()}, accesses)
    assert (kept["/lib/l.so.1"].detail, kept["/lib/l.so"].detail) == ("read (atime)", "followed (atime)")


def test_names_that_were_only_looked_at_need_no_libraries(tmp_path):
    entries = {"/app": program(tmp_path, "app", needed=("libx.so",)), "/lib/libx.so": program(tmp_path, "x", loader="")}
    kept = plan(entries, seen("/app", method="tracing", kind="named", who="test"))
    assert kept["/app"].reason == "looked at"
    assert "/lib/libx.so" not in kept


def test_a_name_without_its_folder_counts_where_access_times_say_nothing():
    entries = {"/bin/tool": link("busybox"), "/bin/busybox": text(), "/etc/tool": Entry(kind="dir")}
    name = seen("./tool", method="tracing", kind="named")
    assert "/bin/tool" not in plan(entries, name)
    assert {"/bin/tool", "/bin/busybox"} <= set(plan(entries, name, methods=NO_ATIME))


def test_device_nodes_empty_folders_and_mount_points_stay():
    tree = FileTree.of(
        {
            "/init": text(),
            "/dev/null": Entry(kind="char", major=1, minor=3),
            "/run/pipe": Entry(kind="fifo"),
            "/mnt": Entry(kind="dir"),
            "/data": Entry(kind="dir"),
            "/data/big": text(),
        }
    )
    kept = kept_names(tree, "x86_64", Accesses(mount_points=("/data",)), Wanted(init="/init"))
    assert {kept[path].reason for path in ("/dev/null", "/run/pipe")} == {"device node"}
    assert kept["/mnt"].reason == "empty folder"
    assert kept["/data"].reason == "mount point"
    assert "/data/big" not in kept


def test_keep_list_and_put_back_say_why():
    entries = {"/etc/ssl/a": text(), "/etc/b": text(), "/etc/c": text()}
    entries["/srv/www/index"] = text()
    kept = plan(entries, keep=("/etc/ssl/*", "/srv/www/"), put_back=(("/etc/b", "the console says so"),))
    assert kept["/srv/www/index"].reason == "keep-list"
    assert (kept["/etc/ssl/a"].reason, kept["/etc/ssl/a"].detail) == ("keep-list", "/etc/ssl/*")
    assert (kept["/etc/b"].reason, kept["/etc/b"].detail) == ("put back", "the console says so")
    assert "/etc/c" not in kept


def test_what_the_check_names_stays():
    entries = {"/bin/tool": link("busybox"), "/bin/busybox": text(), "/etc/a": text(), "/etc/b": text()}
    kept = plan(entries, check=("tool", "-c", "cat '/etc/a';x>/etc/nothing"))
    assert {kept[path].reason for path in ("/bin/tool", "/bin/busybox", "/etc/a")} == {"check"}
    assert "/etc/b" not in kept


def test_hard_links_stay_together():
    one = Entry(kind="file", text="x", linked="1")
    assert plan({"/a": one, "/b": one, "/c": text()}, seen("/a"))["/b"].reason == "hard link"


@pytest.mark.parametrize("target", ["loop", "/loop", "../loop/x", "other"])
def test_links_in_a_loop(target):
    kept = plan({"/loop": link(target), "/other": link("loop")}, seen("/loop", "/loop/x"))
    assert "/loop" in kept


NAMES = st.sampled_from(["/a", "/a/b", "/a/b/c", "/d", "/d/e", "/f"])


@given(
    st.dictionaries(NAMES, st.sampled_from(["file", "dir", "/a", "b/c", "../d", "f"]), max_size=6),
    st.lists(st.tuples(NAMES, st.sampled_from(["read", "named", "listed"])), max_size=6),
)
def test_whatever_was_used_stays_and_nothing_is_made_up(shapes, used):
    entries = {}
    for path, shape in shapes.items():
        entries[path] = text() if shape == "file" else Entry(kind="dir") if shape == "dir" else link(shape)
    accesses = [Access(path=path, method="fanotify", kind=kind) for path, kind in used]
    kept = plan(entries, accesses)
    assert set(kept) <= {"/init", *entries}
    # A name below a link cannot be there in a real tree.
    real = {path for path, _ in used if path in entries and follow(entries, path).path == path}
    assert real <= set(kept)


def test_methods_that_differ_say_why():
    tree = FileTree.of({"/a": text(), "/b": text(), "/c": text(), "/d": text(), "/l": link("a")})
    found = agreements(
        tree,
        Accesses(
            methods=ALL,
            seen=(
                *seen("/a", "/c"),
                *seen("/d", kind="opened"),
                *seen("/l", "/b", "c", method="tracing", kind="named"),
                *seen("/a", "/c", method="atime"),
            ),
        ),
    )
    missed = {one.method: {m.path: m.why for m in one.missed} for one in found}
    assert missed["fanotify"] == {"/b": "only its name was given to a system call (stat, access), or a link to it was"}
    assert missed["atime"]["/d"] == "it was opened and not read"
    assert missed["tracing"] == {"/c": "it was named without its folder", "/d": "no cause is known"}
    assert {one.method: one.seen for one in found} == {"fanotify": 3, "tracing": 2, "atime": 2}
