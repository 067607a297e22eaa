#!/bin/sh
# Installs the Debian packages that bootlab needs and that are not there yet, on Debian 12 and Debian 13.
# Usage: setup-debian.sh GROUP...
# Groups: run (boot and measure), build (compile bootlab), lint (rustfmt, clippy), test (browser tests and the tools that
# tests call), boards (what ARM, AArch64 and RISC-V systems need besides), kernels (build Linux), loaders (build U-Boot, make
# cards), filesystems (root images), programs (build a root tree's programs), databases (the server that tests of the
# history start), roots (try it all on a fresh Debian: fresh-root.sh).
# Needs root or sudo only when something is missing.
set -eu

# a|b: the first of them that this release of Debian has.
run="qemu-system-x86 busybox-static gcc libc6-dev make lz4 zstd lzop xz-utils util-linux ca-certificates"
build="python3 python3-venv gcc libc6-dev make"
test="chromium procps cpio kmod patch git strace qemu-system-arm qemu-system-misc"
boards="qemu-system-arm qemu-system-misc gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
kernels="linux-source-6.1|linux-source-6.12 gcc make bison flex bc patch libelf-dev libssl-dev xz-utils lzop lz4 zstd ccache"
loaders="mtools fdisk grub-pc-bin grub-common ovmf systemd-boot-efi u-boot-qemu device-tree-compiler xxd gcc make bison flex bc patch libssl-dev ccache"
programs="gcc libc6-dev make musl-tools"
filesystems="squashfs-tools erofs-utils e2fsprogs xfsprogs btrfs-progs f2fs-tools mtd-utils fakeroot gcc libc6-dev lz4"
databases="postgresql util-linux"
roots="mmdebstrap zstd git util-linux"

# Rust 1.85 is the oldest that compiles bootlab. Debian 13's own cargo will do; Debian 12's is 0.66, and its security
# archive carries a current one under another name.
new_enough() {
    awk '{ split($0, v, /[.+~]/); found = v[1] > '"$1"' || v[1] == '"$1"' && v[2] >= '"$2"' } END { exit !found }'
}
cargo_there() { cargo --version 2>/dev/null | awk '{ print $2 }' | new_enough 1 85; }
own_cargo() { apt-cache policy cargo 2>/dev/null | awk '$1 == "Candidate:" { print $2 }' | new_enough 1 85; }
known() { apt-cache show "$1" 2>/dev/null | grep -qx "Package: $1"; }
installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

sudo=""
as_root() {
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "setup-debian.sh: run as root: $*" >&2; exit 3; }
        sudo="sudo"
    fi
}
updated=""
update() {
    [ -n "$updated" ] && return
    as_root apt-get update
    $sudo apt-get update -qq
    updated=yes
}

# What a group means, once apt knows the release's packages.
packages() {
    case "$1" in
    run) echo "$run" ;;
    build) echo "$build" ;;
    lint) ;; # see rust()
    test) echo "$test" ;;
    boards) echo "$boards" ;;
    kernels) echo "$kernels" ;;
    filesystems) echo "$filesystems" ;;
    loaders) echo "$loaders" ;;
    programs) echo "$programs" ;;
    databases) echo "$databases" ;;
    roots) echo "$roots" ;;
    *)
        echo "setup-debian.sh: no group $1 (run, build, lint, test, boards, kernels, loaders, filesystems, programs, databases, roots)" >&2
        exit 2
        ;;
    esac
}
rust() {
    for group in "$@"; do
        case "$group" in
        build) cargo_there || { own_cargo && echo "cargo rustc" || echo "cargo-web rustc-web"; } ;;
        lint) cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
            { own_cargo && echo "rustfmt rust-clippy" || echo "rustfmt-web rust-web-clippy"; } ;;
        esac
    done
}

wanted=""
for group in "$@"; do
    named=$(packages "$group")
    wanted="$wanted $named"
done
list=$(rust "$@")
if [ -n "$list" ] && ! known cargo; then
    update # without apt's lists nothing says which cargo this release has
    list=$(rust "$@")
fi
wanted="$wanted $list"

missing=""
for choice in $wanted; do
    found="" first=""
    for package in $(echo "$choice" | tr '|' ' '); do
        installed "$package" && { found=yes; break; }
    done
    [ -n "$found" ] && continue
    for package in $(echo "$choice" | tr '|' ' '); do
        [ "$choice" = "$package" ] || known "$package" || { update; known "$package"; } || continue
        first=$package
        break
    done
    missing="$missing ${first:-$choice}"
done
[ -z "$missing" ] && exit 0

echo "installing Debian packages:$missing"
as_root "apt-get install$missing"
update
# shellcheck disable=SC2086  # a list of names
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
