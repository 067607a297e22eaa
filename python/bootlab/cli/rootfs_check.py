# SPDX-License-Identifier: MIT
"""`bootlab rootfs check`: programs of a root tree that cannot start, found without a boot."""

from __future__ import annotations

from bootlab.cli.session import JsonOption, SystemArgument, out, print_json, put_line, say
from bootlab.errors import Found, UserError


def check(system_file: SystemArgument, *, as_json: JsonOption = False) -> None:
    """Find programs in the root tree that cannot start: missing interpreter, loader or library, wrong processor, loop.

    Exit code 0: nothing found. 13: some programs cannot start, but the first one can. 2: the first program cannot
    start, so no boot can work.

    Example: bootlab rootfs check camera.toml
    """
    from bootlab.api import System  # noqa: PLC0415
    from bootlab.views.shown_text import one_line  # noqa: PLC0415

    found = System.load(system_file).check_tree()
    if as_json:
        print_json(found)
    else:
        for one in found:
            put_line(f"{'error' if one.fatal else 'warning'}: {one_line(one.path, 200)}: {one_line(one.message, 300)}")
            say(f"  {one.hint}")
        if not found:
            out().print("every program of the tree finds what it needs to start")
    if any(one.fatal for one in found):
        raise SystemExit(UserError.exit_code)
    if found:
        raise SystemExit(Found.CANNOT_RUN)
