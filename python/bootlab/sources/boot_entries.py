"""What a boot loader would start: GRUB, extlinux and systemd-boot entries, the Raspberry Pi's and U-Boot's scripts.

Only what a menu says is read; nothing is run. GRUB's scripts are taken line by line, so that variables that a script
computes stay unknown, and an entry that needs them keeps its words as they are.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator

import msgspec

from bootlab.sources import unified_image
from bootlab.sources.facts import BootEntry
from bootlab.sources.file_view import FileView

_ENTRIES_MAX = 200
_GRUB_FILES = ("/boot/grub/grub.cfg", "/boot/grub2/grub.cfg", "/grub/grub.cfg", "/grub2/grub.cfg", "/EFI/BOOT/grub.cfg",
               "/efi/boot/grub.cfg")  # fmt: skip
_EXTLINUX_FILES = tuple(
    f"{folder}{name}"
    for folder in ("/boot", "")
    for name in ("/extlinux/extlinux.conf", "/extlinux.conf", "/syslinux/syslinux.cfg", "/syslinux.cfg")
)
_LOADER_FOLDERS = ("/boot/loader", "/loader", "/efi/loader", "/boot/efi/loader")
# Where an EFI partition is mounted; "": it was taken for the root of what is looked at.
_EFI_PLACES = ("/boot", "/efi", "/boot/efi", "")
# systemd-boot finds unified images in the first (Boot Loader Specification, type 2), the firmware in the second.
_UNIFIED_FOLDERS = tuple(f"{place}/EFI/{name}" for name in ("Linux", "BOOT") for place in _EFI_PLACES)
_SET = re.compile(r"^\s*(?:set\s+)?(\w+)=(\S*|\"[^\"]*\"|'[^']*')\s*$")
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_LINUX = ("linux", "linux16", "linuxefi")
_INITRD = ("initrd", "initrd16", "initrdefi")


def read(view: FileView) -> tuple[BootEntry, ...]:
    """Return every entry that is found, those that a loader takes by itself first."""
    found: list[BootEntry] = []
    looks: list[Callable[[FileView], Iterable[BootEntry]]] = [_systemd_boot, _extlinux, _grub, _raspberry]
    # Beside another loader's menu, a unified image counts only where systemd-boot, which finds it, is there too.
    with_loader = any(view.names(f"{place}/EFI/systemd") for place in _EFI_PLACES)
    looks.insert(1 if with_loader else len(looks), _unified)
    for looked in looks:
        for entry in looked(view):
            found.append(entry)
            if len(found) >= _ENTRIES_MAX:
                break
    return tuple(sorted(found, key=lambda entry: not entry.default))


def _of_first(
    view: FileView, paths: tuple[str, ...], parse: Callable[[str, str], tuple[BootEntry, ...]]
) -> tuple[BootEntry, ...]:
    """Return the entries of the first menu that is there."""
    for path in paths:
        if (text := view.text(path)) is not None:
            return parse(text, path)
    return ()


def _grub(view: FileView) -> tuple[BootEntry, ...]:
    return _of_first(view, _GRUB_FILES, parse_grub)


def parse_grub(text: str, source: str) -> tuple[BootEntry, ...]:
    """Return the entries of a grub.cfg; the first is the default unless a number says otherwise."""
    variables: dict[str, str] = {}
    entries: list[BootEntry] = []
    title: str | None = None
    kernel, cmdline, tree = "", "", ""
    initrds: tuple[str, ...] = ()
    depth, inside = 0, 0
    default = 0
    for line in text.splitlines():
        words = _words(line)
        if not words:
            continue
        word = words[0]
        if word == "menuentry" and len(words) > 1:
            title, inside = words[1], depth
            kernel, cmdline, initrds, tree = "", "", (), ""
        elif word in _LINUX and len(words) > 1:
            kernel = _path(_expanded(words[1], variables))
            cmdline = " ".join(_expanded(part, variables) for part in words[2:])
            cmdline = " ".join(cmdline.split())
        elif word in _INITRD:
            initrds = tuple(_path(_expanded(part, variables)) for part in words[1:])
        elif word == "devicetree" and len(words) > 1:
            tree = _path(_expanded(words[1], variables))
        elif (assigned := _SET.match(line)) is not None:
            variables[assigned[1]] = assigned[2].strip("\"'")
            if assigned[1] == "default" and assigned[2].strip("\"'").isdigit():
                default = int(assigned[2].strip("\"'"))
        depth += line.count("{") - line.count("${") - line.count("}") + len(re.findall(r"\$\{[^}]*\}", line))
        if title is not None and depth <= inside and "}" in line:
            if kernel and len(entries) < _ENTRIES_MAX:
                entries.append(
                    BootEntry(
                        title=title, kernel=kernel, initrds=initrds, device_tree=tree, cmdline=cmdline, source=source
                    )
                )
            title = None
    # In a submenu numbers count anew, so only those of the first level are sure.
    chosen = default if default < len(entries) else 0
    return tuple(msgspec.structs.replace(e, default=i == chosen) for i, e in enumerate(entries))


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line.strip(), comments=True)
    except ValueError:
        return line.split()


def _expanded(text: str, variables: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda found: variables.get(found[1] or found[2], ""), text)


def _path(text: str) -> str:
    # (hd0,gpt2)/vmlinuz: which partition that is, the search for it says.
    text = re.sub(r"^\([^)]*\)", "", text)
    return posixpath.normpath("/" + text.lstrip("/")) if text else ""


def _extlinux(view: FileView) -> tuple[BootEntry, ...]:
    return _of_first(view, _EXTLINUX_FILES, parse_extlinux)


def parse_extlinux(text: str, source: str) -> tuple[BootEntry, ...]:
    """Return the entries of an extlinux.conf or syslinux.cfg. Paths are relative to its folder."""
    folder = posixpath.dirname(source)
    labels: list[dict[str, str]] = []
    default = ""
    common = ""
    for line in text.splitlines():
        key, _, value = line.strip().partition(" ")
        key, value = key.lower(), value.strip()
        if key == "label":
            labels.append({"label": value})
        elif key in {"default", "ontimeout"} and not labels:
            default = default or value
        elif labels and key:
            labels[-1].setdefault(key, value)
        elif key == "append":
            common = value
    found = []
    for label in labels[:_ENTRIES_MAX]:
        words = label.get("append", common).split()
        initrds = [w.partition("=")[2] for w in words if w.startswith("initrd=")]
        named = label.get("initrd", "")
        initrds = [part for part in named.split(",") if part] or [p for w in initrds for p in w.split(",") if p]
        # A FIT image is named with the configuration in it.
        kernel = (label.get("kernel") or label.get("linux") or label.get("fit") or "").partition("#")[0]
        if not kernel:
            continue
        found.append(
            BootEntry(
                title=label.get("menu label", label["label"]),
                kernel=_below(folder, kernel),
                initrds=tuple(_below(folder, part) for part in initrds),
                device_tree=_below(folder, label.get("fdt") or label.get("devicetree") or ""),
                cmdline=" ".join(w for w in words if not w.startswith("initrd=")),
                source=source,
                default=label["label"] == default or (not default and label is labels[0]),
            )
        )
    return tuple(found)


def _below(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if path else ""


def _systemd_boot(view: FileView) -> Iterator[BootEntry]:
    for folder in _LOADER_FOLDERS:
        names = [name for name in view.names(f"{folder}/entries") if name.endswith(".conf")]
        if not names:
            continue
        root = posixpath.dirname(folder)
        conf = view.text(f"{folder}/loader.conf") or ""
        variables = _grub_variables(view)
        chosen = _default_of(conf)
        for number, name in enumerate(sorted(names, reverse=True)[:_ENTRIES_MAX]):
            path = f"{folder}/entries/{name}"
            entry = parse_loader_entry(view.text(path) or "", path, root)
            if entry is not None:
                line = " ".join(_expanded(entry.cmdline, variables).split())
                entry = msgspec.structs.replace(entry, cmdline=line)
                default = name.removesuffix(".conf") == chosen.removesuffix(".conf") if chosen else number == 0
                yield msgspec.structs.replace(entry, default=default)
        return


def _unified(view: FileView) -> Iterator[BootEntry]:
    """Give the unified images, the newest first."""
    for folder in _UNIFIED_FOLDERS:
        found = [
            path
            for name in sorted(view.names(folder), key=version_of, reverse=True)[:_ENTRIES_MAX]
            if name.casefold().endswith(".efi")
            and unified_image.is_unified(view.data(path := f"{folder}/{name}", unified_image.HEAD_MAX_BYTES) or b"")
        ]
        chosen = _default_of(view.text(f"{folder.rpartition('/EFI/')[0]}/loader/loader.conf") or "")
        named = [path for path in found if fnmatch.fnmatch(posixpath.basename(path), chosen)] if chosen else []
        for path in found:
            name = posixpath.basename(path)
            yield BootEntry(title=name, kernel=path, source=path, default=path == (named or found)[0])
        if found:
            return


def version_of(name: str) -> tuple[list[int], str]:
    """Return what sorts names by the versions in them."""
    return [int(n) for n in re.findall(r"\d{1,9}", name)[:8]], name


def _default_of(conf: str) -> str:
    """Return the pattern of names that loader.conf starts by itself; "" without one."""
    words = (line.split() for line in conf.splitlines())
    return next((line[1] for line in words if line[:1] == ["default"] and len(line) > 1), "")


def _grub_variables(view: FileView) -> dict[str, str]:
    """Return what GRUB keeps in its environment block: Fedora's entries name `$kernelopts` of it."""
    for folder in ("/boot/grub2", "/boot/grub", "/grub2", "/grub"):
        if (text := view.text(f"{folder}/grubenv")) is not None:
            return dict(line.partition("=")[::2] for line in text.splitlines() if "=" in line)
    return {}


def parse_loader_entry(text: str, source: str, root: str = "") -> BootEntry | None:
    """Return an entry of the Boot Loader Specification; `root`: the folder that its paths start at."""
    values: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, _, value = line.strip().partition(" ")
        if key and not key.startswith("#"):
            values.setdefault(key, []).append(value.strip())
    kernel = values.get("linux", [""])[0]
    if not kernel:
        return None
    return BootEntry(
        title=values.get("title", [""])[0],
        kernel=f"{root.rstrip('/')}{_path(kernel)}",
        initrds=tuple(f"{root.rstrip('/')}{_path(p)}" for value in values.get("initrd", []) for p in value.split()),
        device_tree=f"{root.rstrip('/')}{_path(values['devicetree'][0])}" if "devicetree" in values else "",
        cmdline=" ".join(values.get("options", [])),
        source=source,
    )


def _raspberry(view: FileView) -> Iterator[BootEntry]:
    for folder in ("/boot/firmware", "/boot", ""):
        cmdline = view.text(f"{folder}/cmdline.txt")
        if cmdline is None:
            continue
        settings = dict(
            line.partition("=")[::2] for line in (view.text(f"{folder}/config.txt") or "").splitlines() if "=" in line
        )
        named = settings.get("kernel", "").strip()
        known = ("kernel8.img", "kernel7l.img", "kernel7.img", "kernel.img", "vmlinuz", "zImage", "Image")
        kernel = next((n for n in (named, *known) if n and view.exists(f"{folder}/{n}")), "")
        initrd = (view.text(f"{folder}/config.txt") or "").partition("\ninitramfs ")[2].split()[:1]
        yield BootEntry(
            title="Raspberry Pi firmware",
            kernel=f"{folder}/{kernel}" if kernel else "",
            initrds=tuple(f"{folder}/{name}" for name in initrd),
            cmdline=" ".join(cmdline.split()),
            source=f"{folder}/cmdline.txt",
            default=True,
        )
        return
