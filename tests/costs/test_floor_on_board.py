# SPDX-License-Identifier: MIT
"""A floor by the time of a board: its parts, what only the board has, and when that outweighs all the rest."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis import floor_table
from bootlab.costs.floor import floor_on
from bootlab.costs.named import costs_of
from bootlab.model.costs import Amounts, Between, BoardConsole, BoardMedium, Costs
from bootlab.model.floor import Floor, FloorPart, Obstacle

MS = 1_000_000
EXACT = Costs(
    name="exactly",
    console=BoardConsole(baud=Between(115200, 115200)),
    medium=BoardMedium(name="card", bytes_per_s=Between(20e6, 20e6)),
)
FLOOR = Floor(
    goal_ns=1000 * MS,
    parts=(FloorPart(title="application", ns=100 * MS, kind="bound", why=""),),
    obstacles=(Obstacle(title="driver", ns=400 * MS, lever="no-driver"),),
    others_ns=500 * MS,
    others=3,
)
BOOT = Amounts(
    exact_ns=1000 * MS, instructions=500 * MS, instruction_ns=2, characters=5760, image_bytes=10_000_000, images=1
)


def test_without_a_core_parts_have_no_time_of_the_board_which_adds_line_and_images():
    found = floor_on(EXACT, FLOOR, BOOT)
    assert (found.factor, found.scaled(400 * MS), found.floor_ns) == (None, None, None)
    assert found.goal_ns.low == pytest.approx(2000 * MS)
    assert found.goal_ns.high == pytest.approx(2000 * MS)
    assert [(part.title, round(part.ns.low / MS), round(part.ns.high / MS)) for part in found.parts] == [
        ("the console's line: 5,760 characters", 500, 500),
        ("reading kernel and initramfs: 10.0 MB", 500, 500),
    ]
    # 400 ms are the largest part: 57,600 bits in 400 ms, and 10 MB in 400 ms.
    assert [part.largest for part in found.parts] == ["below 144,000 baud", "below 25 MB/s"]


@pytest.mark.parametrize(("word", "low", "high"), [("1ns", 200, 400), ("4ns", 400, 800), ("1-4ns", 200, 800)])
def test_a_part_computes_or_waits_so_that_it_lies_between_its_exact_time_and_the_processor_s(word, low, high):
    found = floor_on(msgspec.structs.replace(EXACT, core=costs_of(word).core), FLOOR, BOOT)
    assert found.scaled(400 * MS) == Between(low * MS, high * MS)


def test_both_kinds_of_parts_stand_in_one_order_by_their_longest_time_on_the_board():
    board = floor_on(msgspec.structs.replace(EXACT, core=costs_of("4ns").core), FLOOR, BOOT)
    rows = floor_table.rows(FLOOR, board)
    others = [row for row in rows if row.values["group"] == floor_table.ELSE]
    assert [row.title for row in others] == ["driver", *(part.title for part in board.parts), "3 smaller ones"]
    assert [row.values["number"] for row in others] == [1, 2, 3, 4]
    assert all(row.ns("board_most_ns") is not None for row in rows)
    images = others[2]
    assert (images.ns("takes_ns"), images.value("of_result")) == (None, None)
    assert images.values["lever"] == "smaller images, a faster medium; the largest of all below 12.5 to 25 MB/s"
    assert len({row.id for row in rows}) == len(rows)
    said = floor_table.said_on(board, "card")
    assert said.endswith("of which the goal needs about 100 to 200 ms without console and images")


def test_without_a_core_no_exact_time_is_called_the_board_s():
    board = floor_on(EXACT, FLOOR, BOOT)
    rows = floor_table.rows(FLOOR, board)
    others = [row for row in rows if row.values["group"] == floor_table.ELSE]
    assert [row.title for row in others] == [*(part.title for part in board.parts), "driver", "3 smaller ones"]
    assert {row.title for row in rows if row.ns("board_most_ns") is not None} == {part.title for part in board.parts}
    assert others[1].values["lever"] == "smaller images, a faster medium; longer than every exact part below 25 MB/s"
    said = floor_table.said_on(board, "card")
    assert said.startswith("on the board (card): 2,000 ms")
    assert "the costs name no core" in said


def test_a_board_s_columns_stand_only_where_costs_are_given():
    with_core = floor_on(msgspec.structs.replace(EXACT, core=costs_of("4ns").core), FLOOR, BOOT)
    assert all("board_least_ns" in table.columns for table in floor_table.tables("a", "b", with_core))
    needs, others = floor_table.tables("a", "b", floor_on(EXACT, FLOOR, BOOT))
    assert "board_least_ns" not in needs.columns, "without a core it would be empty"
    assert "board_least_ns" in others.columns
    assert all("board_least_ns" not in row.values for row in floor_table.rows(FLOOR))
    assert "board_least_ns" not in floor_table.tables("a", "b")[0].columns
