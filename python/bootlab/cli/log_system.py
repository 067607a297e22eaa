"""`bootlab analyze LOG --system FILE`: from a log to the skeleton of a system file."""

from __future__ import annotations

import re
from pathlib import Path

from bootlab.cli.files import write_file
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis
from bootlab.logs.kernel import Banner
from bootlab.logs.techniques import way
from bootlab.systemfile.skeleton import LogFacts, skeleton

_ADVISED = 5
_HEAD_BYTES = 400_000
_PROCESSOR = re.compile(r"(?:AArch64|ARM(?:v|926)[^\n]{0,20}) Processor|riscv: [^\n]{0,60}rv64|isa[^\n]{0,20}rv64\w*|"
                        r"x86/fpu|CPU\w* revision is[^\n]{0,30}MIPS|PowerPC|s390")  # fmt: skip
"""How kernels name a processor in their first lines."""


def write_skeleton(analysis: Analysis, path: Path, *, boot: int | None = None) -> None:
    """Write the skeleton for the system of one boot; a file that is there is not overwritten."""
    if path.exists():
        raise UserError(f"{path} already exists", hint="--system NEW-FILE.toml")
    if not analysis.boots:
        raise UserError(f"{analysis.name} contains no boot", hint="bootlab analyze FILE")
    one = analysis.boot(boot) if boot is not None else max(analysis.boots, key=lambda b: (b.reached_user, b.number))
    kernel, use = one.kernel, one.stage("first-use")
    banner = kernel.banner
    costs = [cost for cost in one.costs if cost.gain_ns != 0 and way(cost.technique).startswith("bootlab ")]
    facts = LogFacts(
        source=analysis.name,
        release=banner.release if banner else "",
        machine=kernel.machine or "",
        cmdline=kernel.command_line.text if kernel.command_line else "",
        hints=tuple(text for text in [*_hints(banner, kernel.machine), *_processors(analysis.name)] if text),
        prompt=use.basis if use and use.line is not None else "",
        first_use_ns=use.ns if use else None,
        advised=tuple((way(cost.technique).replace("SYSTEM.toml", path.name), cost.title) for cost in costs[:_ADVISED]),
    )
    write_file(path, skeleton(facts))


def _processors(name: str) -> list[str]:
    """Return the lines in which a plain log names its processor."""
    try:
        text = Path(name).read_bytes()[:_HEAD_BYTES].decode(errors="replace")
    except OSError:
        return []
    return _PROCESSOR.findall(text)


def _hints(banner: Banner | None, machine: str | None) -> list[str]:
    """Return the texts that may name the architecture: the compiler first."""
    said = [banner.compiler, banner.builder, banner.release] if banner else []
    return [text or "" for text in [*said, machine]]
