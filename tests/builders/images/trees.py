# SPDX-License-Identifier: MIT
"""Random trees of files, and what a reader must find in an image of one."""

from __future__ import annotations

from hypothesis import strategies as st

from bootlab.builders.images.members import content_of, root_of
from bootlab.model.tree import Entry, FileTree

_NAME = st.text(
    st.characters(blacklist_characters="/\0", blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12
).filter(lambda name: name not in {".", ".."} and not name.startswith("TRAILER"))
_ODD_NAMES = st.sampled_from(['a "quoted" name', "<12>", "-rf", "with  spaces", "ä€😀", "x" * 63, "back\\slash", "#x"])
_CONTENT = st.one_of(
    st.text(max_size=200),
    st.integers(1, 13000).map(lambda size: "\0" * size),
    st.integers(1, 3).map(lambda pages: "0123456789abcdef" * 256 * pages),
    st.tuples(st.integers(0, 9000), st.text(min_size=1, max_size=50)).map(lambda pair: "\0" * pair[0] + pair[1]),
)
_MODE = st.integers(0, 0o7777)
_OWNER = {"mode": _MODE, "uid": st.integers(0, 0xFFFF), "gid": st.integers(0, 0xFF)}
_ENTRY = st.one_of(
    st.builds(Entry, kind=st.just("file"), text=_CONTENT, **_OWNER),
    st.builds(Entry, kind=st.just("dir"), **_OWNER),
    st.builds(Entry, kind=st.just("symlink"), target=st.one_of(_NAME, _ODD_NAMES), mode=st.just(0o777)),
    st.builds(Entry, kind=st.just("fifo"), **_OWNER),
    st.builds(
        Entry, kind=st.sampled_from(["char", "block"]), major=st.integers(0, 255), minor=st.integers(0, 255), **_OWNER
    ),
)


@st.composite
def trees(draw: st.DrawFn) -> FileTree:
    """Draw a tree of at most three levels with names that are hard to write."""
    entries: dict[str, Entry] = {}
    folders = [""]
    for _ in range(draw(st.integers(0, 12))):
        path = f"{draw(st.sampled_from(folders))}/{draw(st.one_of(_NAME, _ODD_NAMES))}"
        if path in entries:
            continue
        entries[path] = draw(_ENTRY)
        if entries[path].kind == "dir" and path.count("/") < 3:
            folders.append(path)
    return FileTree.of(entries)


Found = tuple[int, int, int, bytes, int, int]
"""Mode with type, owner, group, contents or link target, major, minor."""


def expected(tree: FileTree) -> dict[str, Found]:
    """Return what an image of a tree must hold, by path; the root apart."""
    found = {}
    for member in list(root_of(tree).walk())[1:]:
        entry = member.entry
        content = content_of(member) if entry.kind in {"file", "symlink"} else b""
        found[member.path] = (member.mode, entry.uid, entry.gid, content, entry.major, entry.minor)
    return found
