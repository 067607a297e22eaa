# SPDX-License-Identifier: MIT
"""Tokens: three roles, systems of their own, hashes alone in the file, and few tries."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.web import tokens
from tests.web.conftest import RECORDINGS, TOKEN, Serve, packed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tokens"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_the_command_prints_a_token_once_and_keeps_its_hash(file: Path) -> None:
    words = ["serve", "--tokens", str(file), "--new-token", "ci", "--role", "add", "--systems", "cam*,door"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    token = done.stdout.strip()
    assert len(token) == 48
    assert token not in file.read_text()
    assert hashlib.sha256(token.encode()).hexdigest() in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    grant = tokens.Tokens(file).of(token)
    assert grant == tokens.Grant(name="ci", role="add", systems=("cam*", "door"))
    assert [grant.sees(name) for name in ("camera", "door", "doors")] == [True, True, False]
    again = CliRunner().invoke(app, words)
    assert "has a token ci already" in str(again.exception)


def test_each_role_may_do_what_it_says(serve: Serve, filled: str, file: Path) -> None:
    made = {role: tokens.make(file, role, role, "*") for role in tokens.ROLES}
    server = serve(filled, tokens=file, open_reading=False)
    body = packed(RECORDINGS[0])
    for role, token in made.items():
        assert server.ask("/api/systems", **bearer(token))[0] == 200, role
        assert server.post(body, **bearer(token))[0] == (403 if role == "read" else 201), role
        status, text, _ = server.ask("/api/boots?id=1", "DELETE", **bearer(token))
        assert status == (200 if role == "administrate" else 403), text
    assert server.ask("/boot?id=1", **bearer(made["read"]))[0] == 404
    assert server.ask("/api/boots?id=1", "DELETE", **bearer(made["administrate"]))[0] == 404


def test_a_token_of_one_system_sees_and_adds_no_other(serve: Serve, filled: str, file: Path) -> None:
    token = tokens.make(file, "board", "administrate", "board*")
    all_of_it = tokens.make(file, "all", "add", "*")
    server = serve(filled, tokens=file, open_reading=False)
    assert server.post(packed(RECORDINGS[0]), **bearer(token))[0] == 201
    assert server.post(packed(RECORDINGS[0]), "?system=demo&revision=v1", **bearer(token))[0] == 403
    assert json.loads(server.ask("/api/systems", **bearer(token))[1])["systems"] == {"board": 1}
    assert "demo" in json.loads(server.ask("/api/systems", **bearer(all_of_it))[1])["systems"]
    index = server.ask("/", **bearer(token))[1]
    assert "board" in index
    assert "system?name=demo" not in index
    hidden = ("/system?name=demo", "/boot?id=1", "/report?boot=1", "/log?boot=1", "/api/history?name=demo",
              "/report?run=x", "/compare?system=demo&a=rev:r3&b=rev:r20", "/compare?system=board&a=boot:1&b=boot:2",
              "/compare?a=run:x&b=run:y")  # fmt: skip
    for path in hidden:
        status, text, _ = server.ask(path, **bearer(token))
        assert status == 404, path
        assert "nothing for this token" in text or "no such boot of" in text, path
    assert server.ask("/api/boots?id=1", "DELETE", **bearer(token))[0] == 404
    assert server.ask("/boot?id=1", **bearer(all_of_it))[0] == 200
    assert "demo" not in server.ask("/metrics", **bearer(token))[1]


def test_a_line_that_is_taken_out_ends_its_token(serve: Serve, file: Path) -> None:
    token = tokens.make(file, "one", "read", "*")
    server = serve(tokens=file, open_reading=False)
    assert server.ask("/", **bearer(token))[0] == 200
    file.write_text("# nobody\n", encoding="utf-8")
    assert server.ask("/", **bearer(token))[0] == 401
    file.write_text("rubbish\n", encoding="utf-8")
    assert server.ask("/", **bearer(token))[0] == 503


def test_who_tries_too_often_has_to_wait(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(token=TOKEN, open_reading=False)
    for _ in range(3 * tokens.TRIES):
        assert server.ask("/")[0] == 401, "who gives no token tries none"
    for number in range(tokens.TRIES):
        assert server.ask("/", **bearer(f"wrong{number}"))[0] == 401
    status, _, headers = server.ask("/", **bearer(TOKEN))
    assert status == 429
    assert 0 < int(headers["retry-after"]) <= tokens.TRIES_S
    monkeypatch.setattr(tokens, "TRIES_S", 0.0)
    assert server.ask("/", **bearer(TOKEN))[0] == 200


@pytest.mark.parametrize(("words", "said"), [
    (("a b", "read", "*"), "a token's name"),
    (("a", "root", "*"), "is no role"),
    (("a", "read", ","), "names no systems"),
    (("a", "read", "a b"), "names no systems"),
])  # fmt: skip
def test_what_is_no_token(file: Path, words: tuple[str, str, str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        tokens.make(file, *words)
    assert not file.exists()


def test_a_file_that_is_none_is_said_at_the_start(file: Path) -> None:
    with pytest.raises(UserError, match="cannot read"):
        tokens.Tokens(file)
    file.write_text("ci add abc *\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 1: it is not NAME ROLE SHA256"):
        tokens.Tokens(file)


def test_lengths_are_limited(serve: Serve) -> None:
    server = serve(token=TOKEN)
    status, answer = server.post(packed(RECORDINGS[0]), f"?system={'x' * 300}&revision=v1", **bearer(TOKEN))
    assert (status, answer["error"]) == (400, "system: at most 200 letters, and no NUL")
