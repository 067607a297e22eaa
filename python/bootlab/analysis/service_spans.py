# SPDX-License-Identifier: MIT
"""Services that an init other than systemd starts, as the console of a boot shows them."""

from __future__ import annotations

from bootlab.model.recording import Recording
from bootlab.model.service import Service
from bootlab.model.timeline import SERVICES, Span
from bootlab.startup import service_lines


def service_spans(recording: Recording) -> tuple[Span, ...]:
    """Return each service that an init other than systemd starts, as an interval up to its end where that is shown."""
    begin, end = _user_space_ns(recording), recording.meta.goal_ns
    lines = [
        (line.number, line.text, line.first_ns, line.last_ns)
        for line in recording.lines
        if line.first_ns is None or line.first_ns >= begin
    ]
    return tuple(_of_service(one) for one in service_lines.read(lines) if end is None or one.start_ns <= end)


def _user_space_ns(recording: Recording) -> int:
    """Return before when no service can have started: what firmware and the kernel print may read like one's line."""
    times = {mark.name: mark.ns for mark in recording.marks}
    return times.get("user-space", times.get("start-kernel", 0))


def _of_service(one: Service) -> Span:
    length = one.duration_ns or 0
    return Span(name=one.name, lane=SERVICES, start_ns=one.start_ns, duration_ns=length, detail=one.remark)
