# SPDX-License-Identifier: MIT
"""Stubs of the native core (crates/bootlab-python)."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal, Protocol

__version__: str

class CoreError(ValueError):
    """The native core could not make sense of its input; the text says what and where, `hint` what to try."""

    hint: str

def kernel_inspect(image: bytes, /) -> str:
    """Say what a kernel image is and holds, as JSON text."""

def kernel_extract_vmlinux(image: bytes, /) -> bytes:
    """Unpack the kernel inside an image: on x86 the ELF file that QEMU starts through its PVH entry."""

def kernel_symbols(image: bytes, names: Sequence[str] | None = None, /) -> dict[str, int]:
    """Return the address of every symbol, or of the named ones that exist; of a name that occurs twice, the first."""

def kernel_symbol_table(image: bytes, /) -> list[tuple[int, str, str]]:
    """Return every symbol as (address, kind letter of nm, name) in the order of addresses."""

def kernel_config(image: bytes, /) -> str | None:
    """Return the .config text inside an image; None when the kernel was built without one."""

def config_lines(text: str, /) -> tuple[list[tuple[int, str, str, str]], list[int]]:
    """Read `.config` text: the lines that set an option or say that it is not set, in order, and the other lines.

    Of each option: number of the line, name without `CONFIG_`, value as written (`n`: not set), value without quotes
    and escapes. Of the lines that are neither an option nor a comment: their numbers.
    """

def elf_needs(path: str | PathLike[str], /) -> str:
    """Say what an ELF program or library needs before it runs, as JSON text."""

def elf_facts(path: str | PathLike[str], /) -> str:
    """Say what an ELF program or library says of itself, as JSON text."""

def elf_sections(path: str | PathLike[str], /) -> list[tuple[str, int, int, int, int]]:
    """Return the sections of an ELF file: name, type, flags, place in the file, bytes."""

def elf_defined(path: str | PathLike[str], /) -> list[str]:
    """Return the names that an ELF object defines for other files."""

def elf_segments(file: bytes, /) -> list[tuple[int, int, int, bool]]:
    """Return the loadable segments: linked address, place in the file, bytes there, whether they may be written to."""

def kernel_module(
    file: bytes, /
) -> tuple[str | None, tuple[bytes, bytes, list[tuple[int, str]]], tuple[bytes, bytes, list[tuple[int, str]]]]:
    """Return a module's name and its code as the kernel lays it out: what stays, and what is freed after init.

    Each region is the code, for each byte 1 where loading leaves it alone, and the functions by offset.
    """

def unpacked_block(packer: str, data: bytes, most_bytes: int, /) -> bytes:
    """Unpack a block of a file system that `lzo`, `lz4` or `zstd` packed, to at most so many bytes.

    Raise CoreError for one that is damaged or longer.
    """

def kernel_stamp_ns(line: str, /) -> int | None:
    """Return the kernel's stamp at the start of a line; None for a line without one."""

def kernel_message(line: str, /) -> str:
    """Return a line without what the kernel puts before its message: level, stamp, caller."""

def kernel_call(
    line: str, /
) -> tuple[Literal["start", "end", "probe"], str, str | None, int | None, int | None] | None:
    """Read a line of `initcall_debug`, with or without a stamp: an initcall's start or end, the end of a probe.

    Kind, function or device, module, result, printed duration in microseconds. None for any other line, also for one
    that only looks like it.
    """

def kernel_part(line: str, /) -> str | None:
    """Return the kernel's part of a line, from the stamp on: all of it, or what ran into somebody else's line."""

def services(lines: Sequence[tuple[int, str, int, int]], /) -> str:
    """Return the services that lines tell of, as JSON text: of each line number, text, first and last time."""

def user_lines(lines: Sequence[str], /) -> str:
    """Return what programs printed among lines as a console carried them, as JSON text."""

def protections(lines: Sequence[str], /) -> str:
    """Return what the lines of a kernel's log say of its protections, in their order, as JSON text."""

def seconds(ns: int, /) -> str:
    """Spell a time for a sentence: `24.0 s`, `340 ms`, `0.3 ms`."""

def stage_of(event: str, /) -> str:
    """Return the stage that begins with an event, by the name that pages colour; the event itself where none does."""

def document_schemas() -> list[tuple[str, str]]:
    """Return name and JSON Schema of everything that this module writes as JSON about logs."""

class Analysis:
    """One analysis, kept for exports."""

    @staticmethod
    def from_path(
        path: str | PathLike[str],
        /,
        *,
        application: str | None = None,
        goal: str | None = None,
        baud: int | None = None,
        keep_lines: bool = False,
        export: bool = False,
    ) -> Analysis:
        """Read a file or standard input (`-`). With `export`, spans and call trees of traces are kept."""

    @staticmethod
    def from_bytes(
        name: str,
        data: bytes,
        /,
        *,
        application: str | None = None,
        goal: str | None = None,
        baud: int | None = None,
        keep_lines: bool = False,
        export: bool = False,
    ) -> Analysis:
        """Read the bytes of a log or a trace, packed or not. `name` stands in messages and in the document."""

    @staticmethod
    def from_stamped(
        name: str,
        data: bytes,
        stamps_ns: Sequence[int],
        /,
        *,
        emulated: bool,
        application: str | None = None,
        goal: str | None = None,
        baud: int | None = None,
        keep_lines: bool = False,
    ) -> Analysis:
        """Read the console of an emulator or of a board, with a stamp for each of its lines.

        `stamps_ns`: on the emulator's clock (`emulated`) or the host's; lines behind the last one have none.
        """

    def json(self) -> str:
        """Return the document as JSON text."""

    def told(self) -> str:
        """Return what is said of each part of the document, as JSON text."""

    def page(self, *, boot: int | None = None, goal: tuple[str, str, str, str, int | None, str] | None = None) -> str:
        """Return the data of a page as JSON text: of one boot, or of everything.

        `goal`: of the last boot, where a recording knows it: sentence, figure, what that is, time on the axis as text
        and in ns, evidence.
        """

    def thread_text(self) -> str:
        """Return the answer as plain text, for a thread."""

    def user_lines(self, number: int, /) -> str:
        """Return what programs printed in one boot, as JSON text. Needs `keep_lines`."""

    def call_trees(self) -> list[tuple[list[str], list[int], list[int], list[int], list[int]]]:
        """Return the merged call tree of each trace: names, parents, numbers of names, counts, own weights."""
    def call_tree(self) -> tuple[list[str], bytes] | None:
        """Return the first trace's functions and call tree; None without one, or when it was read without `export`.

        A node is eight little-endian 64-bit numbers: function, parent, count, open, elapsed, self, switched out,
        longest. Nodes 0 to 2 are the root, what the full tree could not take, and interrupts.
        """

    def export(self, kind: str, /, *, boot: int | None = None) -> bytes | None:
        """Return one export: svg, perfetto, chrome, csv, plot, speedscope or folded; None without anything to draw."""

def compare_analyses(
    base: Sequence[Analysis],
    new: Sequence[Analysis],
    /,
    *,
    threshold_ns: int,
    threshold_percent: float,
    thresholds: Sequence[str],
    budgets: Sequence[str],
) -> str:
    """Compare boots, traces and reports of some analyses with those of others, as JSON text.

    Budgets are written `kernel=500ms`, thresholds of a kind `initcall=2ms,10%`.
    """

def source_files(tree: str | PathLike[str], srcarch: str, /) -> list[tuple[str, int, int]]:
    """Return a kernel tree's source files for one architecture: path below it, bytes, time of change in ns."""

def source_definitions(
    tree: str | PathLike[str], files: Sequence[tuple[str, int, int]], /
) -> list[list[tuple[str, str, int, str]]]:
    """Return what each file defines: kind (F, L, I, D, C or N), name, line, detail."""

def level_changes(values_ns: Sequence[int], smallest_ns: int, alpha: float, /) -> list[tuple[int, int, int, float]]:
    """Return where a noisy series changed its level by `smallest_ns` or more, in order.

    Of each change: the number of the last value before it (from 0), the medians of both levels, the p value. `alpha`:
    how often a series without a change is said to have one, at most.
    """

class _Slice(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def start_ns(self) -> int: ...
    @property
    def duration_ns(self) -> int: ...
    @property
    def detail(self) -> Sequence[tuple[str, str]]: ...

class _Instant(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def ns(self) -> int: ...
    @property
    def detail(self) -> Sequence[tuple[str, str]]: ...

class _Track(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def slices(self) -> Sequence[_Slice]: ...
    @property
    def instants(self) -> Sequence[_Instant]: ...

class _Timeline(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def clock(self) -> str: ...
    @property
    def args(self) -> Sequence[tuple[str, str]]: ...
    @property
    def tracks(self) -> Sequence[_Track]: ...

def export_timelines(kind: str, timelines: Sequence[_Timeline], /) -> bytes:
    """Write timelines, each on a clock of its own, as one trace: perfetto or chrome."""

def export_call_tree(
    kind: str,
    title: str,
    clock: str,
    names: Sequence[str],
    parents: Sequence[int],
    functions: Sequence[int],
    own: Sequence[int],
    /,
) -> bytes:
    """Write a call tree, columns as those of `Analysis.call_trees` (node 0 is the root): speedscope or folded."""
