# SPDX-License-Identifier: MIT
"""CRAMFS: every tree is read back, by a reader as the kernel's; programs lie where they can be mapped."""

import io
import stat
import struct
import zlib

import pytest
from hypothesis import given

from bootlab.builders.images import cramfs
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree
from tests.builders.images.trees import Found, expected, trees
from tests.examples import examples

DIRECT, RAW = 1 << 30, 1 << 31


def packed(tree: FileTree, **how) -> bytes:
    out = io.BytesIO()
    size = cramfs.write(tree, out, **how)
    assert size == len(out.getvalue())
    return out.getvalue()


def block(image: bytes, table: int, number: int, blocks: int, length: int) -> bytes:
    (pointer,) = struct.unpack_from("<I", image, table + 4 * number)
    if pointer & DIRECT:
        start = (pointer & ~(DIRECT | RAW)) << 2
        if pointer & RAW:
            return image[start : start + length]
        (size,) = struct.unpack_from("<H", image, start)
        data = image[start + 2 : start + 2 + size]
    else:
        start = table + 4 * blocks if number == 0 else struct.unpack_from("<I", image, table + 4 * number - 4)[0]
        data = image[start:pointer]
    return zlib.decompress(data) if data else bytes(length)


def unpacked(image: bytes) -> dict[str, Found]:
    magic, size, flags, _ = struct.unpack_from("<IIII", image)
    assert (magic, size, image[16:32]) == (0x28CD3D45, len(image), b"Compressed ROMFS")
    (crc,) = struct.unpack_from("<I", image, 32)
    assert crc == zlib.crc32(image[:32] + bytes(4) + image[36:])
    found: dict[str, Found] = {}

    def folder(path: str, start: int, length: int) -> None:
        at, last = start, b""
        while at < start + length:
            first, second, third = struct.unpack_from("<III", image, at)
            name = image[at + 12 : at + 12 + 4 * (third & 63)].rstrip(b"\0")
            assert name > last, "the kernel stops its search at a larger name"
            last = name
            at += 12 + 4 * (third & 63)
            mode, uid, number, gid = first & 0xFFFF, first >> 16, second & 0xFFFFFF, second >> 24
            data = (third >> 6) * 4
            here = f"{path}/{name.decode()}"
            content, major, minor = b"", 0, 0
            if stat.S_ISDIR(mode):
                folder(here, data, number)
            elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
                blocks = -(-number // 4096)
                for i in range(blocks):
                    content += block(image, data, i, blocks, min(4096, number - 4096 * i))
            else:
                major, minor = number >> 8, number & 0xFF
            found[here] = (mode, uid, gid, content, major, minor)

    _, length, place = struct.unpack_from("<III", image, 64)
    folder("", (place >> 6) * 4, length)
    assert flags & ~0xFFF == 0
    return found


@given(tree=trees())
@examples(60)
def test_every_tree_is_read_back(tree):
    assert unpacked(packed(tree)) == expected(tree)
    assert unpacked(packed(tree, in_place=True)) == expected(tree)
    assert packed(tree) == packed(tree)


def program(text_bytes: int, data_bytes: int) -> bytes:
    """Make an ARM ELF file with a read-only segment at its start and a writable one behind it."""
    head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 52, 0, 0, 52, 32, 2, 0, 0, 0)
    table = struct.pack("<IIIIIIII", 1, 0, 0x10000, 0x10000, text_bytes, text_bytes, 5, 4096)
    table += struct.pack("<IIIIIIII", 1, text_bytes, 0x90000, 0x90000, data_bytes, data_bytes, 6, 4096)
    text = head + table
    return text + bytes((i * 7) % 251 for i in range(text_bytes - len(text))) + b"data" * (data_bytes // 4)


def test_a_program_in_place_is_uncompressed_contiguous_and_page_aligned(tmp_path):
    (tmp_path / "app").write_bytes(program(3 * 4096 + 100, 3 * 4096))
    tree = FileTree.of({"/bin/app": Entry(kind="file", source=str(tmp_path / "app"))})
    image = packed(tree, in_place=True)
    located = cramfs.locate(image, "/bin/app")
    assert located is not None
    assert located.mappable
    assert located.offset_bytes % 4096 == 0
    text = (tmp_path / "app").read_bytes()
    assert image[located.offset_bytes : located.offset_bytes + 4 * 4096] == text[: 4 * 4096]
    assert unpacked(image) == expected(tree)
    # Only what is mapped read-only is kept as it is: the data behind it is compressed.
    assert len(image) < 8 * 4096
    plain = cramfs.locate(packed(tree), "/bin/app")
    assert plain is not None
    assert not plain.mappable


def test_equal_contents_are_stored_once():
    text = "".join(chr(32 + (i * i) % 90) for i in range(4000))
    one = packed(FileTree.of({"/a": Entry(kind="file", text=text)}))
    two = packed(FileTree.of({"/a": Entry(kind="file", text=text), "/b": Entry(kind="file", text=text)}))
    assert len(one) == len(two)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (Entry(kind="file", text="", gid=256), "8 of a group"),
        (Entry(kind="char", major=5, minor=300), "8 bits of each device number"),
    ],
)
def test_what_the_format_cannot_hold_is_said(entry, words):
    with pytest.raises(UserError, match=words):
        packed(FileTree.of({"/x": entry}))


def test_a_file_of_4_gb_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(4 << 30)
    with pytest.raises(UserError, match="CRAMFS allows files below 16 MiB"):
        packed(FileTree.of({"/large": Entry(kind="file", source=str(tmp_path / "large"))}))


def test_a_name_beyond_252_bytes_is_refused():
    with pytest.raises(UserError, match="252 bytes"):
        packed(FileTree.of({"/" + "n" * 253: Entry(kind="file", text="")}))


@pytest.mark.parametrize("image", [b"", b"x" * 100, b"\0" * 16 + b"Compressed ROMFS" + b"\xff" * 60])
def test_no_image_locates_nothing(image):
    assert cramfs.locate(image, "/bin/app") is None
