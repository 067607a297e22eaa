# SPDX-License-Identifier: MIT
"""Listens, and serves the application with uvicorn until somebody ends it."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from bootlab.errors import EnvironmentFault, UserError
from bootlab.web.access import is_loopback
from bootlab.web.application import Shown, make
from bootlab.web.shelf import Shelf
from bootlab.web.tokens import Tokens

_AT_ONCE = 64


def serve(
    store: Path,
    url: str | None,
    objects: Path | None,
    *,
    host: str,
    port: int,
    tokens: Tokens | None = None,
    certificate: Path | None = None,
    key: Path | None = None,
    shown: Shown | None = None,
    webhook: str = "",
    told: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until interrupted. Raise UserError or EnvironmentFault.

    `port` 0: any free one. `told` hears the address.
    """
    loopback = is_loopback(host)
    if not loopback and tokens is None:
        raise UserError(
            f"other machines can reach {host}, so reading needs a token", hint="--tokens FILE, or --host 127.0.0.1"
        )
    shelf = Shelf(store, url, objects, webhook=webhook)
    # A history that cannot be opened is told now, not to the first visitor.
    _ = shelf.history
    listening = _listen(host, port)
    try:
        config = uvicorn.Config(
            make(shelf, tokens=tokens or Tokens(), open_reading=loopback, shown=shown),
            log_level="warning",
            access_log=False,
            server_header=False,
            # Nobody in front is believed about who asks: access depends on the token alone.
            proxy_headers=False,
            limit_concurrency=_AT_ONCE,
            timeout_graceful_shutdown=5,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        with contextlib.suppress(KeyboardInterrupt):
            try:
                config.load()
            except (OSError, ValueError) as fault:
                raise UserError(f"the certificate cannot be used: {fault}", hint="--certificate FILE --key FILE") from (
                    fault
                )
            name = f"[{host}]" if ":" in host else host
            scheme = "https" if certificate is not None else "http"
            told(f"{scheme}://{name}:{listening.getsockname()[1]}/")
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        shelf.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError) as fault:
        raise EnvironmentFault(
            f"cannot listen on {host}, port {port}: {fault}", hint="another --port, or 0 for any free one"
        ) from fault
