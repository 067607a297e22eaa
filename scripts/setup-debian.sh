#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that bootlab needs and that are not there yet, on Debian 12 and later. On Fedora, Arch,
# openSUSE and Alpine it installs nothing and names what is missing, in one line for root (other-packages.sh).
# Usage: setup-debian.sh GROUP...
# Groups: run (boot and measure), build (compile bootlab), lint (rustfmt, clippy), test (browser tests and the tools that
# tests call), boards (what ARM, AArch64 and RISC-V systems need besides), kernels (build Linux), loaders (build U-Boot, make
# cards), filesystems (root images), programs (build a root tree's programs), databases (the server that tests of the
# history start), reader (the core for a browser), roots (try it all on a fresh Debian: fresh-root.sh),
# containers (an image of bootlab: container.sh), hosts (a Debian that ssh reboots: make-ssh-vm.sh).
# Needs root or sudo only when something is missing. Without both it prints one line for root, of all that `make` ever asks
# for, and ends with exit code 3.
set -eu

# a|b: the first of them that this release of Debian has.
run="qemu-system-x86 busybox-static gcc libc6-dev make lz4 zstd lzop xz-utils util-linux ca-certificates"
build="python3 python3-venv gcc libc6-dev make"
test="chromium procps cpio kmod patch git strace qemu-system-arm qemu-system-riscv|qemu-system-misc"
boards="qemu-system-arm qemu-system-riscv|qemu-system-misc gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
kernels="linux-source-6.1|linux-source-6.12|linux-source gcc make bison flex bc patch libelf-dev libssl-dev xz-utils lzop lz4 zstd ccache"
loaders="mtools fdisk grub-pc-bin grub-common ovmf systemd-boot-efi u-boot-qemu device-tree-compiler xxd gcc make bison flex bc patch libssl-dev ccache"
programs="gcc libc6-dev make musl-tools"
filesystems="squashfs-tools erofs-utils e2fsprogs xfsprogs btrfs-progs f2fs-tools mtd-utils fakeroot gcc libc6-dev lz4"
databases="postgresql util-linux"
# Debian 13's compiler has this library; of Debian 12's current one (rustc-web) there is none: rustup has it there.
reader="libstd-rust-dev-wasm32 lld"
roots="mmdebstrap zstd git util-linux"
containers="mmdebstrap git util-linux umoci"
hosts="mmdebstrap cpio kmod openssh-client"

here=$(cd "${0%/*}" && pwd)
release=${OS_RELEASE:-/etc/os-release} # (another file in tests)
system=$([ ! -r "$release" ] || { . "$release"; echo "${ID:-} ${ID_LIKE:-}"; })

# Rust 1.85 is the oldest that compiles bootlab. Debian 13's own cargo will do; Debian 12's is 0.66, and its security
# archive carries a current one under another name. An Ubuntu whose cargo is older has rustup.
new_enough() {
    awk '{ split($0, v, /[.+~]/); found = v[1] > '"$1"' || v[1] == '"$1"' && v[2] >= '"$2"' } END { exit !found }'
}
cargo_there() { cargo --version 2>/dev/null | awk '{ print $2 }' | new_enough 1 85; }
known() { apt-cache show "$1" 2>/dev/null | grep -qx "Package: $1"; }
codename=$([ ! -r "$release" ] || { . "$release"; echo "${VERSION_CODENAME:-}"; })
own_cargo() {
    # Without apt's lists only the release says it.
    known cargo || { [ "$codename" != bookworm ]; return; }
    apt-cache policy cargo 2>/dev/null | awk '$1 == "Candidate:" { print $2 }' | new_enough 1 85
}
installed() { case "$there" in *" $1 "*) ;; *) return 1 ;; esac; }

# Every group but those that no test and no demo needs: kernels (what a kernel build needs), roots, containers, hosts.
everything='run build lint test boards loaders filesystems programs databases'
tell_root() {
    {
        echo "setup-debian.sh: only root can install what is missing here:$missing"
        echo "As root, once, for everything that make demo, check and test need (this line is all of it):"
        # shellcheck disable=SC2086  # a list of groups
        echo "apt-get update && apt-get install -y --no-install-recommends$(missing_of $everything)"
    } >&2
    exit 3
}
sudo=""
as_root() {
    [ "$(id -u)" -eq 0 ] && return
    # It asks for a password where somebody can type one.
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; } || tell_root
    sudo="sudo"
}
updated=""
update() {
    [ -n "$updated" ] && return
    as_root
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
    reader) ! own_cargo || echo "$reader" ;;
    roots) echo "$roots" ;;
    containers) echo "$containers" ;;
    hosts) echo "$hosts" ;;
    *)
        echo "setup-debian.sh: no group $1 (run, build, lint, test, boards, kernels, loaders, filesystems, programs, databases, reader, roots, containers, hosts)" >&2
        exit 2
        ;;
    esac
}
cargo_packages() {
    if own_cargo; then echo "cargo rustc"
    elif [ "$codename" = bookworm ] || known cargo-web; then echo "cargo-web rustc-web"
    else echo rustup; fi
}
rust() {
    for group in "$@"; do
        case "$group" in
        build) cargo_there || cargo_packages ;;
        lint) cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
            { own_cargo && echo "rustfmt rust-clippy" || echo "rustfmt-web rust-web-clippy"; } ;;
        esac
    done
}

# The missing packages of groups. Alternatives are told apart by what apt knows: the first that this release has, whatever
# of the others is installed. Where it knows none, the last is named, which every release has.
missing_of() {
    wanted=$(rust "$@")
    for group in "$@"; do wanted="$wanted $(packages "$group")"; done
    named=""
    for choice in $wanted; do
        # Debian 12's backports have the newer package too, which goes with their QEMU only.
        [ "$codename $choice" != "bookworm qemu-system-riscv|qemu-system-misc" ] || choice=qemu-system-misc
        found="" first=""
        for package in $(echo "$choice" | tr '|' ' '); do
            installed "$package" && { found=yes; break; }
            { [ "$choice" = "$package" ] || known "$package"; } && { first=$package; break; }
        done
        : "${first:=${choice##*|}}"
        [ -n "$found" ] && continue
        case "$named " in *" $first "*) ;; *) named="$named $first" ;; esac
    done
    echo "$named"
}

for group in "$@"; do packages "$group" >/dev/null; done
case " $system " in
*" debian "* | *" ubuntu "*) ;;
*) command -v dpkg-query >/dev/null || {
    own_cargo() { true; }
    # shellcheck disable=SC2046  # a list of words
    wanted=$(rust "$@") wanted="$wanted $(for group in "$@"; do packages "$group"; done)"
    . "$here/other-packages.sh"
} ;;
esac
# Asked once: hundreds of questions to dpkg take seconds.
there=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | awk '$1 == "installed" { printf "%s ", $2 }')"
missing=$(missing_of "$@")
[ -z "$missing" ] && exit 0
as_root
update # apt's lists say which cargo, and which of two packages, this release has
missing=$(missing_of "$@")
echo "installing Debian packages:$missing"
# shellcheck disable=SC2086  # a list of names
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
