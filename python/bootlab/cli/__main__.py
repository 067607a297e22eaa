# SPDX-License-Identifier: MIT
"""The program `bootlab`."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from bootlab.api import left_on
from bootlab.errors import BootlabError

if TYPE_CHECKING:
    import typer


def __getattr__(name: str) -> typer.Typer:
    """Give the whole program as `app`, made when somebody asks for it."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bootlab.cli.program import make_app  # noqa: PLC0415

    whole = make_app()
    globals()["app"] = whole
    return whole


def _run(args: list[str]) -> None:
    if args[:1] == ["analyze"]:
        # The process ends with its answer; looking for garbage takes longer than the reader does.
        gc.disable()
        from bootlab.cli.analysis_request import plain_request  # noqa: PLC0415
        from bootlab.cli.analysis_run import run  # noqa: PLC0415

        request = plain_request(args[1:])
        if request is not None:
            raise SystemExit(run(request))
    elif args in (["--help"], ["-h"]):
        from bootlab.cli.verb_list import overview  # noqa: PLC0415

        sys.stdout.write(overview())
        return
    elif args[:1] == ["boot"]:
        # What is allocated before the machine starts is modules: looking for garbage in them finds none.
        gc.set_threshold(100_000)
        from bootlab.cli import boot_run  # noqa: PLC0415

        boot = boot_run.plain_request(args[1:])
        if boot is not None:
            raise SystemExit(boot_run.run(boot))
    elif args[:2] == ["history", "show"]:
        # As for `analyze`.
        gc.disable()
        from bootlab.cli import history_request  # noqa: PLC0415

        shown = history_request.plain_request(args[2:])
        if shown is not None:
            history_request.run(shown)
            return
    from bootlab.cli.program import make_app  # noqa: PLC0415

    make_app()()


def main() -> None:
    """Run the command line; every bootlab error becomes a sentence, a hint and its exit code.

    A board that could not be switched off counts more than all else: it has the last line and the exit code.
    """
    try:
        _main()
    finally:
        if lines := left_on.sentences():
            from bootlab.cli.screen import alarm  # noqa: PLC0415

            alarm(lines)
            raise SystemExit(left_on.exit_code())


def _main() -> None:
    try:
        _run(sys.argv[1:])
    except BootlabError as error:
        from bootlab.cli.screen import fail  # noqa: PLC0415

        fail(error, as_json="--json" in sys.argv)
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None
    except OSError as fault:
        from bootlab.cli.screen import fail  # noqa: PLC0415
        from bootlab.errors import of_a_file  # noqa: PLC0415

        said = of_a_file(fault)
        if said is None:
            raise
        fail(said, as_json="--json" in sys.argv)
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def program() -> None:
    """Be the process `bootlab`: `main`, and an end that does not look through every module for garbage first."""
    try:
        main()
    finally:
        gc.freeze()


if __name__ == "__main__":
    program()
