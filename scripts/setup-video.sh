#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that examples/arm-vexpress-a9-video needs besides its own files: Debian's ffmpeg and BusyBox for ARM with what
# they depend on, the sources of both, the sample video. Usage: setup-video.sh FOLDER
# Needs about 700 MB and, the first time, some minutes; a second call does nothing. Then:
#   export BOOTLAB_VIDEO=FOLDER BOOTLAB_BUSYBOX_SOURCE=FOLDER/busybox
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
"$here/fetch-packages.sh" armhf "$folder/debian" ffmpeg busybox-static
"$here/debian-source.sh" busybox "$folder/busybox"
if [ ! -f "$folder/ffmpeg.tar" ]; then
    "$here/debian-source.sh" ffmpeg "$folder/ffmpeg"
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$folder" -cf "$folder/ffmpeg.tar.new" ffmpeg
    mv "$folder/ffmpeg.tar.new" "$folder/ffmpeg.tar"
fi
[ -f "$folder/sample.mp4" ] && exit 0
echo "building an ffmpeg of this machine, which encodes the sample"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xf "$folder/ffmpeg.tar" -C "$work"
cd "$work/ffmpeg"
# Without assembly and with one thread the encoder writes the same bytes on every machine.
./configure --disable-everything --disable-autodetect --disable-doc --disable-debug --disable-network --disable-asm \
    --disable-optimizations --disable-ffplay --disable-ffprobe --enable-protocol=file,pipe --enable-indev=lavfi \
    --enable-filter=testsrc2,format,scale,null --enable-decoder=rawvideo,wrapped_avframe --enable-encoder=mpeg4 \
    --enable-muxer=mp4 > configure.log 2>&1 || { tail -n 15 configure.log >&2; exit 3; }
make -s -j"$(nproc)" ffmpeg > build.log 2>&1 || { tail -n 20 build.log >&2; exit 3; }
./ffmpeg -v error -nostdin -y -f lavfi -i testsrc2=size=320x240:rate=25:duration=1 -c:v mpeg4 -threads 1 \
    -flags +bitexact -fflags +bitexact -g 25 -q:v 8 -movflags +faststart "$folder/sample.new.mp4"
mv "$folder/sample.new.mp4" "$folder/sample.mp4"
echo "video: $folder/sample.mp4 ($(wc -c < "$folder/sample.mp4") bytes)"
