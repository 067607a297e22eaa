# SPDX-License-Identifier: MIT
"""The file-system comparison: one root tree packed in every way that kernel and machine can read, each booted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar

import msgspec

from bootlab.builders import root_image
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.compress import compress
from bootlab.builders.images import first_program, formats
from bootlab.builders.images.formats import BY_ID, FORMATS, Format, Image
from bootlab.builders.images.members import root_of, size_of
from bootlab.builders.initramfs import build_initramfs
from bootlab.builders.programs import with_built_programs
from bootlab.errors import BootlabError, UserError
from bootlab.experiments import board_columns
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import SINGLE_BOOTS, Experiment
from bootlab.experiments.filesystem_boot import Candidate, preset_lpj, read_row
from bootlab.model import figures, root_place
from bootlab.model.change import Op, SetParam
from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Value
from bootlab.model.costs import Costs
from bootlab.model.modelled import DEFAULT_BANDWIDTH
from bootlab.model.recording import Recording
from bootlab.model.root import Root
from bootlab.model.storage import Storage
from bootlab.model.system import Check, Initramfs, SystemDescription
from bootlab.model.tree import Compression, FileTree

_RAM_DISK_COMPRESSIONS: tuple[Compression, ...] = ("none", "gzip", "lz4", "xz")
_INITRAMFS_COMPRESSIONS: tuple[Compression, ...] = ("none", "gzip", "lz4", "xz")
_UNPACKERS: dict[Compression, str] = {"gzip": "RD_GZIP", "lz4": "RD_LZ4", "xz": "RD_XZ"}
_RATIO_MAX = 20
"""No compressor makes a root smaller than this part of itself; larger trees are not packed in vain."""
_PRESET = "-lpj"
_PRESET_OF = "cramfs-xip"
_CARD = "sd-"
# What keeps its state on erase blocks, or runs programs from them, cannot lie on a card.
_CARD_FORMATS = tuple(form for form in FORMATS if form.behind == "nothing" and not form.in_place)


def known_ids() -> tuple[str, ...]:
    """Return every row that there can be."""
    flash = [form.id for form in FORMATS]
    card = [_CARD + form.id for form in _CARD_FORMATS]
    ram = [f"ramdisk-ext2-{name}" for name in _RAM_DISK_COMPRESSIONS] + ["ramdisk-cramfs"]
    rest = [f"initramfs-{name}" for name in _INITRAMFS_COMPRESSIONS]
    return (*flash, _PRESET_OF + _PRESET, *card, *ram, *rest)


_INSIDE, _OUTSIDE = "inside, ms", "outside, ms"
_ON_BOARD = (
    " On the board: the exact time with what its costs add; the root lies on the same medium as the images. What the "
    "kernel reads of it may be hidden behind computing (at least) or waited for (at most); where that is not counted, "
    "it is between nothing and the whole image. Against the first: the row that is first by the exact time."
)


class Filesystems(Experiment):
    """One root tree in every file system that kernel and machine can read, or in some."""

    kind: ClassVar[str] = "filesystems"
    phase: ClassVar[str] = "file systems"
    exact_only: ClassVar[str] = "fs needs exact mode: in free mode one boot per row proves nothing"
    columns: tuple[Column, ...] = (
        Column(key="title", title="root"),
        Column(key="image_bytes", title="image", kind="bytes"),
        Column(key="mounted_inside_ns", title="mounted", kind="ms", under=_INSIDE),
        Column(key="init_inside_ns", title="init", kind="ms", under=_INSIDE),
        Column(key="goal_inside_ns", title="ready", kind="ms", under=_INSIDE),
        Column(key="exec_ns", title="exec", kind="ms", under=_OUTSIDE),
        Column(key="use_ns", title="use", kind="ms", under=_OUTSIDE),
        Column(key="goal_ns", title="from reset", kind="ms", under=_OUTSIDE),
        Column(key="page_cache_kib", title="cache kB", kind="count", wide=True),
        Column(key="read_bytes", title="read", kind="bytes", wide=True),
        Column(
            key="load_least_ns",
            title="load (modelled)",
            kind="ms",
            under="ms",
            ends="load_most_ns",
            note="load_of",
            wide=True,
        ),
        Column(key="proof", title="proof", wide=True),
    )

    def __init__(self, *ids: str, bandwidth_bytes_per_s: int = DEFAULT_BANDWIDTH) -> None:
        """Take only the named rows; none: all. Raise UserError for a row that there is not.

        `bandwidth_bytes_per_s`: of the medium, for the modelled load time.
        """
        if unknown := sorted(frozenset(ids).difference(known_ids())):
            raise UserError(
                f"there is no row {unknown[0]!r} in this comparison", hint=f"known: {', '.join(known_ids())}"
            )
        self._wanted = frozenset(ids)
        self._bandwidth = bandwidth_bytes_per_s
        self._costs: Costs | None = None
        self._asked: dict[str, board_columns.BoardBoot] = {}
        self.most_boots = len(self._wanted or known_ids())

    def rows(self, bench: Bench, system: SystemDescription) -> Iterator[Row | LeftOut]:
        """Boot every row. Raise UserError for a system without a tree or [storage], or whose init cannot start."""
        self._costs = system.costs
        if self._costs is not None:
            self.columns = (*type(self).columns, *board_columns.COLUMNS)
        system = with_built_programs(system, bench.cache)
        tree, _ = _tree_of(system)
        first_program.check(tree, system.init_path, system.machine.arch)
        config = bench.target.plan(msgspec.structs.replace(_plain(system), initramfs=None, root=None)).info.config
        asked = _Rows(system, bench.cache, config, self._wanted)
        yield from asked.left_out
        flying = [(candidate, bench.submit(candidate.system, candidate.id)) for candidate in asked.candidates]
        for candidate, future in flying:
            recording = bench.wait(future)
            if not self._wanted or candidate.id in self._wanted:
                yield self._row(candidate, recording)
            if candidate.id == _PRESET_OF and (not self._wanted or _PRESET_OF + _PRESET in self._wanted):
                preset = _preset(candidate, recording)
                if isinstance(preset, LeftOut):
                    yield preset
                else:
                    yield self._row(preset, bench.boot(preset.system, preset.id))

    def _row(self, asked: Candidate, recording: Recording) -> Row:
        row = read_row(asked, recording, self._bandwidth)
        if row.ok:
            read, mounted = row.ns("read_bytes"), row.ns("mounted_ns")
            on_medium = asked.medium in {"flash", "SD card"}
            self._asked[row.id] = (
                board_columns.boot_of(recording, asked.image.size_bytes, read, mounted)
                if on_medium
                else board_columns.loaded(recording)
            )
        return row

    def finished(self, rows: list[Row]) -> list[Row]:
        """Sort by the time of first use, failed ones last; with costs each row has the board's time beside it."""
        ordered = sorted(rows, key=lambda row: (not row.ok, row.ns("goal_ns") or 0, row.id))
        return ordered if self._costs is None else board_columns.with_board(self._costs, ordered, self._asked)

    def facts(self, bench: Bench, system: SystemDescription, rows: tuple[Row, ...]) -> dict[str, Value]:
        """Return the size of the tree and the bandwidth of the model."""
        del rows
        tree, _ = _tree_of(with_built_programs(system, bench.cache))
        members = list(root_of(tree).walk())
        return {
            "tree_files": len(members) - 1,
            "tree_bytes": sum(size_of(member) for member in members),
            "bandwidth_bytes_per_s": self._bandwidth,
        }

    def headline(self, found: Comparison) -> str:
        """Say how many file systems the tree was booted from, and which came first."""
        good = [row for row in found.rows if row.ok]
        first = f"; first: {good[0].title}, {figures.ms(good[0].ns('goal_ns'))} ms from reset" if good else ""
        tree_bytes = found.facts["tree_bytes"]
        if self._costs is not None and (there := board_columns.said(self._costs, good, self._asked)):
            first = f"{first}; {there}"
        return (
            f"{found.system}: one root of {found.facts['tree_files']} files, "
            f"{figures.size(tree_bytes if isinstance(tree_bytes, int) else None)}, "
            f"booted from {figures.counted(len(good), 'file system')}{first}"
        )

    def footnote(self, found: Comparison) -> str:
        """Say what the columns mean."""
        return (
            "Inside: the kernel's own stamp on the line. Outside: what an observer of the serial port sees, on the "
            f"{found.clock} clock from reset. Mounted: the root is mounted (for an initramfs: unpacked, and init is "
            "started). Exec: from the start of init to its first line. Use: from there to first use. Cache: the page "
            "cache at first use. Read: what was read from the medium until then; a RAM disk or initramfs is loaded "
            "whole. An emulator reads a medium as fast as memory, and has a RAM disk or initramfs in memory at reset, "
            "so no measured time includes the loading. Load models it: the bytes read over "
            f"{self._bandwidth / 1e6:g} MB/s, or the whole image if it is not known what was read (MTD does not "
            f"count).{_ON_BOARD if self._costs is not None else ''}\n{SINGLE_BOOTS}"
        )


def _preset(base: Candidate, recording: Recording) -> Candidate | LeftOut:
    """Return a row with the delay loop's value given, as the row's own boot calibrated it."""
    row_id, title = base.id + _PRESET, f"{base.title}, lpj preset"
    lpj = preset_lpj(recording)
    if lpj is None:
        reason = "the kernel calibrates no delay loop: its log has no lpj= that it measured"
        return LeftOut(id=row_id, title=title, reason=reason)
    system = msgspec.structs.replace(base.system, cmdline=base.system.cmdline.with_param("lpj", str(lpj)))
    return msgspec.structs.replace(base, id=row_id, title=title, system=system)


def _tree_of(system: SystemDescription) -> tuple[FileTree, Storage]:
    if system.storage is None and system.root is None:
        raise UserError(
            f"{system.name} does not say where a root file system can be",
            hint="add [storage] or [root]: docs/how-to/compare-file-systems.md shows one",
        )
    if system.initramfs is not None and system.root is not None:
        raise UserError(
            f"{system.name} mounts its root from an initramfs, which no row could keep",
            hint="compare file systems with a root that the kernel itself mounts: leave [initramfs] out",
        )
    if system.tree is None or not system.tree.entries:
        raise UserError(
            f"{system.name} has no tree of files to pack",
            hint="add [root] or [initramfs] with a dir, an archive or files",
        )
    return system.tree, system.storage or Storage()


def _plain(system: SystemDescription) -> SystemDescription:
    """Return the system with a kernel that brings no root of its own, and a boot that lasts until `storage`'s lines."""
    kernel = system.kernel
    if kernel.build is not None and kernel.build.embed_initramfs:
        build = msgspec.structs.replace(kernel.build, embed_initramfs=False)
        kernel = msgspec.structs.replace(kernel, build=build)
    told = (system.storage or Storage()).told
    return msgspec.structs.replace(system, kernel=kernel, check=Check(console=(*system.check.console, *told)))


def _applied(system: SystemDescription, ops: tuple[Op, ...]) -> SystemDescription:
    for op in ops:
        system = op.apply(system)
    return system


class _Rows:
    """Every row that can be booted, packed; and those that cannot, with the reason."""

    def __init__(
        self, system: SystemDescription, cache: Cache, config: Mapping[str, str], wanted: frozenset[str]
    ) -> None:
        self.candidates: list[Candidate] = []
        self.left_out: list[LeftOut] = []
        self._system = system
        self._tree, self._storage = _tree_of(system)
        self._cache = cache
        self._config = config
        self._tree_bytes = sum(size_of(member) for member in root_of(self._tree).walk())
        self._wanted = wanted | {_PRESET_OF} if _PRESET_OF + _PRESET in wanted else wanted
        on_card = system.root is not None and system.root.medium == "sd"
        for form in FORMATS:
            if self._storage.flash_bank is not None:
                self._add(form.id, form.title, (*form.options, "MTD"), partial(self._on_flash, form))
            elif form.id in self._wanted or not on_card:
                self._leave(form.id, form.title, "the machine has no flash: storage.flash_bank is not set")
        for form in _CARD_FORMATS:
            row_id, title = _CARD + form.id, f"{form.title} on the SD card"
            if on_card:
                self._add(row_id, title, (*_block_options(form), "MMC_BLOCK"), partial(self._on_card, form, title))
            elif row_id in self._wanted:
                self._leave(row_id, title, 'the system\'s root is not on a card: [root] with medium = "sd"')
        for name in _RAM_DISK_COMPRESSIONS:
            title = "ext2 on a RAM disk" + ("" if name == "none" else f", {name}")
            self._add_ram_disk(f"ramdisk-ext2-{name}", title, BY_ID["ext2"], name)
        self._add_ram_disk("ramdisk-cramfs", "CRAMFS on a RAM disk", BY_ID["cramfs"], "none")
        for name in _INITRAMFS_COMPRESSIONS:
            row_id, title = f"initramfs-{name}", "initramfs" + ("" if name == "none" else f", {name}")
            options = ("BLK_DEV_INITRD", *([_UNPACKERS[name]] if name in _UNPACKERS else []))
            self._add(row_id, title, options, partial(self._as_initramfs, row_id, title, name))

    @property
    def _memory_bytes(self) -> int:
        return self._system.machine.memory_mib << 20

    def _check_room(self, room_bytes: int, where: str, hint: str) -> None:
        if self._tree_bytes > room_bytes * _RATIO_MAX:
            raise UserError(f"the tree is {self._tree_bytes} bytes; {where} holds {room_bytes}", hint=hint)

    def _leave(self, row_id: str, title: str, reason: str) -> None:
        if not self._wanted or row_id in self._wanted:
            self.left_out.append(LeftOut(id=row_id, title=title, reason=reason))

    def _add(self, row_id: str, title: str, options: tuple[str, ...], make: Callable[[], Candidate]) -> None:
        if self._wanted and row_id not in self._wanted:
            return
        # A kernel whose configuration nobody knows is given every row; the boot says what it lacks.
        lacking = [name for name in options if self._config.get(f"CONFIG_{name}") != "y"] if self._config else []
        if lacking:
            self._leave(row_id, title, "the kernel lacks " + ", ".join(f"CONFIG_{name}" for name in lacking))
            return
        try:
            self.candidates.append(make())
        except BootlabError as error:
            self._leave(row_id, title, f"{error.message}; {error.hint}" if error.hint else error.message)

    def _add_ram_disk(self, row_id: str, title: str, form: Format, name: Compression) -> None:
        options = (*_block_options(form), "BLK_DEV_RAM", *([_UNPACKERS[name]] if name in _UNPACKERS else []))
        self._add(row_id, title, options, partial(self._on_ram_disk, row_id, title, form, name))

    def _on_flash(self, form: Format) -> Candidate:
        storage, system = self._storage, self._system
        self._check_room(storage.root_kib << 10, "the partition", "raise storage.root_kib")
        if form.behind == "ubi" and not storage.mtd_name:
            raise UserError("UBI needs the partition's name", hint="set storage.mtd_name")
        mounted = _applied(_plain(system), root_place.to_medium(system, form.id, "flash"))
        image = root_image.build(mounted.root or Root(), storage, self._cache)
        # A partition that is too small is this row's matter.
        root_image.medium(mounted, image, self._cache)
        return Candidate(id=form.id, title=form.title, medium="flash", form=form, image=image, system=mounted)

    def _on_card(self, form: Format, title: str) -> Candidate:
        system = _applied(_plain(self._system), root_place.to_medium(self._system, form.id, "sd"))
        image = root_image.build(system.root or Root(), None, self._cache)
        return Candidate(id=_CARD + form.id, title=title, medium="SD card", form=form, image=image, system=system)

    def _on_ram_disk(self, row_id: str, title: str, form: Format, name: Compression) -> Candidate:
        room_kib = int(self._config.get("CONFIG_BLK_DEV_RAM_SIZE") or 0)
        self._check_room(room_kib << 10 or self._memory_bytes, "the RAM disk", "raise BLK_DEV_RAM_SIZE")
        image = formats.build(form, self._tree, self._storage, self._cache)
        if room_kib and image.size_bytes > room_kib << 10:
            raise UserError(
                f"the image is {image.size_bytes} bytes and a RAM disk {room_kib} KiB", hint="raise BLK_DEV_RAM_SIZE"
            )
        packed = image
        if name != "none":
            key = key_of("ram-disk", name, self._cache.digest(image.path))
            path = self._cache.file(key, f".{form.id}.{name}", partial(_pack, image.path, name))
            packed = Image(path, path.stat().st_size)
        mounted = _applied(_plain(self._system), root_place.to_ram_disk(self._system, form.fstype))
        system = msgspec.structs.replace(mounted, initrd=str(packed.path), initramfs=None, root=None)
        return Candidate(id=row_id, title=title, medium="RAM disk", form=form, image=packed, system=system)

    def _as_initramfs(self, row_id: str, title: str, name: Compression) -> Candidate:
        if self._tree_bytes > self._memory_bytes:
            raise UserError(
                f"the tree is {self._tree_bytes} bytes and the machine's memory {self._memory_bytes}",
                hint="leave files out, or raise machine.memory_mib",
            )
        # Unpacked beside other work, a slow compressor would hide in the waits of drivers.
        ops = (*root_place.to_initramfs(self._system, name), SetParam("initramfs_async", "0"))
        system = _applied(_plain(self._system), ops)
        path = build_initramfs(system.initramfs or Initramfs(), self._cache)
        image = Image(path, path.stat().st_size)
        return Candidate(id=row_id, title=title, medium="initramfs", form=None, image=image, system=system)


def _block_options(form: Format) -> tuple[str, ...]:
    """Return what the kernel needs to mount a format from a block device."""
    return ("CRAMFS", "CRAMFS_BLOCKDEV") if form.mtd else form.options


def _pack(source: Path, name: Compression, path: Path) -> None:
    compress(source, path, name)
