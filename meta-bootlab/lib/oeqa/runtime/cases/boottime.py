# SPDX-License-Identifier: MIT
"""The boots of the machine that `testimage` runs, by what it says of them over ssh, against a budget.

    TEST_SUITES:append = " boottime"
    BOOTLAB_TEST_BUDGET = "kernel=2s total=9s"
    BOOTLAB_TEST_BOOTS = "5"

It starts the machine again between two boots: one boot by a wall clock shows too little to fail or pass a build. These
are times of a board, or of an emulator at work; the budget of `bootlab.bbclass`, which is exact, is another one.
"""

import shlex
import subprocess
import tempfile
from pathlib import Path

from oeqa.core.decorator.depends import OETestDepends
from oeqa.runtime.case import OERuntimeTestCase

UNDECIDED = 14


class BootTimeTest(OERuntimeTestCase):
    """The machine under test, started several times."""

    @OETestDepends(["ssh.SSHTest.test_ssh"])
    def test_boots_keep_their_budget(self) -> None:
        """Let `bootlab gate` ask the machine, what systemd-analyze says, or else the kernel's log."""
        budgets = (self.td.get("BOOTLAB_TEST_BUDGET") or "").split()
        if not budgets:
            self.skipTest("BOOTLAB_TEST_BUDGET is not set")
        if not hasattr(self.target, "ssh"):
            self.skipTest("the machine is not reached by ssh")
        folder = Path(self.td.get("TEST_LOG_DIR") or tempfile.mkdtemp()) / "bootlab"
        words = [self.td.get("BOOTLAB") or "bootlab", "gate", "--keep", str(folder)]
        words += ["--run", self.on_machine("if type systemd-analyze >&2; then systemd-analyze time; else dmesg; fi")]
        words += ["--repeat", self.td.get("BOOTLAB_TEST_BOOTS") or "5", "--reboot", self.on_machine("reboot")]
        for budget in budgets:
            words += ["--budget", budget]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == UNDECIDED:
            self.skipTest(f"bootlab cannot tell whether the boots keep their budget:\n{done.stdout}")
        if done.returncode != 0:
            self.fail(f"over budget, or not read ({folder}):\n{done.stdout}")

    def on_machine(self, command: str) -> str:
        """Return the words for a shell that run a command on the machine."""
        return shlex.join([*self.target.ssh, self.target.ip, f"export PATH=/usr/sbin:/sbin:/usr/bin:/bin; {command}"])
