#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks QEMU of another Debian suite into a folder; nothing is installed. Usage: fetch-qemu.sh SUITE FOLDER
# SUITE: bookworm-backports, trixie, ... Leaves programs in FOLDER/bin that run with that suite's own libraries and
# firmware: name one as machine.emulator, or put FOLDER/bin first in PATH. A second call does nothing.
set -eu
suite=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
SUITE=$suite "$here/fetch-packages.sh" "$(dpkg --print-architecture)" "$folder/root" \
    qemu-system-x86 qemu-system-arm qemu-system-misc 'qemu-system-riscv?' seabios ipxe-qemu qemu-system-data
mkdir -p "$folder/bin"
# --library-path takes the place of LD_LIBRARY_PATH, by which bootlab preloads what counts the console's bytes.
root=$folder/root
triplet=$(basename "$(dirname "$(find "$root/usr/lib" -maxdepth 2 -name 'libglib-2.0.so.0' | head -n 1)")")
loader=$(find -L "$root/lib64" "$root/lib/$triplet" "$root/usr/lib64" "$root/usr/lib/$triplet" -maxdepth 1 \
    -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
[ -n "$loader" ] || { echo "fetch-qemu.sh: no dynamic loader in $root" >&2; exit 3; }
libraries="$root/usr/lib/$triplet:$root/lib/$triplet:$root/usr/lib/$triplet/pulseaudio:$root/usr/lib"
for program in "$root"/usr/bin/qemu-system-*; do
    name=$(basename "$program")
    cat > "$folder/bin/$name" <<END
#!/bin/sh
QEMU_MODULE_DIR='$root/usr/lib/$triplet/qemu' exec '$loader' --library-path '$libraries'"\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" \\
    '$program' -L '$root/usr/share/qemu' -L '$root/usr/share/seabios' "\$@"
END
    chmod +x "$folder/bin/$name"
done
echo "qemu: $("$folder/bin/qemu-system-x86_64" --version | head -n 1) in $folder/bin"
