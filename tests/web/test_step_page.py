# SPDX-License-Identifier: MIT
"""The page of a change of level: which stage moved, the commit, and what the consoles of both sides show."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.history.database import Database
from tests.history.boots import entry
from tests.web.conftest import RECORDINGS, TOKEN, Serve, packed
from tests.web.test_pages import data


def stepped(url: str, objects: Path) -> None:
    """Fill a history with a step of 60 ms in the kernel, by a commit of somebody's."""
    made = []
    for number in range(12):
        late = 60 if number >= 7 else 0
        one = entry(3000 + late, number=number, revision=f"{number:040x}")
        facts = {"author": "Ada", "subject": "Wait for the sensor"} if number == 7 else {}
        values = {
            "total": (3000 + late) * 10**6,
            "RC scripts": 10**9,
            "firmware": 10**9,
            "kernel": (1000 + late) * 10**6,
        }
        times = msgspec.structs.replace(one.times, exact=True, clock="virtual", values=values, facts=facts)
        made.append(msgspec.structs.replace(one, times=times))
    with Database(url, objects) as database:
        database.add(made)


def test_a_step_has_a_page_that_every_change_leads_to(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    stepped(url, tmp_path / "objects")
    server = serve(url)
    changes = data(server.ask("/system?name=camera")[1])["parts"][1]["tables"][0]["rows"]
    addresses = {row[0][0]: row[0][2] for row in changes}
    assert addresses["whole boot"] == "step?name=camera&quantity=total&boot=8"
    (system,) = data(server.ask("/")[1])["parts"][0]["tables"][0]["rows"]
    assert system[5][2] == addresses["whole boot"]
    for address in addresses.values():
        assert server.ask(f"/{address}")[0] == 200
    page = data(server.ask(f"/{addresses['whole boot']}")[1])
    assert page["headline"][:2] == [
        ["+60.000", "ms", "whole boot, level to level", "slower"],
        ["kernel", "", "moved most: +60.000 ms", ""],
    ]
    assert page["facts"][:2] == [["commit", "Wait for the sensor"], ["by", "Ada"]]
    base, new = page["parts"][0]["sides"]
    assert [stage["name"] for stage in base[1]["stages"]] == ["firmware", "kernel", "RC scripts"]
    assert (base[1]["goal_ns"], new[1]["goal_ns"]) == (3_000_000_000, 3_060_000_000)
    assert page["parts"][2]["trends"][0]["changes"] == [[6, 3_000_000_000, 3_060_000_000]]
    assert "No console tells" in page["parts"][1]["subtitle"]
    assert [row[0][2] for row in page["parts"][-1]["tables"][0]["rows"]][:2] == ["boot?id=7", "boot?id=8"]
    assert page["trail"] == [["all systems", "./"], ["camera", "system?name=camera"]]
    for wrong in ("boot=3", "boot=999", "quantity=none&boot=8", "boot=x"):
        assert server.ask(f"/step?name=camera&{wrong if 'quantity' in wrong else f'quantity=total&{wrong}'}")[0] == 404


def test_a_boot_shows_its_stages_in_order_and_a_comparison_names_commits(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    stepped(url, tmp_path / "objects")
    server = serve(url)
    page = data(server.ask("/boot?id=8")[1])
    assert page["headline"][1] == ["0.000", "ms", "against its level, the median of 5 boots", ""]
    times = page["parts"][0]
    assert [row[0] for row in times["tables"][0]["rows"]] == ["firmware", "kernel", "RC scripts", "whole boot"]
    ((_, drawn),) = times["sides"]
    assert [stage["name"] for stage in drawn["stages"]] == ["firmware", "kernel", "RC scripts"]
    assert drawn["places"] == 3
    compared = data(server.ask(f"/compare?system=camera&a=rev:{6:040x}&b=rev:{7:040x}")[1])
    assert compared["name"] == "camera 000000000000 (Wait for the sensor) against camera 000000000000"
    assert [side[0] for side in compared["parts"][0]["sides"]] == ["base", "new"]


def test_consoles_beside_a_step_are_compared(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    server = serve(url, token=TOKEN)
    for number, recording in enumerate(RECORDINGS):
        server.post(packed(recording), f"?system=board&revision=r{number}", Authorization=f"Bearer {TOKEN}")
    changes = data(server.ask("/system?name=board")[1])["parts"][1]["tables"]
    assert changes, "the kept recordings are of several systems"
    page = data(server.ask("/" + changes[0]["rows"][0][0][2])[1])
    consoles = next(part for part in page["parts"] if part["title"] == "What the consoles show")
    assert "No console tells" not in consoles["subtitle"]
