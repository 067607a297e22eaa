# SPDX-License-Identifier: MIT
"""A comment on a request: written once, then replaced; a forge that does not take it is no error."""

from __future__ import annotations

import json
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootlab.forges.comment import post
from tests.forges.kept_forge import Forge, kept_forge

MARK = "bootlab gate camera"


@pytest.fixture
def forge() -> Iterator[tuple[type[Forge], str]]:
    with kept_forge() as there:
        yield there


@pytest.fixture
def github(forge, tmp_path) -> dict[str, str]:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    names = {"GITHUB_TOKEN": "secret", "GITHUB_REPOSITORY": "a/b", "GITHUB_EVENT_PATH": str(event)}
    return names | {"GITHUB_API_URL": forge[1]}


@pytest.fixture
def gitlab(forge) -> dict[str, str]:
    names = {"CI_MERGE_REQUEST_IID": "7", "BOOTLAB_GITLAB_TOKEN": "secret", "CI_PROJECT_ID": "a/b"}
    return names | {"CI_API_V4_URL": forge[1]}


@pytest.mark.parametrize(("name", "method", "path"), [
    ("github", "PATCH", "/repos/a/b/issues/comments/151"),
    ("gitlab", "PUT", "/projects/a%2Fb/merge_requests/7/notes/151"),
])  # fmt: skip
def test_the_second_job_replaces_what_the_first_wrote(forge, request, name, method, path):
    kept, environ = forge[0], request.getfixturevalue(name)
    kept.kept += [{"id": number, "body": f"talk about <!-- {MARK} -->"} for number in range(1, 151)]
    assert post(name, "slower", MARK, environ).done
    assert post(name, "as before", MARK, environ).said.startswith("replaced the comment on ")
    assert len(kept.kept) == 151
    assert kept.kept[150]["body"] == f"<!-- {MARK} -->\nas before"
    assert kept.asked[-1][:2] == (method, path)
    assert {token for *_, token in kept.asked} == {"Bearer secret" if name == "github" else "secret"}


def test_two_gates_have_a_comment_each(forge, github):
    post("github", "one", MARK, github)
    post("github", "two", "bootlab gate door", github)
    assert [comment["body"] for comment in forge[0].kept] == [
        f"<!-- {MARK} -->\none",
        "<!-- bootlab gate door -->\ntwo",
    ]


def test_a_forge_that_refuses_is_told_and_no_error(forge, github, monkeypatch):
    forge[0].refused = 403
    closed, close = [], urllib.error.HTTPError.close
    monkeypatch.setattr(urllib.error.HTTPError, "close", lambda fault: closed.append(fault.code) or close(fault))
    posted = post("github", "text", MARK, github)
    assert not posted.done
    # Python 3.14 warns of a refusal that is left open.
    assert closed == [403]
    assert "answered 403 (the job's token may not write comments" in posted.said


@pytest.mark.parametrize("left_out", ["GITHUB_TOKEN", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY"])
def test_a_job_without_a_request_or_a_token_writes_none(forge, github, left_out):
    del github[left_out]
    assert post("github", "text", MARK, github).said.startswith("no comment was written: ")
    assert forge[0].asked == []


@pytest.mark.parametrize("url", ["file:///etc", "http://127.0.0.1:1"])
def test_what_is_no_forge_is_told(github, url):
    assert not post("github", "text", MARK, github | {"GITHUB_API_URL": url}).done


def test_rubbish_as_the_list_of_comments_is_told(github, tmp_path):
    for answer in ([None], [1], {"message": "moved"}, "x", None):
        assert not post("github", "text", MARK, github, send=lambda *_, said=answer: said).done
    (Path(github["GITHUB_EVENT_PATH"])).write_text("{")
    assert not post("github", "text", MARK, github).done
