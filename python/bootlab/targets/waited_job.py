"""Waiting for a job that was offered in a folder: its answer, the end that somebody asks for, workers that died."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from bootlab.errors import EnvironmentFault
from bootlab.targets.job_file import Answer
from bootlab.targets.job_folder import Deathwatch, JobFolder, Ticket

_LOOK_EVERY_S = 0.2
_ENDS_WITHIN_S = 30.0


def waited(
    jobs: JobFolder,
    ticket: Ticket,
    deaths: Deathwatch,
    stop: threading.Event,
    given_up: Callable[[], bool] = lambda: False,
) -> Answer | None:
    """Return what became of a job; an empty answer: it was stopped. The caller forgets the job.

    `given_up` is called at each look. Where it says so and nobody has the job, it is taken back: None. Whatever ends
    the wait (Ctrl-C too) asks the worker to end, and waits for that.
    """
    ends_at: float | None = None
    try:
        while (answer := jobs.take_answer(ticket)) is None:
            if stop.is_set():
                if jobs.withdraw(ticket):
                    return Answer(worker="")
                if ends_at is None:
                    jobs.ask_to_stop(ticket)
                    ends_at = time.monotonic() + _ENDS_WITHIN_S
                if time.monotonic() > ends_at:
                    raise EnvironmentFault("a worker did not stop its job", hint="look at the worker's terminal")
            elif given_up() and jobs.withdraw(ticket):
                return None
            deaths.revive()
            time.sleep(_LOOK_EVERY_S)
    except KeyboardInterrupt:
        _end(jobs, ticket)
        raise
    return answer


def _end(jobs: JobFolder, ticket: Ticket) -> None:
    if jobs.withdraw(ticket):
        return
    jobs.ask_to_stop(ticket)
    ends_at = time.monotonic() + _ENDS_WITHIN_S
    while jobs.take_answer(ticket) is None and time.monotonic() < ends_at:
        time.sleep(_LOOK_EVERY_S)
