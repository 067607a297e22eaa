"""The file-system table: its four forms, and nothing in them that a console could have put there."""

import csv
import io

import msgspec
from rich.console import Console

from bootlab.model.filesystems import FilesystemRow, Filesystems, LeftOut
from bootlab.report import filesystems_text
from bootlab.report.filesystem_load import with_load

GOOD = FilesystemRow(
    id="cramfs-xip", title="CRAMFS, executed in place", medium="flash", ok=True, outcome="goal", image_bytes=1277952,
    mounted_ns=2_000_000_000, mounted_inside_ns=1_000_000_000, run_ns=2_010_000_000, init_ns=2_020_000_000,
    init_inside_ns=1_020_000_000, goal_ns=2_120_000_000, goal_inside_ns=1_120_000_000, page_cache_kib=36, proved=True,
    proof="/app is mapped from 0x44003000",
)  # fmt: skip
BAD = FilesystemRow(
    id="ext2", title="ext2", medium="flash", ok=False, outcome="panic", reason="=no | <b>root\x1b[31m", image_bytes=4096
)
FOUND = Filesystems(
    system="board", clock="virtual", tree_files=3, tree_bytes=5, rows=(GOOD, BAD),
    left_out=(LeftOut("xfs", "XFS", "the kernel lacks CONFIG_XFS_FS"),),
)  # fmt: skip


def test_the_load_is_modelled_from_what_was_read_or_from_the_image_in_brackets():
    read = msgspec.structs.replace(GOOD, id="sd-ext4", read_bytes=500_000)
    found = with_load(msgspec.structs.replace(FOUND, rows=(read, GOOD, BAD)), bandwidth_bytes_per_s=1_000_000)
    assert [row.load_ns for row in found.rows] == [500_000_000, 1_277_952_000, None]
    assert [row.goal_ns for row in found.rows] == [read.goal_ns, GOOD.goal_ns, None]
    text = filesystems_text.markdown(found)
    assert "| 488.3 KiB | 500.000 |" in text
    assert "| — | (1277.952) |" in text
    assert "over 1 MB/s" in text
    assert "MB/s" not in filesystems_text.markdown(FOUND)
    rows = list(csv.DictReader(io.StringIO(filesystems_text.comma_separated(found))))
    assert (rows[0]["read_bytes"], rows[0]["load_ns"], rows[1]["read_bytes"]) == ("500000", "500000000", "")


def test_the_terminal_shows_times_proof_and_what_was_left_out():
    out = io.StringIO()
    Console(file=out, width=150).print(filesystems_text.terminal(FOUND))
    text = out.getvalue()
    for words in ("booted from 1 file systems", "2120.000", "10.000", "100.000", "mapped from 0x44003000", "panic: "):
        assert words in text
    assert "left out: XFS: the kernel lacks CONFIG_XFS_FS" in text
    assert "\x1b[31m" not in text


def test_markdown_keeps_its_columns():
    table = [line for line in filesystems_text.markdown(FOUND).splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert {line.replace(r"\|", "").count("|") for line in table} == {13}


def test_csv_has_plain_numbers_and_no_formula():
    rows = list(csv.DictReader(io.StringIO(filesystems_text.comma_separated(FOUND))))
    assert (rows[0]["goal_ns"], rows[0]["exec_ns"], rows[0]["page_cache_kib"]) == ("2120000000", "10000000", "36")
    assert rows[1]["reason"].startswith("'=")
    assert rows[1]["goal_ns"] == ""


def test_html_is_escaped():
    page = filesystems_text.page(FOUND)
    assert "<b>root" not in page
    assert "&lt;b&gt;root" in page
    assert "\x1b" not in page
