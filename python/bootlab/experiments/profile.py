# SPDX-License-Identifier: MIT
"""An application's profile out of the trace plugin: every system call of every process; nothing is added to the guest.

The functions that a processor's table of system calls names are the calls; what a process does outside of them is its
own. Whether an open found a file is told by `fd_install` below it (fs/open.c). Names of files are not in a trace.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.experiments.base import diagnosis_of
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.logs.application import (
    ApplicationProfile,
    CallSum,
    Libraries,
    Missing,
    Polled,
    Process,
    Sleep,
    Wait,
    WaitFor,
)
from bootlab.logs.beyond import Faults, ReadFile
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.system import SystemDescription
from bootlab.tracing.boot import TraceRequest

REQUEST = TraceRequest(min_ns=0, start="run_init_process")
"""Every call from the start of init on leaves a span."""

# arch/*/include/asm/syscall_wrapper.h; arm and riscv before 6.6 call sys_* from the table.
_CALL = re.compile(r"(?:__(?:x64|ia32|arm64|riscv)_)?(?:compat_)?sys_(\w+)")
# arch/x86/mm/fault.c, arch/arm/mm/fault.c, arch/arm64/mm/fault.c, arch/riscv/mm/fault.c
_FAULT = re.compile(r"exc_page_fault|do_page_fault|do_mem_abort|do_(?:Prefetch|Data)Abort|handle_page_fault")
_FOUND = re.compile(r"fd_install")
_TIME = re.compile(r"(?:_time(?:32|64)|64)$")
_WAITS: tuple[tuple[WaitFor, tuple[str, ...]], ...] = (
    ("sleep", ("nanosleep", "clock_nanosleep", "restart_syscall")),
    ("events", ("poll", "ppoll", "select", "newselect", "_newselect", "pselect6")),
    ("events", ("epoll_wait", "epoll_pwait", "epoll_pwait2")),
    ("child", ("wait4", "waitid", "waitpid")),
    ("lock", ("futex", "flock")),
    ("signal", ("pause", "rt_sigsuspend", "rt_sigtimedwait")),
)
_KINDS: dict[str, WaitFor] = {name: kind for kind, names in _WAITS for name in names}
_LOOKS = frozenset({"open", "openat", "openat2"})
_ENDS = frozenset({"exit", "exit_group"})
_WAIT_NS, _WORK_NS, _ROUND_NS = 1_000_000, 10_000_000, 1_000_000
_ROWS = 200


class Profiled(msgspec.Struct, frozen=True, kw_only=True):
    """An application's profile, and the traced boot that shows it."""

    profile: ApplicationProfile
    recording: Recording


class _Call(msgspec.Struct, frozen=True):
    """One system call of one task. `found`: an open that gave a descriptor."""

    name: str
    start_ns: int
    took_ns: int
    found: bool = False


def profile_boot(bench: Bench, system: SystemDescription) -> Profiled:
    """Trace a system from the start of init to its goal, and take its processes' names from a diagnostic boot."""
    bench.phase("profile", 3)
    traced = trace_boot(bench, system, REQUEST)
    diagnosis = diagnosis_of(bench, system, traced.timing, system.name)
    return Profiled(profile=profile(traced.trace, diagnosis), recording=traced.recording)


def profile(trace: FunctionTrace, diagnosis: Diagnosis | None = None) -> ApplicationProfile:
    """Make the profile of everything that runs from the start of init to the goal.

    `diagnosis` adds the names of the files that were read, and what the dynamic loader counted.
    """
    calls, faults = _calls(trace)
    begin_ns, end_ns = _bounds(trace)
    processes: list[Process] = []
    waits: list[Wait] = []
    sleeps: list[Sleep] = []
    polled: list[Polled] = []
    missing: list[Missing] = []
    sums: dict[str, CallSum] = {}
    for task in sorted(calls, key=lambda task: (calls[task][0].start_ns, task)):
        own = [_shifted(call, begin_ns) for call in calls[task]]
        number = len(processes) + 1
        processes.append(_process(number, own, end_ns - begin_ns))
        waits += _waits(number, own)
        sleeps += _sleeps(number, own)
        polled += _polled(number, own)
        missing += _missing(own)
        for call in own:
            _add(sums, call)
    waits.sort(key=lambda wait: -wait.took_ns)
    tasks = list(calls)
    return ApplicationProfile(
        source="trace",
        timed=True,
        calls_total=sum(len(own) for own in calls.values()),
        processes=processes[:_ROWS],
        calls=sorted(sums.values(), key=lambda one: (-one.total_ns, one.call)),
        files=[],
        files_total=0,
        missing=missing,
        missing_total=sum(one.count for one in missing),
        waits=waits[:_ROWS],
        waits_total=len(waits),
        sleeps=sorted(sleeps, key=lambda one: -one.total_ns)[:_ROWS],
        polled=polled,
        execs=[],
        mounts=[],
        sockets=[],
        libraries=Libraries(opened=0, missed=0, took_ns=0),
        left_out=max(0, len(processes) - _ROWS) + int(trace.head.dropped_spans),
        length_ns=end_ns - begin_ns,
        faults=[
            Faults(pid=tasks.index(task) + 1, count=count, total_ns=ns)
            for task, (count, ns) in faults.items()
            if task in calls
        ],
        read=[ReadFile(path=f.path, size_bytes=f.size_bytes) for f in diagnosis.files if f.read] if diagnosis else [],
        loading=list(diagnosis.loading) if diagnosis else [],
    )


def _bounds(trace: FunctionTrace) -> tuple[int, int]:
    starts = trace.spans["start_ns"]
    begin = int(starts.min()) if len(starts) else int(trace.head.start_ns)
    return begin, int(trace.head.end_ns)


def _calls(trace: FunctionTrace) -> tuple[dict[int, list[_Call]], dict[int, tuple[int, int]]]:
    """Return each task's outermost calls in their order, and its page faults: how many, how long."""
    matches = {n: found for n, name in enumerate(trace.names) if (found := _CALL.fullmatch(name))}
    wanted = np.zeros(len(trace.names), dtype=bool)
    wanted[list(matches)] = True
    faulting = np.fromiter((bool(_FAULT.fullmatch(n)) for n in trace.names), dtype=bool, count=len(trace.names))
    founding = np.fromiter((bool(_FOUND.fullmatch(n)) for n in trace.names), dtype=bool, count=len(trace.names))
    functions = trace.function[trace.spans["node"]]
    spans = trace.spans
    order = np.lexsort((-spans["end_ns"], spans["start_ns"], spans["task"]))
    order = order[(wanted | faulting | founding)[functions[order]]]
    calls: dict[int, list[_Call]] = {}
    faults: dict[int, tuple[int, int]] = {}
    fault_end: dict[int, int] = {}
    for index in order:
        task, function = int(spans["task"][index]), int(functions[index])
        start, end = int(spans["start_ns"][index]), int(spans["end_ns"][index])
        own = calls.get(task, [])
        inside = bool(own) and start < own[-1].start_ns + own[-1].took_ns
        if faulting[function]:
            # One fault goes through several of these functions.
            if start >= fault_end.get(task, -1):
                count, total = faults.get(task, (0, 0))
                faults[task], fault_end[task] = (count + 1, total + end - start), end
        elif founding[function]:
            if inside and own[-1].name in _LOOKS:
                own[-1] = msgspec.structs.replace(own[-1], found=True)
        elif not inside:
            name = _TIME.sub("", matches[function][1])
            calls.setdefault(task, []).append(_Call(name, start, end - start))
    return calls, faults


def _shifted(call: _Call, begin_ns: int) -> _Call:
    return msgspec.structs.replace(call, start_ns=call.start_ns - begin_ns)


def _process(number: int, own: list[_Call], length_ns: int) -> Process:
    # What a process does after its last call is not seen; exit never comes back.
    ends = [call for call in own if call.name in _ENDS]
    end_ns = ends[0].start_ns if ends else length_ns
    working = [call for call in own if call.name not in _KINDS and call.name not in _ENDS]
    return Process(
        pid=number,
        program="init" if number == 1 else "",
        calls=len(own),
        in_calls_ns=sum(call.took_ns for call in working),
        waited_ns=sum(call.took_ns for call in own if call.name in _KINDS),
        start_ns=0 if number == 1 else own[0].start_ns,
        end_ns=end_ns,
        ended="exited" if ends else "",
    )


def _waits(number: int, own: list[_Call]) -> list[Wait]:
    waits = []
    for call in own:
        wait_for: WaitFor = _KINDS.get(call.name, "work")
        if call.name in _ENDS or call.took_ns < (_WORK_NS if wait_for == "work" else _WAIT_NS):
            continue
        waits.append(
            Wait(
                wait_for=wait_for,
                call=call.name,
                pid=number,
                took_ns=call.took_ns,
                path="",
                timed_out=False,
                estimated=False,
                line=0,
                at_ns=call.start_ns,
            )
        )
    return waits


def _sleeps(number: int, own: list[_Call]) -> list[Sleep]:
    """Sum up sleeps of one length, to the millisecond: a trace has no arguments."""
    groups: dict[int, list[int]] = {}
    for call in own:
        if _KINDS.get(call.name) == "sleep":
            groups.setdefault(round(call.took_ns / _ROUND_NS), []).append(call.took_ns)
    return [
        Sleep(pid=number, count=len(times), total_ns=sum(times), first_line=0, asked_ns=rounded * _ROUND_NS)
        for rounded, times in groups.items()
    ]


def _polled(number: int, own: list[_Call]) -> list[Polled]:
    """Find opens in vain that alternate with sleeps, until one finds what it asks for."""
    polled: list[Polled] = []
    looks: list[_Call] = []
    slept = False
    for call in own:
        if _KINDS.get(call.name) == "sleep":
            slept = True
            continue
        if call.name in _LOOKS:
            if looks and slept:
                looks.append(call)
            else:
                looks = [call]
            slept = False
            if call.found or len(looks) == 1:
                if len(looks) > 2:
                    polled.append(_poll(number, looks))
                looks = [] if call.found else looks
    if len(looks) > 2:
        polled.append(_poll(number, looks))
    return polled


def _poll(number: int, looks: list[_Call]) -> Polled:
    tries = sum(not look.found for look in looks)
    return Polled(
        path="a file",
        pid=number,
        tries=tries,
        error="not there",
        came=looks[-1].found,
        first_line=0,
        last_line=0,
        at_ns=looks[0].start_ns,
        took_ns=looks[-1].start_ns - looks[0].start_ns,
    )


def _missing(own: list[_Call]) -> list[Missing]:
    vain = [call for call in own if call.name in _LOOKS and not call.found]
    if not vain:
        return []
    took_ns = sum(call.took_ns for call in vain)
    return [Missing(folder="", count=len(vain), libraries=0, took_ns=took_ns, example="", first_line=0)]


def _add(sums: dict[str, CallSum], call: _Call) -> None:
    took_ns = 0 if call.name in _ENDS else call.took_ns
    old = sums.get(call.name, CallSum(call=call.name, count=0, errors=0, total_ns=0, max_ns=0))
    failed = call.name in _LOOKS and not call.found
    sums[call.name] = msgspec.structs.replace(
        old,
        count=old.count + 1,
        errors=old.errors + failed,
        total_ns=old.total_ns + took_ns,
        max_ns=max(old.max_ns, took_ns),
    )
