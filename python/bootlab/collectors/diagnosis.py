# SPDX-License-Identifier: MIT
"""The diagnostic boot: the same system with `initcall_debug` and bootlab's agent inside.

Instrumentation changes what it measures, so this boot's times never stand beside those of a timing boot.
"""

from __future__ import annotations

import re

import msgspec

from bootlab.collectors.agent import AGENT, parse
from bootlab.collectors.agent_binary import agent_path
from bootlab.collectors.loader_statistics import loading_of
from bootlab.hints.failure import hint_for
from bootlab.model.change import PutFile, SetParam
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, Initcall, Recording
from bootlab.model.system import CHECK_S, Check, Goal, SystemDescription
from bootlab.model.tree import Entry
from bootlab.startup import root_switch, units
from bootlab.startup.files import TreeFiles

_CHECK_FILE = "/bootlab-check"


class CheckOutput(msgspec.Struct, frozen=True):
    """What the check's command printed, and its exit status (None: it never ended, or the report was cut off)."""

    lines: tuple[str, ...]
    exit_status: int | None


def with_agent(system: SystemDescription, timing: Recording) -> SystemDescription:
    """Return the system with the agent inside, which reports on the console once the goal has surely come.

    That is taken to be at twice the timing boot's goal. The system needs a root tree.
    """
    if system.startup is None:
        raise ValueError("no root tree for the agent")
    goal_ms = (timing.meta.goal_ns or 0) // 1_000_000
    switch = root_switch.of_system(system)
    init = switch.program if switch is not None else system.init_path
    carrying = system.with_tree(system.startup.put(AGENT, Entry(kind="file", mode=0o755, source=_agent(system))))
    carrying = _switched(carrying, switch)
    line = system.with_init(AGENT).cmdline.with_param("BOOTLAB_INIT", init)
    # What is started behind the goal and the check asks for is to be seen too.
    checked_ms = max((line.first_ns or 0 for line in timing.lines), default=0) // 1_000_000
    wait_ms = max(goal_ms * 2, checked_ms) + 1000
    line = line.with_param("BOOTLAB_WAIT_MS", str(wait_ms))
    # That silence is no hang.
    limits = msgspec.structs.replace(
        system.limits,
        virtual_s=system.limits.virtual_s + wait_ms / 1000,
        stall_virtual_s=system.limits.stall_virtual_s + wait_ms / 1000,
        check_s=CHECK_S,
    )
    return msgspec.structs.replace(
        carrying,
        cmdline=line,
        goal=Goal(console=r"^@BL1 end \d+", name="report"),
        check=Check(),
        marks=(),
        limits=limits,
    )


def require_agent(system: SystemDescription) -> None:
    """Raise ToolMissing, before anything is booted, where no compiler is there for the agent that a system carries."""
    if system.startup is not None and system.board is None:
        _agent(system)


def _agent(system: SystemDescription) -> str:
    return "replay" if system.target == "replay" else str(agent_path(system.machine.arch))


def _switched(system: SystemDescription, switch: root_switch.RootSwitch | None) -> SystemDescription:
    """Return the system whose initramfs goes on with the agent."""
    if switch is None or system.initramfs is None:
        return system
    there = system.initramfs.tree.get(switch.script)
    if there is None:
        return system
    script = msgspec.structs.replace(there, text=switch.starting(AGENT), source=None)
    tree = system.initramfs.tree.put(switch.script, script)
    return msgspec.structs.replace(system, initramfs=msgspec.structs.replace(system.initramfs, tree=tree))


def diagnostic_system(system: SystemDescription, timing: Recording) -> SystemDescription | None:
    """Return the instrumented system, or None when there is no root tree for the agent."""
    if system.startup is None:
        return None
    carried = with_agent(system, timing)
    line = _unsilenced(carried.cmdline).without("ignore_loglevel")
    line = line.with_param("initcall_debug").with_param("log_buf_len", "16M").with_param("loglevel", "1")
    if units.is_systemd(TreeFiles(system.startup), system.init_path):
        # When units run (kernel-command-line(7)), all of it: /dev/kmsg takes only so many lines a second otherwise.
        line = line.with_param("systemd.log_target", "kmsg").with_param("printk.devkmsg", "on")
    if system.programs:
        # What the kernel does not know goes into init's environment; ld.so(8) then tells what it did for each program.
        line = line.with_param("LD_DEBUG", "statistics")
    return msgspec.structs.replace(carried, cmdline=line)


def loud_system(system: SystemDescription) -> SystemDescription:
    """Return the system with the kernel's messages up to level info on its console; the same where it has them."""
    return msgspec.structs.replace(system, cmdline=_unsilenced(system.cmdline).with_param("loglevel", "7"))


def _unsilenced(line: CommandLine) -> CommandLine:
    return line.without("quiet").without("loglevel")


def checking_system(system: SystemDescription, timing: Recording) -> SystemDescription | None:
    """Return the system with the agent inside that runs the check's command; None without one, or no tree."""
    if not system.check.command or system.startup is None:
        return None
    plain = msgspec.structs.replace(system, check=Check())
    text = "".join(f"{word}\n" for word in system.check.command)
    carried = PutFile(_CHECK_FILE, Entry(kind="file", mode=0o600, text=text)).apply(with_agent(plain, timing))
    return SetParam("BOOTLAB_CHECK", _CHECK_FILE).apply(carried)


def power_off_system(system: SystemDescription, timing: Recording) -> SystemDescription | None:
    """Return the system with the agent inside that switches the machine off behind its report; None without a tree.

    Its goal is the kernel's last line, which is printed only where something switches the machine off
    (kernel/reboot.c: kernel_power_off; without, reboot(2) halts).
    """
    if system.startup is None:
        return None
    carried = SetParam("BOOTLAB_OFF", "1").apply(with_agent(system, timing))
    goal = Goal(console=r"reboot: Power down|^(?:\[[ .\d]+\] )?Power down\.", name="power-off")
    return msgspec.structs.replace(carried, goal=goal)


def check_output(recording: Recording) -> CheckOutput:
    """Read what the check's command printed out of a check boot."""
    report = parse(recording.console)
    return CheckOutput(lines=report.output, exit_status=report.exit_status)


def why_no_report(system: SystemDescription, recording: Recording) -> str:
    """Say why a boot of this system with the agent inside brought no report, and what helps; "" where it did."""
    if recording.ok:
        return ""
    place = f" (recording: {recording.path})" if recording.path else ""
    if not recording.by_host and any(re.search(system.goal.console, line.text) for line in recording.lines):
        return f"the system reached its goal, but bootlab's agent sent no report{_why_not_started(system)}{place}"
    cause = hint_for(recording)
    return f"{recording.meta.outcome.value}: {recording.meta.reason}{f'; {cause}' if cause else ''}{place}"


def _why_not_started(system: SystemDescription) -> str:
    behind = system.root is not None and (system.initramfs is not None or system.initrd is not None)
    if not behind or root_switch.of_system(system) is not None:
        return ""
    return (
        f": the initramfs did not start {AGENT}, which init= on the command line names, on the root. Its script must "
        "pass to switch_root the program of init= in /proc/cmdline"
    )


def diagnose(recording: Recording) -> Diagnosis:
    """Read the agent's report out of a diagnostic boot."""
    report = parse(recording.console)
    log = report.log or tuple(line.text for line in recording.lines)
    return Diagnosis(
        recording=recording,
        initcalls=_kernel_log(recording, log).initcalls,
        files=report.files,
        links=report.links,
        log=log,
        proc=report.proc,
        loading=loading_of(recording),
    )


def faults_of(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the kernel's messages of its own faults, as they were printed."""
    return _kernel_log(diagnosis.recording, diagnosis.log).faults


def initcalls_of(log: tuple[str, ...]) -> tuple[Initcall, ...]:
    """Return the initcalls of a log that came back. Paired by boottrace: by stamps and task, instance by instance."""
    return _read(log).initcalls


class _KernelLog(msgspec.Struct, frozen=True):
    initcalls: tuple[Initcall, ...] = ()
    faults: tuple[str, ...] = ()


def _kernel_log(recording: Recording, log: tuple[str, ...]) -> _KernelLog:
    return recording.once(("kernel's log", log), lambda: _read(log))


def _read(log: tuple[str, ...]) -> _KernelLog:
    from bootlab.logs.analysis import analyze  # noqa: PLC0415 - no other boot reads a log

    if not log:
        return _KernelLog()
    boots = analyze("\n".join(log).encode("utf-8", "replace"), name="diagnostic boot").boots
    return _KernelLog(
        initcalls=tuple(call for boot in boots for call in boot.kernel.returned_initcalls()),
        faults=tuple(fault.text for boot in boots for fault in boot.kernel.faults),
    )
