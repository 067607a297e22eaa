# SPDX-License-Identifier: MIT
# The set-up where Debian's tools are not: names what is missing in the words of Fedora, Arch, openSUSE or Alpine, and
# installs nothing. To be sourced by setup-debian.sh, with $wanted, Debian's names, and $system, the system's ID and ID_LIKE.
# What they are called stands in python/bootlab/host_packages.txt.
table=$here/../python/bootlab/host_packages.txt
column="" words=""
for name in $system; do
    case "$name" in
    fedora | rhel | centos) column=2 words="dnf install" ;;
    arch) column=3 words="pacman -S --needed" ;;
    opensuse* | suse | sles) column=4 words="zypper install" ;;
    alpine) column=5 words="apk add" ;;
    *) continue ;;
    esac
    break
done
[ -n "$column" ] || {
    echo "setup-debian.sh: this is none of Debian, Ubuntu, Fedora, Arch, openSUSE and Alpine; what is needed, by Debian's names:" >&2
    echo "$wanted" >&2
    exit 3
}
has() {
    case "$column" in
    2 | 4) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
    3) pacman -T "$1" >/dev/null 2>&1 ;;
    5) apk info -e "$1" >/dev/null 2>&1 ;;
    esac
}
missing="" unknown=""
for package in $wanted; do
    package=${package%%|*}
    names=$(awk -v p="$package" -v c="$column" '$1 == p { gsub(",", " ", $c); print $c }' "$table")
    case "$names" in
    "" | -) unknown="$unknown $package" ;;
    *) for name in $names; do
        case " $missing " in *" $name "*) continue ;; esac
        has "$name" || missing="$missing $name"
    done ;;
    esac
done
[ -z "$unknown" ] || echo "setup-debian.sh: no package is known here for what Debian has in$unknown; what needs them is left out" >&2
[ -z "$missing" ] && exit 0
echo "setup-debian.sh: this is missing. As root:" >&2
echo "$words$missing" >&2
exit 3
