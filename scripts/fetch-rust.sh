#!/bin/sh
# SPDX-License-Identifier: MIT
# A Rust compiler of Debian's with the standard library of another architecture, unpacked and not installed.
# Usage: fetch-rust.sh DEBIAN_ARCH FOLDER   (arm64). Leaves FOLDER/rustc, a script that starts it. A second call does nothing.
# For machines whose compiler has no `rustup target add`. Debian 12 has it under the name of its web browser's (rustc-web).
set -eu
other=$1 folder=$2
[ -x "$folder/rustc" ] && exit 0
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
own=$(dpkg --print-architecture)
suite=$(. /etc/os-release; echo "$VERSION_CODENAME")
fetch() { # ARCH PACKAGE...: of the release's archive, so that all have one version
    (
        wanted=$2
        set -- "$1" "$suite" "$wanted"
        . "$here/private-apt.sh"
        wanted=$3
        cd "$apt_state/archives"
        for choice in $wanted; do
            found=""
            for package in $(echo "$choice" | tr '|' ' '); do
                apt_private download -qq "$package" 2>/dev/null && { found=yes; break; }
            done
            [ -n "$found" ] || { echo "fetch-rust.sh: apt has no $choice for $1" >&2; exit 3; }
        done
        for file in *.deb; do
            dpkg -x "$file" "$folder/root"
            dpkg-deb -f "$file" Depends | tr ',' '\n' | grep -oE '^ *(libllvm[0-9]+|libstd-rust-[a-z]*-?[0-9.]+)' >> "$folder/needs" || :
        done
    )
}
rm -rf "$folder/root" "$folder/needs"
fetch "$own" "rustc-web|rustc libstd-rust-web-dev|libstd-rust-dev"
# What it needs, and what that needs.
for _ in 1 2; do fetch "$own" "$(sort -u "$folder/needs" | tr -d ' ' | tr '\n' ' ')"; done
fetch "$other" "libstd-rust-web-dev|libstd-rust-dev"
cat > "$folder/rustc" <<END
#!/bin/sh
LD_LIBRARY_PATH=$folder/root/usr/lib/$(uname -m)-linux-gnu:$folder/root/usr/lib exec $folder/root/usr/bin/rustc "\$@"
END
chmod +x "$folder/rustc"
"$folder/rustc" --version
