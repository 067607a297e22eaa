# SPDX-License-Identifier: MIT
"""The options that U-Boot is built with for the way in which it is to come to the kernel."""

from __future__ import annotations

from bootlab.builders.loader.commands import SECTOR_BYTES
from bootlab.model.boot_loader import Loader, LoaderBoard
from bootlab.model.source_build import Options

ENVIRONMENT_FILE = "bootlab.env"
"""The default environment, in the folder of the objects."""
_ARGUMENTS_UNIT_BYTES = 4096


def options_of(loader: Loader, board: LoaderBoard, tree_bytes: int) -> Options:
    """Return what has to be set besides what the user asked for. `tree_bytes`: the device tree that the SPL loads."""
    found: list[tuple[str, str]] = []
    if has_environment(loader):
        found += [("USE_DEFAULT_ENV_FILE", "y"), ("DEFAULT_ENV_FILE", f'"{ENVIRONMENT_FILE}"')]
        found += [("CMD_BOOTZ", "y"), ("CMD_MMC", "y")]
        found += [("CMD_SOURCE", "y")] if loader.place == "raw" else [("CMD_FAT", "y"), ("CMD_FS_GENERIC", "y")]
    if loader.silent:
        # No variable silences the SPL: it is built without its serial port, where it reads no key from it.
        found += [("SILENT_CONSOLE", "y"), ("SPL_BANNER_PRINT" if loader.start == "falcon" else "SPL_SERIAL", "n")]
    if loader.start == "falcon":
        found += _falcon(loader, board, tree_bytes)
    return tuple(found)


def has_environment(loader: Loader) -> bool:
    """Tell whether U-Boot is built with a default environment of bootlab's."""
    return loader.u_boot_start == "command"


def arguments_bytes(loader: Loader, board: LoaderBoard, tree_bytes: int) -> int:
    """Return how many bytes the SPL reads of the device tree in falcon mode."""
    if not loader.exact:
        return board.arguments_room_bytes
    # Room for the checksum behind the tree.
    return -(-(tree_bytes + 8) // _ARGUMENTS_UNIT_BYTES) * _ARGUMENTS_UNIT_BYTES


def _falcon(loader: Loader, board: LoaderBoard, tree_bytes: int) -> list[tuple[str, str]]:
    found = [
        ("SPL_OS_BOOT", "y"),
        ("SPL_FALCON_BOOT_MMCSD", "y"),
        ("SYS_SPL_ARGS_ADDR", f"{board.tree_address:#x}"),
        ("SYS_MMCSD_RAW_MODE_KERNEL_SECTOR", f"{board.raw_bytes // SECTOR_BYTES:#x}"),
        ("SPL_LEGACY_IMAGE_CRC_CHECK", "y" if loader.checked else "n"),
    ]
    if loader.appended:
        return [*found, ("SYS_MMCSD_RAW_MODE_ARGS_SECTOR", "0x0")]
    count = arguments_bytes(loader, board, tree_bytes) // SECTOR_BYTES
    return [
        *found,
        ("SYS_MMCSD_RAW_MODE_ARGS_SECTOR", f"{board.arguments_bytes // SECTOR_BYTES:#x}"),
        ("SYS_MMCSD_RAW_MODE_ARGS_SECTORS", f"{count:#x}"),
    ]
