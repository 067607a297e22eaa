# SPDX-License-Identifier: MIT
"""A forge on this machine that keeps comments: what jobs of GitHub and GitLab write to in tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


class Forge(BaseHTTPRequestHandler):
    """Keeps comments as both forges do: a list of pages, one by its number."""

    kept: list[dict[str, object]]
    asked: list[tuple[str, str, str | None]]
    refused: int = 0

    def _answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else {}
        self.asked.append((self.command, self.path, self.headers["Authorization"] or self.headers["PRIVATE-TOKEN"]))
        said: object = body
        if self.command == "GET":
            page = int(self.path.rpartition("=")[2])
            said = self.kept[(page - 1) * 100 : page * 100]
        elif self.command == "POST":
            self.kept.append({"id": len(self.kept) + 1, **body})
        else:
            self.kept[int(self.path.rpartition("/")[2]) - 1].update(body)
        data = json.dumps(said).encode()
        self.send_response(self.refused or 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = _answer  # noqa: N815 - the names that http.server asks for

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def kept_forge() -> Iterator[tuple[type[Forge], str]]:
    """Give the forge's class, which has its comments, and its address."""
    handler = type("Kept", (Forge,), {"kept": [], "asked": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield handler, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
