"""`[loader]` of a system file."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.systemfile.loader import loads

FILE = """
name = "chain"
[machine]
arch = "arm"
type = "orangepi-pc"
[kernel]
source = "debian"
[goal]
console = "done"
[loader]
{loader}
"""


def read(tmp_path, loader: str):
    (tmp_path / "ready.bin").write_bytes(b"x")
    return loads(FILE.format(loader=loader), path=str(tmp_path / "system.toml"), environ={}).loader


def test_an_image_for_a_card_and_a_ready_card(tmp_path):
    found = read(tmp_path, 'image = "ready.bin"\nstart = "script"\nwrapped = true')
    assert (found.image, found.start, found.wrapped) == (str(tmp_path / "ready.bin"), "script", True)
    found = read(tmp_path, 'card = "ready.bin"\nstart = "falcon"')
    assert (found.card, found.start) == (str(tmp_path / "ready.bin"), "falcon")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "loader.image"),
        ('image = "ready.bin"\nstart = "fast"', "loader.start"),
        ('image = "ready.bin"\nstart = "falcon"', "loader.start"),
        ('card = "ready.bin"\nimage = "ready.bin"', "loader.image"),
        ('card = "ready.bin"\nwrapped = true', "loader.wrapped"),
        ('card = "no.bin"', "loader.card"),
        ('image = "ready.bin"\nbootdelay = 0', "loader.bootdelay"),
    ],
)
def test_mistakes_name_the_key(tmp_path, text, key):
    with pytest.raises(SystemFileError) as caught:
        read(tmp_path, text)
    assert key in str(caught.value)
    assert caught.value.hint
