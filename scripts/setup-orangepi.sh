#!/bin/sh
# SPDX-License-Identifier: MIT
# What the lab system arm-orangepi-pc is made of, from Debian's packages. Usage: setup-orangepi.sh FOLDER
# Leaves in FOLDER: busybox, u-boot.bin, vmlinuz with config and System.map, board.dtb. A second call does nothing.
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
"$here/fetch-busybox.sh" arm "$folder"
if [ ! -f "$folder/u-boot.bin" ]; then
    "$here/foreign-apt.sh" armhf u-boot-sunxi "$folder/u-boot-sunxi"
    # Of the boards with this chip (H3) that Debian 12 has a U-Boot for.
    cp "$folder/u-boot-sunxi/usr/lib/u-boot/orangepi_plus/u-boot-sunxi-with-spl.bin" "$folder/u-boot.bin.new"
    rm -r "$folder/u-boot-sunxi"
    mv "$folder/u-boot.bin.new" "$folder/u-boot.bin"
fi
if [ ! -f "$folder/vmlinuz" ]; then
    "$here/foreign-apt.sh" armhf linux-image-armmp "$folder/linux"
    cp "$folder"/linux/usr/lib/linux-image-*/sun8i-h3-orangepi-pc.dtb "$folder/board.dtb"
    cp "$folder"/linux/boot/config-* "$folder/config"
    cp "$folder"/linux/boot/System.map-* "$folder/System.map"
    cp "$folder"/linux/boot/vmlinuz-* "$folder/vmlinuz.new"
    rm -r "$folder/linux"
    mv "$folder/vmlinuz.new" "$folder/vmlinuz"
fi
echo "orangepi: $folder"
