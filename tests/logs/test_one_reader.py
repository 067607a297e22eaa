# SPDX-License-Identifier: MIT
"""One reader of logs: whatever takes facts from a log says the same of it, in whatever form it is kept."""

from __future__ import annotations

import gzip
import lzma
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from bootlab.advice.facts import gather
from bootlab.api.logs import system_skeleton
from bootlab.builders.cache import Cache
from bootlab.errors import BootlabError
from bootlab.logs import analyze, compare, log_facts
from bootlab.model.cmdline import CommandLine
from bootlab.sources.look import Looker
from bootlab.systemfile.goals import Goals
from tests.logs.test_facts import FOLDERS

ROOT = Path(__file__).resolve().parents[2]
_KEPT = [ROOT / "crates/boottrace/tests/golden", ROOT / "tests/recordings"]
# Another worker compiles Python files while this one collects; all must find the same tests.
LOGS = sorted(
    path
    for folder in [*FOLDERS, *_KEPT]
    for path in folder.rglob("*")
    if "__pycache__" not in path.parts
    and path.suffix not in {".json", ".toml", ".md", ".py"}
    and path.is_file()
    and path.stat().st_size < 3_000_000
)
TEXT = """\
[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd034]
[    0.000000] Linux version 6.1.0-9-arm64 (me@build) (gcc-12 12.2.0) #1 SMP Debian 6.1.27-1 (2023-05-08)
[    0.000000] Machine model: Sample board
[    0.000000] Kernel command line: console=ttyS0,115200 lpj=40000
[    0.000000] Memory: 1000000K/1048576K available (x)
[    1.000000] Run /init as init process
panel login:
"""


def told(path: Path, tmp_path: Path) -> dict[str, object]:
    """What `new --log`, `check --log` and `analyze --system` make of a log."""
    facts = log_facts.read(path)
    looked = Looker(tmp_path / "keep", Cache(tmp_path / "cache"), tmp_path / "store").log(path).log
    assert looked is not None
    checked = gather(Cache(tmp_path / "cache"), log=path)
    context = checked.context
    made = tomllib.loads(system_skeleton(analyze(path, keep_lines=True), "skeleton.toml"))
    assert looked.boot == facts.boot
    assert context.arch == facts.arch
    assert context.kernel_version == facts.kernel_version
    assert [cost.title for cost in checked.costs] == [cost.title for cost in facts.boot.costs]
    assert context.recording.meta.cmdline == facts.cmdline
    if facts.cmdline:
        assert context.system.cmdline == CommandLine.parse(facts.cmdline)
    assert made["goal"]["console"] == Goals.guessed(None, looked).goal.pattern
    if facts.arch in {"x86_64", "arm", "arm64", "riscv64"}:
        assert made["machine"]["arch"] == facts.arch
    return {
        "release": facts.release,
        "machine": facts.machine,
        "cmdline": facts.cmdline,
        "arch": facts.arch,
        "memory": facts.memory_mib,
        "goal": made["goal"]["console"],
    }


def refusal(read: Callable[[], object]) -> str:
    """Return why something cannot be read; "" where it can."""
    try:
        read()
    except BootlabError as fault:
        return fault.message
    return ""


@pytest.mark.parametrize("path", LOGS, ids=[f"{path.parent.name}/{path.name}" for path in LOGS])
def test_all_verbs_say_the_same_of_a_log(path: Path, tmp_path: Path):
    refused = refusal(lambda: log_facts.read(path))
    if refused:
        assert refusal(lambda: gather(Cache(tmp_path / "cache"), log=path)) == refused
        return
    told(path, tmp_path)
    analysis = analyze(path)
    assert not [row for row in compare([analysis], [analysis]).rows if row.change not in {"same", "unclear"}]


def test_a_log_says_the_same_however_it_is_packed(tmp_path: Path):
    plain = TEXT.encode()
    forms = {
        "plain": plain,
        "gzip": gzip.compress(plain),
        "xz": lzma.compress(plain),
        "utf-16": TEXT.replace("\n", "\r\n").encode("utf-16"),
    }
    said = []
    for name, data in forms.items():
        path = tmp_path / name
        path.write_bytes(data)
        said.append(told(path, tmp_path))
    assert said[0] == {
        "release": "6.1.0-9-arm64",
        "machine": "Sample board",
        "cmdline": "console=ttyS0,115200 lpj=40000",
        "arch": "arm64",
        "memory": 1024,
        "goal": "panel login:",
    }
    assert all(one == said[0] for one in said)
    assert log_facts.read(tmp_path / "xz").kernel_version == (6, 1, 27)


def test_the_last_boot_of_those_that_came_furthest_is_meant():
    first, second = TEXT.replace("panel", "first"), TEXT.replace("panel", "second")
    cut = TEXT[: TEXT.index("[    1.000000]")]
    analysis = analyze((first + second + cut).encode(), name="three", keep_lines=True)
    assert len(analysis.boots) == 3
    assert log_facts.of_analysis(analysis).boot.number == 2
    assert log_facts.of_analysis(analysis, 1).user[0].text == "first login:"
    with pytest.raises(BootlabError, match="no kernel messages"):
        analyze(b"U-Boot 2022.01\n", name="loader").main()
