# SPDX-License-Identifier: MIT
"""What is said of a source without a kernel that could be booted: why, and the command that goes on."""

from __future__ import annotations

from bootlab.errors import UserError
from bootlab.sources import other_systems, unread
from bootlab.sources.facts import SourceFacts
from bootlab.sources.medium import shown

_SHOWN_MAX = 4


def without_kernel(found: SourceFacts) -> UserError:
    """Return the error of a source in which no kernel was found that its loader would start."""
    said = [f"{found.source}: no kernel was found that could be booted ({found.what})"]
    if found.disk is not None:
        said = [f"{found.source}: no kernel was found that could be taken ({found.what})"]
    if found.disk is not None and unread.partitions(found.disk):
        said = [f"{found.source}: no kernel was found in those parts that bootlab can read ({found.what})"]
    if found.disk is not None and (system := other_systems.of_disk(found.disk)):
        said = [f"{found.source} has no Linux that could be booted: its partitions are those of {system}"]
    said += [*found.notes, *found.unknown]
    said += [unread.menu_words(found.entry)] if found.entry is not None and found.entry.partition else []
    said += [f"a kernel: {found.no_kernel}"] if found.no_kernel else []
    if found.kernels_there:
        listed = ", ".join(shown(paths[0]) for paths in found.kernels_there[:_SHOWN_MAX])
        said.append(f"no menu that was read starts one of the kernels in it: {listed}")
    return UserError("; ".join(said), hint=found.way_on or _way(found))


def _way(found: SourceFacts) -> str:
    if found.kernels_there:
        first = " ".join(f"--from {found.source}:{path}" for path in found.kernels_there[0] if path)
        return f"take one: {first} --from {found.source}; its command line belongs in kernel.cmdline"
    if found.disk is None:
        return "also give one: --from KERNEL   (--from may be repeated)"
    if (part := other_systems.encrypted(found.disk)) is not None:
        place = unread.partition_of_device(part.number)
        return (
            f"its kernel may lie behind the passphrase: {unread.opened_as_device(found.disk)}; sudo cryptsetup open "
            f"{place} opened; lsblk -f /dev/mapper/opened says what is in it; a file system: sudo mount -o ro "
            "/dev/mapper/opened /mnt; LVM: sudo vgchange -ay; sudo lvs names the root; sudo mount -o ro "
            f"/dev/GROUP/ROOT /mnt; {unread.given_mounted(found.disk.path)}"
        )
    if other_systems.of_disk(found.disk):
        return "bootlab boots Linux: give the disk image, or the kernel, of a Linux system"
    if taken_out := unread.way(found.disk, found.entry):
        return taken_out
    return f"also give the system's kernel and initrd: --from vmlinuz --from initrd.img --from {found.source}"
