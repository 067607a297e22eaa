#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes another form of an image that make-image.sh made: the same Debian, its kernel and initrd, laid out as others lay it
# out. Usage: other-form.sh FORM FROM.raw IMAGE
# unified: GPT; an EFI partition with systemd-boot and a unified kernel image; a btrfs root. The image is raw.
# cloud: GPT; BIOS boot, EFI and /boot (ext4, with GRUB's menu) partitions; an XFS root named by root=PARTUUID. The image is
#   a compressed qcow2.
# No code of GRUB is installed: QEMU loads kernel and initrd. debugfs loses setuid bits, which the boot does not need. For amd64. Needs e2fsprogs, fakeroot, fdisk, dosfstools, mtools;
# for unified btrfs-progs, systemd-boot-efi and binutils; for cloud xfsprogs and qemu-utils.
set -eu
[ $# -eq 3 ] || { echo "usage: other-form.sh unified|cloud FROM.raw IMAGE" >&2; exit 2; }
form=$1 from=$2 image=$3
PATH=$PATH:/usr/sbin:/sbin
case "$form" in
unified) tools="mkfs.btrfs objcopy" ;;
cloud) tools="mkfs.xfs qemu-img" ;;
*) echo "other-form.sh: $form: unified or cloud" >&2; exit 2 ;;
esac
for tool in debugfs mke2fs fakeroot sfdisk mkfs.vfat mcopy mmd $tools; do
    command -v "$tool" >/dev/null || { echo "other-form.sh: no $tool here; the script's first lines name the packages" >&2; exit 3; }
done
work=$(mktemp -d "${TMPDIR:-/var/tmp}/debian-form-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export MTOOLS_SKIP_CHECK=1 SOURCE_DATE_EPOCH=1767225600 E2FSPROGS_FAKE_TIME=1767225600
root_uuid=5b0e6a52-3c1d-4f0e-8a57-2d9c4e7b1f60 boot_uuid=1c7d4f3a-9b2e-4d58-b6a1-8e0f5c3d2a47

# The root's file system lies behind the first MiB; debugfs wants it in a file of its own.
dd if="$from" of="$work/ext4" bs=1M skip=1 conv=sparse status=none
mkdir "$work/root" "$work/boot"
export work form root_uuid boot_uuid
# Everything with owners happens in one fakeroot.
cat > "$work/fill" <<'END'
set -eu
debugfs -R "rdump / $work/root" "$work/ext4" 2>/dev/null
rm -rf "$work/root/lost+found" "$work/ext4"
cd "$work/root"
cp boot/vmlinuz-* "$work/vmlinuz"
cp boot/initrd.img-* "$work/initrd"
version=$(basename boot/vmlinuz-*)
echo "${version#vmlinuz-}" > "$work/version"
case "$form" in
unified)
    echo "UUID=$root_uuid / btrfs defaults 0 0" > etc/fstab
    rm -rf boot/* vmlinuz* initrd.img*
    truncate -s $(($(du -sm . | cut -f1) * 3 / 2 + 256))M "$work/part.root"
    mkfs.btrfs -q -U "$root_uuid" -r . "$work/part.root"
    ;;
cloud)
    { echo "PARTUUID=$root_uuid / xfs defaults 0 0"
      echo "UUID=$boot_uuid /boot ext4 defaults 0 2"
      echo "UUID=B007-EF11 /boot/efi vfat umask=0077 0 1"; } > etc/fstab
    rm -rf boot/extlinux vmlinuz* initrd.img*
    mkdir -p boot/grub boot/efi
    # As grub-mkconfig writes it, shortened.
    cat > boot/grub/grub.cfg <<GRUB
set default="0"
set timeout=0
serial --speed=115200
menuentry 'Debian GNU/Linux' --class debian --class gnu-linux --class gnu --class os {
	insmod part_gpt
	insmod ext2
	search --no-floppy --fs-uuid --set=root $boot_uuid
	linux	/vmlinuz-${version#vmlinuz-} root=PARTUUID=$root_uuid ro console=tty0 console=ttyS0,115200 earlyprintk=ttyS0,115200 consoleblank=0
	initrd	/initrd.img-${version#vmlinuz-}
}
GRUB
    mv boot/* "$work/boot"
    size=$(($(du -sm "$work/boot" | cut -f1) * 5 / 4 + 32))
    mke2fs -q -t ext4 -U "$boot_uuid" -E "hash_seed=$boot_uuid" -d "$work/boot" "$work/part.boot" "${size}M"
    # mkfs.xfs fills itself from a list of what there is; it has no letter for the sticky bit.
    find . -mindepth 1 \( -type f -o -type d -o -type l \) -printf '%P\t%y\t%m\t%U\t%G\t%f\t%l\n' | LC_ALL=C sort -t/ |
        awk -F '\t' -v root="$work/root" '
        BEGIN { print "-"; print "0 0"; print "d--755 0 0"; depth = 1 }
        { now = split($1, parts, "/")
          bits = sprintf("%04d", $3)
          mode = (int(substr(bits, 1, 1) / 4) % 2 ? "u" : "-") (int(substr(bits, 1, 1) / 2) % 2 ? "g" : "-") substr(bits, 2)
          held[++lines] = $1; kind[lines] = $2; line[lines] = $6 " " ($2 == "f" ? "-" : $2) mode " " $4 " " $5
          if ($2 == "f") line[lines] = line[lines] " " root "/" $1
          if ($2 == "l") line[lines] = line[lines] " " $7
          n = $1; sub(/\/?[^\/]*$/, "", n); below[n] = below[n] " " lines }
        function show(folder,   own, count, i, at) {
          count = split(below[folder], own, " ")
          for (i = 1; i <= count; i++) { at = own[i]; print line[at]; if (kind[at] == "d") show(held[at]) }
          print "$" }
        END { show("") }' > "$work/list"
    truncate -s $(($(du -sm . | cut -f1) * 3 / 2 + 512))M "$work/part.root"
    mkfs.xfs -q -m "uuid=$root_uuid" -p "$work/list" "$work/part.root"
    ;;
esac
END
fakeroot sh "$work/fill"
version=$(cat "$work/version")

truncate -s 128M "$work/part.efi"
mkfs.vfat -F 32 -i B007EF11 -n ESP "$work/part.efi" >/dev/null
mmd -i "$work/part.efi" ::EFI ::EFI/BOOT ::EFI/Linux ::EFI/systemd ::loader
if [ "$form" = unified ]; then
    loader=/usr/lib/systemd/boot/efi
    for name in EFI/BOOT/BOOTX64.EFI EFI/systemd/systemd-bootx64.efi; do
        mcopy -i "$work/part.efi" "${BOOT_EFI:-$loader}/systemd-bootx64.efi" "::$name"
    done
    printf 'timeout 0\ndefault debian-*\n' > "$work/loader.conf"
    mcopy -i "$work/part.efi" "$work/loader.conf" ::loader/loader.conf
    # As ukify lays it out: each section behind the one before it.
    printf 'root=UUID=%s ro console=ttyS0,115200 quiet\0' "$root_uuid" > "$work/cmdline"
    printf 'ID=debian\nPRETTY_NAME="Debian GNU/Linux"\nVERSION_ID=%s\n' "$version" > "$work/osrel"
    # objcopy takes addresses, not an order: 64 MiB are room enough for a Debian kernel.
    objcopy --add-section .osrel="$work/osrel" --change-section-vma .osrel=0x20000 \
        --add-section .cmdline="$work/cmdline" --change-section-vma .cmdline=0x30000 \
        --add-section .linux="$work/vmlinuz" --change-section-vma .linux=0x2000000 \
        --add-section .initrd="$work/initrd" --change-section-vma .initrd=0x6000000 \
        "${BOOT_EFI:-$loader}/linuxx64.efi.stub" "$work/unified.efi"
    mcopy -i "$work/part.efi" "$work/unified.efi" "::EFI/Linux/debian-$version.efi"
fi

mib() { echo $(($(stat -c %s "$1") / 1048576)); }
efi=C12A7328-F81F-11D2-BA4B-00A0C93EC93B linux=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709
place() { dd if="$1" of="$work/disk" bs=1M seek="$2" conv=notrunc,sparse status=none; }
root=$(mib "$work/part.root")
if [ "$form" = unified ]; then
    truncate -s $((root + 130))M "$work/disk"
    printf 'label: gpt\nstart=1MiB, size=128MiB, type=%s, name=esp\nstart=129MiB, size=%dMiB, type=%s, uuid=%s, name=root\n' \
        "$efi" "$root" "$linux" "$root_uuid" | sfdisk --quiet "$work/disk"
    place "$work/part.efi" 1
    place "$work/part.root" 129
    mv "$work/disk" "$image"
else
    boot=$(mib "$work/part.boot")
    truncate -s $((root + boot + 136))M "$work/disk"
    # The numbers of Debian's and Ubuntu's cloud images: the root is the first and lies last.
    printf 'label: gpt\n1: start=%dMiB, size=%dMiB, type=%s, uuid=%s\n14: start=1MiB, size=3MiB, type=%s\n15: start=4MiB, size=128MiB, type=%s\n16: start=132MiB, size=%dMiB, type=%s\n' \
        $((132 + boot)) "$root" "$linux" "$root_uuid" 21686148-6449-6E6F-744E-656564454649 "$efi" "$boot" \
        BC13C2FF-59E6-4262-A352-B275FD6F7172 | sfdisk --quiet "$work/disk"
    place "$work/part.efi" 4
    place "$work/part.boot" 132
    place "$work/part.root" $((132 + boot))
    qemu-img convert -c -O qcow2 "$work/disk" "$image"
fi
echo "other-form.sh: $image, $form"
