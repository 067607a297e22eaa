# SPDX-License-Identifier: MIT
"""One comment a request: written by the first job, replaced by each later one; found again by a mark in its text."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

Send = Callable[[str, str, dict[str, str], dict[str, Any] | None], Any]
"""Method, URL, head and body of a request to the answer's JSON; raises OSError."""

_PAGE, _PAGES_MAX = 100, 10
_LIMIT_S = 30
_MOST = 60_000
"""Characters; GitHub takes 65,536 of a comment."""


class Posted(msgspec.Struct, frozen=True):
    """What became of a comment. `done` False: `said` tells why there is none; the answer of the gate is the same."""

    done: bool
    said: str


class _Request(msgspec.Struct, frozen=True):
    """Where comments of one request are: their list, one of them by its number, and who may write."""

    comments: str
    one: str
    head: dict[str, str]
    change: str
    shown: str


def post(forge: str, text: str, mark: str, environ: Mapping[str, str], send: Send | None = None) -> Posted:
    """Write a comment, or replace the one that has the mark. Never raises for a forge that does not take it."""
    request = _github(environ) if forge == "github" else _gitlab(environ)
    if isinstance(request, str):
        return Posted(False, request)
    head = f"<!-- {mark} -->\n"
    body = {"body": f"{head}{text}"[:_MOST]}
    send = send or _send
    try:
        own = next(
            (one for one in _all(request, send) if str(one.get("body", "")).startswith(f"<!-- {mark} -->")), None
        )
        if own is not None:
            send(request.change, request.one.format(own["id"]), request.head, body)
        else:
            send("POST", request.comments, request.head, body)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        return Posted(False, f"no comment was written: {_why(fault)}")
    return Posted(True, f"{'replaced' if own is not None else 'wrote'} the comment on {request.shown}")


def _all(request: _Request, send: Send) -> Iterator[dict[str, Any]]:
    for page in range(1, _PAGES_MAX + 1):
        comments = send("GET", f"{request.comments}?per_page={_PAGE}&page={page}", request.head, None)
        yield from comments
        if len(comments) < _PAGE:
            return


def _github(environ: Mapping[str, str]) -> _Request | str:
    """Return where comments of the pull request go that GitHub's job is for; else why there is none."""
    token, repository = environ.get("GITHUB_TOKEN", ""), environ.get("GITHUB_REPOSITORY", "")
    try:
        event = json.loads(Path(environ.get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
        number = int(event["pull_request"]["number"])
    except (OSError, ValueError, KeyError, TypeError):
        return "no comment was written: this job is not for a pull request"
    if not token or not repository:
        return "no comment was written: GITHUB_TOKEN and GITHUB_REPOSITORY are not set"
    api = f"{environ.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{repository}/issues"
    head = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return _Request(f"{api}/{number}/comments", f"{api}/comments/{{}}", head, "PATCH", f"pull request {number}")


def _gitlab(environ: Mapping[str, str]) -> _Request | str:
    """Return where notes of the merge request go that GitLab's job is for; else why there is none."""
    number, token = environ.get("CI_MERGE_REQUEST_IID", ""), environ.get("BOOTLAB_GITLAB_TOKEN", "")
    if not number:
        return "no comment was written: this job is not for a merge request"
    if not token or not environ.get("CI_API_V4_URL"):
        return "no comment was written: BOOTLAB_GITLAB_TOKEN (a project's token with scope api) is not set"
    project = urllib.parse.quote(environ.get("CI_PROJECT_ID", ""), safe="")
    notes = f"{environ['CI_API_V4_URL']}/projects/{project}/merge_requests/{number}/notes"
    return _Request(notes, f"{notes}/{{}}", {"PRIVATE-TOKEN": token}, "PUT", f"merge request {number}")


def _send(method: str, url: str, head: dict[str, str], body: dict[str, Any] | None) -> Any:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url} is no address of the web")
    data = None if body is None else json.dumps(body).encode()
    heads = {**head, "Content-Type": "application/json"}
    request = urllib.request.Request(url, data, heads, method=method)  # noqa: S310 - checked above
    try:
        with urllib.request.urlopen(request, timeout=_LIMIT_S) as answer:  # noqa: S310
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        # It is an open answer; Python 3.14 warns of one that nobody closes.
        refusal.close()
        raise


def _why(fault: Exception) -> str:
    if isinstance(fault, urllib.error.HTTPError):
        rights = " (the job's token may not write comments: `permissions: pull-requests: write`)"
        return f"the forge answered {fault.code}{rights if fault.code in {401, 403, 404} else ''}"
    return f"{type(fault).__name__}: {fault}"[:200]
