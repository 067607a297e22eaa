# SPDX-License-Identifier: MIT
"""The reader in a browser: it says what the command line says of every log in reach, and nothing stops it."""

from __future__ import annotations

import base64
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.logs import analyze
from bootlab.logs.costs import CostKind
from bootlab.techniques.remedies import remedy
from bootlab.views.log.document import document
from bootlab.views.log.reader import known_remedies, render
from tests.conftest import REPOSITORY
from tests.logs import samples
from tests.views.on_a_phone import beyond, too_faint
from tests.views.test_report_page import browser as browser  # noqa: PLC0414 - the same fixture

PAGE = REPOSITORY / "target" / "reader" / "read-a-boot-log.html"
GOLDEN = REPOSITORY / "crates" / "boottrace" / "tests" / "golden"
LARGEST_BYTES = 2_000_000
READ = """async ([name, text]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  try {
    const { told, page, text: thread, document } = await readBootLog(name, bytes);
    return { told, page, thread, document: document() };
  } catch (fault) { return { fault: fault.message }; }
}"""


def logs() -> list[Path]:
    """Return every log in reach that a browser is given whole."""
    folders = [GOLDEN]
    if cases := os.environ.get("BOOTLAB_CASES"):
        folders.append(Path(cases))
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [
        path for path in found if path.suffix not in {".json", ".md", ".toml", ".py"} and path.stat().st_size < 4 << 20
    ]


@pytest.fixture
def reader(browser) -> Iterator[Any]:
    if not PAGE.exists():
        pytest.skip("the reader is not built here: make reader")
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    trouble: list[str] = []
    page.on("pageerror", lambda e: trouble.append(f"error: {e}"))
    page.on("request", lambda r: r.url.startswith(("file:", "blob:")) or trouble.append(f"request: {r.url}"))
    page.goto(PAGE.as_uri())
    yield page
    page.close()
    assert trouble == []


def answer(reader, data: bytes, name: str = "boot.log") -> dict[str, Any]:
    return reader.evaluate(READ, [name, base64.b64encode(data).decode()])


def test_the_page_has_what_helps_against_every_kind_of_cost():
    known = known_remedies()
    assert set(known) == set(get_args(CostKind))
    assert known["console-output"] == {"name": "quiet", "way": remedy("console-output").way()}
    page = render(b"\0asm", "a </script> log")
    assert "connect-src" not in page
    assert "default-src &#x27;none&#x27;; script-src" in page
    assert page.lower().count("</script") == 2


def test_the_page_is_small():
    if not PAGE.exists():
        pytest.skip("the reader is not built here: make reader")
    assert PAGE.stat().st_size <= LARGEST_BYTES


def test_the_core_says_the_same_for_a_thread():
    text = analyze(samples.BOOT.encode(), name="boot.log").core.thread_text()
    first, *costs = text.splitlines()
    assert first.startswith("boot.log: Boot 1: At least ")
    assert costs
    assert all(re.match(r"- .*: .* \(.*\)$", line) for line in costs)


@pytest.mark.browser
def test_every_log_is_read_as_the_command_line_reads_it(reader):
    read = 0
    for path in logs():
        data = path.read_bytes()
        try:
            analysis = analyze(data, name=path.name)
        except UserError:
            analysis = None
        got = answer(reader, data, path.name)
        assert ("fault" in got) == (analysis is None), f"{path}: {got.get('fault')}"
        if analysis is None:
            continue
        native = msgspec.json.decode(analysis.core.told())
        assert got["told"] == native, path
        # Of each cost what the document of the command line has, but for what helps.
        assert costs(msgspec.json.decode(got["document"])) == costs(msgspec.json.decode(document(analysis))), path
        read += 1
    assert read > 80


def costs(made: dict[str, Any]) -> list[list[Any]]:
    keys = ("kind", "title", "cost_ns", "gain_ns", "lines", "evidence", "advice")
    return [[cost.get(key) for key in keys] for part in made["parts"] for cost in part.get("costs", ())]


@pytest.mark.browser
def test_a_log_that_is_chosen_is_drawn(reader, tmp_path: Path):
    file = tmp_path / "board.log"
    file.write_text(samples.BOOT)
    reader.set_input_files("#reader-file", file)
    reader.wait_for_selector("main section")
    analysis = analyze(samples.BOOT.encode(), name="board.log")
    told = msgspec.json.decode(analysis.core.told())["parts"][-1]
    assert reader.locator(".reader-message").inner_text() == " ".join(told["headline"])
    page = reader.locator("body").inner_text()
    for cost in analysis.boots[0].costs[:5]:
        assert remedy(cost.kind).name in page
    assert "Nothing leaves this machine" in page


@pytest.mark.browser
def test_a_log_that_is_pasted_is_drawn_again_and_again(reader):
    for text, title in ((samples.BOOT, "Boot 1"), ("systemd-analyze\n", ""), (samples.BOOT, "Boot 1")):
        reader.fill("textarea", text)
        reader.click("text=Read the text")
        reader.wait_for_selector(".reader-message[data-took-ms]")
        assert title in reader.locator("#page").inner_text()
    reader.click("text=Try an example")
    reader.wait_for_selector("text=Longest silences")


CALLS = b" 0)   1.000 us    |  a();\n 0)               |  b() {\n 0)   2.0 us    |  }\n"
HOSTILE = {
    "nothing": b"",
    "white": b" \n\n\t",
    "zeros": bytes(1 << 20),
    "random": random.Random(1).randbytes(1 << 20),
    "half UTF-16": "[    0.000000] Linux version 6.6.0\n[    1.0] x\n".encode("utf-16")[:-1],
    "lone surrogates": b"\xff\xfe" + b"\x00\xd8" * 5000,
    "gzip cut off": b"\x1f\x8b\x08" + bytes(200),
    "zstd": b"\x28\xb5\x2f\xfd" + random.Random(2).randbytes(3000),
    "xz": b"\xfd7zXZ\x00" + random.Random(3).randbytes(3000),
    "one line": b"[    0.000000] " + b"x" * (4 << 20),
    "20 MB": b"[    0.100000] usb 1-1: a line of a log that has no end\n" * 360_000,
    "a trace": b"# tracer: function_graph\n#\n" + CALLS * 20_000,
    "names": samples.hostile(),
}


@pytest.mark.browser
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_an_answer(reader, name: str):
    got = answer(reader, HOSTILE[name], name)
    if "fault" in got:
        assert "fault of bootlab" not in got["fault"]
        assert len(got["fault"]) > 10
    else:
        assert got["page"]["detected"]
    # It reads the next one.
    assert "Boot 1" in answer(reader, samples.BOOT.encode())["thread"]


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_is_cut_and_every_text_stands_out(reader, width: int):
    reader.set_viewport_size({"width": width, "height": 900})
    reader.click("text=Try an example")
    reader.wait_for_selector("text=Longest silences")
    assert beyond(reader) == []
    assert too_faint(reader) == []
