# SPDX-License-Identifier: MIT
"""Who may do what: reading on the loopback address is free, everything else needs the token.

A page of another site that the user has open must not read boot times (by a name that leads to 127.0.0.1, so the
`Host` is checked) nor write any (a browser adds a password by itself, but never a bearer token, so a write needs one).
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import logging
import math
import stat
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bootlab.errors import UserError
from bootlab.web.tokens import ANYBODY, Grant, Role, Tokens, TokenTries

LEAST_TOKEN = 16
_READS = frozenset({"GET", "HEAD"})
# Each page names its one script by hash itself; this is for what is none of our pages.
_POLICY = (
    b"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_token(file: Path) -> str:
    """Return the token in a file. Raise UserError where it is short, or where others can read it."""
    make = f"(umask 077; openssl rand -hex 24 > {file})"
    try:
        token = file.read_text(encoding="ascii").strip()
        others = file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
    except (OSError, UnicodeDecodeError) as fault:
        raise UserError(f"cannot read the token in {file}: {fault}", hint=make) from fault
    if len(token) < LEAST_TOKEN or token.split() != [token]:
        raise UserError(f"{file}: a token is one word of {LEAST_TOKEN} letters or more", hint=make)
    if others:
        raise UserError(f"{file}: other users can read the token", hint=f"chmod 600 {file}")
    return token


GRANT = "bootlab.grant"
"""Where a request carries what its sender may do."""


class RequestGate:
    """Lets a request through to the application, or answers 400, 401, 403 or 429."""

    def __init__(self, application: ASGIApp, *, tokens: Tokens, open_reading: bool) -> None:
        """Guard an application. `open_reading`: reading needs no token (on the loopback address)."""
        self._application = application
        self._tokens = tokens
        self._tries = TokenTries()
        self._open = open_reading

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        try:
            answer = self._asked(scope, Headers(scope=scope))
        except UserError as fault:
            # The file of tokens was taken away or spoilt: nobody is let in until it is mended.
            logging.getLogger("bootlab").warning("%s", fault.message)
            answer = PlainTextResponse("the server cannot read its tokens\n", 503)
        if isinstance(answer, Grant):
            scope[GRANT] = answer
        await (self._application if isinstance(answer, Grant) else answer)(scope, receive, with_headers)

    def _asked(self, scope: Scope, headers: Headers) -> Grant | PlainTextResponse:
        """Return what the sender may do, or why the request ends here."""
        method = scope["method"]
        if self._open and not is_loopback(_name(headers.get("host", ""))):
            return PlainTextResponse("this server answers to 127.0.0.1 and localhost alone\n", 400)
        kind, _, given = headers.get("authorization", "").partition(" ")
        if method in _READS:
            if self._open:
                return ANYBODY
            password = (
                _password(given) if kind.lower() == "basic" else given.strip() if kind.lower() == "bearer" else ""
            )
            return self._granted(password, "read", "Basic", scope)
        if not self._tokens.writes:
            return PlainTextResponse("read-only: start `bootlab serve` with --tokens to add boots\n", 403)
        # A browser sends a password by itself, but never a bearer token.
        token = given.strip() if kind.lower() == "bearer" else ""
        return self._granted(token, "administrate" if method == "DELETE" else "add", "Bearer", scope)

    def _granted(self, token: str, role: Role, scheme: str, scope: Scope) -> Grant | PlainTextResponse:
        address = (scope.get("client") or ("",))[0]
        if wait_s := self._tries.wait_s(address):
            seconds = str(math.ceil(wait_s))
            return PlainTextResponse("too many wrong tokens: wait\n", 429, headers={"Retry-After": seconds})
        grant = self._tokens.of(token) if token else None
        if grant is None:
            if token:
                self._tries.failed(address)
            form = ": Authorization: Bearer TOKEN" if scheme == "Bearer" else ""
            return _unauthorised(scheme, f"the token is missing or wrong{form}\n")
        if not grant.may(role):
            return PlainTextResponse(f"this token may {grant.role}, not {role}\n", 403)
        return grant


def _unauthorised(scheme: str, text: str) -> PlainTextResponse:
    header = f'{scheme} realm="bootlab: any name, the token as password"'
    return PlainTextResponse(text, 401, headers={"WWW-Authenticate": header})


def _name(host: str) -> str:
    """Return a `Host` without its port; an IPv6 address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0] if "]" in host else ""
    return host.rpartition(":")[0] or host


def _password(given: str) -> str:
    try:
        return base64.b64decode(given.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
