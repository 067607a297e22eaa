# SPDX-License-Identifier: MIT
"""This machine's processor: what a program takes on it, its clock, its caches and the latencies of its memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

PLAIN = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM",
    "LC_ALL": "C",
    "PATH": os.environ["PATH"],
}
# A multiplication takes three cycles on every x86 since 2008; additions of constants take none on the newest.
SPIN = (
    "#include <stdint.h>\nint main(void){uint64_t x=3;for(long i=0;i<10000000;i++)"
    '__asm__ volatile("imul %0,%0\\nimul %0,%0\\nimul %0,%0\\nimul %0,%0":"+r"(x));return x==0;}'
)
SPIN_CYCLES = 120_000_000
CHASE = """
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&t);return t.tv_sec*1e9+t.tv_nsec;}
int main(int c,char**v){size_t n=strtoul(v[1],0,0)/64;char*m=aligned_alloc(4096,n*64);size_t*p=malloc(n*sizeof*p);
uint64_t s=88172645463325252ull;(void)c;
for(size_t i=0;i<n;i++)p[i]=i;
for(size_t i=n-1;i;i--){s^=s<<13;s^=s>>7;s^=s<<17;size_t j=s%i,t=p[i];p[i]=p[j];p[j]=t;}
for(size_t i=0;i<n;i++)*(void**)(m+p[i]*64)=m+p[(i+1)%n]*64;
void*q=m;double best=1e9;
for(int r=0;r<8;r++){double a=now();for(long i=0;i<400000;i++)q=*(void**)q;double b=(now()-a)/400000;if(b<best)best=b;}
printf("%f",best);return q==0;}
"""
# Size of a chase, and which ends of which figures it is.
CHASES = {
    "262144": ("l2_hit", 0, 1),
    "4194304": ("l3_hit", 0, 1),
    "16777216": ("dram", 0, 0),
    "67108864": ("dram", 1, 1),
}


def processor_ns(command: list[str], folder: Path, runs: int) -> tuple[float, float]:
    """Return the least processor time of many runs, and the kernel's share of all of them.

    Where the kernel tells the parts apart by its ticks, one run of some milliseconds has too few of them.
    """
    best, kernel, whole = float("inf"), 0.0, 0.0
    for _ in range(runs):
        child = subprocess.Popen(
            command, cwd=folder, env=PLAIN, stdin=(folder / "large").open("rb"), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        spent = (usage.ru_utime + usage.ru_stime) * 1e9
        best = min(best, spent)
        kernel += usage.ru_stime * 1e9
        whole += spent
    return best, kernel / whole


def clock_ghz(folder: Path) -> float:
    (folder / "spin.c").write_text(SPIN)
    subprocess.run(["cc", "-O1", "-o", "spin", "spin.c"], cwd=folder, check=True)
    return SPIN_CYCLES / processor_ns(["./spin"], folder, 40)[0]


def memory_ns(folder: Path) -> dict[str, list[float]]:
    """Return the latencies that a chase of pointers finds, by the figure of a core that they are; both ends."""
    (folder / "chase.c").write_text(CHASE)
    subprocess.run(["cc", "-O2", "-o", "chase", "chase.c"], cwd=folder, check=True)
    found: dict[str, list[float]] = {}
    for size, (figure, first, last) in CHASES.items():
        done = subprocess.run(["./chase", size], cwd=folder, check=True, capture_output=True, text=True)
        ends = found.setdefault(figure, [0.0, 0.0])
        ends[first] = ends[last] = float(done.stdout)
    return found


def cache_words() -> list[str]:
    """Return the sizes of the caches, as the kernel tells them; of L3 only where its sets are a power of 2."""
    found = []
    for place in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind = ((place / name).read_text().strip() for name in ("level", "type"))
        sets, ways, line = (
            int((place / name).read_text())
            for name in ("number_of_sets", "ways_of_associativity", "coherency_line_size")
        )
        name = {"Data": "d", "Instruction": "i"}.get(kind, "")
        if sets & (sets - 1) == 0 and ways <= 32:
            found.append(f"l{level}{name}={sets * ways * line}:{ways}:{line}")
    return found


def this_processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
