# SPDX-License-Identifier: MIT
"""JFFS2: every tree is read back node by node; a summary lists exactly the nodes of its erase block."""

import io
import struct
import zlib

import pytest
from hypothesis import given

from bootlab.builders.images import jffs2
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree
from tests.builders.images.trees import Found, expected, trees
from tests.examples import examples

ERASE = 16 << 10


def packed(tree: FileTree, **how) -> bytes:
    out = io.BytesIO()
    size = jffs2.write(tree, out, erase_bytes=ERASE, **how)
    assert size == len(out.getvalue())
    assert size % ERASE == 0
    return out.getvalue()


def crc(data: bytes) -> int:
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def nodes(block: bytes) -> list[tuple[int, int, bytes]]:
    found, at = [], 0
    while at + 12 <= len(block):
        magic, kind, size, checksum = struct.unpack_from("<HHII", block, at)
        if magic == 0xFFFF:
            assert set(block[at:]) == {0xFF}
            break
        assert magic == 0x1985
        assert checksum == crc(block[at : at + 8])
        found.append((at, kind, block[at : at + size]))
        at += (size + 3) & ~3
    return found


def unpacked(image: bytes) -> dict[str, Found]:
    names: dict[int, list[tuple[int, bytes]]] = {}
    inodes: dict[int, list[bytes]] = {}
    for start in range(0, len(image), ERASE):
        block = nodes(image[start : start + ERASE])
        assert block[0][1] == 0x2003, "a block starts with its clean marker"
        for _, kind, node in block:
            if kind == 0xE001:
                parent, _, number, _, length, _ = struct.unpack_from("<IIIIBB", node, 12)
                node_crc, name_crc = struct.unpack_from("<II", node, 32)
                name = node[40 : 40 + length]
                assert (node_crc, name_crc) == (crc(node[:32]), crc(name))
                names.setdefault(parent, []).append((number, name))
            elif kind == 0xE002:
                assert struct.unpack_from("<II", node, 60) == (crc(node[68:]), crc(node[:60]))
                inodes.setdefault(struct.unpack_from("<I", node, 12)[0], []).append(node)
    found: dict[str, Found] = {}

    def folder(path: str, number: int) -> None:
        for child, name in names.get(number, []):
            here = f"{path}/{name.decode()}"
            mode, uid, gid, length = struct.unpack_from("<IHHI", inodes[child][0], 20)
            content = bytearray(length)
            versions = []
            for node in inodes[child]:
                versions.append(struct.unpack_from("<I", node, 16)[0])
                offset, stored, plain, method = struct.unpack_from("<IIIB", node, 44)
                data = node[68 : 68 + stored]
                content[offset : offset + plain] = (
                    {0: data, 1: bytes(plain), 6: data}[method] if method != 6 else zlib.decompress(data)
                )
            assert versions == list(range(1, len(versions) + 1))
            device = (content[1], content[0]) if mode & 0o170000 in {0o020000, 0o060000} else (0, 0)
            found[here] = (
                mode,
                uid,
                gid,
                b"" if any(device) or mode & 0o170000 in {0o020000, 0o060000} else bytes(content),
                *device,
            )
            folder(here, child)

    folder("", 1)
    return found


@given(tree=trees())
@examples(40)
def test_every_tree_is_read_back(tree):
    for how in ({}, {"compressed": False}, {"summary": True}):
        assert unpacked(packed(tree, **how)) == expected(tree)


@given(tree=trees())
@examples(40)
def test_a_summary_lists_the_nodes_of_its_block(tree):
    image = packed(tree, summary=True)
    for start in range(0, len(image), ERASE):
        block = image[start : start + ERASE]
        offset, magic = struct.unpack_from("<II", block, ERASE - 8)
        assert magic == 0x02851885
        node = block[offset:]
        kind, size = struct.unpack_from("<HI", node, 2)
        assert (kind, size) == (0x2006, len(node))
        count, clean, _, sum_crc, node_crc = struct.unpack_from("<IIIII", node, 12)
        assert (clean, sum_crc, node_crc) == (12, crc(node[32:]), crc(node[:24]))
        listed, at = [], 32
        for _ in range(count):
            (kind,) = struct.unpack_from("<H", node, at)
            if kind == 0xE002:
                listed.append((struct.unpack_from("<I", node, at + 10)[0], kind))
                at += 18
            else:
                listed.append((struct.unpack_from("<I", node, at + 6)[0], kind))
                at += 24 + node[at + 22]
        assert listed == [(at, kind) for at, kind, _ in nodes(block) if kind in {0xE001, 0xE002}]


def test_large_device_numbers_take_the_wide_form():
    image = packed(FileTree.of({"/d": Entry(kind="block", major=259, minor=70000)}))
    node = next(node for _, kind, node in nodes(image[:ERASE]) if kind == 0xE002 and len(node) == 72)
    number = struct.unpack_from("<I", node, 68)[0]
    assert (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00) == (259, 70000)


def test_owners_beyond_16_bits_are_refused():
    with pytest.raises(UserError, match="16 bits of owner"):
        packed(FileTree.of({"/x": Entry(kind="file", text="", uid=65536)}))
