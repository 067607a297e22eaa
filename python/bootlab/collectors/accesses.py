# SPDX-License-Identifier: MIT
"""A boot that tells who touched which file: the agent watches by every method that the kernel has, and runs the check.

Its times never stand beside those of timing boots. Limits of the methods: `guest/agent/watch.c`, `guest/agent/files.c`.
"""

from __future__ import annotations

import msgspec

from bootlab.collectors.agent import parse
from bootlab.collectors.diagnosis import checking_system, with_agent
from bootlab.model import fstab
from bootlab.model.accesses import Accesses
from bootlab.model.change import SetParam
from bootlab.model.recording import Recording
from bootlab.model.system import Check, SystemDescription


def watched_system(system: SystemDescription, timing: Recording) -> SystemDescription:
    """Return the system with the agent inside, which watches every file and runs the check's command, if there is one.

    Raise ValueError when nothing can carry the agent.
    """
    carried = checking_system(system, timing)
    if carried is None:
        carried = with_agent(msgspec.structs.replace(system, check=Check()), timing)
    return SetParam("BOOTLAB_ACCESSES", "1").apply(carried)


def accesses_of(recording: Recording) -> Accesses:
    """Read what was touched out of the agent's report."""
    report = parse(recording.console)
    return Accesses(
        methods=report.methods,
        seen=report.seen,
        mount_points=tuple(line.folder for line in fstab.read(report.proc.get("mounts", ""))),
        complete=report.complete and "left out" not in report.proc.get("seen", ""),
    )
