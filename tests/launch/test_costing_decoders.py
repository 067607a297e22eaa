# SPDX-License-Identifier: MIT
"""What the costing plugin reads off an instruction: its class, how it goes on, the registers it waits for and sets."""

from __future__ import annotations

import ctypes
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.collectors.costing import CLASSES
from bootlab.data import source_folder
from tests.examples import examples

ENDS = ("-", "cond", "jump", "indirect", "call", "icall", "ret")
SETS = ("x86", "arm64", "a32", "t32", "riscv")
# Bytes as an assembler wrote them; registers by number: r general, v vector, fl flags.
KNOWN = [
    ("x86", "4801c3", "add %rax,%rbx", "alu", "-", "r3 r0", "r3 fl"),
    ("x86", "31c0", "xor %eax,%eax", "move", "-", "", "r0 fl"),
    ("x86", "4889c3", "mov %rax,%rbx", "move", "-", "r0", "r3"),
    ("x86", "488d5c0808", "lea 0x8(%rax,%rcx,1),%rbx", "alu", "-", "r0 r1", "r3"),
    ("x86", "480fafd8", "imul %rax,%rbx", "mul", "-", "r0 r3", "r3 fl"),
    ("x86", "48f7f1", "div %rcx", "div", "-", "r1 r0 r2", "r0 fl r2"),
    ("x86", "4883f803", "cmp $0x3,%rax", "alu", "-", "r0", "fl"),
    ("x86", "75fe", "jne 0x24", "branch", "cond", "fl", ""),
    ("x86", "ebfe", "jmp 0x26", "branch", "jump", "", ""),
    ("x86", "e8fbffffff", "call 0x2a", "branch", "call", "", ""),
    ("x86", "c3", "ret", "branch", "ret", "", ""),
    ("x86", "415c", "pop %r12", "memory", "-", "", "r12"),
    ("x86", "48c1e003", "shl $0x3,%rax", "shifted", "-", "r0", "r0 fl"),
    ("x86", "480f45d8", "cmovne %rax,%rbx", "alu", "-", "r0 r3 fl", "r3"),
    ("x86", "f0480fb119", "lock cmpxchg %rbx,(%rcx)", "atomic", "-", "r1 r3", "fl r0"),
    ("x86", "f3a4", "rep movsb %ds:(%rsi),%es:(%rdi)", "string", "-", "", ""),
    ("x86", "0f05", "syscall", "system", "indirect", "", ""),
    ("x86", "e464", "in $0x64,%al", "port", "-", "", ""),
    ("x86", "f30f6f08", "movdqu (%rax),%xmm1", "memory", "-", "r0", "v1"),
    ("x86", "f20f59d1", "mulsd %xmm1,%xmm2", "fp", "-", "v1 v2", "v2"),
    ("x86", "660f38dcd1", "aesenc %xmm1,%xmm2", "crypto", "-", "v1 v2", "v2"),
    ("x86", "c4e2e0f2c8", "andn %rax,%rbx,%rcx", "alu", "-", "r0 r3", "r1"),
    ("arm64", "831c0071", "subs w3, w4, #0x7", "alu", "-", "r4", "r3 fl"),
    ("arm64", "2500a0f2", "movk x5, #0x1, lsl #16", "move", "-", "r5", "r5"),
    ("arm64", "282d0a9b", "madd x8, x9, x10, x11", "mul", "-", "r9 r10 r11", "r8"),
    ("arm64", "4108c31a", "udiv w1, w2, w3", "div", "-", "r2 r3", "r1"),
    ("arm64", "410440f9", "ldr x1, [x2, #8]", "memory", "-", "r2", "r1"),
    ("arm64", "a31041a9", "ldp x3, x4, [x5, #16]", "memory", "-", "r5", "r3 r4"),
    ("arm64", "e313bfa9", "stp x3, x4, [sp, #-16]!", "memory", "-", "r31 r3", "r31"),
    ("arm64", "4100839a", "csel x1, x2, x3, eq", "alu", "-", "r2 r3 fl", "r1"),
    ("arm64", "010000b4", "cbz x1, 4c", "branch", "cond", "r1", ""),
    ("arm64", "00000094", "bl 5c", "branch", "call", "", ""),
    ("arm64", "00021fd6", "br x16", "branch", "indirect", "r16", ""),
    ("arm64", "c0035fd6", "ret", "branch", "ret", "r30", ""),
    ("arm64", "9f3f03d5", "dsb sy", "system", "-", "", ""),
    ("arm64", "417c5fc8", "ldxr x1, [x2]", "atomic", "-", "r2", "r1"),
    ("arm64", "417c03c8", "stxr w3, x1, [x2]", "atomic", "-", "r2 r1", "r3"),
    ("arm64", "410c7fc8", "ldxp x1, x3, [x2]", "atomic", "-", "r2", "r1 r3"),
    ("arm64", "41fcdfc8", "ldar x1, [x2]", "memory", "-", "r2", "r1"),
    ("arm64", "41fc9fc8", "stlr x1, [x2]", "memory", "-", "r2 r1", ""),
    ("arm64", "417ca3c8", "cas x3, x1, [x2]", "atomic", "-", "r2 r1 r3", "r3"),
    ("arm64", "410023f8", "ldadd x3, x1, [x2]", "atomic", "-", "r2 r3", "r1"),
    ("arm64", "400080f9", "prfm pldl1keep, [x2]", "memory", "-", "r2", ""),
    ("arm64", "414cc39a", "crc32x w1, w2, x3", "crypto", "-", "r2 r3", "r1"),
    ("arm64", "2018621e", "fdiv d0, d1, d2", "fdiv", "-", "v1 v2", "v0"),
    ("arm64", "4100669e", "fmov x1, d2", "fp", "-", "v2", "r1"),
    ("arm64", "2070404c", "ld1 {v0.16b}, [x1]", "memory", "-", "r1", "v0"),
    ("a32", "020081e0", "add r0, r1, r2", "alu", "-", "r1 r2", "r0"),
    ("a32", "a00f40e3", "movt r0, #4000", "move", "-", "r0", "r0"),
    ("a32", "913220e0", "mla r0, r1, r2, r3", "mul", "-", "r1 r2 r3", "r0"),
    ("a32", "11f230e7", "udiv r0, r1, r2", "div", "-", "r1 r2", "r0"),
    ("a32", "040091e5", "ldr r0, [r1, #4]", "memory", "-", "r1", "r0"),
    ("a32", "f000c2e1", "strd r0, [r2]", "memory", "-", "r2 r0", ""),
    ("a32", "0e00b0e8", "ldm r0!, {r1, r2, r3}", "memory", "-", "r0", "r0 list:e"),
    ("a32", "1080bde8", "pop {r4, pc}", "memory", "ret", "r13", "r13 list:10"),
    ("a32", "1eff2fe1", "bx lr", "branch", "ret", "r14", ""),
    ("a32", "feffff0a", "beq 70", "branch", "cond", "fl", ""),
    ("a32", "02008100", "addeq r0, r1, r2", "alu", "-", "r1 r2 fl", "r0"),
    ("a32", "9f0f91e1", "ldrex r0, [r1]", "atomic", "-", "r1", "r0"),
    ("a32", "9a0f07ee", "mcr 15, 0, r0, cr7, cr10, {4}", "system", "-", "", ""),
    ("a32", "000b90ed", "vldr d0, [r0]", "memory", "-", "r0", "v0"),
    ("a32", "440822f2", "vadd.i32 q0, q1, q2", "simd", "-", "v2 v4", "v0"),
    ("t32", "8818", "adds r0, r1, r2", "alu", "-", "r1 r2", "r0 fl"),
    ("t32", "7047", "bx lr", "branch", "ret", "r14", ""),
    ("t32", "4868", "ldr r0, [r1, #4]", "memory", "-", "r1", "r0"),
    ("t32", "10b5", "push {r4, lr}", "memory", "-", "r13", "r13"),
    ("t32", "10bd", "pop {r4, pc}", "memory", "ret", "r13", "r13 list:10"),
    ("t32", "08b1", "cbz r0, 20", "branch", "cond", "r0", ""),
    ("t32", "fed0", "beq.n 1c", "branch", "cond", "fl", ""),
    ("t32", "01eb0200", "add.w r0, r1, r2", "alu", "-", "r1 r2", "r0"),
    ("t32", "c0f6a070", "movt r0, #4000", "move", "-", "r0", "r0"),
    ("t32", "a2fb0301", "umull r0, r1, r2, r3", "mul", "-", "r2 r3", "r1 r0"),
    ("t32", "d2e90001", "ldrd r0, r1, [r2]", "memory", "-", "r2", "r0 r1"),
    ("t32", "d0e801f0", "tbb [r0, r1]", "branch", "indirect", "r0 r1", ""),
    ("t32", "fff7feff", "bl 7e", "branch", "call", "", ""),
    ("t32", "90ed000b", "vldr d0, [r0]", "memory", "-", "r0", "v0"),
    ("riscv", "3385c500", "add a0,a1,a2", "alu", "-", "r11 r12", "r10"),
    ("riscv", "1545", "li a0,5", "move", "-", "", "r10"),
    ("riscv", "3385c502", "mul a0,a1,a2", "mul", "-", "r11 r12", "r10"),
    ("riscv", "33d5c502", "divu a0,a1,a2", "div", "-", "r11 r12", "r10"),
    ("riscv", "8865", "ld a0,8(a1)", "memory", "-", "r11", "r10"),
    ("riscv", "88e5", "sd a0,8(a1)", "memory", "-", "r11 r10", ""),
    ("riscv", "6300b500", "beq a0,a1,20", "branch", "cond", "r10 r11", ""),
    ("riscv", "01a0", "j 26", "branch", "jump", "", ""),
    ("riscv", "8280", "ret", "branch", "ret", "r1", ""),
    ("riscv", "0295", "jalr a0", "branch", "icall", "r10", "r1"),
    ("riscv", "0f00f00f", "fence", "system", "-", "", ""),
    ("riscv", "73100518", "csrw satp,a0", "system", "-", "r10", ""),
    ("riscv", "f3250010", "csrr a1,sstatus", "shifted", "-", "", "r11"),
    ("riscv", "73002030", "mret", "system", "indirect", "", ""),
    ("riscv", "2f35b600", "amoadd.d a0,a1,(a2)", "atomic", "-", "r12 r11", "r10"),
    ("riscv", "53f5c51a", "fdiv.d fa0,fa1,fa2", "fdiv", "-", "v11 v12", "v10"),
]


class Insn(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint8),
        ("end", ctypes.c_uint8),
        ("address", ctypes.c_uint8 * 2),
        ("source", ctypes.c_uint8 * 3),
        ("target", ctypes.c_uint8 * 3),
        ("list", ctypes.c_uint16),
        ("place", ctypes.c_uint16),
        ("offset", ctypes.c_uint16),
    ]


@pytest.fixture(scope="session")
def decoders(tmp_path_factory):
    folder = source_folder("", "cost-x86.c", top="qemu-plugin")
    made = tmp_path_factory.mktemp("decoders") / "decoders.so"
    sources = [str(folder / f"cost-{name}.c") for name in SETS]
    flags = ["-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", *flags, "-o", str(made), *sources], check=True)
    library = ctypes.CDLL(str(made))
    found = {}
    for name in SETS:
        function = getattr(library, f"cost_{name}")
        function.restype, function.argtypes = Insn, [ctypes.c_char_p, ctypes.c_size_t]
        found[name] = function
    return found


def names(numbers):
    text = {65: "", 64: "fl"}
    return " ".join(filter(None, (text.get(n, f"r{n}" if n < 32 else f"v{n - 32}") for n in numbers)))


@pytest.mark.parametrize(("instructions", "code", "text", "kind", "end", "reads", "writes"), KNOWN)
def test_an_instruction_is_read(decoders, instructions, code, text, kind, end, reads, writes):
    raw = bytes.fromhex(code)
    insn = decoders[instructions](raw, len(raw))
    listed = f" list:{insn.list:x}" if insn.list else ""
    assert (CLASSES[insn.kind], ENDS[insn.end]) == (kind, end), text
    assert names([*insn.address, *insn.source]) == reads, text
    assert (names(insn.target) + listed).strip() == writes, text


@examples(400)
@given(st.sampled_from(SETS), st.binary(max_size=16))
def test_any_bytes_name_registers_that_there_are(decoders, instructions, raw):
    insn = decoders[instructions](raw, len(raw))
    assert insn.kind < len(CLASSES)
    assert insn.end < len(ENDS)
    assert all(number <= 65 for number in (*insn.address, *insn.source, *insn.target))
