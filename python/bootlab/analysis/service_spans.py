"""Services that an init other than systemd starts, as the console of a boot shows them."""

from __future__ import annotations

from bootlab.model.recording import Recording
from bootlab.model.service import Service
from bootlab.model.timeline import SERVICES, Span
from bootlab.startup import service_lines


def service_spans(recording: Recording) -> tuple[Span, ...]:
    """Return each service that an init other than systemd starts, as an interval up to its end where that is shown."""
    end = recording.meta.goal_ns
    lines = [(line.number, line.text, line.first_ns, line.last_ns) for line in recording.lines]
    return tuple(_of_service(one) for one in service_lines.read(lines) if end is None or one.start_ns <= end)


def _of_service(one: Service) -> Span:
    length = one.duration_ns or 0
    return Span(name=one.name, lane=SERVICES, start_ns=one.start_ns, duration_ns=length, detail=one.remark)
