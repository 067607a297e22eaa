# SPDX-License-Identifier: MIT
"""The index of a tree's functions: kept with its digest, and made again where it is not what was written."""

from __future__ import annotations

import pytest

from bootlab.kernelsource.functions import function_index


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "linux"
    (path / "init").mkdir(parents=True)
    (path / "init" / "main.c").write_text("int start_it(void)\n{\n\treturn 0;\n}\n")
    return path


def places(tree, folder):
    index = function_index(tree, "x86", folder)
    try:
        return [(place.file, place.line) for place in index.named(["start_it"]).get("start_it", [])]
    finally:
        index.close()


@pytest.mark.parametrize("damage", [b"", b"not a data base", None])
def test_a_damaged_index_is_made_again(tree, tmp_path, damage):
    folder = tmp_path / "indexes"
    assert places(tree, folder) == [("init/main.c", 1)]
    (kept,) = folder.glob("*.functions")
    whole = kept.read_bytes()
    # Altered in the middle: SQLite would read other lines out of it, and say nothing.
    kept.write_bytes(whole.replace(b"start_it", b"start_xx") if damage is None else damage)
    assert places(tree, folder) == [("init/main.c", 1)]
    assert kept.read_bytes() == whole


def test_an_index_without_its_digest_is_not_trusted(tree, tmp_path):
    folder = tmp_path / "indexes"
    places(tree, folder)
    (kept,) = folder.glob("*.functions")
    kept.write_bytes(b"from before there were digests")
    kept.with_name(f"{kept.name}.sha256").unlink()
    assert places(tree, folder) == [("init/main.c", 1)]
