# SPDX-License-Identifier: MIT
"""[storage] of a system file: what it gives, and what is wrong with it."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.systemfile.loader import loads

BASE = 'name = "x"\ntarget = "replay"\n[goal]\nconsole = "ready"\n[storage]\n'


def test_the_keys_arrive():
    text = "flash_bank = 1\nflash_address = 0x44000000\nmtd_block = \"/dev/mtdblock1\"\npage_cache = 'c: (\\d+)'\n"
    storage = loads(BASE + text).storage
    assert storage is not None
    assert (storage.flash_bank, storage.flash_address, storage.root_kib) == (1, 0x44000000, 8192)
    assert storage.page_cache == r"c: (\d+)"


def test_without_the_table_there_is_none():
    assert loads(BASE.removesuffix("[storage]\n")).storage is None


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("flash_bank = 1", "storage.mtd_block"),
        ("root_kib = 100000", "storage.root_kib"),
        ("root_kib = 300", "storage.root_kib"),
        ("flash_erase_kib = 0", "storage.flash_erase_kib"),
        ("page_cache = 'no group'", "storage.page_cache"),
        ("sectors_read = 'no group'", "storage.sectors_read"),
        ("remounted = '('", "storage.remounted"),
        ("mapping = '('", "storage.mapping"),
        ("flash = 1", "storage.flash"),
    ],
)
def test_mistakes_name_their_key(text, where):
    with pytest.raises(SystemFileError) as caught:
        loads(BASE + text)
    assert caught.value.where == where
