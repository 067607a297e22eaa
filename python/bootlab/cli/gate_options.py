# SPDX-License-Identifier: MIT
"""The options of a gate, and what is done with its answer: shared by `gate` and `boot`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bootlab.cli.files import write_file
from bootlab.cli.options import Group, Kept, Option
from bootlab.cli.session import out, print_json, say
from bootlab.errors import Found, UserError

if TYPE_CHECKING:
    from bootlab.api.values import Forecast, GateResult, Side

BudgetOption = Annotated[
    list[str] | None,
    Option(
        names=("--budget",),
        metavar="NAME=TIME",
        help="Fail when a stage or the whole boot (`total`) takes longer: kernel=500ms; or with --against by more than "
        "a percentage: total=+2%. @FILE: a file with one a line. May be given more than once. A time that is unknown, "
        "or known only to be longer than some value, never meets a budget.",
    ),
]
HtmlOption = Annotated[Path | None, Option(help="Write one self-contained HTML page; `-` is standard output.")]
AlphaOption = Annotated[
    float,
    Option(
        names=("--alpha",),
        least=0.0001,
        most=0.5,
        help="Noisy clocks: accept this rate of false alarms when nothing has changed.",
    ),
]
BlocksOption = Annotated[
    int,
    Option(
        names=("--blocks",),
        least=3,
        most=500,
        help="Noisy clocks: boot at most this many blocks of base and new system.",
    ),
]
SmallestOption = Annotated[
    float | None,
    Option(
        names=("--smallest-ms",),
        least=0,
        help="Ignore differences smaller than this many milliseconds. Default: 1 % of the base, at least 5 ms; for "
        "exact boots 0.1 %, at least 0.05 ms.",
    ),
]
FailureRateOption = Annotated[
    float,
    Option(
        names=("--failure-rate",),
        least=0.0,
        most=1.0,
        help="Accept this share of failed boots of NEW; their times do not count. Failed boots of the base are always "
        "left out.",
    ),
]
FewOption = Annotated[
    bool,
    Option(names=("--few",), help="Judge budgets by the median of noisy boots even if there are fewer than five."),
]
HistoryOption = Annotated[
    str | None,
    Option(
        envvar="BOOTLAB_HISTORY",
        metavar="URL",
        help="The history's database: sqlite:///FILE or postgresql://USER@HOST/NAME. Default: history.db in the store.",
    ),
]


class Measured(Kept):
    """How words that name boots are looked up."""

    application: Annotated[str | None, Option(help="For logs: text that marks the start of the application.")] = None
    goal: Annotated[str | None, Option(help="For logs: text that means the system is usable.")] = None
    history: HistoryOption = None
    system: str | None = None

    def side(self, *words: str) -> Side:
        """Return the boots that words name. Raise UserError."""
        from bootlab.api import history as api  # noqa: PLC0415 - `--help` must not wait for it

        return api.measured(
            *words,
            history=self.history,
            store=self.store,
            system=self.system,
            application=self.application,
            goal=self.goal,
        )


class OfSystem(Measured):
    """The same for verbs that look one system's history up."""

    system: Annotated[str | None, Option(help="The system's name in the history, if the history has several.")] = None


CODE_QUALITY = Path("gl-code-quality-report.json")


class AnswerFiles(Group):
    """Where a gate's answer goes besides the terminal; the fields without an `Option` are for `bootlab gate`."""

    junit: Annotated[Path | None, Option(help="Write the result as JUnit XML.")] = None
    annotate: Annotated[
        str | None,
        Option(
            metavar="FORGE",
            help="`github`: print workflow commands, which GitHub shows; `gitlab`: write gl-code-quality-report.json; "
            "`lava`: print the signals of LAVA's test cases.",
        ),
    ] = None
    markdown: Annotated[
        Path | None, Option(help="Write a comment for a pull request: before and after of each stage; `-`: print it.")
    ] = None
    badge: Annotated[Path | None, Option(help="Write a badge (SVG) with the time of the whole boot.")] = None
    comment: Annotated[
        str | None,
        Option(
            metavar="FORGE",
            help="`github`, `gitlab`: write that comment on the pull or merge request of this job, or replace it.",
        ),
    ] = None
    report_url: Annotated[str, Option(metavar="URL", help="The address of the whole report, for the comment.")] = ""
    html: Path | None = None
    kcidb: Path | None = None
    kcidb_origin: str = "bootlab"
    revision: str = ""


def finish(found: GateResult, files: AnswerFiles, *, place: str, as_json: bool) -> None:
    """Write what was asked for, show the answer, and end with its exit code."""
    from bootlab.api.history import GateAnswer  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.gate import annotations  # noqa: PLC0415
    from bootlab.views.gate import junit as junit_xml  # noqa: PLC0415
    from bootlab.views.gate import kcidb as kcidb_report  # noqa: PLC0415

    annotate, html = files.annotate, files.html
    known = {"github", "gitlab"}
    for name, forge, names in (("--annotate", annotate, known | {"lava"}), ("--comment", files.comment, known)):
        if forge is not None and forge not in names:
            raise UserError(f"{name} {forge}: no such forge", hint=f"{name} {', '.join(sorted(names))}")
    if html is not None:
        from bootlab.views.gate import page  # noqa: PLC0415

        write_file(html, page.render(found))
    if files.junit is not None:
        write_file(files.junit, junit_xml.render(found))
    if files.kcidb is not None:
        at = datetime.now(UTC).isoformat()
        unique = f"{found.name}/{files.revision}/{at}"
        document = kcidb_report.report(found, origin=files.kcidb_origin, revision=files.revision, at=at, unique=unique)
        write_file(files.kcidb, kcidb_report.render(document))
    if annotate == "gitlab":
        write_file(CODE_QUALITY, annotations.gitlab(found, path=_in_repository(place)))
        say(f"wrote {CODE_QUALITY}")
    if as_json or str(html) != "-":
        print_gate(found, as_json=as_json)
    if annotate in {"github", "lava"} and not as_json:
        told = annotations.github(found) if annotate == "github" else annotations.lava(found)
        out().print(told, markup=False, highlight=False, soft_wrap=True, end="")
    _tell_forge(found, files, as_json=as_json)
    codes = {GateAnswer.FAILED: Found.REGRESSION, GateAnswer.UNDECIDED: Found.UNDECIDED}
    if found.answer in codes:
        raise SystemExit(codes[found.answer])


def _in_repository(place: str) -> str:
    """Return a path as GitLab shows findings at: below the checkout, that of the job's definition where it is not."""
    top = Path(os.environ.get("CI_PROJECT_DIR") or Path.cwd()).resolve()
    file = Path(place).resolve()
    inside = file.is_file() and file.is_relative_to(top)
    return str(file.relative_to(top)) if inside else os.environ.get("CI_CONFIG_PATH") or ".gitlab-ci.yml"


def _tell_forge(found: GateResult, files: AnswerFiles, *, as_json: bool) -> None:
    """Write badge and comment, and put the comment on the request that this job is for."""
    from bootlab.views.gate import badge  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.gate import markdown as comment_text  # noqa: PLC0415

    if files.badge is not None:
        write_file(files.badge, badge.render(found))
    if files.markdown is None and files.comment is None:
        return
    text = comment_text.render(found, report=files.report_url)
    if files.markdown is not None:
        write_file(files.markdown, text)
    if files.comment is not None:
        from bootlab.api.forges import post  # noqa: PLC0415 - it imports an HTTP client

        posted = post(files.comment, text, f"bootlab gate {found.name}", os.environ)
        if not as_json:
            say(posted.said)


def print_gate(found: GateResult, *, as_json: bool) -> None:
    """Print what was found, as text or as its document."""
    from bootlab.views.gate.text import gate_view  # noqa: PLC0415 - `--help` must not wait for it

    if as_json:
        print_json({"format": "bootlab-gate", "version": 1, "answer": found.answer, "gate": found})
    else:
        out().print(gate_view(found))


def smallest_ns(smallest_ms: float | None) -> int | None:
    """Return what `--smallest-ms` says in nanoseconds."""
    return None if smallest_ms is None else round(smallest_ms * 1e6)


def tell(forecast: Forecast) -> None:
    """Say before the blocks what they will be able to see."""
    from bootlab.views.gate.text import forecast_line  # noqa: PLC0415

    say(forecast_line(forecast))
