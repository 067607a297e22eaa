"""The tables of kernel execute-in-place, and the model of flash beside them."""

import io

import msgspec
from rich.console import Console

from bootlab.experiment.xip import XipRow, XipTable
from bootlab.report import xip_text
from bootlab.report.xip_model import FlashModel

COPIED = XipRow(
    start="copied",
    image="Image",
    image_bytes=3_200_000,
    text_bytes=2_000_000,
    ram_free_kib=120_000,
    loader_ns=2_000_000,
    copy_ns=6_000_000,
    unpack_ns=0,
    init_ns=300_000_000,
    total_ns=308_000_000,
    unpack_insns=0,
    init_insns=18_750_000,
    text_virtual=0xC0300A04,
    text_physical=0x40300A04,
    text_in_flash=False,
    iomem_code="40008000-4024ffff : Kernel code",
    bench_ns={"stat": 30_000, "fork": 1_000_000, "pipe": 80_000, "context": 30_000},
)
IN_PLACE = msgspec.structs.replace(
    COPIED, start="in-place", image="xipImage", copy_ns=0, text_physical=0x180A04, text_in_flash=True, iomem_code=""
)
TABLE = XipTable(
    system="lab", shift=4, flash_bytes=64 << 20, rows=(IN_PLACE, COPIED), refused={"unpacked": "no\x1b[1m"}
)
MODEL = FlashModel(flash_line_ns=530, ram_line_ns=30, misses_per_1000=10, line_bytes=32)


def test_what_is_copied_is_read_once():
    assert MODEL.added_ns(COPIED) == 100_000 * 530


def test_what_is_executed_in_place_waits_at_each_miss():
    assert MODEL.added_ns(IN_PLACE) == 187_500 * 500


def test_unpacking_out_of_flash_reads_it_once_too():
    row = msgspec.structs.replace(COPIED, start="unpacked-in-place", unpack_insns=1_000_000)
    assert MODEL.added_ns(row) == MODEL.added_ns(COPIED)


def test_only_code_in_flash_pays_at_run_time():
    text = xip_text.markdown(TABLE, MODEL)
    rows = [line for line in text.splitlines() if line.startswith(("| executed in place | 30", "| copied to RAM | 30"))]
    assert rows == [
        "| executed in place | 30.00 | 1000.00 | 80.00 | 30.00 | 39.38 | 1312.50 | 105.00 | 39.38 |",
        "| copied to RAM | 30.00 | 1000.00 | 80.00 | 30.00 | 30.00 | 1000.00 | 80.00 | 30.00 |",
    ]


def test_the_proof_stands_in_the_tables_and_nothing_hostile():
    text = xip_text.markdown(TABLE, MODEL)
    assert "0x00180a04 | yes | none in RAM" in text
    assert "\x1b" not in text
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(xip_text.terminal(TABLE, MODEL))
    said = console.export_text()
    assert "could not be built" in said
    assert "530 ns a line of 32 bytes from flash" in said
