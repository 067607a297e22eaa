# SPDX-License-Identifier: MIT
"""What each instruction does to the flow of control and to the interrupt mask."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.data import source_folder
from tests.trace import disassembly
from tests.trace.disassembly import CALL, HALT, IF, IRET, NONE, RETURN

SAME, OFF, ON, STATUS, ON_IF, OFF_IF, AS = range(7)

# Instruction words as the assemblers of binutils 2.40 make them.
FLOWS = {
    "arm64": """
        94000010 CALL   bl
        d63f0020 CALL   blr x1
        d63f083f CALL   blraaz x1
        d73f0822 CALL   blraa x1, x2
        d65f03c0 RETURN ret
        d65f0200 RETURN ret x16
        d65f0bff RETURN retaa
        d65f0fff RETURN retab
        d69f03e0 IRET   eret
        d69f0bff IRET   eretaa
        d503207f HALT   wfi
        d503205f HALT   wfe
        d5031023 HALT   wfit x3
        14000010 NONE   b
        54000040 NONE   b.eq
        d61f0200 NONE   br x16
        d71f0a11 NONE   braa x16, x17
        d6bf03e0 NONE   drps
        d4000001 NONE   svc
        d4000002 NONE   hvc
        d503201f NONE   nop
        b4000040 NONE   cbz
    """,
    "a32": """
        eb000010 CALL   bl
        0b000010 CALL+  bleq
        fa000010 CALL   blx label
        fb000010 CALL   blx label, odd half
        e12fff33 CALL   blx r3
        112fff33 CALL+  blxne r3
        e12fff1e RETURN bx lr
        012fff1e RETURN+ bxeq lr
        e12fff13 NONE   bx r3
        e12fff2e NONE   bxj lr
        e1a0f00e RETURN mov pc, lr
        11a0f00e RETURN+ movne pc, lr
        e1a0f003 NONE   mov pc, r3
        e8bd8010 RETURN pop {r4, pc}
        08bd8010 RETURN+ popeq {r4, pc}
        e49df004 RETURN pop {pc}
        e49df008 RETURN ldr pc, [sp], #8
        e89da8f0 RETURN ldm sp, {r4-r7, fp, sp, pc}
        e894aff0 RETURN ldm r4, {.., sp, pc}
        e91ba800 RETURN ldmdb fp, {fp, sp, pc}
        e51ff004 NONE   ldr pc, [pc, #-4]
        979ff103 NONE   ldrls pc, [pc, r3, lsl #2]
        908ff103 NONE   addls pc, pc, r3, lsl #2
        e8fd8000 IRET   ldm sp!, {pc}^
        e8ddffff IRET   ldm sp, {r0-pc}^
        e8dd7fff NONE   ldm sp, {r0-lr}^
        e1b0f00e IRET   movs pc, lr
        e25ef004 IRET   subs pc, lr, #4
        f8bd0a00 IRET   rfeia sp!
        e160006e IRET   eret
        e320f003 HALT   wfi
        e320f002 HALT   wfe
        ee070f90 HALT   mcr p15, 0, r0, c7, c0, 4
        ea000010 NONE   b
        0a000010 NONE   beq
        ef000000 NONE   svc
        e1a00000 NONE   nop
        e35f0000 NONE   cmp pc, #0
        e92d4010 NONE   push {r4, lr}
    """,
    "t32": """
        4798     CALL+  blx r3
        4770     RETURN+ bx lr
        4718     NONE   bx r3
        46f7     RETURN+ mov pc, lr
        469f     NONE   mov pc, r3
        bd10     RETURN+ pop {r4, pc}
        bc10     NONE   pop {r4}
        bf30     HALT   wfi
        bf20     HALT   wfe
        bf00     NONE   nop
        e7fe     NONE   b
        d0fe     NONE   beq
        f000f810 CALL+  bl
        f000e810 CALL+  blx label
        f000b810 NONE   b.w
        f0008010 NONE   beq.w
        e8bd8010 RETURN+ pop.w {r4, pc}
        e894a000 RETURN+ ldm r4, {sp, pc}
        e9188010 RETURN+ ldmdb r8, {r4, pc}
        f85dfb04 RETURN+ ldr pc, [sp], #4
        f8dff004 NONE   ldr pc, [pc, #4]
        f853f024 NONE   ldr pc, [r3, r4, lsl #2]
        e8dff003 NONE   tbb [pc, r3]
        f3de8f00 IRET+  eret
        f3de8f04 IRET+  subs pc, lr, #4
        e9bdc000 IRET+  rfeia sp!
        e83dc000 IRET+  rfedb sp!
        f3af8003 HALT   wfi.w
        ee070f90 HALT   mcr p15, 0, r0, c7, c0, 4
    """,
    "riscv": """
        010000ef CALL   jal ra
        010002ef CALL   jal t0
        0100006f NONE   j
        0100036f NONE   jal t1
        000500e7 CALL   jalr a0
        000302e7 CALL   jalr t0, t1
        000280e7 CALL   jalr ra, t0
        000080e7 CALL   jalr ra, ra
        00008067 RETURN ret
        00028067 RETURN jr t0
        00c08067 RETURN jr 12(ra)
        00030067 NONE   jr t1
        00050067 NONE   jr a0
        10200073 IRET   sret
        30200073 IRET   mret
        10500073 HALT   wfi
        00000073 NONE   ecall
        00100073 NONE   ebreak
        8082     RETURN c.jr ra
        8282     RETURN c.jr t0
        8302     NONE   c.jr t1
        9082     CALL   c.jalr ra
        9502     CALL   c.jalr a0
        9002     NONE   c.ebreak
        a001     NONE   c.j
        2001     NONE   c.addiw
        00050513 NONE   mv a0, a0
    """,
    "x86": """
        e800000000 CALL   call
        ffd0       CALL   call *%rax
        c3         RETURN ret
        48cf       IRET   iretq
        480f07     IRET   sysretq
        f4         HALT   hlt
        0f01c9     HALT   mwait
        eb00       NONE   jmp
        ffe0       NONE   jmp *%rax
    """,
}
MASKS = {
    "arm64": """
        d50342df OFF    msr daifset, #2
        d50343ff ON     msr daifclr, #3
        d50344df SAME   msr daifset, #4
        d51b4220 STATUS msr daif, x0
        d53b4220 SAME   mrs x0, daif
    """,
    "a32": """
        f10c0080 OFF    cpsid i
        f1080080 ON     cpsie i
        f10c0040 SAME   cpsid f
        f10e0093 OFF    cpsid i, #19
        f1020013 SAME   cps #19
        e121f004 STATUS msr cpsr_c, r4
        e321f0d3 STATUS msr cpsr_c, #211
        e128f004 SAME   msr cpsr_f, r4
        e161f004 SAME   msr spsr_c, r4
    """,
    "t32": """
        b672     OFF    cpsid i
        b662     ON     cpsie i
        b671     SAME   cpsid f
        f3af8640 OFF    cpsid.w i
        f3af8440 ON     cpsie.w i
        f3848100 STATUS msr cpsr_c, r4
        f3848800 SAME   msr cpsr_f, r4
    """,
    "riscv": """
        10017073 OFF      csrci sstatus, 2
        10016073 ON       csrsi sstatus, 2
        100177f3 OFF      csrrci a5, sstatus, 2
        10015073 ON       csrwi sstatus, 2
        10005073 OFF      csrwi sstatus, 0
        1007a073 ON_IF:15 csrs sstatus, a5
        1007b073 OFF_IF:15 csrc sstatus, a5
        10079073 AS:15    csrw sstatus, a5
        100027f3 SAME     csrr a5, sstatus
        10447073 SAME     csrci sie, 8
    """,
    "x86": """
        fa OFF cli
        fb ON  sti
        9d STATUS popf
    """,
}


@pytest.fixture(scope="module")
def decoders(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here: scripts/setup-debian.sh build")
    return disassembly.library(tmp_path_factory.mktemp("decoders"))


def rows(table, arch):
    for line in table[arch].strip().splitlines():
        digits, word, text = line.split(maxsplit=2)
        if arch == "x86":
            raw = bytes.fromhex(digits)
        elif arch == "t32" and len(digits) == 8:
            raw = bytes.fromhex(digits[:4])[::-1] + bytes.fromhex(digits[4:])[::-1]
        else:
            raw = bytes.fromhex(digits)[::-1]
        yield raw, word, text


@pytest.mark.parametrize("arch", FLOWS)
def test_flow(decoders, arch):
    decode = getattr(decoders, f"decode_{arch}_flow")
    kinds = {"NONE": NONE, "CALL": CALL, "RETURN": RETURN, "IRET": IRET, "HALT": HALT}
    for raw, word, text in rows(FLOWS, arch):
        assert decode(raw, len(raw)) == kinds[word.rstrip("+")] | (IF if word.endswith("+") else 0), text


@pytest.mark.parametrize("arch", MASKS)
def test_interrupt_mask(decoders, arch):
    decode = getattr(decoders, f"decode_{arch}_irq")
    for raw, word, text in rows(MASKS, arch):
        name, _, register = word.partition(":")
        assert decode(raw, len(raw)) == globals()[name] | int(register or 0) << 3, text


@pytest.mark.parametrize("arch", FLOWS)
@pytest.mark.parametrize("size", range(1, 16))
def test_any_length_is_answered(decoders, arch, size):
    for fill in (0x00, 0xFF, 0x66, 0x48):
        for what in ("flow", "irq"):
            assert getattr(decoders, f"decode_{arch}_{what}")(bytes([fill] * size), size) >= 0


@pytest.mark.parametrize("api", range(1, 8))
def test_the_plugins_compile_for_every_interface(api):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here: scripts/setup-debian.sh build")
    folder = source_folder("", top="qemu-plugin")
    sources = sorted(str(path) for path in folder.glob("**/*.c"))
    assert any(path.endswith("smp.c") for path in sources)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-DBOOTLAB_PLUGIN_API={api}"]
    subprocess.run(["cc", *flags, *sources], check=True)


LIBRARIES = (
    # Archives have the symbols that tell code from data; the mathematical library has no A32 code.
    ("arm64", disassembly.arm64, "aarch64-linux-gnu", (8,), ("libm.a",)),
    ("a32", disassembly.arm, "arm-linux-gnueabihf", (8,), ("libc.a",)),
    ("t32", disassembly.arm, "arm-linux-gnueabihf", (4,), ("libm.a",)),
    ("riscv", disassembly.riscv, "riscv64-linux-gnu", (4, 8), ("libm.a", "-M", "no-aliases")),
)


@pytest.mark.slow
@pytest.mark.parametrize(("arch", "told", "triple", "digits", "words"), LIBRARIES)
def test_objdump_agrees_on_a_whole_library(decoders, arch, told, triple, digits, words):
    folder = Path(f"/usr/{triple}/lib")
    # Where the C library has a libmvec, libm.a is a linker script, and the archive's name ends in the version.
    library = next(folder.glob(words[0].replace(".a", "-*.a")), folder / words[0])
    tool = f"{triple}-objdump"
    if not library.exists() or shutil.which(tool) is None:
        pytest.skip(f"no {tool} or C library of {triple} here: scripts/setup-debian.sh boards")
    found = disassembly.instructions(tool, *words[1:], str(library))
    count, wrong = disassembly.disagreements(getattr(decoders, f"decode_{arch}_flow"), told, found, digits)
    assert count > 20
    assert wrong == []
