# SPDX-License-Identifier: MIT
"""The pages and the interface for programs, put together with Starlette.

Addresses are relative, so that a proxy may put the application below any path.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import IO
from urllib.parse import quote, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from bootlab.api.history import gate
from bootlab.api.recorded_log import analyze_recording
from bootlab.errors import BootlabError, UserError
from bootlab.history.board_health import boards
from bootlab.history.budget import Budget
from bootlab.history.database import Database
from bootlab.history.entry import HistoryEntry
from bootlab.history.now import SystemNow
from bootlab.history.step import level_at, step_at
from bootlab.history.trend import Trend, trends
from bootlab.model.recording import Recording
from bootlab.results import assemble
from bootlab.views import publish
from bootlab.views.gate import page as gate_page
from bootlab.views.history import board_page, boot_page, index_page, metrics, step_page
from bootlab.views.history import page as system_page
from bootlab.views.history.addresses import Addresses
from bootlab.views.log import page as log_page
from bootlab.views.page_model import PageData
from bootlab.views.page_parts import page
from bootlab.views.run import page as run_page
from bootlab.web.access import GRANT, RequestGate
from bootlab.web.incoming import body, unpacked
from bootlab.web.shelf import Shelf, times_of
from bootlab.web.tokens import ANYBODY, Grant, Tokens

NEWEST = 500
MOST = 5000
_RUNS = 200
_SYSTEMS, _LOOKED_AT = 100, 60
"""The first page tells of so many systems, each by so many of its newest boots."""
_MOST_NAME = 200
_NAMES = ("system", "revision", "variant", "session", "author", "subject")
"""What an upload says of its boot."""


def _address(path: str, **asked: str) -> str:
    return f"{path}?{urlencode(asked, quote_via=quote)}"


TO = Addresses(
    system=lambda name: _address("system", name=name),
    boot=lambda number: _address("boot", id=str(number)),
    run=lambda name: _address("report", run=name),
    board=lambda name: _address("board", name=name),
    compare=lambda system, a, b: _address("compare", system=system, a=a, b=b),
    step=lambda system, quantity, boot: _address("step", name=system, quantity=quantity, boot=str(boot)),
)


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages show beside the history. `budgets`: of systems; `commit_url`: where `{revision}` is to be seen."""

    budgets: Mapping[str, tuple[Budget, ...]] = {}
    commit_url: str = ""

    def addresses(self) -> Addresses:
        """Return where things are shown, commits too."""
        return msgspec.structs.replace(TO, commit=self._commit) if self.commit_url else TO

    def _commit(self, revision: str) -> str | None:
        return self.commit_url.replace("{revision}", quote(revision, safe=""))


def make(shelf: Shelf, *, tokens: Tokens, open_reading: bool, shown: Shown | None = None) -> Starlette:
    """Make the application. `open_reading`: reading needs no token."""
    pages = _Pages(shelf, shown or Shown())
    routes = [
        Route("/", _page(pages.index)),
        Route("/system", _page(pages.system)),
        Route("/boot", _page(pages.boot)),
        Route("/board", _page(pages.board)),
        Route("/report", _page(pages.report)),
        Route("/log", _page(pages.log)),
        Route("/compare", _page(pages.compare)),
        Route("/step", _page(pages.step)),
        Route("/api/systems", _page(pages.systems_json)),
        Route("/api/boards", _page(pages.boards_json)),
        Route("/api/history", _page(pages.history_json)),
        Route("/metrics", _page(pages.metrics)),
        Route("/api/boots", _adding(shelf), methods=["POST"]),
        Route("/api/boots", _page(pages.remove), methods=["DELETE"]),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(GZipMiddleware, minimum_size=1000),
            Middleware(RequestGate, tokens=tokens, open_reading=open_reading),
        ],
        exception_handlers={404: _not_found, 405: _not_allowed, 500: _broken},
    )


class _Pages:
    """One method a page; each reads the history and the store anew."""

    def __init__(self, shelf: Shelf, shown: Shown) -> None:
        self._shelf, self._shown, self._to = shelf, shown, shown.addresses()
        self._last: tuple[object, tuple[Trend, ...]] | None = None

    def index(self, asked: Request) -> Response:
        every = self._shelf.runs() if _grant(asked).everything else ()
        systems = self._systems(asked)
        looked = {name: self._history().entries(system=name, newest=_LOOKED_AT) for name, _ in systems[:_SYSTEMS]}
        newest = [
            SystemNow.of(name, count, looked[name], self._shown.budgets.get(name, ()))
            for name, count in systems[:_SYSTEMS]
        ]
        known = boards(boot for boots in looked.values() for boot in boots)
        return HTMLResponse(index_page.render(systems, newest, known, every[:_RUNS], len(every), self._to))

    def system(self, asked: Request) -> Response:
        name, entries, everything = self._chosen(asked)
        found = self._trends(name, entries)
        data = system_page.system_data(name, entries, found, everything, self._to)
        return HTMLResponse(page(f"{name[:80]} · bootlab", data))

    def boot(self, asked: Request) -> Response:
        entry = self._entry(asked, "id")
        kept = self._shelf.keeps(entry)
        before = self._before(entry)
        compare = TO.compare(entry.system, f"rev:{before}", f"boot:{entry.id}") if before is not None else None
        return HTMLResponse(
            boot_page.render(
                entry,
                report=_address("report", boot=str(entry.id)) if kept else None,
                log=_address("log", boot=str(entry.id)) if kept else None,
                compare=compare,
                to=self._to,
                level=level_at(self._history().entries(system=entry.system, newest=NEWEST), entry.id),
            )
        )

    def board(self, asked: Request) -> Response:
        name = _word(asked, "name")
        found = next((one for one in boards(self._newest(asked)) if one.name == name), None)
        if found is None:
            raise UserError(f"the newest boots of the history name no board {name[:_MOST_NAME]!r}")
        return HTMLResponse(page(f"{name[:80]} · bootlab", board_page.board_data(found, self._to)))

    def report(self, asked: Request) -> Response:
        if "run" in asked.query_params:
            _require(asked, _grant(asked).everything)
            return Response(publish.html_page(self._shelf.results(_word(asked, "run"))), media_type="text/html")
        entry = self._entry(asked, "boot")

        def made(recording: Recording) -> bytes:
            results = assemble.of_recording(recording, name=f"boot {entry.id}", at=entry.at[:19])
            key = results.base.key
            return run_page.render(results, {key: recording}).encode("utf-8", "replace")

        return Response(self._shelf.with_recording(entry, made), media_type="text/html")

    def log(self, asked: Request) -> Response:
        entry = self._entry(asked, "boot")
        name = f"{entry.system} at {entry.revision}"[:_MOST_NAME]

        def made(recording: Recording) -> bytes:
            analysis, goal = analyze_recording(recording, name=name)
            page = log_page.render(analysis, goal=goal)
            return page.encode("utf-8", "replace")

        return Response(self._shelf.with_recording(entry, made), media_type="text/html")

    def compare(self, asked: Request) -> Response:
        system = _word(asked, "system") if "system" in asked.query_params else ""
        for word in (_word(asked, "a"), _word(asked, "b")):
            _require(asked, self._may_see(asked, word, system))
        base, new = (self._shelf.side(_word(asked, name), system) for name in ("a", "b"))
        trail = [("all systems", TO.home), *([(system, TO.system(system))] if system else [])]
        return HTMLResponse(gate_page.render(gate(new, base), title="comparison", trail=trail))

    def step(self, asked: Request) -> Response:
        name, entries, _ = self._chosen(asked)
        quantity, boot = _word(asked, "quantity"), _number(asked, "boot")
        found = step_at(entries, self._trends(name, entries), quantity, boot)
        if found is None:
            raise UserError(
                f"no level of {name[:_MOST_NAME]!r} changes at boot {boot}",
                hint="later boots move a step: look at the system's page again",
            )
        base, new = found.sides(("before", "since"))
        logs = self._shelf.consoles_compared(found.before[-1], found.after[0])
        traced = self._shelf.functions_compared(found)
        return HTMLResponse(step_page.render(name, found, gate(new, base), logs, traced, self._to))

    def systems_json(self, asked: Request) -> Response:
        return _json({"format": "bootlab-history", "version": 1, "systems": dict(self._systems(asked))})

    def boards_json(self, asked: Request) -> Response:
        told = [board_page.board_words(one) for one in boards(self._newest(asked))]
        return _json({"format": "bootlab-history", "version": 1, "boards": told})

    def remove(self, asked: Request) -> Response:
        entry = self._entry(asked, "id")
        return _json({"removed": self._shelf.forget(entry), "system": entry.system, "revision": entry.revision})

    def history_json(self, asked: Request) -> Response:
        name, entries, _ = self._chosen(asked)
        found = self._trends(name, entries)
        return _json({"format": "bootlab-history", "version": 1, "system": name, "trends": found})

    def metrics(self, asked: Request) -> Response:
        names = [name for name, _ in self._systems(asked)]
        boots = [entry for name in names for entry in self._history().entries(system=name, newest=NEWEST)]
        return Response(metrics.openmetrics(boots), media_type=metrics.OPENMETRICS_TYPE)

    def _chosen(self, asked: Request) -> tuple[str, list[HistoryEntry], int]:
        name = _word(asked, "name")
        variant = _word(asked, "variant") if "variant" in asked.query_params else None
        newest = min(_number(asked, "newest"), MOST) if "newest" in asked.query_params else NEWEST
        history = self._history()
        everything = dict(self._systems(asked)).get(name, 0)
        entries = history.entries(system=name, variant=variant, newest=newest) if everything and newest else []
        if not entries:
            raise UserError(f"the history has no such boot of {name[:_MOST_NAME]!r}")
        return name, entries, everything

    def _trends(self, name: str, entries: list[HistoryEntry]) -> tuple[Trend, ...]:
        """Return trends; the last ones are kept, because a page that is loaded again asks the same."""
        key = (name, tuple(entry.id for entry in entries))
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        found = trends(entries)
        self._last = (key, found)
        return found

    def _systems(self, asked: Request) -> list[tuple[str, int]]:
        """Return the systems that who asks may see, and how many boots each has."""
        history, grant = self._shelf.history, _grant(asked)
        found = history.systems() if history is not None else []
        return [(name, count) for name, count in found if grant.sees(name)]

    def _entry(self, asked: Request, name: str) -> HistoryEntry:
        entry = self._shelf.entry(_number(asked, name))
        _require(asked, _grant(asked).sees(entry.system))
        return entry

    def _may_see(self, asked: Request, word: str, system: str) -> bool:
        kind, _, name = word.partition(":")
        if kind == "boot" and name.isascii() and name.isdecimal() and len(name) < 19:
            return _grant(asked).sees(self._shelf.entry(int(name)).system)
        return _grant(asked).sees(system) if kind == "rev" else _grant(asked).everything

    def _newest(self, asked: Request) -> list[HistoryEntry]:
        """Return the newest boots of every system that who asks may see."""
        names = [name for name, _ in self._systems(asked)]
        return [boot for name in names[:_SYSTEMS] for boot in self._history().entries(system=name, newest=_LOOKED_AT)]

    def _before(self, entry: HistoryEntry) -> str | None:
        revisions = self._history().revisions(entry.system)
        place = revisions.index(entry.revision)
        return revisions[place - 1] if place else None

    def _history(self) -> Database:
        history = self._shelf.history
        if history is None:
            raise UserError("there is no history yet", hint="bootlab history add last --system NAME")
        return history


def _page(made: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint: in a thread, because reading waits for disks; errors of the user's are a page that says so."""

    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(made, request)
        except BootlabError as fault:
            return _fault(fault)

    return endpoint


def _adding(shelf: Shelf) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            named = {name: request.query_params.get(name, "") for name in _NAMES}
            for name in (name for name, given in named.items() if len(given) > _MOST_NAME or "\0" in given):
                raise UserError(f"{name}: at most {_MOST_NAME} letters, and no NUL")
            for name in ("system", "revision"):
                if not named[name].strip():
                    raise UserError(f"which {name}? POST api/boots?system=NAME&revision=NAME")
            if not _grant(request).sees(named["system"]):
                return _json({"error": "this token is for other systems", "hint": ""}, 403)
            archive = await body(request)
            added = await run_in_threadpool(_add, shelf, archive, named)
            told = BackgroundTask(shelf.tell_step, named["system"], added)
            return _json({"added": added} | named, 201, told)
        except BootlabError as fault:
            return _json({"error": fault.message, "hint": fault.hint}, 400 if fault.exit_code == 2 else 503)

    return endpoint


def _add(shelf: Shelf, archive: IO[bytes], named: dict[str, str]) -> int:
    with archive, unpacked(archive) as folder:
        return shelf.add(times_of(folder), named)


def _grant(asked: Request) -> Grant:
    """Return what who asks may do."""
    found: Grant = asked.scope.get(GRANT, ANYBODY)
    return found


def _require(asked: Request, allowed: bool) -> None:
    """Raise UserError for what who asks may not see, as if it were not there."""
    if not allowed:
        raise UserError(f"there is nothing for this token at {asked.url.path}")


def _word(asked: Request, name: str) -> str:
    found = asked.query_params.get(name, "")
    if not found or "\0" in found or len(found) > 2 * _MOST_NAME:
        raise UserError(f"the address has no valid {name}=")
    return found


def _number(asked: Request, name: str) -> int:
    found = asked.query_params.get(name, "")
    if not (found.isascii() and found.isdecimal() and len(found) < 19):
        raise UserError(f"the address has no number {name}=")
    return int(found)


def _json(value: object, status: int = 200, behind: BackgroundTask | None = None) -> Response:
    return Response(msgspec.json.encode(value) + b"\n", status, media_type="application/json", background=behind)


def _fault(fault: BootlabError) -> Response:
    """Say an error as a page: 404 for what is not there or not understood, 503 for a history that cannot be read."""
    data: PageData = {
        "name": "Not there" if fault.exit_code == 2 else "Not to be had now",
        "kind": "",
        "headline": [],
        "facts": [["what to do", fault.hint]],
        "parts": [],
        "empty": fault.message,
        "trail": [["all systems", TO.home]],
        "footer": " ",
    }
    return HTMLResponse(page("bootlab", data), 404 if fault.exit_code == 2 else 503)


async def _not_found(_request: Request, _why: Exception) -> Response:
    return PlainTextResponse("there is no such page\n", 404)


async def _not_allowed(_request: Request, _why: Exception) -> Response:
    return PlainTextResponse("this address is not for that\n", 405)


async def _broken(_request: Request, _why: Exception) -> Response:
    return PlainTextResponse("an error in bootlab: see the server's output\n", 500)
