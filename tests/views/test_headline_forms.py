# SPDX-License-Identifier: MIT
"""Every sentence of a headline has a form, every form presumes something: the table of both is whole, and holds."""

# ruff: noqa: E501, ISC004

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bootlab
from tests.conftest import REPOSITORY
from tests.logs.samples import SERIAL_HEAD

PAGE = REPOSITORY / "docs" / "explanation" / "headlines.md"
SAID_IN = [REPOSITORY / "crates/bootpage/src" / f"{name}.rs" for name in ("boot_words", "cost_headline", "unit_words")]
CORE = REPOSITORY / "crates"
CLAIMED_IN = [
    path
    for folder in ("boottrace/src/costs", "boottrace/src/document", "boottrace/src/facts", "bootpage/src")
    for path in sorted((CORE / folder).rglob("*.rs"))
]
ABSENT = re.compile(
    r"\b(?:is|are) not shown|\bnot shown\b|does not show|do not show|\bno log here|nothing of an? |gives no times|"
    r"surely|nothing shows|shows no |does not tell|follows in this text"
)
"""Words that claim that a text does not hold something."""

USED = f"{SERIAL_HEAD}[5.200000 1.000000] board login:\n"
KERNEL = "[    0.000000] Linux version 6.6.0 (a@b) (gcc 13) #1\n"
INIT = "[    1.000000] Run /sbin/init as init process\n"
LOGIN = "box login: \n"
ACCOUNT = "systemd[1]: Startup finished in 1.200s (kernel) + 13.550s (userspace) = 14.750s.\n"
SILENT = "[    1.500000] systemd[1]: hello\n[    2.500000] usb 1-1: new device\n[   40.000000] audit: type=1400 x\n"
PIECE = "[    3.000000] frobfs: version 2\n[   11.000000] quux_root: not ready yet\n"
LOADER = "[    0.000000] U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\n[    5.000000] frob: up\n"
FAILS = (
    "[    2.000000] usb 1-1: new high-speed USB device number 2 using ehci-pci\n"
    "[   20.000000] usb 1-1: device not accepting address 2, error -110\n[   20.100000] frob: up\n"
)
BLAME = "          12.500s wait-online.service\n           2.300s camera.service\n           1.300s quux.service\n"
CHAIN = "\nmulti-user.target @13.500s\n└─wait-online.service @1.000s +12.500s\n"


def literals(path: Path) -> list[str]:
    """The strings of a Rust file, but for its tests and comments."""
    text = path.read_text(encoding="utf-8").split("#[cfg(test)]", maxsplit=1)[0]
    found = re.finditer(r"""//[^\n]*|'(?:\\.|[^\\'])'|"((?:\\.|[^"\\])*)\"""", text, re.DOTALL)
    strings = (match[1] for match in found if match[1] is not None)
    return [re.sub(r"\\\n\s*", "", string).replace('\\"', '"').replace("\\\\", "\\") for string in strings]


def sentences() -> list[str]:
    """The forms of sentences in the code: they end with a full stop."""
    return [text for path in SAID_IN for text in literals(path) if text.endswith(".") and " " in text]


def rows() -> dict[str, tuple[str, str]]:
    """The table: what a form presumes, and who is asked."""
    found = re.findall(r"^\| (`{2,4}) ?(.*?) ?\1 \| (.*?) \| `?(.*?)`? \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return {form: (presumes, asked) for _, form, presumes, asked in found}


def said(text: str) -> list[str]:
    analysis = bootlab.analyze(text.encode())
    parts = [*analysis.boots, *analysis.units]
    return [sentence for part in parts for sentence in analysis.told(part).headline]


def pattern(form: str) -> re.Pattern[str]:
    pieces = re.split(r"\{[^}]*\}", form)
    return re.compile(r".*?".join(re.escape(piece) for piece in pieces), re.DOTALL)


def test_the_table_has_every_sentence_of_the_code_and_no_other():
    code = {text for path in SAID_IN for text in literals(path)}
    assert {form for form in rows() if form.endswith(".")} == set(sentences())
    assert set(rows()) <= code


def test_who_is_asked_is_there():
    code = "".join(path.read_text(encoding="utf-8") for path in CORE.rglob("src/**/*.rs"))
    for form, (presumes, asked) in rows().items():
        assert presumes, form
        for name in re.findall(r"[A-Za-z_]\w+$", asked):
            assert re.search(rf"\b{name}\b", code), f"{form}: {name}"


@pytest.mark.parametrize("path", CLAIMED_IN, ids=lambda path: str(path.relative_to(CORE)))
def test_nothing_is_said_to_be_absent(path: Path):
    assert [text for text in literals(path) if ABSENT.search(text)] == []


def test_a_claim_of_absence_is_noticed(tmp_path: Path):
    file = tmp_path / "x.rs"
    file.write_text('// "is not shown"\nlet a = format!("whether it waits \\\n    is not shown");\n', encoding="utf-8")
    assert [text for text in literals(file) if ABSENT.search(text)] == ["whether it waits is not shown"]
    assert not ABSENT.search("no cost found here tells of them")


EXAMPLES = {
    "The kernel {what} {length} after {}.": (
        f"{KERNEL}[    0.900000] Kernel panic - not syncing: VFS: Unable to mount root fs\n",
        f"{KERNEL}[    0.900000] frob: panic=5 asked\n",
    ),
    "{length} from {} to {}.": (USED, KERNEL + "[    1.000000] usb 1-1: new device\n"),
    "It came to {} (line {line}); no time was read for that.": (
        f"U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nStarting kernel ...\nLinux version 6.6.0 (a@b) (gcc) #1\n{LOGIN}",
        "U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nStarting kernel ...\nLinux version 6.6.0 (a@b) (gcc) #1\n",
    ),
    "The firmware's last time here is {} (line {}); no line of a Linux kernel was found behind it, up to line {}.": (
        LOADER,
        LOADER + KERNEL + INIT,
    ),
    "{whole} until systemd {what}, {OWN}: {}.": (
        f"{KERNEL}{INIT}[   14.750000] {ACCOUNT}",
        f"{KERNEL}{INIT}[   14.750000] systemd[1]: frob finished in 1.200s.\n",
    ),
    "{length} from {} to {}, the last event whose time was found.": (
        KERNEL + INIT + "[    1.500000] systemd[1]: Reached target Basic System.\n",
        USED,
    ),
    "The kernel took {length}.": (KERNEL + INIT, KERNEL + "[    1.000000] usb 1-1: new device\n"),
    "By systemd's own account: {}.": (
        SERIAL_HEAD + f"[4.700000 0.500000] {ACCOUNT}[5.200000 0.500000] board login:\n",
        USED,
    ),
    "No times were read in the lines of this boot.": (
        "U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nDRAM:  64 MiB\nNet:   eth0\n",
        LOADER,
    ),
    "Times were read, but none of them bounds a part of the boot that was found.": (
        "[    5.100000] usb 1-1: new device\n",
        KERNEL + INIT,
    ),
    "{} (line {line}).": (
        "Slow boot\n\nBooting takes 40 seconds because the frob driver waits for its firmware.\n",
        KERNEL + INIT,
    ),
    "The line's own words give a time: {} (line {line}).": (
        "It ends here:\n\n(initramfs) ata2: port failed to respond (30 secs, Status 0x80)\n",
        "[   30.000000] vcc: disabling\n[ TIME ] Timed out waiting for device /dev/sdc1.\n",
    ),
    "{of} is {spent}: {}, {gain}.": (
        "[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1\n[    1.500000] serial: driver\n[    2.000000] input: keys\n"
        "[    4.000000] Run /init as init process\n[    5.000000] init: starting service\n"
        "[    9.000000] binder: undelivered transaction 1\n[   10.000000] init: starting another\n",
        KERNEL + INIT,
    ),
    "Line {line} states {}: {}.": (
        "Jul 03 10:20:30 box kernel: Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n"
        "Jul 03 10:20:30 box kernel: ata2: reset failed (errno=-11), retrying in 5 secs\n"
        "Jul 03 10:20:30 box kernel: random: crng init done\n",
        KERNEL + INIT,
    ),
    "{length} pass between line {from} and line {to}{words}{still}.": (KERNEL + INIT + SILENT, KERNEL + INIT),
    "{least}{} pass between line {} and line {} (`{}` and `{}`){cut}{told}.": (
        "Mar 02 10:00:01 host kernel: usb 1-1: Product: Stick\nMar 02 10:00:09 host systemd[1]: Mounted /boot.\n",
        KERNEL + INIT,
    ),
    "The largest cost found is {}: {}{words}, {}.": (
        USED,
        KERNEL + INIT + SILENT,
    ),
    "The longest silence found in this piece{} is {} ({place}{words}); {told} the piece leaves out may take longer.": (
        PIECE,
        KERNEL + INIT + SILENT,
    ),
    "The largest cost found in this piece is {}: {}, {}.": (
        "[    1.000000] mmc0: error -84 whilst x\n[    2.000000] mmc0: error -84 whilst x\n",
        PIECE,
    ),
    "{whole} until systemd had started everything, {OWN}: {}.": (
        ACCOUNT.removeprefix("systemd[1]: ") + BLAME,
        BLAME,
    ),
    "A part of systemd's own account: {}.": (
        "Startup finished in 11.200s (firmware) + 1.500s (loader)\n" + BLAME,
        ACCOUNT.removeprefix("systemd[1]: ") + BLAME,
    ),
    "The largest {of} is {}: {}, {}.": (BLAME, KERNEL + INIT),
    "Beside the log, {words} (line {line}).": (
        "Slow boot of the frob board\n\nBooting takes 40 seconds because the frob driver waits for its firmware.\n\n"
        "[    3.000000] frobfs: version 2\n[    3.100000] quux_root: not ready yet\n[    3.200000] frobfs: up\n",
        PIECE,
    ),
    "{} (lines {line} to {last}, whose stamps span {span}).": (
        "$ dmesg | grep ata9\n[    7.000200] ata9: link is slow to respond, please be patient (ready=0)\n"
        "[   10.800300] ata9: softreset failed (device not ready)\n"
        "[   60.500400] ata9: softreset failed (device not ready)\n",
        "ata9: link is slow to respond, please be patient (ready=0)\nata9: softreset failed (device not ready)\n",
    ),
    "{} The largest cost whose time was found is {}: {}, {}.": (
        SERIAL_HEAD + "Gave up waiting for root file system device.  Common problems:\n"
        "ALERT!  UUID=0815 does not exist.  Dropping to a shell!\n",
        USED,
    ),
    "The largest gain found lies elsewhere: {}, {}.": (
        SERIAL_HEAD.replace("1.000000] Starting", "3.000000] Starting").replace("[4.2", "[7.2")
        + "[8.2 1.0] board login:\n",
        KERNEL + INIT,
    ),
    "Line {} says `{}`: {}.": (
        KERNEL + "[    0.900000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\n",
        KERNEL + "[    0.900000] frob: Internal state: ok\n" + INIT,
    ),
    "Later, {} pass between line {} and line {} (`{}` and `{}`); not every such time is a wait of the boot.": (
        KERNEL
        + INIT
        + "[    1.500000] frob: up\n[   10.000000] quux: ready\n[   10.100000] bar: one\n[   10.200000] bar: two\n",
        KERNEL + INIT + "[    1.500000] frob: up\n[   10.000000] usb 1-1: new high-speed USB device number 2\n",
    ),
    "Line {} says `{}`, before the largest of the costs found begins.": (
        KERNEL + "[    1.000000] BUG: scheduling while atomic: kworker/u16:3/83/0x00000002\n" + FAILS,
        KERNEL + FAILS + "[   21.000000] BUG: scheduling while atomic: kworker/u16:3/83/0x00000002\n",
    ),
    "The longest stage of that account is {}: {}.": (
        "Feb 09 22:38:11 host kernel: Linux version 6.8.0 (a@b) (gcc) #1\n"
        "Feb 09 22:38:11 host kernel: Run /init as init process\n"
        "Feb 09 22:38:12 host systemd[1]: systemd 255 running in system mode (+PAM)\n"
        "Feb 09 22:38:13 host systemd[1]: Starting frob.service - Frob Daemon...\n"
        "Feb 09 22:38:17 host systemd[1]: Started frob.service - Frob Daemon.\n"
        "Feb 09 22:38:27 host systemd[1]: Startup finished in 5.600s (firmware) + 12.200s (loader) + "
        "5.000s (kernel) + 14.600s (userspace) = 37.400s.\n",
        f"{KERNEL}{INIT}[   14.750000] {ACCOUNT}",
    ),
    "Behind init's last step that was found: {}, {length} (lines {}).": (
        KERNEL + INIT + "[    1.200000] systemd[1]: hello\n[    1.300000] frob: up\n"
        "[    6.000000] e1000e 0000:00:19.0 eth0: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: None\n",
        KERNEL + INIT + SILENT,
    ),
    "The longest step that was read takes {}: {} (line {line}).": (
        "Cloud-init v. 20.1 running 'init-local' at Mon, 06 Jan 2031 10:00:00 +0000. Up 5.00 seconds.\n"
        "Cloud-init v. 20.1 running 'init' at Mon, 06 Jan 2031 10:00:10 +0000. Up 15.00 seconds.\n"
        "Cloud-init v. 20.1 running 'modules:config' at Mon, 06 Jan 2031 10:00:12 +0000. Up 17.00 seconds.\n",
        BLAME,
    ),
    "{length} pass between line {from} and line {to} of this piece{words}.": (
        "[    3.000000] Run /init as init process\n[   11.000000] audit: type=1400 x\n",
        KERNEL + INIT,
    ),
    "{title} (line {line}): {}, in the text's own words.": (
        "Guide to the frob board\n\nWARNING: it took 6 minutes to boot, did I do something wrong?\n",
        KERNEL + INIT,
    ),
    "The longest {what} this excerpt is {} (lines {}): {}.": (
        "May 15 21:29:29 box quux[5]: frob begins\nMay 15 21:30:39 box quux[5]: frob ends\n",
        KERNEL + INIT,
    ),
    "`{}` takes {length} and goes on after the goal, so the goal did not wait for all of it.": (
        "Startup finished in 1.000s (kernel) + 60.000s (userspace) = 61.000s\n"
        "multi-user.target reached after 5.000s in userspace\n50.000s frob.service\n 3.000s quux.service\n",
        "Startup finished in 1.000s (kernel) + 60.000s (userspace) = 61.000s\n"
        "multi-user.target reached after 55.000s in userspace\n50.000s frob.service\n 3.000s quux.service\n",
    ),
    "`{unit}` waits {} until others are up{line}.": (
        "20.000s plymouth-quit-wait.service\n 3.000s quux.service\n 2.000s frob.service\n",
        BLAME,
    ),
    "Line {line} tells of a longer time, and was not read as a row of this list.": (
        BLAME + "\nand one more\n\nx y 30.000s frob.service in all, says he\n",
        BLAME,
    ),
}
"""A text for which a form is printed, and one, alike but for the evidence, for which it is not."""

WITHOUT = {
    "The kernel {what}.": "a panic whose time and the boot's first one have no order",
    "Up to {length} pass between two lines; not every such time is a wait of the boot.": "no cost is as long as the silence",
    "{} lie between lines {from} and {to}: {}.": "two stamps of a program's log outside of a boot, and no table of steps",
}
"""Forms for which no short text is known; what they would take."""


def test_every_form_has_its_texts():
    assert set(EXAMPLES) <= set(sentences())
    assert set(sentences()) - set(EXAMPLES) == set(WITHOUT)


@pytest.mark.parametrize("form", sorted(EXAMPLES))
def test_a_form_is_printed_where_its_evidence_is_and_nowhere_else(form: str):
    """With the evidence the form is there, without it it is not."""
    shows, lacks = EXAMPLES[form]
    assert any(pattern(form).search(sentence) for sentence in said(shows)), said(shows)
    assert not any(pattern(form).fullmatch(sentence) for sentence in said(lacks)), said(lacks)
