# SPDX-License-Identifier: MIT
"""Sizes of objects: sections by kind, members of archives, libraries, compression by folder."""

from pathlib import Path

import pytest

from bootlab.builders.kbuild import elf_sections, objects
from bootlab.builders.kbuild.elf_sections import ElfUnreadable
from tests.builders.kbuild.elf_writer import ALLOC, EXECUTE, WRITE, elf, thin_archive

TEXT, DATA, BSS = ALLOC | EXECUTE, ALLOC | WRITE, ALLOC | WRITE


def place(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@pytest.fixture
def built(tmp_path):
    one = elf(
        {".text": (TEXT, b"t" * 40), ".rodata.str1.4": (ALLOC, b"r" * 8), ".bss": (BSS, 16), ".comment": (0, b"x")}
    )
    return place(
        tmp_path,
        {
            "mm/slub.o": one,
            "kernel/groups.o": elf({".text": (TEXT, b"g" * 10), ".data": (DATA, b"d" * 6)}),
            "lib/used.o": elf({".text": (TEXT, b"u" * 4)}, ("memcpy",)),
            "lib/unused.o": elf({".text": (TEXT, b"v" * 5)}, ("strnlen_user",)),
            "vmlinux.a": thin_archive(("mm/slub.o", "kernel/groups.o")),
            "lib/lib.a": thin_archive(("used.o", "unused.o")),
            "vmlinux": elf({".text": (TEXT, b"t" * 60), ".rodata": (DATA, b"r" * 9), ".bss": (BSS, 20)}, ("memcpy",)),
        },
    )


def test_kinds_of_sections(built):
    assert elf_sections.read(built / "mm/slub.o").sizes_bytes() == {"text": 40, "rodata": 8, "data": 0, "bss": 16}
    assert elf_sections.read(built / "vmlinux").sizes_bytes()["rodata"] == 9


def test_what_the_kernel_is_linked_of(built):
    found = objects.record(built, {"KERNEL_GZIP": "y"}, "zImage")
    assert [o.path for o in found.objects] == ["kernel/groups.o", "lib/used.o", "mm/slub.o"]
    assert found.kernel.text == 60
    assert found.objects[0].loaded_bytes == 16
    assert found.algorithm == "gzip"
    assert found.compressed_bytes.keys() == {"kernel", "lib", "mm"}
    objects.save(found, built)
    assert objects.load(built) == found


def test_without_an_archive_of_all(built):
    (built / "vmlinux.a").rename(built / "built-in.a")
    assert len(objects.record(built, {}, "Image").objects) == 3


@pytest.mark.parametrize(
    ("image", "options", "name"),
    [
        ("Image", {"KERNEL_GZIP": "y"}, "none"),
        ("Image.zst", {}, "zstd"),
        ("zImage", {"KERNEL_LZO": "y"}, "lzo"),
        ("bzImage", {}, "none"),
    ],
)
def test_how_an_image_is_compressed(image, options, name):
    assert objects.algorithm_of(options, image) == name


@pytest.mark.parametrize(
    ("path", "folder"),
    [("mm/slub.o", "mm"), ("drivers/mtd/chips/x.o", "drivers/mtd"), ("arch/arm/mm/x.o", "arch/arm/mm")],
)
def test_subsystems(path, folder):
    assert objects.folder_of(path) == folder


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF\x01\x01" + b"\xff" * 60, b"text"])
def test_what_is_no_elf_file(tmp_path, data):
    (tmp_path / "vmlinux").write_bytes(data)
    with pytest.raises(ElfUnreadable):
        elf_sections.read(tmp_path / "vmlinux")
    assert objects.record(tmp_path, {}, "zImage") is None


def test_an_archive_that_leads_elsewhere_is_not_followed(built):
    (built / "vmlinux.a").write_bytes(thin_archive(("../../etc/passwd", "mm/slub.o")))
    assert [o.path for o in objects.record(built, {}, "Image").objects] == ["lib/used.o", "mm/slub.o"]
    (built / "vmlinux.a").write_bytes(thin_archive(("mm/slub.o",))[:70])
    assert [o.path for o in objects.record(built, {}, "Image").objects] == ["lib/used.o"]
