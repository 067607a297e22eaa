#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernel modules packed, packed twice, or plain in an initrd of dracut's: which form boots fastest, by exact boots.

    python benchmarks/dracut_modules.py SYSTEM.toml --work FOLDER [--boots 2] [--forms gzip,zstd,none,xz]
    python benchmarks/dracut_modules.py SYSTEM.toml --work FOLDER --table [--page docs/case-studies/dracut-modules.md]

SYSTEM boots from an initrd whose modules are packed (`*.ko.xz`); dracut 112 puts them into an archive of their own that
is not packed again, before the packed one. From its files the other forms are made, as dracut packs them: the modules
as they are inside the packed archive (packed twice), and uncompressed inside it (packed once), and an archive that is
not packed at all. Each is booted, and must repeat to the instruction. A row is kept in FOLDER/rows.json as soon as it
is known; a second call goes on where one stopped. Needs `depmod`, and `zstd` for its forms.
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import page_part
from kept_rows import KeptRows

from bootlab import System
from bootlab.analysis.board_amounts import amounts_of
from bootlab.analysis.stages import stages_of
from bootlab.builders import cpio
from bootlab.builders.compress import compress
from bootlab.costs.named import costs_of
from bootlab.costs.prices import board_row, turning_points
from bootlab.formats.archive import Unpacked, unpacked
from bootlab.model.costs import Amounts
from bootlab.model.recording import Recording
from bootlab.model.system import Initramfs, PackedArchive
from bootlab.model.tree import Compression, FileTree

MARKS = ("<!-- dracut modules -->\n", "<!-- end of dracut modules -->\n")
BOARDS = ("nvme,115200", "emmc-hs400,115200", "sd-card-20MB,115200")
LEVELS: dict[Compression, int] = {"gzip": 9, "zstd": 15, "xz": 6}
"""What dracut calls each program with."""
PACKED = (".gz", ".xz", ".zst")
FORMS = {
    "twice": "packed, inside the packed archive",
    "plain": "uncompressed, inside the packed archive",
    "apart": "packed, in an archive of their own, not packed again",
}
Row = dict[str, Any]


def plain(tree: FileTree, work: Path) -> FileTree:
    """Return the tree with its modules and firmware uncompressed, and with the list of modules that then fits."""
    entries, root = tree.as_dict(), work / "plain"
    shutil.rmtree(root, ignore_errors=True)
    for path, entry in tree.entries:
        packed = path.endswith(".ko.xz") or (path.endswith(".xz") and "/lib/firmware/" in path)
        listed = "/lib/modules/" in path and path.rpartition("/")[2].startswith("modules.")
        if not entry.source or not (packed or listed):
            continue
        there = root / path.removeprefix("/usr").removeprefix("/").removesuffix(".xz" if packed else "")
        there.parent.mkdir(parents=True, exist_ok=True)
        data = Path(entry.source).read_bytes()
        there.write_bytes(lzma.decompress(data) if packed else data)
        if packed:
            del entries[path]
            entries[path.removesuffix(".xz")] = msgspec.structs.replace(entry, source=str(there))
    (version,) = (root / "lib/modules").iterdir()
    subprocess.run(["depmod", "-b", root, version.name], check=True)
    for name in ("modules.dep", "modules.dep.bin"):
        (path,) = (path for path in entries if path.endswith(f"/{name}"))
        entries[path] = msgspec.structs.replace(entries[path], source=str(version / name))
    return FileTree.of(entries)


def made(form: str, packing: Compression, given: Unpacked, work: Path) -> Path:
    """Write the initrd of one form."""
    out = work / f"{form}-{packing}.img"
    whole = plain(given.tree, work) if form == "plain" else given.tree
    first = {path: entry for path, entry in whole.entries if form == "apart" and is_packed(path, entry.source)}
    rest = FileTree(tuple((path, entry) for path, entry in whole.entries if path not in first))
    bare, small = work / "bare.cpio", work / "packed.cpio"
    with bare.open("wb") as file:
        cpio.write(rest, file)
    compress(bare, small, packing, LEVELS.get(packing))
    with out.open("wb") as file:
        if first:
            folders = [
                row for row in whole.entries if row[1].kind == "dir" and any(p.startswith(row[0] + "/") for p in first)
            ]
            cpio.write(FileTree.of({**dict(folders), **first}), file)
        file.write(small.read_bytes())
    return out


def is_packed(path: str, source: str | None) -> bool:
    return source is not None and path.endswith(PACKED)


def booted(system: System, archive: Path, work: Path, times: int) -> tuple[Recording, bool]:
    found = unpacked(archive, work / "unpacked")
    packed = PackedArchive(path=str(archive), content=found.tree.digest, compression=found.compression)
    initramfs = Initramfs(tree=found.tree, compression=found.compression, packed=packed)
    changed = system.like(msgspec.structs.replace(system.value, initramfs=initramfs))
    recordings, equality = changed.repeat_recordings(times)
    return recordings[0], equality.equal is True


def row_of(form: str, packing: str, boot: Recording, equal: bool, times: int) -> Row:
    stages = {stage.name: stage.duration_ns for stage in stages_of(boot)}
    return {
        "form": form, "packing": packing, "boots": times, "equal": equal, "ok": boot.ok, "goal_ns": boot.meta.goal_ns,
        "initrd_bytes": boot.meta.artefact_bytes["initramfs"], "stages": stages,
        "amounts": msgspec.to_builtins(amounts_of(boot)),
    }  # fmt: skip


def table(rows: list[Row]) -> str:
    """Return the kept rows as Markdown: exact times, and with what the reading of the images costs."""
    text = "| modules | archive | initrd, bytes | kernel | initrd | rest | exact, ms | " + " | ".join(
        f"`{b}`" for b in BOARDS
    )
    text += f" | boots, equal |\n|---|---|{'--:|' * (5 + len(BOARDS))}---|\n"
    for row in rows:
        kernel, initrd = (row["stages"].get(name, 0) for name in ("kernel", "initrd"))
        amounts = msgspec.convert(row["amounts"], Amounts)
        on = (board_row(costs_of(board), "", amounts).board_ns.text(1e6) for board in BOARDS)
        parts = (kernel, initrd, row["goal_ns"] - kernel - initrd)
        text += f"| {FORMS[row['form']]} | {row['packing']} | {row['initrd_bytes']:,} | "
        text += " | ".join(f"{ns / 1e6:,.1f}" for ns in parts) + f" | {row['goal_ns'] / 1e6:,.3f} | "
        text += " | ".join(on) + f" | {row['boots']}, {'yes' if row['equal'] else 'no'} |\n"
    return text + "\n" + "\n".join(turns(rows)) + "\n"


def turns(rows: list[Row]) -> Iterable[str]:
    """Say from which rate of the medium on plain modules win against each other form that is packed alike."""
    by_form = {(row["form"], row["packing"]): row for row in rows}
    for (form, packing), row in by_form.items():
        if form == "plain" or (other := by_form.get(("plain", packing))) is None:
            continue
        base, new = (msgspec.convert(each["amounts"], Amounts) for each in (row, other))
        saved_ns, fewer = row["goal_ns"] - other["goal_ns"], row["initrd_bytes"] - other["initrd_bytes"]
        points = [
            point.text("plain") for point in turning_points(costs_of("nvme,115200"), base, new) if point.of == "medium"
        ]
        yield (
            f"* {packing}: plain instead of {form}: {-saved_ns / 1e6:+,.3f} ms exact, {-fewer:+,} bytes to read"
            f"{'; ' + points[0] if points else ''}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", type=Path, metavar="SYSTEM.toml")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--boots", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--goal", help="another goal than the system's: the end of the initrd, say")
    parser.add_argument("--forms", default="gzip,zstd,none,xz", help="how the archive is packed, with commas")
    parser.add_argument("--table", action="store_true", help="show the kept rows alone")
    parser.add_argument("--page", type=Path)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    kept = KeptRows(asked.work / "rows.json")
    if not asked.table:
        system = System.load(asked.system, store=asked.work / "store", cache=asked.work / "cache", jobs=asked.jobs)
        if asked.goal:
            goal = msgspec.structs.replace(system.value.goal, console=asked.goal, name=asked.goal)
            system = system.like(msgspec.structs.replace(system.value, goal=goal))
        packed = system.value.initramfs.packed if system.value.initramfs else None
        if packed is None:
            parser.error(f"{asked.system} names no initrd that is there already")
        given = unpacked(Path(packed.path), asked.work / "unpacked")
        for packing in asked.forms.split(","):
            for form in FORMS:
                if (form == "apart" and packing == "none") or kept.count({"form": form, "packing": packing}):
                    continue
                boot, equal = booted(system, made(form, packing, given, asked.work), asked.work, asked.boots)
                kept.add(row_of(form, packing, boot, equal, asked.boots))
                print(form, packing, boot.meta.goal_ns, equal, flush=True)
    page_part.put_or_print(asked.page, MARKS, table(kept.rows))


if __name__ == "__main__":
    main()
