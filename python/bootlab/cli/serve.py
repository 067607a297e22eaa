# SPDX-License-Identifier: MIT
"""`bootlab serve`: the history and the reports in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from bootlab.cli.gate_options import HistoryOption
from bootlab.cli.history_add import ObjectsOption, WebhookOption
from bootlab.cli.options import Option
from bootlab.cli.screen import put_line
from bootlab.cli.session import DEFAULT_STORE, JsonOption, StoreOption, err, print_json, say
from bootlab.errors import UserError


def serve(
    *,
    host: Annotated[
        str,
        Option(help="The address to listen on. Any but this machine's loopback address needs a token."),
    ] = "127.0.0.1",
    port: Annotated[int, Option(least=0, most=65535, help="The port to listen on; 0: any free one.")] = 8093,
    token_file: Annotated[
        Path | None,
        Option(help="File with one token that may read and add everything."),
    ] = None,
    tokens: Annotated[
        Path | None,
        Option(help="File with the hashes of tokens, each with a role and its systems; see --new-token."),
    ] = None,
    new_token: Annotated[
        str | None,
        Option(metavar="NAME", help="Make a token, put its hash into the file of --tokens, print it once, and end."),
    ] = None,
    role: Annotated[
        str,
        Option(metavar="ROLE", help="What the new token may: read, add (and read), administrate (and remove boots)."),
    ] = "read",
    systems: Annotated[
        str, Option(metavar="PATTERNS", help="The systems that the new token is for: camera*,door.")
    ] = "*",
    certificate: Annotated[Path | None, Option(help="For TLS: the certificate file.")] = None,
    key: Annotated[Path | None, Option(help="For TLS: the file of its private key.")] = None,
    budgets: Annotated[
        Path | None,
        Option(
            help='Budgets that the first page judges systems by: a TOML table a system, [camera] with total = "3.2s".'
        ),
    ] = None,
    commit_url: Annotated[
        str,
        Option(metavar="URL", help="Where commits are to be seen: https://forge.example/camera/commit/{revision}"),
    ] = "",
    webhook: WebhookOption = None,
    history: HistoryOption = None,
    objects: ObjectsOption = None,
    store: StoreOption = DEFAULT_STORE,
    as_json: JsonOption = False,
) -> None:
    """Show the history and the reports in a browser: trends, changes, boots, runs, comparisons. Ctrl-C ends it.

    By default it is read-only and can be reached from this machine only; see --tokens and --host.

    Example: bootlab serve --port 8093
    """
    try:
        from bootlab.api.history import budgets_of  # noqa: PLC0415
        from bootlab.web import access, application, server  # noqa: PLC0415 - an extra, and `--help` must not wait for it
        from bootlab.web import tokens as kept  # noqa: PLC0415
    except ModuleNotFoundError as fault:
        raise UserError(
            f"bootlab serve needs {fault.name}, which is not installed", hint="pip install 'bootlab[serve]'"
        ) from fault

    if (certificate is None) != (key is None):
        raise UserError("TLS needs a certificate and its key", hint="--certificate FILE --key FILE")
    if new_token is not None:
        if tokens is None:
            raise UserError("--new-token needs the file of --tokens", hint="--tokens tokens --new-token ci-camera")
        made = kept.make(tokens, new_token, role, systems)
        if as_json:
            print_json({"token": made, "name": new_token, "role": role, "systems": systems})
        else:
            put_line(made)
        return
    token = access.read_token(token_file) if token_file is not None else None
    known = kept.Tokens(tokens, token=token) if token is not None or tokens is not None else None
    if known is not None and certificate is None and not access.is_loopback(host):
        err().print(
            "the token goes over the network in the clear: give --certificate and --key, or a proxy with TLS",
            markup=False,
            soft_wrap=True,
            style="yellow",
        )
    if commit_url and not (commit_url.startswith(("https://", "http://")) and "{revision}" in commit_url):
        raise UserError(
            f"--commit-url {commit_url}: it is no address with {{revision}} in it",
            hint="https://forge.example/camera/commit/{revision}",
        )
    writes = known is not None and known.writes

    def told(address: str) -> None:
        if as_json:
            print_json({"address": address, "writes": writes})
        else:
            say(f"{address} ({'boots can be added with a token' if writes else 'read-only'}; Ctrl-C ends it)")

    server.serve(
        store,
        history,
        objects,
        host=host,
        port=port,
        tokens=known,
        certificate=certificate,
        key=key,
        shown=application.Shown(budgets=budgets_of(budgets) if budgets is not None else {}, commit_url=commit_url),
        webhook=webhook or os.environ.get("BOOTLAB_WEBHOOK", ""),
        told=told,
    )
