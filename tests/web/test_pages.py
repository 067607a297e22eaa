# SPDX-License-Identifier: MIT
"""What the application shows: of a full history, an empty one, and of what is not there."""

from __future__ import annotations

import html
import json
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from bootlab.errors import EnvironmentFault
from bootlab.history.database import Database, is_made
from tests.history.boots import entry
from tests.web.conftest import HOSTILE, RECORDINGS, TOKEN, Serve, packed


def data(text: str) -> dict:
    start = '<script type="application/json" id="data">'
    return json.loads(text[text.index(start) + len(start) :].partition("</script>")[0])


@pytest.mark.telling("serve")
def test_systems_trends_boots_and_comparisons(serve: Serve, filled: str) -> None:
    server = serve(filled)
    status, text, headers = server.ask("/")
    assert status == 200
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    rows = data(text)["parts"][0]["tables"][0]["rows"]
    assert ["demo", "demo", "system?name=demo"] in [row[0] for row in rows]

    status, text, _ = server.ask("/system?name=demo")
    page = data(text)
    assert status == 200
    whole = page["parts"][0]["trends"][0]
    assert len(whole["points"]) == 24
    assert whole["changes"] == [[10, 3_000_000_000, 3_060_000_000]]
    assert "r10 → r11" in json.dumps(page["parts"][1], ensure_ascii=False)
    boots = next(part for part in page["parts"] if part["title"] == "Boots")["tables"][0]["rows"]
    assert len(boots) == 24

    status, text, _ = server.ask("/" + boots[0][0][2])
    assert status == 200
    assert data(text)["parts"][-1]["title"] == "What was booted"
    compare = next(part for part in data(text)["parts"] if part["title"] == "More")["tables"][0]["rows"][0][0][2]
    assert compare.startswith("compare?system=demo&a=rev%3Ar22&b=boot%3A")
    assert server.ask("/" + compare)[0] == 200

    status, text, _ = server.ask("/compare?system=demo&a=rev:r3&b=rev:r20")
    assert status == 200
    assert data(text)["headline"][0] == ["+60.000", "ms", "whole boot, new against base", "unknown"]


def test_boards_are_listed_and_have_a_page_each(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'boards.db'}"
    with Database(url, tmp_path / "objects") as history:
        for number in range(20):
            for board, failed in (("desk", number == 4), ("rack", number % 4 == 1)):
                made = entry(None if failed else 3000 + number, number=number, session=board)
                times = msgspec.structs.replace(made.times, facts={"board": board}, key=f"{board}{number}")
                history.add([msgspec.structs.replace(made, times=times)])
    server = serve(url)
    part = next(part for part in data(server.ask("/")[1])["parts"] if part["title"] == "Boards")
    desk, rack = part["tables"][0]["rows"]
    assert desk[0] == ["desk", "desk", "board?name=desk"]
    assert desk[1] == "no sign of illness"
    assert rack[1] == ["ill", 1, None, "slower"]
    told = json.loads(server.ask("/api/boards")[1])["boards"]
    assert [(one["name"], one["ill"], one["failed"], one["judged"]) for one in told] == [
        ("desk", False, 1, 20),
        ("rack", True, 5, 20),
    ]
    status, text, _ = server.ask("/board?name=rack")
    assert status == 200
    assert data(text)["headline"][0] == ["ill", "", "5 of 20 boots failed", "broken"]
    assert len(data(text)["parts"][1]["tables"][0]["rows"]) == 20
    assert server.ask("/board?name=none")[0] == 404


def test_programs_get_what_the_command_line_gives(serve: Serve, filled: str) -> None:
    server = serve(filled)
    assert json.loads(server.ask("/api/systems")[1])["systems"]["demo"] == 24
    status, text, headers = server.ask("/api/history?name=demo")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert [trend["name"] for trend in json.loads(text)["trends"]] == ["total", "kernel"]


def test_hostile_names_are_text(serve: Serve, filled: str) -> None:
    server = serve(filled)
    for path in ("/", f"/system?name={quote(HOSTILE)}", "/boot?id=26"):
        status, text, _ = server.ask(path)
        assert status == 200
        assert text.lower().count("<script") == 2
        assert "<b>" not in text
        # Values that the page's scripts send back are as they are; nothing that is shown is.
        assert "\u202e" not in text or path.startswith("/system")
    name = data(server.ask(f"/system?name={quote(HOSTILE)}")[1])["name"]
    assert name == "</script><b>&\\u202e"


def test_only_the_newest_are_shown_and_the_page_says_so(serve: Serve, filled: str) -> None:
    page = data(serve(filled).ask("/system?name=demo&newest=5")[1])
    assert page["facts"][0] == ["shown", "the newest 5 of 24\u202fboots".replace("\u202f", " ")]


def test_an_empty_store_is_a_page_and_nothing_is_made(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    status, text, _ = server.ask("/")
    assert status == 200
    assert "Nothing is kept yet" in data(text)["empty"]
    assert json.loads(server.ask("/api/systems")[1])["systems"] == {}
    status, text, _ = server.ask("/system?name=demo")
    assert status == 404
    assert "there is no history yet" in text
    assert not (tmp_path / "store").exists()


def test_an_empty_database_is_a_page_too(serve: Serve, history_url: str) -> None:
    server = serve(history_url)
    assert "Nothing is kept yet" in server.ask("/")[1]
    assert not is_made(history_url)


def test_a_history_that_is_made_later_is_seen(serve: Serve, history_url: str, tmp_path: Path) -> None:
    server = serve(history_url)
    assert server.ask("/system?name=camera")[0] == 404
    with Database(history_url, tmp_path / "objects") as database:
        database.add([entry(1000.0)])
    assert server.ask("/system?name=camera")[0] == 200


NOT_THERE = (
    "/report?run=../../../../etc/passwd",
    "/report?run=%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/report?run=nothing",
    "/report?boot=9999",
    "/report?boot=-1",
    "/report?boot=99999999999999999999999999",
    "/report?boot=%C2%B2",
    "/report",
    "/log?boot=1",
    "/boot?id=9999",
    "/boot?id=1%00",
    "/system?name=nothing",
    "/system?name=demo%00",
    "/system?name=" + "x" * 3000,
    "/system?name=demo&newest=0",
    "/compare?system=demo&a=/etc/passwd&b=/etc/hostname",
    "/compare?system=demo&a=run:../../etc&b=rev:r3",
    "/compare?system=demo&a=last&b=rev:r3",
    "/compare?system=demo&a=rev:none&b=rev:r3",
    "/compare?a=rev:r3",
    "/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/static/../../etc/passwd",
    "//etc/passwd",
)


def test_what_is_not_there_is_404_and_no_file_gets_out(serve: Serve, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'history.db'}"
    with Database(url, tmp_path / "objects") as database:
        database.add([entry(1000.0 + n, number=n, system="demo", revision=f"r{n}") for n in range(5)])
    server = serve(url)
    for path in NOT_THERE:
        status, text, _ = server.ask(path)
        assert status == 404, path
        assert "root:" not in text, path


def test_the_reading_connection_cannot_write(filled: str, tmp_path: Path) -> None:
    with Database(filled, tmp_path / "objects", read_only=True) as database:
        before = len(database.entries())
        with pytest.raises(EnvironmentFault):
            database.add([entry(1.0, number=99)])
        with pytest.raises(EnvironmentFault):
            database.forget(database.entries())
        assert len(database.entries()) == before


def test_a_recording_that_was_added_has_its_report_and_its_log(serve: Serve, history_url: str) -> None:
    server = serve(history_url, token=TOKEN)
    status, said = server.post(packed(RECORDINGS[0]), Authorization=f"Bearer {TOKEN}")
    assert (status, said["added"]) == (201, 1)
    assert server.post(packed(RECORDINGS[0]), Authorization=f"Bearer {TOKEN}") == (201, said | {"added": 0})
    (found,) = server.shelf.history.entries(system="board")
    more = next(part for part in data(server.ask(f"/boot?id={found.id}")[1])["parts"] if part["title"] == "More")
    assert len(more["tables"][0]["rows"]) == 2
    for (_, _, address), expected in zip(
        (row[0] for row in more["tables"][0]["rows"]), ("boot 1", "board at v1"), strict=True
    ):
        status, text, _ = server.ask(f"/{address}")
        assert status == 200
        assert html.unescape(expected) in text
    # The log's own clock only bounds the goal; the recording knows it.
    log = data(text)
    goal_ms = found.times.values["total"] / 1e6
    assert log["headline"][0][0].replace("\u202f", "") == f"{goal_ms:.3f}"
    assert "as recorded" in log["headline"][0][2]
    assert "≥" not in "".join(figure[0] for figure in log["headline"])
    stages = next(one for part in log["parts"] for one in part["tables"] if one["caption"] == "Stages")
    event, (_, at_ns), evidence = stages["rows"][-1]
    # The axis begins with the first line; what is counted from power-on stands behind it.
    assert (event, 0 < at_ns < found.times.values["total"]) == ("goal", True)
    assert f"(recorded: {goal_ms:.3f} ms on the virtual clock from power-on)" in evidence
    assert "first-use" not in {row[0] for row in stages["rows"]}


def test_a_recording_that_is_gone_is_said(serve: Serve, tmp_path: Path) -> None:
    server = serve(f"sqlite:///{tmp_path / 'history.db'}", token=TOKEN)
    server.post(packed(RECORDINGS[0]), Authorization=f"Bearer {TOKEN}")
    for file in (tmp_path / "objects").rglob("*.tar.xz"):
        file.unlink()
    status, text, _ = server.ask("/boot?id=1")
    assert status == 200
    assert "No recording of this boot is kept" in text
    assert server.ask("/report?boot=1")[0] == 404


def test_prometheus_gets_the_newest_boot_of_each_system(serve: Serve, filled: str) -> None:
    status, text, headers = serve(filled).ask("/metrics")
    assert status == 200
    assert headers["content-type"].startswith("application/openmetrics-text")
    assert text.count('bootlab_goal_reached{system="demo",variant=""} 1') == 1
    assert text.endswith("# EOF\n")


def test_an_empty_history_has_no_metrics(serve: Serve, tmp_path: Path) -> None:
    status, text, _ = serve(f"sqlite:///{tmp_path}/nothing.db").ask("/metrics")
    assert status == 200
    assert "bootlab_goal_reached{" not in text
