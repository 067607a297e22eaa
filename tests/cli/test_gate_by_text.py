# SPDX-License-Identifier: MIT
"""The commands of docs/how-to/gate-any-machine.md, with a made-up `ssh` in front of a made-up machine."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documented_commands import REPOSITORY, commands

PAGE = REPOSITORY / "docs" / "how-to" / "gate-any-machine.md"
SSH = r"""#!/bin/sh
# ssh vm CMD: each reboot makes the boot a little longer.
cd "$(dirname "$0")" || exit 1
n=$(cat boots 2>/dev/null || echo 0)
echo "Warning: Permanently added 'vm' (ED25519) to the list of known hosts." >&2
case $2 in
sudo) echo $((n + 1)) > boots; exit 255 ;;
*) printf 'Startup finished in 2.%d00s (kernel) + 9.000s (userspace) = 11.%d00s \n' "$n" "$n" ;;
esac
"""


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(SSH, encoding="utf-8")
    ssh.chmod(0o755)
    python = shlex.quote(sys.executable)
    (tmp_path / "bin" / "bootlab").write_text(f'#!/bin/sh\nexec {python} -m bootlab.cli "$@"\n', encoding="utf-8")
    (tmp_path / "bin" / "bootlab").chmod(0o755)
    for folder, slower in (("boots", 0), ("base", 1)):
        (tmp_path / folder).mkdir()
        for boot in range(5):
            text = f"Startup finished in 2.{boot}0{slower}s (kernel) + 9s (userspace) = 11.{boot}0{slower}s\n"
            (tmp_path / folder / f"run_{boot}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_page_runs_as_it_is_printed(desk: Path) -> None:
    words = {**os.environ, "PATH": f"{desk / 'bin'}:{os.environ['PATH']}"}
    answers = []
    for command in commands(PAGE):
        done = subprocess.run(command, shell=True, cwd=desk, env=words, capture_output=True, text=True, check=False)
        answers.append((done.returncode, done.stdout.strip().splitlines()[-1:], done.stderr))
    codes = [code for code, _, _ in answers]
    assert codes == [0, 0, 0, 14], answers
    assert sorted(file.name for file in (desk / "new").iterdir()) == [f"run_{boot}.txt" for boot in range(1, 6)]
    assert (desk / "gate.xml").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--budget", "total=1s"], "nothing is named that could be judged"),
        (["--repeat", "3", "boots", "--budget", "total=1s"], "need --run CMD"),
        (["boots", "--run", "true", "--budget", "total=1s"], "which of them is judged?"),
        (["--run", "true"], "there is nothing to judge the boot by"),
    ],
)
def test_options_that_clash_are_refused(desk: Path, words: list[str], says: str) -> None:
    done = subprocess.run(
        [desk / "bin" / "bootlab", "gate", *words], cwd=desk, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert says in done.stderr.replace("\n", " ")
