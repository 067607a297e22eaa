# SPDX-License-Identifier: MIT
"""Names inside a root file system: which ones the kernel can unpack.

Limits from `init/initramfs.c` (`do_header()`: a name with its NUL fits PATH_MAX) and NAME_MAX of the file system.
"""

from __future__ import annotations

from bootlab.errors import UserError

PATH_MAX_BYTES = 4096
NAME_MAX_BYTES = 255
TRAILER = "TRAILER!!!"


def check_name(name: str) -> str:
    """Return an absolute name without doubled or trailing slashes. Raise UserError when no kernel would take it."""
    shown = repr(name if len(name) <= 80 else name[:77] + "...")
    if not name.startswith("/"):
        raise UserError(f"{shown} is not an absolute path", hint='names inside the initramfs start with "/"')
    if "\0" in name:
        raise UserError(f"{shown} contains a NUL byte", hint="no file system allows such a name")
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise UserError(f'{shown} holds ".."', hint="write the path without it")
    if not parts:
        raise UserError(f"{shown} is the root directory itself", hint="name something below it")
    try:
        sizes = [len(part.encode()) for part in parts]
    except UnicodeEncodeError as error:
        raise UserError(f"{shown} is not UTF-8", hint="rename the file; a system file can only hold UTF-8") from error
    if max(sizes) > NAME_MAX_BYTES:
        raise UserError(f"{shown}: a part is longer than {NAME_MAX_BYTES} bytes", hint="rename the file")
    if sum(sizes) + len(parts) > PATH_MAX_BYTES:
        raise UserError(f"{shown} is longer than {PATH_MAX_BYTES - 1} bytes", hint="the kernel would skip it")
    if parts == [TRAILER]:
        raise UserError(f"{shown} would end the archive", hint="this is the name that cpio ends with; rename the file")
    return "/" + "/".join(parts)


def check_target(path: str, target: str) -> str:
    """Return a symlink's target. Raise UserError when the kernel would skip the link."""
    try:
        size = len(target.encode())
    except UnicodeEncodeError as error:
        raise UserError(f"the target of {path} is not UTF-8", hint="make the link again with a UTF-8 target") from error
    if not 0 < size < PATH_MAX_BYTES or "\0" in target:
        raise UserError(
            f"the target of {path} is empty, contains a NUL byte or is too long", hint="make the link again"
        )
    return target


def parent_of(path: str) -> str:
    """Return the folder of an absolute name; `/` for the uppermost ones."""
    return path.rpartition("/")[0] or "/"
