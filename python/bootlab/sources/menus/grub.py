# SPDX-License-Identifier: MIT
"""GRUB's menu: its scripts as GRUB would go through them: variables, conditions, includes, its environment block.

Commands that need the machine (search, insmod, terminals) do nothing. A condition that only the machine can answer is
false, as GRUB has it for files that are not there.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Callable, Mapping

import msgspec

from bootlab.sources.facts import BootEntry
from bootlab.sources.medium import shown
from bootlab.sources.menus.grub_devices import search_of
from bootlab.sources.menus.grub_machine import GrubMachine
from bootlab.sources.menus.loader_entries import with_variables
from bootlab.sources.menus.paths import below_root
from bootlab.sources.menus.script import MenuScript
from bootlab.sources.menus.starts_nothing import first_instead
from bootlab.sources.menus.uboot import environment_of
from bootlab.sources.menus.words import MenuCommand, commands_of, named_in

_LINUX = frozenset({"linux", "linux16", "linuxefi"})
_INITRD = frozenset({"initrd", "initrd16", "initrdefi"})
# A hypervisor that is started as a multiboot kernel, and what it gets: Linux first, then its initrd.
_HYPERVISOR = frozenset({"multiboot", "multiboot2", "xen_hypervisor"})
_MODULE = frozenset({"module", "module2", "xen_module"})
_LOADED = frozenset({*_LINUX, *_INITRD, *_HYPERVISOR, *_MODULE, "devicetree"})
_INCLUDES = frozenset({"source", ".", "configfile", "extract_entries_source", "extract_entries_configfile"})
# They succeed in a machine that boots.
_DONE = frozenset(
    {"insmod", "search", "save_env", "terminal_input", "terminal_output", "serial", "echo", "export", "true", "cpuid"}
)
_ENTRIES_MAX = 200
_LOADERS_MAX = 3
# The names of files that set variables: scripts, and GRUB's environment block.
_SETTINGS = (".cfg", "/grubenv")
# grub-core/normal/main.c: the features that a script may ask for.
_FEATURES = (
    "chainloader_bpb", "ntldr", "platform_search_hint", "default_font_path", "all_video_module", "menuentry_id",
    "menuentry_options", "200_final", "nativedisk_cmd", "timeout_style",
)  # fmt: skip
_ASSIGNED = re.compile(r"(?P<name>\w+)=(?P<value>.*)", re.DOTALL)
# grub-core/normal/main.c, read_config_file: set for each file that is read, and restored behind it.
_OF_FILE = ("config_file", "config_directory")

Reads = Callable[[str], str | None]
"""Returns the text of a file by its path in the medium; None when it is not there."""


class _Item(msgspec.Struct):
    """An entry of a menu before it is chosen: its body runs when it is."""

    title: str
    ident: str
    number: str
    body: tuple[MenuCommand, ...] = ()
    ready: BootEntry | None = None
    given: tuple[str, ...] = ()


def parse_grub(
    text: str,
    source: str,
    reads: Reads = lambda _path: None,
    environment: Mapping[str, str] | None = None,
    specified: tuple[tuple[str, BootEntry], ...] = (),
    machine: GrubMachine | None = None,
    depth: int = 0,
) -> tuple[BootEntry, ...]:
    """Return the entries of a grub.cfg; the default is the one that GRUB takes when nobody chooses.

    `environment`: its environment block (grubenv). `specified`: the entries that `blscfg` would add, by name.
    `machine`: what the medium answers. `depth`: how many loaders have started one another before.
    """
    script = _Menu(source, reads, dict(environment or {}), specified, machine or GrubMachine(), depth)
    script.run(commands_of(text), 0)
    return script.entries()


class _Menu(MenuScript):
    def __init__(
        self,
        source: str,
        reads: Reads,
        environment: dict[str, str],
        specified: tuple[tuple[str, BootEntry], ...],
        machine: GrubMachine,
        depth: int,
    ) -> None:
        variables = {f"feature_{name}": "y" for name in _FEATURES}
        variables |= {"prefix": posixpath.dirname(source), "root": "", "grub_cpu": "x86_64"}
        efi = "/efi/" in source.casefold()
        super().__init__(variables | {"grub_platform": "efi" if efi else "pc"} | machine.variables(source))
        self.variables |= _of_file(posixpath.join(self.variables["prefix"], posixpath.basename(source)))
        self._machine = machine
        self._depth = depth
        self._source = source
        self._reads = reads
        self._environment = environment
        self._specified = specified
        self._functions: dict[str, tuple[MenuCommand, ...]] = {}
        self._items: list[_Item] = []
        self._level = ""
        self._counts: dict[str, int] = {}
        # The partition that an entry takes its files from, where it names one; what it loads, None outside of one.
        self._root = ""
        self._loads: BootEntry | None = None
        # What the script itself loads, outside of all entries; `boot` then starts it, and no menu is shown.
        self._direct = BootEntry()
        self._is_started = False
        # Image files that the script opens as devices, by the device's name.
        self._images: dict[str, str] = {}
        # Scripts and variables on partitions whose files cannot be read.
        self._unread: dict[str, None] = {}

    def exists(self, path: str) -> bool:
        if path.endswith(_SETTINGS):
            self._ask_for(path)
        return self._reads(self._place(path)) is not None

    def _ask_for(self, path: str) -> None:
        """Note a file that would set variables, where its partition cannot be read."""
        part = self._machine.devices.unread(path, self.variables.get("root", "")) if path else None
        if part is not None and part.file_system is not None:
            self._unread[f"{below_root(path)} of partition {part.number} ({part.file_system.fstype})"] = None

    def _place(self, path: str) -> str:
        return self._machine.devices.place(path, self.variables.get("root", ""))

    def _search(self, words: list[str]) -> None:
        """Find a file system; one that lies on no partition of the medium is whatever the files are looked at in."""
        search = search_of(words)
        device = self._machine.devices.found(search) if search is not None else None
        if search is not None and device is not None:
            self.variables[search.variable] = device
        if search is None or search.variable == "root":
            self._root = device or ""
            if not device:
                self.variables["root"] = ""

    def command(self, words: list[str], command: MenuCommand, depth: int) -> str:
        word, self.ok = words[0], True
        if self._is_started:
            return "return"
        if (left := self._gone_into(words, command, depth)) is not None:
            return left
        if word == "load_env":
            self._load_environment(words[1:])
        elif word == "blscfg":
            self._add_specified()
        elif word == "set" or _ASSIGNED.fullmatch(word):
            self._set(words[1:] if word == "set" else words[:1])
        elif word == "search" or word.startswith("search."):
            self._search(words)
        elif word in self._machine.asks:
            self.ok = self._machine.answer(words, self.variables, self._reads)
        elif word == "unset":
            for name in words[1:]:
                self.variables.pop(name, None)
        else:
            return self._load(word, words[1:], command)
        return ""

    def _gone_into(self, words: list[str], command: MenuCommand, depth: int) -> str | None:
        """Do a command that has others in it; None for another one."""
        word = words[0]
        if word in {"menuentry", "submenu"} and len(words) > 1:
            self._entry(word, words, command, depth)
        elif word == "function" and len(words) > 1:
            self._functions[words[1]] = command.block or ()
        elif word in self._functions:
            self.variables |= {str(number): text for number, text in enumerate(words[1:], 1)}
            left = self.run(self._functions[word], depth + 1)
            return left if left == "break" else ""
        elif word in _INCLUDES and len(words) > 1:
            self._ask_for(words[1])
            text = self._reads(self._place(words[1]))
            here = {name: self.variables[name] for name in _OF_FILE if name in self.variables}
            self.variables |= _of_file(words[1])
            self.run(commands_of(text or ""), depth + 1)
            self.variables |= here
            self.ok = text is not None
            # A menu that is switched to does not come back.
            return "return" if self.ok and word == "configfile" else ""
        else:
            return None
        return ""

    def _set(self, words: list[str]) -> None:
        for word in words[:1]:
            if (found := _ASSIGNED.fullmatch(word)) is not None:
                self.variables[found["name"]] = found["value"]
                self._root = found["value"] if found["name"] == "root" else self._root

    def _empty(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Say which variables of an entry nothing sets: GRUB leaves them empty."""
        names = dict.fromkeys(name for word in words for name in named_in(word) if name not in self.variables)
        listed = ", ".join(f"${name}" for name in names)
        said = f"{shown(self._source)}: nothing that was read sets {listed}: taken as empty here"
        return (said,) if names else ()

    def _load(self, word: str, rest: list[str], command: MenuCommand) -> str:
        """Load a kernel or what goes with it, in an entry or outside of all, and start it."""
        root = self._root or (self.variables.get("root", "") if self._loads is None else "")
        if rest and word in _LOADED:
            own = self._direct if self._loads is None else self._loads
            made = _loaded(own, word, rest, root, self._images, self._place)
            unset = self._empty(command.words) if word in _LINUX else ()
            partial = made.is_partial or bool(unset)
            made = msgspec.structs.replace(made, notes=(*made.notes, *unset), is_partial=partial)
            self._direct, self._loads = (made, None) if self._loads is None else (self._direct, made)
        elif word == "loopback" and len(rest) > 1:
            self._images[rest[-2]] = below_root(rest[-1])
        elif word == "chainloader" and self._loads is not None and rest:
            self._chain([part for part in rest if not part.startswith("-")], root)
        elif word == "boot" and self._loads is None and self._direct.kernel:
            self._is_started = True
            return "return"
        else:
            self.ok = word in _DONE
        return ""

    def _chain(self, words: list[str], root: str) -> None:
        """Start another program: a kernel or a unified image with its options, or a loader, which is no entry."""
        device = words[0].partition(")")[0].lstrip("(") if words[0].startswith("(") else ""
        inside = device in self._images and words[0].casefold().endswith(".efi")
        place = self._place(words[0])
        if inside or self._machine.starts_linux(place):
            self._loads = _loaded(self._loads or BootEntry(), "linux", words, root, self._images, self._place)
        elif self._depth < _LOADERS_MAX and (menu := self._machine.menu_behind(place)) and menu != self._source:
            # A loader that is GRUB again, with a menu beside it.
            behind = parse_grub(
                self._reads(menu) or "", menu, self._reads, {}, self._specified, self._machine, self._depth + 1
            )
            title = (self._loads or BootEntry()).title
            found = next((entry for entry in behind if entry.default), None)
            self._loads = msgspec.structs.replace(found, title=title) if found is not None else self._loads

    def values(self, words: tuple[str, ...]) -> list[str]:
        """Return what a loop goes through: patterns become the paths that are there."""
        found = self.words(words)
        return [path for word in found for path in (self._matching(word) if "*" in word else [word])]

    def _matching(self, pattern: str) -> list[str]:
        return self._machine.matching(pattern, self.variables.get("root", ""))

    def _load_environment(self, words: list[str]) -> None:
        """Take the variables of an environment block: GRUB's own, or the file that is named; all, or those named."""
        names = [word for word in words if not word.startswith("-")]
        own: Mapping[str, str] | None = self._environment
        if any(word in {"-f", "--file"} or word.startswith("--file=") for word in words):
            joined = next((word.partition("=")[2] for word in words if word.startswith("--file=")), "")
            path, names = joined or (names[0] if names else ""), names if joined else names[1:]
            self._ask_for(path)
            text = self._reads(self._place(path)) if path else None
            # Fedora's own block, which the reader of the menu found, may lie elsewhere than the script says.
            of_grub = path.endswith("/grubenv")
            own = environment_of(text) if text is not None else (self._environment if of_grub else None)
        self.ok = own is not None
        self.variables |= {name: value for name, value in (own or {}).items() if not names or name in names}

    def _number(self) -> str:
        count = self._counts.get(self._level, 0)
        self._counts[self._level] = count + 1
        return f"{self._level}{count}"

    def _entry(self, word: str, words: list[str], command: MenuCommand, depth: int) -> None:
        ident = next((after for option, after in itertools.pairwise(words) if option == "--id"), "")
        ident = ident or next((word.partition("=")[2] for word in words if word.startswith("--id=")), "")
        number = self._number()
        if word == "submenu":
            above, self._level = self._level, f"{number}>"
            self.run(command.block or (), depth + 1)
            self._level = above
        elif len(self._items) < _ENTRIES_MAX:
            self._items.append(_Item(words[1], ident, number, command.block or (), given=_given(words[1:])))

    def _add_specified(self) -> None:
        for name, entry in self._specified[: _ENTRIES_MAX - len(self._items)]:
            self._items.append(_Item(entry.title, name, self._number(), ready=entry))

    def entries(self) -> tuple[BootEntry, ...]:
        """Return what each entry would load; those that load no kernel are left out."""
        if self._is_started:
            return (self._with_unread(msgspec.structs.replace(self._direct, source=shown(self._source), default=True)),)
        chosen = self._chosen()
        found = []
        for item in self._items:
            entry = item.ready or self._gone_through(item)
            if entry.kernel:
                if item.ready:
                    unset = self._empty((entry.cmdline, *entry.initrds))
                    partial = entry.is_partial or bool(unset)
                    entry = msgspec.structs.replace(
                        with_variables(entry, self.variables),
                        notes=entry.notes + unset,
                        is_partial=partial,
                        chosen_by="",
                    )
                source = entry.source or shown(self._source)
                entry = msgspec.structs.replace(entry, source=source, default=item is chosen)
                found.append(self._with_unread(entry))
        if found and not any(entry.default for entry in found):
            default = msgspec.structs.replace(found[0], default=True)
            found[0] = first_instead(found[0], chosen.title, shown(self._source)) if chosen is not None else default
        return tuple(found)

    def _with_unread(self, entry: BootEntry) -> BootEntry:
        """Say of an entry which files could not be read that may set words of its line."""
        said = f"{shown(self._source)} also reads {', '.join(self._unread)}, which bootlab does not read: the command "
        said += "line may have more words, or others, by what that sets"
        return msgspec.structs.replace(entry, notes=(*entry.notes, said), is_partial=True) if self._unread else entry

    def _chosen(self) -> _Item | None:
        wanted = self.variables.get("default", "0") or "0"
        if wanted == "saved":
            wanted = self._environment.get("saved_entry", "0")
        # grub-core/normal/menu.c: a number, an identifier or a title; `A>B` goes into a submenu.
        last = wanted.rsplit(">", 1)[-1]
        for item in self._items:
            if wanted in {item.number, item.ident, item.title} or (item.number == f"{wanted}>0"):
                return item
        return next((item for item in self._items if last in {item.ident, item.title}), None)

    def _gone_through(self, item: _Item) -> BootEntry:
        before = dict(self.variables)
        self.variables |= {str(number): word for number, word in enumerate(item.given, 1)}
        self._root = ""
        self._loads = BootEntry(title=item.title)
        self.run(item.body, 0)
        loads, self._loads, self.variables = self._loads, None, before
        return loads


def _of_file(path: str) -> dict[str, str]:
    """Return the variables that GRUB sets while it reads a file."""
    return dict(zip(_OF_FILE, (path, posixpath.dirname(path)), strict=True))


def _given(words: list[str]) -> tuple[str, ...]:
    """Return the words of an entry that its body has as `$1` (the title), `$2` and so on: those that are no options."""
    with_value = {"--class", "--users", "--hotkey", "--id", "--source"}
    return tuple(
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("--") and before not in with_value
    )


def _loaded(
    entry: BootEntry, word: str, rest: list[str], root: str, images: Mapping[str, str], place: Callable[[str], str]
) -> BootEntry:
    if word in _LINUX:
        device = rest[0].partition(")")[0].lstrip("(") if rest[0].startswith("(") else root.strip("()")
        number = re.search(r",(?:gpt|msdos)?(\d{1,3})$", device)
        return msgspec.structs.replace(
            entry,
            kernel=place(rest[0]),
            # grub-core/lib/cmdline.c: words with blanks get quotes.
            cmdline=" ".join(f'"{word}"' if " " in word else word for word in rest[1:]),
            says_line=True,
            partition=int(number[1]) if number is not None else 0,
            inside=images.get(device, ""),
        )
    if word in _HYPERVISOR:
        note = f"the entry starts the hypervisor {below_root(rest[0])}, and Linux as its first guest (Xen's dom0): "
        return msgspec.structs.replace(entry, notes=(f"{note}Linux alone is booted here",))
    if word in _MODULE and not entry.kernel:
        # GRUB 1's multiboot swallowed the first word, so Debian's and others' scripts write one that says nothing.
        words = rest[1:][rest[1:2] == ["placeholder"] :]
        return msgspec.structs.replace(entry, kernel=place(rest[0]), cmdline=" ".join(words))
    if word in _INITRD or word in _MODULE:
        added = tuple(place(p) for p in rest if not p.startswith("-"))
        return msgspec.structs.replace(entry, initrds=entry.initrds + added if word in _MODULE else added)
    return msgspec.structs.replace(entry, device_tree=place(rest[0]))
