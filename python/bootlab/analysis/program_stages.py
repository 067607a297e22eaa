# SPDX-License-Identifier: MIT
"""Stages of user space out of the programs that a boot starts, for systems whose console does not show them.

The first task starts programs one after the other: the initramfs's /init, what mounts the root, the real init. What
another task starts first behind that is the first start script or service; the application is known by its name.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from bootlab.model.recording import Mark
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import ProgramStart

SOURCE = "execve: "
"""How the source of a mark begins that the start of a program set."""
_NAME_MAX = 15
# klibc, BusyBox and util-linux; systemd switches without another program.
_SWITCHES = ("run-init", "switch_root")


def marks(system: SystemDescription, programs: Sequence[ProgramStart], known: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return the marks of user space that programs set, but for those `known`: switch-root, rc-scripts, application."""
    if not programs:
        return ()
    there = {mark.name for mark in known}
    first = programs[0].task
    own = [program for program in programs if program.task == first]
    switch = next((number for number, program in enumerate(own) if program.name in _SWITCHES), None)
    found: dict[str, ProgramStart] = {}
    began = own[0]
    if switch is not None:
        found["switch-root"] = own[switch]
        began = own[switch + 1] if switch + 1 < len(own) else own[switch]
    else:
        # A script that is the first program becomes the init.
        began = next((program for program in own if program.name in {"init", "systemd"}), began)
    script = next((program for program in programs if program.task != first and program.ns > began.ns), None)
    application = _application(system, programs)
    if script is not None and (application is None or script.ns < application.ns) and "units" not in there:
        found["rc-scripts"] = script
    if application is not None:
        found["application"] = application
    return tuple(
        Mark(name, program.ns, program.insns, f"{SOURCE}{program.name}")
        for name, program in found.items()
        if name not in there
    )


def _application(system: SystemDescription, programs: Sequence[ProgramStart]) -> ProgramStart | None:
    if system.application is None:
        return None
    name = posixpath.basename(system.application)[:_NAME_MAX]
    return next((program for program in programs if program.name == name), None)
