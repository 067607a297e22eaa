# SPDX-License-Identifier: MIT
"""The page of a change of level: which stage moved, the commit, and what the consoles of both sides show."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.history.database import Database
from bootlab.tracing.boot import FUNCTIONS_FILE, TRACE_FILE
from tests.history.boots import entry
from tests.trace.trace_writer import FIRST, names, node, trace
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
    assert page["parts"][3]["trends"][0]["changes"] == [[6, 3_000_000_000, 3_060_000_000]]
    assert "No trace tells" in page["parts"][1]["subtitle"]
    assert "No console tells" in page["parts"][2]["subtitle"]
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


def traced(folder: Path, *, awake_ns: int) -> str:
    """Make a recording whose trace has `probe` under `kernel_init`, and `sensor_wait` under that for so long."""
    folder.mkdir()
    for file in RECORDINGS[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    init, probe, wait = FIRST, FIRST + 1, FIRST + 2
    calls = [
        node(init, 1, count=1, self_insns=500_000_000),
        node(probe, 4, count=1, self_insns=1_000_000),
        node(wait, 5, count=awake_ns // 10**6, self_insns=1000, idle=awake_ns),
    ]
    (folder / TRACE_FILE).write_bytes(trace(calls))
    (folder / FUNCTIONS_FILE).write_text("\n".join(names("kernel_init", "sensor_probe", "sensor_wait")))
    return str(folder)


def with_traces(url: str, objects: Path, folder: Path, *, on: dict[int, int]) -> None:
    """Fill the stepped history anew; the boots of these numbers carry a trace that waits so many ms."""
    stepped(url, objects)
    with Database(url, objects) as database:
        boots = database.entries()
        database.forget(boots)
        for number, one in enumerate(boots):
            path = traced(folder / str(number), awake_ns=on[number] * 10**6) if number in on else ""
            times = msgspec.structs.replace(one.times, path=path)
            database.add([msgspec.structs.replace(one, times=times, id=None)])


def functions_of(server: Serve) -> dict:
    (system,) = data(server.ask("/")[1])["parts"][0]["tables"][0]["rows"]
    page = data(server.ask(f"/{system[5][2]}")[1])
    part = next(part for part in page["parts"] if part["title"] == "Which functions moved")
    return part | {"headline": page["headline"]}


def test_traces_on_both_sides_name_the_function_that_moved(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    with_traces(url, tmp_path / "objects", tmp_path, on={4: 40, 5: 40, 8: 100})
    part = functions_of(serve(url))
    assert "000000000000 (boot 6) and 000000000000 (boot 9)" in part["subtitle"], "the nearest ones that have a trace"
    rows = part["tables"][0]["rows"]
    assert [row[0] for row in rows] == ["sensor_wait", "sensor_probe", "kernel_init"]
    assert [row[1] for row in rows] == ["slower"] * 3
    assert rows[0][2] == ["+60.000", 60_000_000]
    assert [cell[1] for cell in rows[0][3:]] == [0, 60_000_000, 60]
    assert part["headline"][2][:3] == ["sensor_wait", "", "nearest function: +60.000 ms"]


def test_a_level_without_a_trace_is_said_to_have_none(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    with_traces(url, tmp_path / "objects", tmp_path, on={8: 100})
    part = functions_of(serve(url))
    assert "none before the step carries one" in part["subtitle"]
    assert "bootlab trace" in part["subtitle"]
    assert not part["tables"]


def test_a_damaged_trace_is_said(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    folder = Path(traced(tmp_path / "bad", awake_ns=1))
    (folder / TRACE_FILE).write_bytes(b"no trace")
    with_traces(url, tmp_path / "objects", tmp_path, on={6: 40})
    with Database(url, tmp_path / "objects") as database:
        last = database.entries()[7]
        database.forget([last])
        times = msgspec.structs.replace(last.times, path=str(folder))
        database.add([msgspec.structs.replace(last, times=times, id=None)])
    part = functions_of(serve(url))
    assert "cannot be compared" in part["subtitle"]
    assert "is damaged" in part["subtitle"]
