# SPDX-License-Identifier: MIT
"""A flattened device tree, read without libfdt. Format: Devicetree Specification, chapter 5."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats.whole_file import read_whole

MAGIC = b"\xd0\x0d\xfe\xed"
SIZE_MAX_BYTES = 256 << 20
"""FIT images are device trees too, and hold whole kernels."""
_HEADER = struct.Struct(">10I")
_BEGIN, _END, _PROPERTY, _NOP, _LAST = 1, 2, 3, 4, 9
_DEPTH_MAX, _NODES_MAX = 32, 100_000


class TreeSerialPort(msgspec.Struct, frozen=True):
    """A serial port of a device tree: the number of its alias, its node, its address, and whether it is on."""

    number: int
    path: str
    address: int
    enabled: bool


class DeviceTreeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A device tree. `stdout`: the node of `stdout-path`; `memory`: (address, length) in bytes of each bank.

    `serials`: the ports that have an alias, by their numbers. `overlay`: it is no board's, but a change of one.
    """

    path: Path
    model: str = ""
    compatible: tuple[str, ...] = ()
    memory: tuple[tuple[int, int], ...] = ()
    bootargs: str = ""
    stdout: str = ""
    stdout_compatible: tuple[str, ...] = ()
    stdout_alias: int | None = None
    serials: tuple[TreeSerialPort, ...] = ()
    processors: int = 0
    overlay: bool = False

    @property
    def memory_mib(self) -> int:
        """The length of all banks together, MiB."""
        return sum(size for _, size in self.memory) >> 20


class TreeNode(msgspec.Struct):
    """A node: its properties as bytes, its children by full name (`memory@80000000`)."""

    name: str
    properties: dict[str, bytes] = {}
    children: dict[str, TreeNode] = {}

    def text(self, name: str) -> str:
        """Return a property as one text; "" when it is not there."""
        return self.properties.get(name, b"").split(b"\0")[0].decode("utf-8", "replace")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a property as a list of texts."""
        value = self.properties.get(name, b"")
        return tuple(part.decode("utf-8", "replace") for part in value.split(b"\0") if part)

    def number(self, name: str, default: int) -> int:
        """Return a property of one cell."""
        value = self.properties.get(name, b"")
        return int.from_bytes(value[:4], "big") if len(value) >= 4 else default

    def find(self, path: str) -> TreeNode | None:
        """Return the node at a path; a part without `@` also finds the only node of that name with one."""
        node: TreeNode | None = self
        for part in filter(None, path.split("/")):
            if node is None:
                return None
            below = node.children.get(part)
            if below is None and "@" not in part:
                below = next((child for name, child in node.children.items() if name.partition("@")[0] == part), None)
            node = below
        return node


def read_tree(data: bytes) -> TreeNode:
    """Return the root node. Raise UserError for what is no device tree, or is damaged."""
    if len(data) < _HEADER.size or not data.startswith(MAGIC):
        raise UserError(
            "this is not a device tree blob", hint="compile a source with dtc (package device-tree-compiler)"
        )
    _, total, structure, strings, _, _, _, _, strings_size, structure_size = _HEADER.unpack_from(data)
    if total > len(data) or structure + structure_size > total or strings + strings_size > total:
        raise UserError("the device tree blob is cut off", hint="copy or build it again")
    reader = _Reader(data[structure : structure + structure_size], data[strings : strings + strings_size])
    try:
        return reader.root()
    except (struct.error, ValueError) as error:
        raise UserError("the device tree blob is damaged", hint="look at it: dtc -I dtb -O dts FILE") from error


class _Reader:
    def __init__(self, structure: bytes, strings: bytes) -> None:
        self._data = structure
        self._strings = strings
        self._at = 0

    def root(self) -> TreeNode:
        stack: list[TreeNode] = []
        root: TreeNode | None = None
        nodes = 0
        while True:
            token = self._cell()
            if token == _BEGIN:
                node = TreeNode(name=self._name(), properties={}, children={})
                nodes += 1
                if nodes > _NODES_MAX or len(stack) >= _DEPTH_MAX:
                    raise ValueError("too deep")
                if stack:
                    stack[-1].children[node.name] = node
                elif root is None:
                    root = node
                stack.append(node)
            elif token == _PROPERTY:
                length, name_at = self._cell(), self._cell()
                value = self._data[self._at : self._at + length]
                if len(value) != length or not stack:
                    raise ValueError("cut off")
                self._at += (length + 3) & ~3
                end = self._strings.find(b"\0", name_at)
                if name_at >= len(self._strings) or end < 0:
                    raise ValueError("no such name")
                stack[-1].properties[self._strings[name_at:end].decode("ascii", "replace")] = value
            elif token == _END:
                stack.pop() if stack else None
            elif token == _LAST:
                break
            elif token != _NOP:
                raise ValueError("unknown token")
        if root is None:
            raise ValueError("empty")
        return root

    def _cell(self) -> int:
        value = struct.unpack_from(">I", self._data, self._at)[0]
        self._at += 4
        return int(value)

    def _name(self) -> str:
        end = self._data.find(b"\0", self._at, self._at + 4096)
        if end < 0:
            raise ValueError("endless name")
        name = self._data[self._at : end].decode("ascii", "replace")
        self._at = (end + 4) & ~3
        return name


def facts_of(path: Path) -> DeviceTreeFacts:
    """Return what a blob says about its board. Raise UserError when it cannot be read."""
    root = read_tree(read_whole(path, SIZE_MAX_BYTES, "device tree", "is it the file you mean?"))
    chosen = root.find("/chosen")
    stdout, alias = _stdout(root, chosen)
    node = root.find(stdout) if stdout else None
    processors = root.find("/cpus")
    return DeviceTreeFacts(
        path=path,
        model=root.text("model"),
        compatible=root.texts("compatible"),
        memory=_memory(root),
        bootargs=chosen.text("bootargs") if chosen else "",
        stdout=stdout,
        stdout_compatible=node.texts("compatible") if node else (),
        stdout_alias=alias,
        serials=_serials(root),
        overlay=not root.texts("compatible") and any("__overlay__" in node.children for node in root.children.values()),
        processors=sum(1 for name in processors.children if name.startswith("cpu@")) if processors else 0,
    )


def _serials(root: TreeNode) -> tuple[TreeSerialPort, ...]:
    aliases = root.find("/aliases")
    found = []
    for name in aliases.properties if aliases else ():
        node = root.find(path) if aliases and (path := aliases.text(name)).startswith("/") else None
        at = re.fullmatch(r"[^@]+@([0-9a-f]{1,16})", node.name) if node else None
        if node is not None and at and (number := re.fullmatch(r"serial(\d{1,3})", name)):
            enabled = node.text("status") in {"", "okay", "ok"}
            found.append(TreeSerialPort(int(number[1]), path, int(at[1], 16), enabled))
    return tuple(sorted(found, key=lambda serial: serial.number))


def _stdout(root: TreeNode, chosen: TreeNode | None) -> tuple[str, int | None]:
    if chosen is None:
        return "", None
    named = (chosen.text("stdout-path") or chosen.text("linux,stdout-path")).partition(":")[0]
    aliases = root.find("/aliases")
    texts = {name: aliases.text(name) for name in aliases.properties} if aliases else {}
    path = named if named.startswith("/") else texts.get(named, "")
    serials = {name: target for name, target in texts.items() if re.fullmatch(r"serial\d+", name)}
    number = next((int(name[6:]) for name, target in sorted(serials.items()) if path and target == path), None)
    return path, number


def _memory(root: TreeNode) -> tuple[tuple[int, int], ...]:
    address_cells, size_cells = root.number("#address-cells", 2), root.number("#size-cells", 1)
    if not (1 <= address_cells <= 2 and 1 <= size_cells <= 2):
        return ()
    found = []
    step = 4 * (address_cells + size_cells)
    for name, node in root.children.items():
        if name.partition("@")[0] != "memory" and node.text("device_type") != "memory":
            continue
        value = node.properties.get("reg", b"")
        for at in range(0, len(value) - step + 1, step):
            start = int.from_bytes(value[at : at + 4 * address_cells], "big")
            size = int.from_bytes(value[at + 4 * address_cells : at + step], "big")
            # U-Boot fills in what the blob leaves at 0.
            if 0 < size < 1 << 48:
                found.append((start, size))
    return tuple(found)
