#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a disk image of Debian with systemd and nginx, as a product has it: a partition table, an ext4 root, Debian's own
# kernel and initrd, everything installed by the packages' own scripts. Usage: make-image.sh SUITE IMAGE [ARCHITECTURE]
# SUITE: bookworm (Debian 12) or trixie (Debian 13). ARCHITECTURE: amd64 (default) or arm64.
# Needs mmdebstrap, fakeroot, e2fsprogs and fdisk (`apt-get install mmdebstrap fakeroot e2fsprogs fdisk`), and no root rights.
# A foreign architecture's scripts run under qemu-user-static: if this machine has none, it is downloaded and registered in
# a namespace of its own, so nothing is installed. A second call with the same words does nothing.
# Beside IMAGE it leaves IMAGE.packages: the packages with their versions.
set -eu
[ $# -ge 2 ] || { echo "usage: make-image.sh SUITE IMAGE [ARCHITECTURE]" >&2; exit 2; }
suite=$1 image=$2 arch=${3:-amd64}
here=$(cd "$(dirname "$0")" && pwd)
case "$arch" in
amd64) port=ttyS0 type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709 ;;
arm64) port=ttyAMA0 type=B921B045-1DF0-41C3-AF44-4C6F280D3FAE ;;
*) echo "make-image.sh: $arch: amd64 or arm64" >&2; exit 2 ;;
esac
uuid=7f9e5b3a-$(printf '%.4s' "$(printf %s "$suite $arch" | md5sum)")-4c1e-9d10-6a2b8c4d0e12
asked="# $suite $arch $(cat "$0" "$here/web-ready" "$here/web-ready.service" | md5sum | cut -c 1-12)"
[ -f "$image" ] && [ "$(head -n 1 "$image.packages" 2>/dev/null)" = "$asked" ] && exit 0
for tool in mmdebstrap fakeroot mke2fs sfdisk; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null ||
        { echo "make-image.sh: no $tool here: apt-get install mmdebstrap fakeroot e2fsprogs fdisk" >&2; exit 3; }
done
PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d "${TMPDIR:-/var/tmp}/debian-pc-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# What a booted system asks of its root: its name, its mounts, what it starts.
mkdir -p "$work/put/etc/systemd/system/multi-user.target.wants" "$work/put/usr/local/bin" "$work/put/boot/extlinux"
cp "$here/web-ready" "$work/put/usr/local/bin/web-ready"
chmod 755 "$work/put/usr/local/bin/web-ready"
cp "$here/web-ready.service" "$work/put/etc/systemd/system/web-ready.service"
ln -s ../web-ready.service "$work/put/etc/systemd/system/multi-user.target.wants/web-ready.service"
echo web > "$work/put/etc/hostname"
echo "127.0.0.1 localhost web" > "$work/put/etc/hosts"
echo "UUID=$uuid / ext4 errors=remount-ro 0 1" > "$work/put/etc/fstab"
cat > "$work/put/boot/extlinux/extlinux.conf" <<END
default debian
label debian
    menu label Debian GNU/Linux
    linux /vmlinuz
    initrd /initrd.img
    append root=UUID=$uuid ro console=$port,115200 quiet
END

# Where apt on this machine gets Debian from, for another release.
apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CREATED_BY) $(ORIGIN) $(RELEASE)' 2>/dev/null | sort -u |
    awk -v suite="$suite" '
        $2 != "main" || $3 != "Packages" || $4 != "Debian" || $5 ~ /backports/ { next }
        { tail = $5; if (!sub(/^[^-]*-/, "-", tail)) tail = ""
          print "deb", $1, suite tail, "main" }' | sort -u > "$work/sources.list"
# Where apt knows no archive of Debian's (another distribution), mmdebstrap's own default is taken.
[ -s "$work/sources.list" ] && sources=$work/sources.list || sources=
apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::|Check-)' > "$work/apt.conf" || :

packages=systemd-sysv,udev,dbus,libpam-systemd,kmod,iproute2,procps,cron,nginx-light,initramfs-tools,zstd,linux-image-$arch
set -- mmdebstrap --variant=minbase --skip=check/qemu --architectures="$arch" --include="$packages" --aptopt="$work/apt.conf" \
    --dpkgopt=path-exclude=/usr/share/man/* --dpkgopt=path-exclude=/usr/share/doc/* \
    --dpkgopt=path-exclude=/usr/share/locale/* --customize-hook="sync-in $work/put /" \
    --customize-hook='chroot "$1" dpkg-query --show --showformat="\${Package} \${Version}\\n" > "$1/packages"' \
    --customize-hook="download /packages $work/packages" --customize-hook='rm "$1/packages"' \
    "$suite" "$work/root.tar" ${sources:+"$sources"}
failed() {
    tail -n 40 "$work/log" | cut -c 1-300 >&2
    echo "make-image.sh: mmdebstrap failed; the end of what it said stands above" >&2
    exit 3
}
echo "make-image.sh: $suite for $arch: downloading and installing (some minutes)"
if [ "$arch" = "$(dpkg --print-architecture)" ] || [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
    "$@" > "$work/log" 2>&1 || failed
else
    # binfmt_misc belongs to a user namespace (Linux 6.7), so the interpreter is known in this one only.
    emulator=$(command -v qemu-aarch64-static) || {
        "$here/../../scripts/fetch-packages.sh" "$(dpkg --print-architecture)" "$work/user" qemu-user-static
        emulator=$work/user/usr/bin/qemu-aarch64-static
    }
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    export registration=":qemu-aarch64:M::$magic:$mask:$emulator:PF"
    # Under an emulator the packages' scripts are slow: what they call runs on this machine's processor.
    tools=$here/native-tools.sh
    shift
    # In a user namespace with the host's network the kernel refuses to mount sysfs, and no package's script needs it.
    set -- mmdebstrap --skip=chroot/mount/sys --extract-hook="$tools put \"\$1\"" --essential-hook="$tools again \"\$1\"" \
        --customize-hook="$tools initrd \"\$1\"" --customize-hook="$tools drop \"\$1\"" "$@"
    export INITRD=No PATH="/native:$PATH"
    # shellcheck disable=SC2016  # expanded by the inner shell
    inside='read -r _ < "$0"; mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
        echo "$registration" > /proc/sys/fs/binfmt_misc/register || exit 42
        exec "$@"'
    mkfifo "$work/go"
    # Root needs no entry in /etc/subuid: it may map every user onto itself.
    [ "$(id -u)" -eq 0 ] && map= || map="--map-auto --map-root-user"
    # shellcheck disable=SC2086  # map is a list of words
    unshare --user $map --mount --pid --fork --kill-child --mount-proc sh -c "$inside" "$work/go" "$@" > "$work/log" 2>&1 &
    user=$!
    # Its maps can be written once it is in a namespace of its own, which takes long on a busy machine.
    while kill -0 "$user" 2>/dev/null && [ "$(readlink "/proc/$user/ns/user")" = "$(readlink /proc/self/ns/user)" ]; do
        sleep 0.1
    done
    [ -n "$map" ] || { echo "0 0 65536" > "/proc/$user/uid_map"; echo "0 0 65536" > "/proc/$user/gid_map"; }
    echo go > "$work/go"
    wait "$user" || {
        [ $? -eq 42 ] || failed
        echo "make-image.sh: foreign programs cannot be run here: apt-get install qemu-user-static" >&2
        exit 3
    }
fi
mkdir "$work/root"
# Owners and device nodes as in the archive, without root rights.
export E2FSPROGS_FAKE_TIME=1767225600
fakeroot sh -euc '
    tar -xpf "$1/root.tar" -C "$1/root" --numeric-owner
    size=$(($(du -sm "$1/root" | cut -f1) * 5 / 4 + 64))
    mke2fs -q -t ext4 -U "$2" -E "hash_seed=$2" -m 1 -d "$1/root" "$1/root.ext4" "${size}M"
' sh "$work" "$uuid"
rm -rf "$work/root" "$work/root.tar"
size=$(($(stat -c %s "$work/root.ext4") / 1048576))
truncate -s "$((size + 2))M" "$work/disk"
printf 'label: gpt\nlabel-id: %s\nstart=2048, size=%d, type=%s, uuid=%s, name=root\n' "$uuid" "$((size * 2048))" "$type" "$uuid" |
    sfdisk --quiet "$work/disk"
dd if="$work/root.ext4" of="$work/disk" bs=1M seek=1 conv=notrunc,sparse status=none
{ echo "$asked"; cat "$work/packages"; } > "$image.packages"
mv "$work/disk" "$image"
echo "make-image.sh: $image, $((size + 2)) MiB, $(wc -l < "$work/packages") packages"
