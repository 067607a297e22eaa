# SPDX-License-Identifier: MIT
"""How a system is now, as the first page tells it."""

from __future__ import annotations

import msgspec

from bootlab.history.now import SystemNow
from bootlab.views.history import index_page
from bootlab.views.history.addresses import Addresses
from tests.history.boots import entry

TO = Addresses(
    system=lambda name: f"system?name={name}",
    boot=lambda number: f"boot?id={number}",
    run=lambda name: name,
    compare=lambda system, a, b: f"{system}{a}{b}",
)


def boots(*totals_ms: float | None):
    made = (entry(total, number=number, revision=f"v{number}") for number, total in enumerate(totals_ms))
    return [msgspec.structs.replace(one, id=number + 1) for number, one in enumerate(made)]


STEP = (100, None, *(100 + n / 10 for n in range(11)), *(120 + n / 10 for n in range(12)))


def test_the_last_change_of_level_and_the_last_failure():
    now = SystemNow.of("camera", 900, boots(*STEP))
    assert now.whole is not None
    assert [change.to_revision for change in now.whole.changes] == ["v13"]
    assert (now.failed is not None, now.broken) == (True, False)
    assert SystemNow.of("camera", 2, boots(100, None)).broken
    assert SystemNow.of("camera", 1, boots(None)).whole is None
    assert SystemNow.of("camera", 0, []).newest is None


def test_the_page_tells_it_and_links_the_boots():
    now = SystemNow.of("camera", 900, boots(*STEP))
    page = index_page.render([("camera", 900), ("door", 3)], [now], [], 0, TO)
    for said in ("slower +", '"v13"', "boot?id=25", "hang, ", "boot?id=2", "door", "system?name=door"):
        assert said in page, said
    empty = index_page.render([("none", 1)], [SystemNow.of("none", 1, [])], [], 0, TO)
    assert "system?name=none" in empty
