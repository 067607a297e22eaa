# SPDX-License-Identifier: MIT
"""`bootlab delay`: shorten a delay of the kernel's source by a generated patch, and boot with and without it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

from bootlab.cli.files import write_files
from bootlab.cli.open_system import opened
from bootlab.cli.options import Argument, Option
from bootlab.cli.session import Booting, SystemArgument, out, print_json, put_line, say
from bootlab.errors import UserError
from bootlab.model.duration import duration_ns

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def delay(
    system_file: SystemArgument,
    function: Annotated[str, Argument(metavar="FUNCTION", help="The kernel function that waits, or FILE:FUNCTION.")],
    *,
    to: Annotated[str, Option(metavar="TIME", help="New length of each delay: 5ms, 250us, 1s.")],
    sleep: Annotated[bool, Option(help="Replace busy-waiting (mdelay, udelay) by sleeping.")] = False,
    call: Annotated[int | None, Option(least=1, help="Change only the Nth delay of the function.")] = None,
    output: Annotated[Path | None, Option(help="Write the patch to this file.")] = None,
    dry_run: Annotated[bool, Option(help="Print the patch without building or booting.")] = False,
    asked: Booting,
) -> None:
    """Shorten the delays of a kernel function with a generated patch, or make it sleep; boot with and without it.

    The system's kernel must be built from source. `bootlab trace SYSTEM.toml --show waits` lists what waits. No
    emulator can tell how long a real device needs: confirm every result on hardware.

    Example: bootlab delay system.toml ide_wait_ready --to 5ms
    """
    to_ns = _duration_ns(to)
    with opened(system_file, asked) as system:
        patch = system.delay_patch(function, to_ns, sleep=sleep, only=call)
        write_files((output, lambda: patch.text))
        results = None if dry_run else system.try_delay(patch)
    from bootlab.api.comparisons import DELAY_RISK  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.run import terminal  # noqa: PLC0415

    if asked.as_json:
        run = {} if results is None else {"run": results.id, "results": results.data}
        print_json({"format": "bootlab-delay", "version": 1, "risk": DELAY_RISK, "patch": patch, **run})
        return
    # Tabs stay, so that what is printed can be applied; --output writes every byte.
    sys.stdout.write(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", patch.text))
    for kept in patch.kept:
        put_line(f"stays: {kept}")
    if results is not None:
        out().print(terminal.results_view(results.data))
        say(f"results: {results.run.results}")
    out().print(f"risk: {DELAY_RISK}", style="yellow", markup=False, highlight=False)


def _duration_ns(text: str) -> int:
    ns = duration_ns(text)
    if not ns:
        raise UserError(f"--to {text[:40]!r} is not a time above zero", hint="--to 5ms, --to 250us, --to 1s")
    return ns
