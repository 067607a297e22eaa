#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shows that with `-icount shift=1,sleep=off` the host's scheduler decides how long a halt takes. Usage: halt-race.sh [QEMU [N]]
# Needs gcc, binutils and a qemu-system-x86_64, nothing else. Boots a program of 200 halts N times as it is and N times with
# QEMU's vCPU thread held for 300 us where it leaves the generated code. Each boot prints the virtual clock at the end. All
# lines should be the same. Exit code: 0 when they are, 1 when they differ.
set -eu
qemu=${1:-qemu-system-x86_64} n=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -m32 -c -o "$work/halt-race.o" "$here/halt-race.S"
objcopy -O binary -j .text "$work/halt-race.o" "$work/halt-race.bin"
gcc -O2 -shared -fPIC -o "$work/widen.so" "$here/widen.c" -ldl
boot() { # 0 as it is; else so many microseconds
    rm -f "$work/out"
    set -- "$1" "$qemu" -machine pc -cpu qemu64,-apic -m 16 -nodefaults -display none -no-reboot -accel tcg \
        -icount shift=1,sleep=off,align=off -rtc base=2026-01-01T00:00:00,clock=vm -bios "$work/halt-race.bin" \
        -device isa-debug-exit,iobase=0xf4 -chardev "file,id=c,path=$work/out" -serial chardev:c
    us=$1
    shift
    if [ "$us" = 0 ]; then "$@" || true; else LD_PRELOAD="$work/widen.so" WIDEN_US=$us "$@" || true; fi
    echo "$(cat "$work/out") held $us us" | tee -a "$work/all"
}
"$qemu" --version | head -n 1
i=0
while [ "$i" -lt "$n" ]; do boot 0; boot 300; i=$((i + 1)); done
different=$(cut -d' ' -f1 "$work/all" | sort -u | wc -l)
echo "$different different results in $((2 * n)) boots"
[ "$different" = 1 ]
