# SPDX-License-Identifier: MIT
"""`bootlab compare`: two things that were booted, side by side."""

from __future__ import annotations

from typing import Annotated

from bootlab.cli.files import write_file
from bootlab.cli.gate_options import AlphaOption, HtmlOption, OfSystem, SmallestOption, print_gate, smallest_ns
from bootlab.cli.options import Argument
from bootlab.cli.session import CostsOption

_KINDS = (
    "a recording's folder, a run (`last`), a boot log, a folder of logs or a pattern in quotes ('logs/run*.txt'), "
    "or a commit of the history (`rev:COMMIT`, `history`)."
)


def compare(
    base: Annotated[str, Argument(metavar="A", help=f"The base: {_KINDS}", show_default=False)],
    new: Annotated[
        str,
        Argument(metavar="B", help="What to compare with the base: the same kinds of things.", show_default=False),
    ],
    *,
    smallest_ms: SmallestOption = None,
    alpha: AlphaOption = 0.05,
    html: HtmlOption = None,
    costs: CostsOption = None,
    asked: OfSystem,
) -> None:
    """Compare boots stage by stage: recordings, runs, logs, commits of the history.

    A folder of recordings or logs counts as several boots of one system. With --costs, recordings of exact mode are
    also compared by the time of a board. The exit code is 0 whatever the result; in CI use `bootlab gate`.

    Example: bootlab compare rev:v1.0 rev:v1.1 --system camera
    """
    from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

    one, other = asked.side(base), asked.side(new)
    found = api.gate(other, one, smallest_ns=smallest_ns(smallest_ms), alpha=alpha, costs=costs)
    if html is not None:
        from bootlab.views.gate import page  # noqa: PLC0415

        write_file(html, page.render(found, title="comparison"))
    if asked.as_json or str(html) != "-":
        print_gate(found, as_json=asked.as_json)
