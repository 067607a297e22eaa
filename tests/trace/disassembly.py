# SPDX-License-Identifier: MIT
"""The decoders of qemu-plugin against objdump: what does each instruction do to the flow of control?"""

import ctypes
import re
import shutil
import subprocess

from bootlab.data import source_folder

NONE, CALL, RETURN, IRET, HALT = range(5)
IF = 8


def library(place):
    """Compile the decoders."""
    made = place / "decoders.so"
    sources = sorted(str(path) for path in source_folder("", top="qemu-plugin").glob("decode-*.c"))
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", made, *sources], check=True)
    return ctypes.CDLL(str(made))


def instructions(tool, *words):
    """Yield (bytes, digits of a word, mnemonic, operands) of each distinct instruction that objdump prints."""
    seen = set()
    command = [shutil.which(tool), "-d", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 3 or fields[1] in seen:
                continue
            seen.add(fields[1])
            raw = b"".join(bytes.fromhex(word)[::-1] for word in fields[1].split())
            yield (
                raw,
                len(fields[1].split()[0]),
                fields[2],
                re.split(r"\s*(?:;|@|//|#\s|<)", fields[3])[0].strip() if len(fields) > 3 else "",
            )


def arm64(name, operands):
    """Return the class that a mnemonic of AArch64 tells."""
    if name in {"bl", "blr"} or name.startswith("blra"):
        return CALL
    if name in {"ret", "retaa", "retab"}:
        return RETURN
    if name.startswith("eret"):
        return IRET
    return HALT if name in {"wfi", "wfe", "wfit", "wfet"} else NONE


CONDITION = r"(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
ARM_CALL = re.compile(rf"blx?{CONDITION}(\.n|\.w)?")
ARM_LDM = re.compile(rf"(pop|ldm(ia|db|ib|da|fd|ed|fa|ea)?){CONDITION}(\.n|\.w)?")
ARM_SETS = re.compile(rf"(mov|mvn|add|adc|sub|sbc|rsb|rsc|and|bic|orr|eor|orn|lsl|lsr|asr|ror|rrx)s{CONDITION}(\.w)?")


def arm(name, operands):
    """Return the class that a mnemonic of A32 or T32 tells."""
    plain = re.sub(r"\.[nw]$", "", name)
    if ARM_CALL.fullmatch(name) and not re.fullmatch(r"b(le|lt|ls)(\.[nw])?", name):
        return CALL
    if re.fullmatch(rf"bx{CONDITION}", plain):
        return RETURN if operands == "lr" else NONE
    if re.fullmatch(rf"mov{CONDITION}", plain) and operands == "pc, lr":
        return RETURN
    if ARM_LDM.fullmatch(name) and "pc}" in operands:
        return IRET if operands.endswith("^") else RETURN
    if re.fullmatch(rf"pop{CONDITION}", plain) and operands.endswith("{pc}"):
        return RETURN
    if re.fullmatch(rf"ldr{CONDITION}", plain) and re.match(r"pc, \[sp\], #\d", operands):
        return RETURN
    if (ARM_SETS.fullmatch(name) and operands.startswith("pc, ")) or re.match(rf"rfe|eret{CONDITION}$", name):
        return IRET
    cp15_wait = re.fullmatch(rf"mcr{CONDITION}", plain) and re.fullmatch(r"15, 0, \w+, cr7, cr0, \{4\}", operands)
    return HALT if re.fullmatch(rf"wf[ie]{CONDITION}", plain) or cp15_wait else NONE


def riscv(name, operands):
    """Return the class that a RISC-V instruction without aliases tells (objdump -M no-aliases)."""
    regs = operands.split(",")
    links = {"ra", "t0"}
    name = name.removeprefix("c.")
    if name == "jal":
        return CALL if regs[0] in links else NONE
    if name == "jalr":
        if len(regs) == 1:  # c.jalr: into ra
            return CALL
        from_register = re.sub(r".*\(|\)", "", regs[-1])
        return CALL if regs[0] in links else RETURN if from_register in links else NONE
    if name == "jr":
        return RETURN if regs[0] in links else NONE
    return IRET if name in {"mret", "sret", "mnret"} else HALT if name == "wfi" else NONE


def disagreements(decode, told, found, digits=(4, 8)):
    """Return how many instructions were compared, and those whose class differs. `digits`: 4 for T32, 8 for A32."""
    count, wrong = 0, []
    for raw, width, name, operands in found:
        if name in {"@", ";"} or name.startswith(".") or width not in digits:  # no instruction, or another set's
            continue
        count += 1
        got = decode(raw, len(raw))
        if got & ~IF != told(name, operands):
            wrong.append((raw[::-1].hex(), name, operands, got))
    return count, wrong
