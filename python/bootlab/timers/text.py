# SPDX-License-Identifier: MIT
"""The timer laboratory in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.text import Text

from bootlab.model import figures
from bootlab.timers import classic
from bootlab.timers.conform import ConformResult
from bootlab.timers.open_posix import SuiteComparison
from bootlab.timers.stress import InstructionCount, StressPlace, StressResult, StressRow
from bootlab.views.shown_text import one_line
from bootlab.views.table.listing import Cell, Listing, label, number, real
from bootlab.views.text_table import cell, spaced, text_table

_STYLES = {"fail": "bold red", "deviation": "yellow", "unresolved": "yellow", "pass": "green"}


def us(ns: int | None) -> str:
    """Microseconds with one place; a dash for None."""
    return figures.ABSENT if ns is None else f"{ns / 1e3:,.1f}".replace(",", "\u202f")


def place_words(place: StressPlace) -> str:
    """Say where it ran, on one line."""
    facts = "".join(f", {name} {value}" for name, value in place.facts.items())
    clock = "virtual clock" if place.clock == "virtual" else "wall clock"
    return one_line(f"{place.name} ({clock}{facts})", 400)


def stress(result: StressResult) -> list[RenderableType]:
    """Show a run: the table of 2003 beside it where the run is the classic one, accounts, lateness, cost."""
    head = result.head
    arming = "absolute" if head.absolute else "relative"
    draw = f"classic intervals / {head.scale:g}" if head.classic else f"intervals {us(head.min_ns)} us and up"
    views: list[RenderableType] = [
        Text(f"{one_line(head.kernel, 80)} on {one_line(head.machine, 40)}, {place_words(result.place)}"),
        Text(f"{head.clock}, {head.receiver}, {arming}, {draw}, seed {head.seed}, resolution {head.resolution_ns} ns"),
        Text(
            f"RLIMIT_SIGPENDING {head.pending_soft} of {head.pending_hard}, {head.pending_used} in use before; "
            f"files {head.files_soft}"
        ),
    ]
    if result.rows:
        views += [expirations(result).table(), _account_table(result.rows)]
    if result.instructions:
        views += [instructions(result.instructions).table(), Text(INSTRUCTIONS_LEAD)]
    views += _other_tables(result)
    if result.damaged_lines:
        views.append(Text(f"{result.damaged_lines} damaged lines were left out", style="yellow"))
    if result.rows and result.place.clock == "virtual":
        exact = "above" if result.instructions else "--kernel-share"
        views.append(
            Text(
                f"Load and cost are by the booted kernel's own accounting, which may be by ticks; exact shares: {exact}"
            )
        )
    views.append(verdict(result))
    return spaced(views)


def verdict(result: StressResult) -> Text:
    """Say whether every expiration is accounted for."""
    if result.faults:
        return Text("\n".join(one_line(f, 200) for f in result.faults), style="bold red")
    due = sum(row.expirations for row in result.rows)
    flying = sum(row.in_flight for row in result.rows)
    if result.rows and flying:
        return Text(f"{due} expirations taken, none lost; {flying} were on their way when the drain was cut off")
    if result.rows and not due:
        return Text("no timer expired: make the run longer (--seconds) or the intervals shorter (--scale)", "yellow")
    if result.rows:
        return Text(f"all {due} expirations accounted for: 0 lost, 0 early, 0 too many", style="green")
    return Text("nothing lost" if result.bursts or result.churns else "")


def expirations(result: StressResult) -> Listing:
    """Return how many expirations each population had; the table of 2003 beside it where the run is the classic one."""
    if not result.head.classic:
        rates = [
            [label(row.created), label(row.expirations), real(row.per_second), real(row.load_percent)]
            for row in result.rows
        ]
        return Listing("Expirations", [">timers", ">expirations", ">avg/s", ">load %"], rates)
    scale = result.head.scale
    return Listing(
        "2003 and now",
        [">timers", ">in 2003", ">now", ">avg/s 2003", ">now", ">load % 2003", ">now", ">model", ">z"],
        [_classic_row(row) for row in result.rows],
        f"Model: {classic.EXPECTED} expirations a timer. Times are divided by {scale:g}.",
        terminal="Expirations: 2003 and now" + (f" (times divided by {scale:g})" if scale != 1 else ""),
    )


def _classic_row(row: StressRow) -> list[Cell]:
    then = classic.row_2003(row.timers) if row.created == row.timers else None
    return [
        label(row.created),
        label(then.expirations) if then else number(None),
        label(row.expirations),
        real(then.per_second if then else None),
        real(row.per_second),
        real(then.load_percent if then else None),
        real(row.load_percent),
        label(round(classic.expected(row.created))),
        real(classic.z_score(row.created, row.expirations), sign=True),
    ]


def _account_table(rows: Iterable[StressRow]) -> RenderableType:
    made = text_table(
        "Accounts, and lateness in us",
        ">timers", ">due", ">overruns", ">lost", ">early", ">too many", ">p50", ">p90", ">p99", ">p99.9", ">p99.99",
        ">max", ">CPU us each",
    )  # fmt: skip
    for row in rows:
        late = row.lateness
        due = str(row.due_most) if row.due_least == row.due_most else f"{row.due_least}-{row.due_most}"
        made.add_row(
            f"{row.created}" + (f" ({one_line(row.refused, 20)})" if row.refused else ""),
            due,
            str(row.overruns),
            *(cell(str(n), "bold red" if n else "") for n in (row.lost, row.early, row.duplicated)),
            *(us(n) for n in (late.p50_ns, late.p90_ns, late.p99_ns, late.p99_9_ns, late.p99_99_ns, late.max_ns)),
            us(row.cost_ns),
        )
    return made


INSTRUCTIONS_TITLE = "Load in the kernel, by instructions"
INSTRUCTIONS_LEAD = (
    "Every instruction from the first timer_create to the first timer_delete, of a traced boot with this population "
    "alone. kernel % is kernel and interrupts of all but the idle loop's; load % is their time of the window's, idle "
    "time included."
)


def instructions(counts: Iterable[InstructionCount]) -> Listing:
    """Return the load in the kernel, by the instructions of traced boots."""
    columns = [">timers", ">expirations", ">user", ">kernel", ">interrupts", ">idle loop", ">kernel %", ">load %"]
    rows = [
        [
            *(label(n) for n in (one.timers, one.expirations, one.user, one.kernel, one.interrupts, one.idle_loop)),
            *(real(n) for n in (one.kernel_percent, one.load_percent)),
        ]
        for one in counts
    ]
    return Listing(INSTRUCTIONS_TITLE, columns, rows)


def _other_tables(result: StressResult) -> list[RenderableType]:
    views: list[RenderableType] = []
    if result.bursts:
        made = text_table("Due at one instant (us)", ">timers", ">taken", ">first", ">last", ">drain", ">out of order")
        for b in result.bursts:
            made.add_row(
                str(b.timers), str(b.taken), us(b.first_ns), us(b.last_ns), us(b.drain_ns), str(b.out_of_order)
            )
        views.append(made)
    if result.curves:
        made = text_table("Cost of a call (ns)", ">timers", ">create", ">arm", ">gettime", ">getoverrun", ">delete")
        for c in result.curves:
            made.add_row(
                *(str(n) for n in (c.timers, c.create_ns, c.arm_ns, c.gettime_ns, c.getoverrun_ns, c.delete_ns))
            )
        views.append(made)
    if result.churns:
        made = text_table("Churn", ">timers", ">armed again", ">recreated", ">expired", ">stopped", ">lost", ">early")
        for k in result.churns:
            made.add_row(*(str(n) for n in (k.timers, k.rearmed, k.recreated, k.expired, k.stopped, k.lost, k.early)))
        views.append(made)
    views += [Text(f"the system grants {k.timers} timers (then errno {k.errno})") for k in result.limits]
    return views


def conform(result: ConformResult, *, everything: bool) -> list[RenderableType]:
    """Show verdicts: all, or those that did not pass."""
    head = f"{one_line(result.head.kernel, 80)} on {one_line(result.head.machine, 40)}, {place_words(result.place)}"
    made = text_table("Assertions", ">no.", "verdict", "status", "function", "~assertion", "evidence")
    shown = [c for c in result.checks if everything or c.verdict != "pass"]
    for check in shown:
        made.add_row(
            str(check.number),
            cell(check.verdict, _STYLES.get(check.verdict, "")),
            cell(check.status),
            cell(check.function),
            cell(check.assertion),
            cell(check.evidence),
        )
    views: list[RenderableType] = [Text(head)]
    if shown:
        views.append(made)
    views.append(Text(", ".join(f"{n} {verdict}" for verdict, n in result.counted().items())))
    if result.damaged_lines:
        views.append(Text(f"{result.damaged_lines} damaged lines were left out", style="yellow"))
    return spaced(views)


def open_posix(rows: Sequence[SuiteComparison]) -> RenderableType:
    """Show our verdicts beside those of the Open POSIX Test Suite."""
    made = text_table("Beside the Open POSIX Test Suite", ">no.", "ours", "theirs", "~tests", "why")
    for row in rows:
        results = sorted({t.result for t in row.tests})
        made.add_row(
            str(row.check.number),
            cell(row.check.verdict, _STYLES.get(row.check.verdict, "")),
            ", ".join(results),
            cell(" ".join(f"{t.name}" + ("" if t.result == "pass" else f"={t.result}") for t in row.tests)),
            cell(row.difference),
        )
    return made
