# SPDX-License-Identifier: MIT
"""kernel-hardening-checker on both kernels: its rows that differ, and one sentence where it is not there."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.experiments.optimize.hardening import PROGRAM, hardening
from bootlab.launch.boot_plan import BootPlan
from tests.experiments.fake_bench import system

ON = {
    "CONFIG_X86_64": "y",
    "CONFIG_BUG": "y",
    "CONFIG_SECURITY": "y",
    "CONFIG_LOCALVERSION": "",
    "CONFIG_NR_CPUS": "64",
}

FAKE = """\
#!/usr/bin/env python3
import json, sys
config, cmdline = (open(sys.argv[sys.argv.index(word) + 1]).read() for word in ("-c", "-l"))
assert config.startswith("#\\n# Linux/x86 6.1.9 Kernel Configuration"), config
assert sys.argv[1:3] == ["-m", "json"]
assert 'CONFIG_LOCALVERSION=""\\nCONFIG_NR_CPUS=64\\n' in config, config
print("[!] WARNING: something")
def row(name, kind, ok):
    return {"option_name": name, "type": kind, "reason": "r", "decision": "d", "desired_val": "y",
            "check_result": "OK" if ok else "FAIL: is not found", "check_result_bool": ok}
print(json.dumps([
    row("CONFIG_BUG", "kconfig", "CONFIG_BUG=y" in config),
    row("CONFIG_SECURITY", "kconfig", "CONFIG_SECURITY=y" in config),
    row("mitigations", "cmdline", "mitigations=off" not in cmdline),
]))
"""


def plan(*params, config=ON):
    info = KernelInfo(arch="x86_64", numbers=(6, 1, 9), config=dict(config))
    asked = system(*params)
    return BootPlan(system=asked, purpose="timing", key="k", info=info, sizes_bytes={}, sha256={})


@pytest.fixture
def program(tmp_path, monkeypatch):
    def there(text):
        (tmp_path / PROGRAM).write_text(text)
        (tmp_path / PROGRAM).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return there


def test_what_is_lost_comes_first(program):
    program(FAKE)
    before = plan(config=ON | {"CONFIG_BUG": "n"})
    found = hardening(before, plan("mitigations=off", config={**ON, "CONFIG_SECURITY": "n"}))
    said = [(one.subject, one.before, one.after) for one in found.contrasts]
    assert said == [
        ("CONFIG_SECURITY", "OK", "FAIL: is not found"),
        ("mitigations (cmdline)", "OK", "FAIL: is not found"),
        ("CONFIG_BUG", "FAIL: is not found", "OK"),
    ]
    assert found.unchecked == ()
    assert not any(one.refused for one in found.contrasts)


def test_nothing_changed_nothing_run(program):
    program("#!/bin/sh\nexit 1\n")
    assert hardening(plan(), plan()) == hardening(plan("x"), plan("x"))


def test_a_program_that_fails_says_so(program):
    program("#!/bin/sh\necho '[-] ERROR: failed to detect architecture' >&2\nexit 1\n")
    found = hardening(plan(), plan("mitigations=off"))
    assert found.unchecked == (
        (
            "the kernel's hardening was not checked: kernel-hardening-checker failed: "
            "[-] ERROR: failed to detect architecture"
        ),
    )


def test_an_answer_that_is_none(program):
    program("#!/bin/sh\necho hello\n")
    (said,) = hardening(plan(), plan("mitigations=off")).unchecked
    assert "kernel-hardening-checker failed" in said


def test_where_it_is_not_there_one_sentence_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (said,) = hardening(plan(), plan("mitigations=off")).unchecked
    assert "kernel-hardening-checker is not installed (pipx install " in said


def test_a_configuration_that_is_not_known(program):
    program(FAKE)
    before = msgspec.structs.replace(plan(), info=KernelInfo())
    (said,) = hardening(before, plan("mitigations=off")).unchecked
    assert "the kernel's configuration is not known" in said
