# SPDX-License-Identifier: MIT
"""Tables of a system file about files: what is packed, what lies on a medium, what is built from source."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from bootlab.model.key import key
from bootlab.model.program import Libc, Link
from bootlab.model.root import RootMedium
from bootlab.model.tree import Compression
from bootlab.systemfile.raw_table import RawTable


class RawFiles(RawTable, frozen=True):
    """What `[initramfs]`, `[root]` and `[[steps]]` have in common: files.

    The entries of `files` are converted one by one, so that an error can name the file.
    """

    dir: str | list[str] | None = None
    owners: Literal["root", "kept"] = "root"
    archive: str | None = None
    files: dict[str, Any] = {}


class RawTree(RawFiles, frozen=True):
    """A whole tree."""

    keep: list[str] = []


class RawInitramfs(RawTree, frozen=True):
    """`[initramfs]`. An archive alone, without compression or level, boots as the file it is."""

    compression: Annotated[
        Compression | None, key("how the archive is compressed; left out: `gzip`, or as `archive` is")
    ] = None
    level: Annotated[int | None, key("the compressor's level; left out: the strongest of the format")] = None


class RawRoot(RawTree, frozen=True):
    """`[root]`: the root tree on a medium of the machine."""

    file_system: Annotated[
        str,
        key(
            "one of the formats of [`bootlab fs`](../how-to/compare-file-systems.md): `ext4`, `xfs`, "
            "`squashfs-lz4`, `erofs`, `cramfs-xip`, …"
        ),
    ] = "ext4"
    medium: Annotated[
        RootMedium,
        key(
            "`pmem`: an NVDIMM, as `/dev/pmem0` (x86_64). `sd`: the board's card slot, as `/dev/mmcblk0`. `disk`:"
            " a virtio disk behind `machine.disks`. `flash`: the partition that `[storage]` names"
        ),
    ] = "sd"
    size_mib: Annotated[
        int | None,
        key(
            "smallest size of the card or disk in MiB; left out: as large as needed. A card is rounded up to a "
            "power of two"
        ),
    ] = None
    image: Annotated[
        str | None,
        key("an existing disk or card image, raw or qcow2, instead of a tree. It boots as it is; writes are discarded"),
    ] = None
    partition: Annotated[
        int,
        key(
            "with `image`: the partition that holds the root, for the `root=` that bootlab adds; left out: the "
            "whole image"
        ),
    ] = 0


class RawBusybox(RawTable, frozen=True):
    """A BusyBox that is built, as a value in `[initramfs.files]`."""

    applets: Annotated[
        list[str], key("names of the applets (`mount`, `[`); left out: all of the base configuration")
    ] = []
    options: Annotated[
        dict[str, str | int | bool],
        key("further options, name without `CONFIG_` = value: `{ FEATURE_SH_NOFORK = true }`"),
    ] = {}
    source: Annotated[
        str, key("`debian` (the folder that `BOOTLAB_BUSYBOX_SOURCE` names, or the user's cache), or a source tree")
    ] = "debian"


class RawEntry(RawTable, frozen=True):
    """One value of `[initramfs.files]`, `[root.files]` or a step's `files`."""

    source: Annotated[
        str | None,
        key("a regular file with the contents of this file; it keeps that file's mode unless `mode` is given"),
    ] = None
    text: Annotated[str | None, key("a regular file with this text (mode 0644 unless given)")] = None
    busybox: Annotated[
        RawBusybox | None, key("an executable: BusyBox built with these applets (table `initramfs.files.busybox`)")
    ] = None
    symlink: Annotated[str | None, key("a symbolic link to this target")] = None
    dir: Annotated[bool | None, key("`true`: a folder (mode 0755 unless given)")] = None
    fifo: Annotated[bool | None, key("`true`: a named pipe (mode 0644 unless given)")] = None
    char: Annotated[
        tuple[int, int] | None, key("a character device `[major, minor]` (mode 0600 unless given); no root needed")
    ] = None
    block: Annotated[
        tuple[int, int] | None, key("a block device `[major, minor]` (mode 0600 unless given); no root needed")
    ] = None
    mode: Annotated[str | None, key('octal mode in quotes: `"0755"`')] = None
    uid: Annotated[int, key("owner")] = 0
    gid: Annotated[int, key("group")] = 0


class RawProgram(RawTable, frozen=True):
    """One table `[programs."/path"]`: a program that is built from source. Converted one by one, as `files` are."""

    sources: Annotated[
        list[str], key("files and folders for the build: files are copied by name, of folders the contents")
    ] = []
    build: Annotated[
        str,
        key(
            "shell command, run in a fresh folder with the sources. It writes the program to `$OUT`, and other "
            "files of the tree under `$DESTDIR`. Left out: the C files among the sources are compiled"
        ),
    ] = ""
    compiler: Annotated[
        str | None,
        key(
            "prefix of another toolchain's programs (`arm-buildroot-linux-uclibcgnueabihf-`), in PATH, or with a "
            "path; left out: Debian's (cross) compiler"
        ),
    ] = None
    libc: Annotated[Libc, key("the C library; `musl` needs Debian's musl-tools, or `scripts/fetch-musl.sh ARCH`")] = (
        "glibc"
    )
    link: Annotated[
        Link,
        key(
            "how it is linked: adds `-static` or `-static-pie` to `$LDFLAGS`; commands that also build libraries "
            "find it in `$LINK`"
        ),
    ] = "shared"
    cflags: Annotated[str, key("`$CFLAGS`")] = "-O2"
    ldflags: Annotated[str, key("`$LDFLAGS`")] = ""
    libs: Annotated[str, key("`$LDLIBS`: libraries, after the sources (`-lm`)")] = ""
    variables: Annotated[
        dict[str, str], key("more environment variables for the command; they override bootlab's")
    ] = {}
    library_dirs: Annotated[
        list[str], key("folders to search first for the shared libraries that the programs need")
    ] = []
    strip: Annotated[bool, key("remove the symbols from every ELF file that was built")] = False
    mode: Annotated[str | None, key('octal mode in quotes; `"0755"` unless given')] = None
