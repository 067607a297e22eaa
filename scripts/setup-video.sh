#!/bin/sh
# Everything that examples/arm-vexpress-a9-video needs besides its own files: Debian's ffmpeg and BusyBox for ARM, small
# ffmpegs built from Debian's source, the sample video. Usage: setup-video.sh FOLDER
# Needs about 500 MB and, the first time, some minutes; a second call does nothing. Then: export BOOTLAB_VIDEO=FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
arch=arm-linux-gnueabihf
"$here/fetch-packages.sh" armhf "$folder/debian" ffmpeg busybox
"$here/debian-source.sh" ffmpeg "$folder/source"
# What the sample needs to be read and decoded, and its frames to be summed; the program itself asks for null and rawvideo.
set -- --disable-avdevice --disable-postproc --enable-protocol=file,pipe --enable-demuxer=mov --enable-decoder=mpeg4 \
    --enable-filter=null --enable-encoder=rawvideo --enable-muxer=framemd5
"$here/build-ffmpeg.sh" "$folder/source" "$folder/ffmpeg-shared" "$arch" shared "$@"
LDFLAGS=-static "$here/build-ffmpeg.sh" "$folder/source" "$folder/ffmpeg-static" "$arch" static "$@"
[ -f "$folder/sample.mp4" ] && exit 0
# Without assembly and with one thread the encoder writes the same bytes on every machine.
"$here/build-ffmpeg.sh" "$folder/source" "$folder/encoder" native static --disable-asm --disable-optimizations \
    --enable-protocol=file,pipe --enable-indev=lavfi --enable-filter=testsrc2,format,scale,null \
    --enable-decoder=rawvideo,wrapped_avframe --enable-encoder=mpeg4 --enable-muxer=mp4
"$folder/encoder/usr/bin/ffmpeg" -v error -nostdin -y -f lavfi -i testsrc2=size=320x240:rate=25:duration=1 -c:v mpeg4 \
    -threads 1 -flags +bitexact -fflags +bitexact -g 25 -q:v 8 -movflags +faststart "$folder/sample.new.mp4"
mv "$folder/sample.new.mp4" "$folder/sample.mp4"
echo "video: $folder/sample.mp4 ($(wc -c < "$folder/sample.mp4") bytes)"
