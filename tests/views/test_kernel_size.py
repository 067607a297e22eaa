# SPDX-License-Identifier: MIT
"""A kernel's size: rows by subsystem and option that add up, other kernels of the cache, terminal and CSV."""

import csv
import io
from pathlib import Path

import msgspec
import pytest

from bootlab.analysis.kernel_size import ALWAYS, REST, kernel_size
from bootlab.builders.kbuild import BuiltKernel, KernelSizes
from bootlab.builders.kbuild import objects as object_sizes
from bootlab.builders.kbuild.built import FACTS, BuildFacts
from bootlab.builders.kbuild.objects import ObjectSize, ObjectSizes
from bootlab.recordings import sealed
from bootlab.views.run import kernel_size_text
from tests.rendered import to_text

OBJECTS = (
    ObjectSize(path="mm/slub.o", text=300, rodata=50, data=50, bss=8),
    ObjectSize(path="mm/swap.o", text=100),
    ObjectSize(path="drivers/mtd/chips/cfi.o", text=200, data=100),
)


def kept(folder: Path, config: str, image_bytes: int, sizes: ObjectSizes | None, **facts) -> BuiltKernel:
    folder.mkdir(parents=True)
    known = BuildFacts(
        arch="x86_64", image="bzImage", source="6.1.9", compiler="gcc", sizes_bytes={"bzImage": image_bytes}, **facts
    )
    sealed.keep(folder / FACTS, known)
    (folder / "config").write_text(config)
    if sizes is not None:
        object_sizes.save(sizes, folder)
    return BuiltKernel(folder=folder, facts=known)


@pytest.fixture
def sizes(tmp_path):
    tree = tmp_path / "linux"
    for name, text in {
        "Makefile": "",
        "Kbuild": "obj-y += mm/ drivers/\n",
        "arch/x86/Makefile": "",
        "mm/Makefile": "obj-y := slub.o\nobj-$(CONFIG_SWAP) += swap.o\n",
        "drivers/Makefile": "obj-$(CONFIG_MTD) += mtd/\n",
        "drivers/mtd/Makefile": "obj-y += chips/\n",
        "drivers/mtd/chips/Makefile": "obj-$(CONFIG_MTD_CFI) += cfi.o\n",
    }.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    found = ObjectSizes(
        kernel=ObjectSize(path="vmlinux", text=600, rodata=500, data=140, bss=10),
        objects=OBJECTS,
        algorithm="gzip",
        compressed_bytes={"mm": 250, "drivers/mtd": 90},
    )
    config = "CONFIG_SWAP=y\nCONFIG_MTD=y\nCONFIG_MTD_CFI=y\n"
    kernel = kept(tmp_path / "built/base", config, 400, found)
    return KernelSizes(kernel=kernel, objects=found, tree=tree, srcarch="x86")


def test_subsystems_add_up_to_the_kernel(sizes):
    size = kernel_size(sizes)
    assert [(row.name, row.loaded_bytes, row.compressed_bytes) for row in size.subsystems] == [
        ("mm", 500, 250),
        ("drivers/mtd", 300, 90),
        (REST, 440, None),
    ]
    for rows in (size.subsystems, size.options):
        for kind in ("text", "rodata", "data", "bss", "loaded_bytes"):
            assert sum(getattr(row, kind) for row in rows) == getattr(size.whole, kind)
    assert [row.name for row in kernel_size(sizes, depth=1).subsystems] == ["mm", "drivers", REST]


def test_an_object_counts_for_its_nearest_option(sizes):
    rows = {row.name: row for row in kernel_size(sizes).options}
    assert rows[ALWAYS].loaded_bytes == 400
    assert rows["CONFIG_SWAP"].loaded_bytes == 100
    assert rows["CONFIG_SWAP"].compressed_bytes == 50
    assert rows["CONFIG_MTD_CFI"].loaded_bytes == 300


def test_other_kernels_of_the_cache(sizes, tmp_path):
    smaller = msgspec.structs.replace(sizes.objects, kernel=ObjectSize(path="vmlinux", text=600, rodata=500))
    kept(tmp_path / "built/a", "CONFIG_MTD=y\nCONFIG_MTD_CFI=y\n", 350, smaller, asked=("SWAP=n",))
    kept(tmp_path / "built/b", "CONFIG_SWAP=y\n", 300, None)
    kept(tmp_path / "built/same", sizes.kernel.config.read_text(), 100, None)
    other_source = kept(tmp_path / "built/c", "", 1, None).facts
    sealed.keep(tmp_path / "built/c" / FACTS, msgspec.structs.replace(other_source, source="6.12"))
    first, second = kernel_size(sizes).others
    assert (first.changed, first.image_saved_bytes, first.loaded_saved_bytes) == (
        ("MTD: y -> n", "MTD_CFI: y -> n"),
        100,
        None,
    )
    assert (second.asked, second.image_saved_bytes, second.loaded_saved_bytes) == (("SWAP=n",), 50, 140)


def test_what_people_and_spreadsheets_get(sizes):
    size = kernel_size(sizes)
    text = to_text(kernel_size_text.terminal(size, rows=1), width=160)
    assert "bzImage: 400 bytes, gzip" in text
    assert "2 more" in text
    assert "linker and tables" in text
    rows = list(csv.DictReader(io.StringIO(kernel_size_text.comma_separated(size))))
    assert {row["table"] for row in rows} == {"whole", "subsystem", "option"}
    assert sum(int(row["text"]) for row in rows if row["table"] == "option") == 600


def test_an_image_that_is_not_compressed(sizes):
    plain = msgspec.structs.replace(sizes.objects, algorithm="none", compressed_bytes={})
    size = kernel_size(msgspec.structs.replace(sizes, objects=plain))
    assert {row.compressed_bytes for row in size.subsystems} == {None}
    assert "not compressed" in to_text(kernel_size_text.terminal(size, rows=9), width=160)
