#!/bin/sh
# SPDX-License-Identifier: MIT
# Lets a root tree for another processor be set up faster: the tools that do most of the work run on this machine's
# processor, without an emulator. Usage: native-tools.sh put|again|initrd|drop ROOT (hooks of mmdebstrap, see make-image.sh)
# put: lays this machine's tools and their libraries into ROOT. They come first in PATH; no file of the tree has their
# paths, for another architecture's libraries have other folders. again: mends the way to them that
# Debian 12's move of /lib into /usr takes away. initrd: packs the initrd with them. drop: removes them.
set -eu
root=$2
tools="dpkg-deb tar xz gzip zstd cpio mawk awk sed grep find xargs kmod modprobe depmod modinfo sort uniq cut head tail tr wc tee \
    cat cp mv rm ln ls mkdir rmdir chmod chown touch install mktemp readlink realpath stat cmp basename dirname expr date md5sum sha256sum"
case "$1" in
put)
    mkdir -p "$root/native" "$root/usr/lib64"
    # base-files refuses a tree whose /lib64 is a folder.
    ln -s usr/lib64 "$root/lib64"
    for tool in $tools; do
        path=$(command -v "$tool") || continue
        cp -L "$path" "$root/native/$tool"
        ldd "$path" | grep -o '/[^ ]*' | while read -r library; do
            # Debian 12's own scripts move /lib into /usr, and give up at a file that is in both.
            case "$library" in /lib/*) library=/usr$library ;; esac
            [ ! -e "$root$library" ] || continue
            mkdir -p "$root${library%/*}"
            cp -L "$library" "$root$library"
            echo "$library" >> "$root/native/libraries"
        done
    done
    ;;
again)
    [ -e "$root/lib64" ] || ln -s usr/lib64 "$root/lib64"
    ;;
initrd)
    # mkinitramfs sets a PATH of its own.
    sed "s|^export PATH=.*|export PATH=/native:/usr/bin:/sbin:/bin|" "$root/usr/sbin/mkinitramfs" > "$root/native/mkinitramfs"
    grep -q '^export PATH=/native' "$root/native/mkinitramfs"
    chmod 755 "$root/native/mkinitramfs"
    for modules in "$root"/lib/modules/*; do
        version=${modules##*/}
        chroot "$root" /native/mkinitramfs -o "/boot/initrd.img-$version" "$version"
        # The kernel's package makes this link only if the initrd is there already.
        ln -sf "boot/initrd.img-$version" "$root/initrd.img"
    done
    ;;
drop)
    while read -r library; do
        rm "$root$library"
    done < "$root/native/libraries"
    rm -f "$root/lib64"
    sort -u "$root/native/libraries" | while read -r library; do
        folder=$(realpath "$root${library%/*}")
        [ ! -d "$folder" ] || rmdir -p --ignore-fail-on-non-empty "$folder"
    done
    rmdir --ignore-fail-on-non-empty "$root/usr/lib64" 2>/dev/null || :
    rm -rf "$root/native"
    ;;
esac
