# SPDX-License-Identifier: MIT
"""A plan as a TOML file that a person reads, edits and gives back."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from bootlab.errors import UserError
from bootlab.model.plan import FORMAT, VERSION, Plan, PlannedPhase, PlannedTechnique
from bootlab.recordings import sealed
from bootlab.results.file import write_atomically

_LIMIT_BYTES = 4 << 20
_WITHOUT_SEAL = 1
_SEAL = "seal"
_SEAL_CHARS = 16
_SEAL_HEAD = """\
# Of the values below as bootlab wrote them. Edit them and leave it: the report then says that the plan was edited.
"""
_NO_SEAL = "the plan is of version 1, which had no seal: nothing shows whether it is what was written"
_EDITED = "the plan was edited after bootlab wrote it (if you did not edit it, it is damaged: write it again)"

_HEAD = """\
# Written by `bootlab optimize --plan`. Edit it, then: bootlab optimize {name}
# Phases are tried in the order of this file; techniques of a phase too if you change their order, else those that may
# save most come first. `take` set to false leaves one out; set to true, it lets one in whatever it costs.
# What a technique may save is read from the log of a diagnostic boot: it orders the search and promises nothing.
# {estimate}
"""


def estimate(plan: Plan) -> str:
    """Say what a plan takes, with what the estimate rests on."""
    sentence = f"About {plan.boots} boots"
    if plan.builds:
        sentence += f" and {plan.builds} kernel builds (taken for {plan.build_wall_s:g} s each)"
    minutes = plan.wall_s / 60
    sentence += f", some {minutes:.0f} minutes" if minutes >= 1 else ", less than a minute"
    jobs = f"{plan.jobs} at a time" if plan.jobs > 1 else "one at a time"
    sentence += f", if each boot takes the {plan.boot_wall_s:.1f} s that the base's took here, {jobs}."
    besides = []
    if plan.shrink:
        besides.append("the kernels that are asked about to leave out unused options")
    if plan.rounds > 1:
        besides.append("trying again what was left out")
    return sentence + (f" Not counted: {', and '.join(besides)}." if besides else "")


def plan_text(plan: Plan, *, name: str = "PLAN.toml") -> str:
    """Write a plan as TOML with comments, and the seal over its values."""
    text = _text_of(plan, name)
    before, version, after = text.partition(f"\nversion = {VERSION}\n")
    return f"{before}{version}{_SEAL_HEAD}seal = {_text(_seal_of(tomllib.loads(text)))}\n{after}"


def _seal_of(values: dict[str, Any]) -> str:
    return sealed.digest_of({key: value for key, value in values.items() if key != _SEAL})[:_SEAL_CHARS]


def _text_of(plan: Plan, name: str) -> str:
    lines = [_HEAD.format(name=name, estimate=estimate(plan)).rstrip("\n")]
    lines += [f"format = {_text(plan.format)}", f"version = {VERSION}", f"system = {_text(plan.system)}"]
    lines += [
        "",
        "# What the plan was made with. `take` below decides about each technique, whatever these two lists say.",
        "# allow: risks that were let in (security, function, runtime); with security, `shrink` may leave out options",
        "# that guard against attacks. also: techniques that were let in by name.",
        f"allow = {_list(plan.allow)}",
    ]
    lines += [f"also = {_list(plan.also)}"]
    lines += ["# How often rejected techniques are tried again on the stack."]
    lines += [f"rounds = {plan.rounds}"]
    if plan.budget_s is not None:
        lines += ["# Machine time, seconds; what is proved by then is handed over.", f"budget_s = {plan.budget_s:g}"]
    else:
        lines += ["# budget_s = 21600   # machine time, seconds"]
    lines += ["# Leave out kernel options whose code never runs up to the goal, except those in `keep`."]
    lines += [f"shrink = {'true' if plan.shrink else 'false'}", f"keep = {_list(plan.keep)}"]
    lines += ["# Commands that are run in the base and in the result, and must say the same in both."]
    lines += [f"final = {_list(plan.final)}"]
    if plan.base_ns is not None:
        lines.append(f"base_ns = {plan.base_ns}")
    lines += [f"boot_wall_s = {plan.boot_wall_s:g}", f"build_wall_s = {plan.build_wall_s:g}", f"jobs = {plan.jobs}"]
    for phase in plan.phases:
        lines += ["", "[[phases]]", f"name = {_text(phase.name)}", f"boots = {phase.boots}", f"builds = {phase.builds}"]
        for technique in phase.techniques:
            lines += ["", "[[phases.techniques]]", *_technique(technique)]
    return "\n".join(lines) + "\n"


def _technique(technique: PlannedTechnique) -> list[str]:
    lines = [f"id = {_text(technique.id)}", f"take = {'true' if technique.take else 'false'}"]
    texts = ((key, getattr(technique, key)) for key in ("why_not", "basis", "reason"))
    lines += [f"{key} = {_text(value)}" for key, value in texts if value]
    if technique.gain_ns is not None:
        lines.append(f"gain_ns = {technique.gain_ns}")
    lists = ((key, getattr(technique, key)) for key in ("risk", "conflicts", "requires", "variants"))
    lines += [f"{key} = {_list(values)}" for key, values in lists if values]
    if technique.late:
        lines.append("late = true")
    return lines


def save(plan: Plan, path: Path) -> None:
    """Write a plan file; the system is named relative to it where that is possible."""
    system = Path(plan.system)
    try:
        name = str(system.resolve().relative_to(path.resolve().parent))
    except ValueError:
        name = str(system.resolve())
    text = plan_text(msgspec.structs.replace(plan, system=name), name=path.name)
    write_atomically(path, text.encode("utf-8"))


def is_plan(path: Path) -> bool:
    """Tell whether a TOML file says that it is a plan."""
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except OSError:
        return False
    return any(line.split(b"=")[0].strip() == b"format" and FORMAT.encode() in line for line in head.splitlines())


def load(path: Path) -> Plan:
    """Read a plan file; the system's path comes back as it can be opened. Raise UserError that names what is wrong."""
    try:
        if path.stat().st_size > _LIMIT_BYTES:
            raise UserError(
                f"{path}: larger than {_LIMIT_BYTES} bytes; this is not a plan", hint="bootlab optimize --help"
            )
        raw = path.read_bytes()
    except OSError as fault:
        raise UserError(f"{path} cannot be read: {fault.strerror}", hint=f"ls -l {path}") from fault
    again = f"write it again: bootlab optimize SYSTEM.toml --plan --write {path.name}"
    try:
        values = tomllib.loads(raw.decode("utf-8"))
        seal = values.pop(_SEAL, None)
        plan = msgspec.convert(values, type=Plan, strict=True)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        # A byte that is not UTF-8, and what is not TOML, are ValueErrors.
        raise UserError(f"{path} is not a plan: {fault}", hint=again) from fault
    if plan.format != FORMAT or plan.version not in {_WITHOUT_SEAL, VERSION}:
        raise UserError(
            f"{path}: a plan of format {plan.format!r}, version {plan.version}; this bootlab reads versions "
            f"{_WITHOUT_SEAL} and {VERSION}",
            hint=again,
        )
    plan = msgspec.structs.replace(plan, version=VERSION, note=_note(plan.version, seal, values))
    if plan.rounds < 1 or (plan.budget_s is not None and not 0 < plan.budget_s < math.inf):
        raise UserError(f"{path}: rounds and budget_s must be above 0, and finite", hint="rounds = 2")
    _check_names(plan.phases, path)
    system = Path(plan.system)
    return msgspec.structs.replace(plan, system=str(system if system.is_absolute() else path.parent / system))


def _note(version: int, seal: object, values: dict[str, Any]) -> str:
    if version == _WITHOUT_SEAL and seal is None:
        return _NO_SEAL
    return "" if seal == _seal_of(values) else _EDITED


def _check_names(phases: tuple[PlannedPhase, ...], path: Path) -> None:
    seen: set[str] = set()
    for phase in phases:
        for technique in phase.techniques:
            if technique.id in seen:
                raise UserError(f"{path}: {technique.id} is in it twice", hint="remove one of the two")
            seen.add(technique.id)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _list(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(_text(value) for value in values) + "]"
