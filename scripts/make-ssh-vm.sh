#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a small Debian with systemd and an ssh server as an initramfs, and a key that it lets in: the host that the test
# of `[ssh]` boards boots under QEMU. Needs root, mmdebstrap, and the kernel of scripts/fetch-kernel.sh.
# Usage: make-ssh-vm.sh [FOLDER]   (default: .cache/ssh-vm; makes FOLDER/initrd.gz and FOLDER/key, and keeps FOLDER/root)
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$here/.cache/ssh-vm}
kernel=${KERNEL_FOLDER:-$here/.cache/kernel}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
root=$folder/root
if [ ! -e "$root/sbin/init" ]; then
    mmdebstrap --quiet --variant=minbase --include=systemd-sysv,openssh-server,iproute2,kmod,dbus \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/man/*' bookworm "$root"
fi
for modules in "$kernel"/unpacked/lib/modules/* "$kernel"/unpacked/usr/lib/modules/*; do
    [ ! -d "$modules/kernel" ] || break
done
release=${modules##*/}
for module in net/core/failover drivers/net/net_failover drivers/net/virtio_net drivers/virtio/virtio \
    drivers/virtio/virtio_ring drivers/virtio/virtio_pci_legacy_dev drivers/virtio/virtio_pci_modern_dev \
    drivers/virtio/virtio_pci; do
    # Debian 12's are plain files, later ones are packed, and what another kernel has built in is no file.
    file=$(find "$modules/kernel/${module%/*}" -maxdepth 1 -name "${module##*/}.ko*")
    if [ -n "$file" ]; then
        install -D -m 644 "$file" "$root/lib/modules/$release/kernel/${file#"$modules/kernel/"}"
    elif ! grep -q "/${module##*/}\.ko" "$modules/modules.builtin"; then
        echo "make-ssh-vm.sh: $modules has no $module" >&2
        exit 1
    fi
done
cp "$modules"/modules.builtin* "$modules/modules.order" "$root/lib/modules/$release/"
depmod -b "$root" "$release"
printf 'virtio_pci\nvirtio_net\n' >"$root/etc/modules-load.d/net.conf"
# The addresses of QEMU's user network. Without udev, no unit that waits for a device ever starts.
cat >"$root/etc/systemd/system/network-up.service" <<'UNIT'
[Unit]
After=systemd-modules-load.service
Before=ssh.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=sh -c 'ip link set eth0 up && ip address add 10.0.2.15/24 dev eth0 && ip route add default via 10.0.2.2'
UNIT
ln -sf ../network-up.service "$root/etc/systemd/system/multi-user.target.wants/"
ln -sf /dev/null "$root/etc/systemd/system/serial-getty@ttyS0.service"
echo sshhost >"$root/etc/hostname"
# An empty one would make each boot a first boot.
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
sed -i 's/^root:[^:]*:/root:*:/' "$root/etc/shadow"
[ -e "$folder/key" ] || ssh-keygen -q -t ed25519 -N '' -f "$folder/key"
install -d -m 700 "$root/root/.ssh"
install -m 600 "$folder/key.pub" "$root/root/.ssh/authorized_keys"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
ln -sf /lib/systemd/systemd "$root/init"
(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$folder/initrd.gz.new"
mv "$folder/initrd.gz.new" "$folder/initrd.gz"
# With sudo, the test is run by somebody else.
[ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID:$SUDO_GID" "$folder" "$folder/key" "$folder/key.pub"
