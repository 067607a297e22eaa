# SPDX-License-Identifier: MIT
"""A change of level told to an address: once, by the boots that made it, and never more than its host in a message."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from bootlab.api import history as api
from bootlab.api.kept_history import tell_step
from bootlab.forges.webhook import post
from tests.history.boots import times


@pytest.fixture
def hook() -> Iterator[tuple[str, list[dict]]]:
    """Give an address that keeps what is posted to it; below /no it refuses."""
    kept: list[dict] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(404 if self.path.startswith("/no") else 200)
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/secret", kept
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_step_is_told_once_by_the_boots_that_made_it(tmp_path, hook):
    address, kept = hook
    with api.open_history(store=tmp_path) as database:

        def add(number: int, total_ms: float) -> str:
            boot = times(total_ms, key=f"k{number}", exact=True, at=f"2026-01-{number:02}T00:00:00+00:00")
            added = api.keep(database, [boot], system="camera", revision=f"r{number}", author="Ada", subject="Wait")
            return tell_step(database, "camera", added, address)

        said = [add(number, 3000 if number < 5 else 3060) for number in range(1, 9)]
        assert add(8, 3060) == "", "a boot that is there already tells nothing again"
    assert said == ["", "", "", "", "told 127.0.0.1 (200)", "", "", ""]
    (document,) = kept
    assert document["text"] == "camera: whole boot: +60.000 ms (2.0 %) at r4 -> r5: Wait (Ada)"
    assert (document["from_ns"], document["to_ns"]) == (3_000_000_000, 3_060_000_000)
    assert (document["from_revision"], document["to_revision"], document["author"]) == ("r4", "r5", "Ada")


def test_an_address_that_takes_nothing_is_said_without_its_secret(hook):
    address, _ = hook
    assert post(address.replace("/secret", "/no/secret"), {}) == "the webhook was not told: 127.0.0.1 answered 404"
    assert post("http://127.0.0.1:1/secret", {}).startswith("the webhook was not told: ")
    assert "secret" not in post("http://127.0.0.1/sec ret", {})
    for wrong in ("file:///etc/passwd", "secret", ""):
        assert post(wrong, {}) == "no webhook was told: its address begins with http:// or https://"
