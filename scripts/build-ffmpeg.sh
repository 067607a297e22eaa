#!/bin/sh
# Builds Debian's ffmpeg with few of its parts. Usage: build-ffmpeg.sh SOURCE FOLDER ARCH LINKING [CONFIGURE OPTION...]
# SOURCE: as debian-source.sh unpacks it. ARCH: native, or a prefix of cross compilers (arm-linux-gnueabihf).
# LINKING: shared | static. CC, CFLAGS and LDFLAGS of the environment count. Everything is off that no option enables.
# Leaves FOLDER/usr/bin/ffmpeg and FOLDER/usr/lib/ARCH; a second call with the same options does nothing.
set -eu
source=$(cd "$1" && pwd) folder=$2 arch=$3 linking=$4
shift 4
asked="$(cat "$source/DEBIAN_SOURCE" 2>/dev/null) $arch $linking ${CC:-} ${CFLAGS:-} ${LDFLAGS:-} $*"
[ "$(cat "$folder.built" 2>/dev/null)" = "$asked" ] && exit 0
mkdir -p "$(dirname "$folder")"
folder=$(cd "$(dirname "$folder")" && pwd)/$(basename "$folder")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$arch" = native ] || set -- --enable-cross-compile --target-os=linux --arch="${arch%%-*}" --cross-prefix="$arch-" "$@"
case "$linking" in
shared) set -- --enable-shared --disable-static "$@" ;;
static) set -- --disable-shared --enable-static "$@" ;;
*) echo "build-ffmpeg.sh: $linking is neither shared nor static" >&2; exit 2 ;;
esac
[ -z "${CC:-}" ] || set -- --cc="$CC" "$@"
[ -z "${CFLAGS:-}" ] || set -- --extra-cflags="$CFLAGS" "$@"
[ -z "${LDFLAGS:-}" ] || set -- --extra-ldexeflags="$LDFLAGS" "$@"
cd "$work"
ln -s "$source" source
# The banner repeats these words, so none of them may name this machine.
source/configure --prefix=/usr --libdir="/usr/lib/$arch" --disable-everything --disable-autodetect --disable-doc \
    --disable-debug --disable-network --disable-ffplay --disable-ffprobe "$@" > configure.log 2>&1 || {
    tail -n 15 configure.log ffbuild/config.log >&2
    exit 3
}
make -s -j"$(nproc)" > build.log 2>&1 || { tail -n 20 build.log >&2; exit 3; }
make -s install DESTDIR="$work/made" > install.log 2>&1 || { tail -n 20 install.log >&2; exit 3; }
rm -rf made/usr/include made/usr/share made/usr/lib/*/pkgconfig made/usr/lib/*/*.a
rm -rf "$folder"
mv made "$folder"
printf '%s' "$asked" > "$folder.built"
echo "ffmpeg: $folder/usr/bin/ffmpeg ($(du -sk "$folder" | cut -f1) KiB with its libraries)"
