# SPDX-License-Identifier: MIT
"""Sockets and relays with a web interface, as far as bootlab asks them: they answer as their documentation says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

Answer = Callable[[str, dict[str, str]], object]


class FakeDevice:
    """A device whose relay is on or off; `broken`: it answers, and the relay does not move."""

    def __init__(self, kind: str) -> None:
        self.kind, self.on, self.broken = kind, False, False

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, object]:
        before = self.on
        wanted = {"tasmota": self._tasmota, "shelly1": self._relay, "shelly2": self._rpc, "pdudaemon": self._pdu}
        state = wanted[self.kind](path, query)
        if state is None:
            return 404, {"code": 404}
        self.on = before if self.broken else state
        documents = {
            "tasmota": {"POWER": "ON" if self.on else "OFF"},
            "shelly1": {"ison": self.on, "has_timer": False},
            "shelly2": {"was_on": before},
            "pdudaemon": "OK - accepted request",
        }
        return 200, documents[self.kind]

    def _tasmota(self, path: str, query: dict[str, str]) -> bool | None:
        return {"POWER ON": True, "POWER OFF": False}.get(query.get("cmnd", "")) if path == "/cm" else None

    def _relay(self, path: str, query: dict[str, str]) -> bool | None:
        return {"on": True, "off": False}.get(query.get("turn", "")) if path == "/relay/0" else None

    def _rpc(self, path: str, query: dict[str, str]) -> bool | None:
        known = path == "/rpc/Switch.Set" and query.get("id") == "0"
        return {"true": True, "false": False}.get(query.get("on", "")) if known else None

    def _pdu(self, path: str, query: dict[str, str]) -> bool | None:
        known = query == {"hostname": "rack1", "port": "3"}
        return {"/power/control/on": True, "/power/control/off": False}.get(path) if known else None


@contextmanager
def serving(device: FakeDevice) -> Iterator[str]:
    """Serve the device and give its HOST:PORT."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            code, document = device.answer(parts.path, query)
            self.send_response(code)
            self.end_headers()
            self.wfile.write((document if isinstance(document, str) else json.dumps(document)).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
