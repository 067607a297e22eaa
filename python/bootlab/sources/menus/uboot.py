# SPDX-License-Identifier: MIT
"""U-Boot's scripts (`boot.scr`, `boot.cmd`) and environments (`armbianEnv.txt`, `uEnv.txt`): what they would boot.

A script is gone through with the variables of the files beside it. Those that the board's own U-Boot sets are unknown:
the device tree of an unknown board stays unnamed, and is said.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

import msgspec

from bootlab.formats import device_tree, uboot_header, unified_image
from bootlab.formats.file_view import PARTITION_PLACE
from bootlab.sources.facts import BootEntry
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import BootMedium, below_top, place_of, shown
from bootlab.sources.menus.extlinux import parse_extlinux
from bootlab.sources.menus.paths import below
from bootlab.sources.menus.script import MenuScript
from bootlab.sources.menus.uboot_disk import ScriptDisk, calculated, compared
from bootlab.sources.menus.words import MenuCommand, commands_of, named_in

_HEADER_BYTES, _SCRIPT_SIZES_BYTES = 64, 8
_BOOTS = frozenset({"booti", "bootz", "bootm", "bootefi"})
_LOADS = frozenset({"load", "fatload", "ext2load", "ext4load", "fsload"})
_DONE = frozenset(
    {"echo", "fdt", "mmc", "usb", "part", "sleep", "env", "run", "saveenv", "gpio", "led", "pci", "virtio"}
)
_ADDRESSES = ("kernel_addr_r", "ramdisk_addr_r", "fdt_addr_r", "scriptaddr", "load_addr", "loadaddr", "fdt_addr",
              "fdtcontroladdr", "pxefile_addr_r", "kernel_comp_addr_r")  # fmt: skip

# Where the firmware's tree lies, or U-Boot's own, where nothing is loaded over it.
_OF_FIRMWARE = frozenset({"@fdt_addr", "@fdtcontroladdr", "@fdt_addr_r"})
_ASKS_TREE = "{}: which device tree, the board's U-Boot says ($fdtfile): name it with --from"
_KERNEL_HEAD_BYTES = 0x1000
_NAMED_MAX = 4
# What U-Boot itself sets of the board that it was built for (doc/usage/environment.rst): never empty there.
_OF_BOARD = frozenset({"arch", "board", "board_name", "board_rev", "cpu", "soc", "vendor"})
# The number of the disk: a board's own, and 0 for most.
_NUMBERED = re.compile(r"mmcblk\$\{?(?P<name>devnum|mmcdev|mmc_dev)\b")
# Stands for what only the board's disk tells.
_ASKED = "\N{REPLACEMENT CHARACTER}"
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)


def tree_names(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names that U-Boot tries in FDTDIR: $fdtfile, else of the chip and board (boot/pxe_utils.c)."""
    soc, board = variables.get("soc", ""), variables.get("board", "")
    made = f"{soc}-{board}{variables.get('board_rev', '')}.dtb" if soc and board else ""
    return tuple(name for name in (variables.get("fdtfile") or made,) if name)


Reads = Callable[[str], bytes | None]
"""Returns a file's bytes by its path in the medium; None when it is not there."""


class ScriptOutcome(msgspec.Struct, frozen=True):
    """What a script boots; or why it comes to nothing, "" where it hands over to another loader."""

    entry: BootEntry | None
    why: str = ""


def script_text(data: bytes) -> str:
    """Return the text of a boot.scr: behind U-Boot's header and the lengths of its parts; of a plain one all of it."""
    if data.startswith(uboot_header.MAGIC):
        data = data[_HEADER_BYTES + _SCRIPT_SIZES_BYTES :]
    return data.decode("utf-8", "replace")


def environment_of(text: str) -> dict[str, str]:
    """Return the variables of a text environment: `name=value` in each line."""
    pairs = (line.strip().partition("=") for line in text.splitlines() if "=" in line)
    return {name: value for name, _, value in pairs if name and not name.startswith("#")}


def parse_script(
    text: str,
    source: str,
    reads: Reads,
    environment: Mapping[str, str] | None = None,
    medium: BootMedium | None = None,
    own: int = 0,
    firmware: BootEntry | None = None,
) -> ScriptOutcome:
    """Return what a script boots; where it comes to no command that boots a kernel from a file, why.

    `environment`: the variables that U-Boot keeps. `own`: the number of the partition of `medium` that has the script.
    `firmware`: the entry by which the firmware starts U-Boot; it hands over its own device tree with a command line.
    """
    script = _Script(source, reads, environment or {}, medium, own)
    script.firmware = firmware
    script.run(commands_of(text), 0)
    return ScriptOutcome(script.booted, "" if script.booted is not None else script.why())


class _Script(MenuScript):
    def __init__(
        self, source: str, reads: Reads, environment: Mapping[str, str], medium: BootMedium | None, own: int
    ) -> None:
        folder = posixpath.dirname(source).rstrip("/")
        # The names of addresses stand for addresses: only what lies at which matters.
        variables = {name: f"@{name}" for name in _ADDRESSES}
        number = str(own or 1)
        variables |= {"prefix": f"{folder}/", "devtype": "mmc", "devnum": "0", "distro_bootpart": number}
        # The medium is the one that its standard boot tries first.
        variables |= {"bootpart": number, "boot_targets": "mmc0"}
        super().__init__(variables | dict(environment))
        self._folder = folder
        self._own = own
        self._source = source
        self._reads = reads
        self._disk = ScriptDisk(medium)
        self._there: dict[str, str] = {}
        self._lacking: dict[str, str] = {}
        self._overlays: list[str] = []
        self._taken_as_empty: dict[str, None] = {}
        self._taken_as_another: dict[str, None] = {}
        self._numbered: dict[str, None] = {}
        self._given = set(environment)
        self._is_handed_over = False
        self.booted: BootEntry | None = None
        self.firmware: BootEntry | None = None

    def exists(self, path: str) -> bool:
        return self._found(path) is not None

    def exists_on(self, words: list[str]) -> bool:
        """Tell whether a file is there: `-e INTERFACE DEVICE:PARTITION PATH`."""
        return self._found(words[-1], self._disk.number(words[1]) if len(words) > 2 else 0) is not None

    def words(self, words: tuple[str, ...]) -> list[str]:
        """Return words with their variables filled in; an address that the board's U-Boot sets stands for itself."""
        first = words[0] if words else ""
        # A device that nothing names is the medium; without a word there, the others would move up.
        at = (2, 3) if first in _LOADS else (1, 2, 3) if first in _BOOTS else ()
        words = tuple(self._address(word, anyway=index in at) for index, word in enumerate(words))
        compares = first in {"test", "[", "itest"} and not {"-n", "-z", "-e"} & set(words[1:2])
        words = tuple(self._of_board(word) for word in words) if compares else words
        self._numbered |= dict.fromkeys(
            found["name"] for word in words for found in _NUMBERED.finditer(word) if found["name"] not in self._given
        )
        if compares or first in _LOADS or "bootargs" in words[1 : 3 if first == "env" else 2]:
            named = (name for word in words[1:] for name in named_in(word) if name not in self.variables)
            self._taken_as_empty |= dict.fromkeys(name for name in named if name != "filesize")
        return super().words(words)

    def values(self, words: tuple[str, ...]) -> list[str]:
        """Return what a loop goes through: U-Boot's hush parts variables in quotes too (RAUC's scripts rely on it)."""
        return [part for word in super().words(words) for part in word.split()]

    def _of_board(self, word: str) -> str:
        """Return a word of a comparison: what U-Boot knows of the board is something, and none of the names there."""
        named = _VARIABLE.fullmatch(word.strip('"'))
        if named is None or named[1] in self.variables or named[1] not in _OF_BOARD:
            return word
        self._taken_as_another[named[1]] = None
        return _ASKED

    def _address(self, word: str, *, anyway: bool) -> str:
        named = _VARIABLE.fullmatch(word)
        if named is None or self.variables.get(named[1]) or not (anyway or "addr" in named[1]):
            return word
        return f"@{named[1]}"

    def command(self, words: list[str], command: MenuCommand, depth: int) -> str:  # noqa: ARG002 - as the others
        word, self.ok = words[0], True
        if self._sets(words) or self._moves(words):
            return ""
        if word == "sysboot" and len(words) > 4:
            return self._other_menu(words)
        if word == "run":
            for name in words[1:]:
                if left := self.run(commands_of(self.variables.get(name, "")), depth + 1):
                    return left
        elif word == "source":
            at = words[1] if len(words) > 1 else self._usual()
            data = self._reads(self._there.get(at.partition(":")[0], ""))
            return self.run(commands_of(script_text(data or b"")), depth + 1)
        elif word in _BOOTS:
            return self._boot(words[1:] or [self._usual()], by_efi=word == "bootefi")
        elif words[:2] == ["env", "exists"]:
            self.ok = all(name in self.variables for name in words[2:])
        elif word.partition(".")[0] == "itest":
            self.ok = compared(words[1:])
        else:
            self.ok = word in _DONE
        return ""

    def _moves(self, words: list[str]) -> bool:
        """Do a command that brings a file or its contents somewhere; tell whether it was one."""
        word = words[0]
        if word in _LOADS:
            self._loaded(words)
        elif words[:2] == ["fdt", "apply"] and len(words) > 2:
            self._overlays += [self._there[words[2]]] if words[2] in self._there else []
        elif (
            words[:3] == ["fdt", "get", "value"] and words[4:6] == ["/chosen", "bootargs"] and self.firmware is not None
        ):
            self.variables[words[3]] = self.firmware.cmdline
        elif words[:2] == ["env", "import"]:
            self._import(next((part for part in words[2:] if part in self._there), ""))
        elif words[1:2] == ["read"] and len(words) > 3 and (number := self._disk.starting_at(words[3])):
            # A kernel without a file system: `mmc read ADDRESS SECTOR COUNT`.
            self._there[words[2]] = place_of(number, "").rstrip("/")
        elif (word == "unzip" or word.startswith("cp.")) and len(words) > 2:
            self._there |= {words[2]: self._there[words[1]]} if words[1] in self._there else {}
        elif word == "ini" and len(words) > 2:
            self._settings(words[1], self._there.get(words[2], ""))
        else:
            return False
        return True

    def _usual(self) -> str:
        """Return the address that commands have without another (cmd/load.c, cmd/bootm.c)."""
        return self.variables.get("loadaddr") or "@loadaddr"

    def _loaded(self, words: list[str]) -> None:
        """Do `load INTERFACE DEVICE:PARTITION [ADDRESS [FILE]]`."""
        address, path = [*words[3:5], *("",) * 2][:2]
        path = path or self.variables.get("bootfile", "")
        self.ok = (
            bool(path) and len(words) > 2 and self._load(address or self._usual(), path, self._disk.number(words[2]))
        )

    def _settings(self, section: str, path: str) -> None:
        """Take the variables of a section of a file of settings: `ini SECTION ADDRESS` of Odroids."""
        text = (self._reads(path) or b"").decode("utf-8", "replace") if path else ""
        parts = re.split(r"(?m)^\s*\[([^\]\n]*)\]\s*$", text)
        found = [body for name, body in zip(parts[1::2], parts[2::2], strict=False) if name == section]
        self.ok = bool(found)
        for body in found:
            said = environment_of(body)
            self.variables |= {name.strip(): value.strip().strip("\"'") for name, value in said.items()}

    def why(self) -> str:
        """Say why the script boots nothing that is known; "" where it starts another loader."""
        if self._is_handed_over:
            return ""
        parts = [f"it would load {path}, which is not there" for path in dict.fromkeys(self._lacking.values()) if path]
        parts += [f"{self._empty()}"] if self._taken_as_empty else []
        return "; ".join(parts[:3]) or "it comes to no command that boots a kernel from a file"

    def _empty(self) -> str:
        names = list(self._taken_as_empty)
        listed = ", ".join(f"${name}" for name in names[:_NAMED_MAX]) + (" and more" if len(names) > _NAMED_MAX else "")
        return f"the board's U-Boot sets {listed}, or nothing does: taken as empty here"

    def _sets(self, words: list[str]) -> bool:
        """Do a command that sets a variable; tell whether it was one."""
        word = words[0]
        if word in {"setenv", "set"} or words[:2] == ["env", "set"]:
            name, *values = words[2:] if word == "env" else words[1:] or [""]
            self.variables[name] = " ".join(values)
            self._given.add(name)
        elif (assigned := _ASSIGNED.fullmatch(word)) is not None:
            self.variables[assigned["name"]] = assigned["value"]
        elif word in {"part", "fsuuid", "fstype"} and len(words) > 2:
            self._ask(words)
        elif word.partition(".")[0] == "setexpr" and len(words) > 2:
            of_memory = any(part.startswith("*") for part in words[2:])
            self.variables[words[1]] = _ASKED if of_memory else calculated(words[2:])
        else:
            return False
        return True

    def _ask(self, words: list[str]) -> None:
        """Do a command that asks the disk; without a name for the answer, it prints it."""
        answer = self._disk.answer(words)
        if words[0] == "fstype" or words[:2] == ["part", "list"]:
            self.ok = bool(answer)
            if answer and len(words) > (3 if words[0] == "fstype" else 4):
                self.variables[words[-1]] = answer
        elif len(words) > 3:
            self.variables[words[-1]] = answer or _ASKED

    def _found(self, path: str, number: int = 0) -> str | None:
        if self._disk.is_readable(number):
            # It reads this partition, and no other.
            tried: tuple[str, ...] = (place_of(number, path),)
        else:
            tried = (below("/", path), below(self._folder or "/", path))
            # Without a partition that is known, the script's own is the likeliest.
            tried = (place_of(self._own, path), *tried) if self._disk.is_readable(self._own) else tried
        return next((place for place in tried if self._reads(place) is not None), None)

    def _load(self, address: str, path: str, number: int) -> bool:
        place = self._found(path, number)
        if place is None:
            self._there.pop(address, None)
            self._lacking[address] = path
            return False
        self._there[address] = place
        self._lacking.pop(address, None)
        self.variables["filesize"] = "1"
        return True

    def _import(self, address: str) -> None:
        data = self._reads(self._there.get(address, ""))
        self.variables |= environment_of((data or b"").decode("utf-8", "replace"))

    def _other_menu(self, words: list[str]) -> str:
        """Boot what a menu of the other kind says: `sysboot INTERFACE DEVICE any ADDRESS FILE`."""
        number = self._disk.number(words[2])
        place = self._found(words[-1], number)
        text = (self._reads(place) or b"").decode("utf-8", "replace") if place is not None else ""
        trees = tree_names(self.variables)
        found = parse_extlinux(
            text, place or "", trees=trees, exists=lambda path: self._found(path, number) is not None
        )
        self.booted = next((entry for entry in found if entry.default), None)
        if self.booted is not None and place is not None and place.startswith(f"/{PARTITION_PLACE}"):
            top = "/" + place.split("/")[1]
            asks = self.booted.asks_tree.replace(place, shown(place))
            own = msgspec.structs.replace(self.booted, source=shown(self.booted.source), asks_tree=asks)
            self.booted = below_top(own, top)
        self.ok = self.booted is not None
        return "return" if self.ok else ""

    def _boot(self, words: list[str], *, by_efi: bool = False) -> str:
        addresses = [word.partition("#")[0].partition(":")[0] for word in words[:3]]
        kernel, initrd, tree = (*(self._there.get(address, "") for address in addresses), "", "")[:3]
        self.ok = bool(kernel)
        if not kernel:
            return ""
        head = (self._reads(kernel) or b"")[: unified_image.HEAD_MAX_BYTES]
        if by_efi and not (is_kernel(head[:_KERNEL_HEAD_BYTES]) or unified_image.is_unified(head)):
            # A loader for EFI, whose menu counts then.
            self._is_handed_over = True
            return "return"
        lacking = [
            path for address in addresses if (path := self._lacking.get(address, "")) and address not in self._there
        ]
        notes = [f"{self._source} would load {path}, which is not there" for path in lacking if not path.endswith("/")]
        asked = [word for word in self.variables.get("bootargs", "").split() if _ASKED in word]
        if asked:
            left = " ".join(word.replace(_ASKED, "…") for word in asked)
            notes.append(f"{self._source} asks the disk for a partition's UUID, so {left} was left out")
        if self._taken_as_empty:
            notes.append(f"{self._source}: {self._empty()}")
        self._numbered = self._numbered if "mmcblk" in self.variables.get("bootargs", "") else {}
        notes += self._of_other_boards()
        named = words[0].split("#")[1:]
        if len(named) > 1:
            more = ", ".join(named[1:])
            notes.append(
                f"the loader merges the overlays of more configurations ({more}) into the device tree: not done here"
            )
        line, overlays = (
            self.variables.get("bootargs", ""),
            self._overlays or self.variables.get("overlays", "").split(),
        )
        if self.firmware is not None and addresses[2:] and addresses[2] in _OF_FIRMWARE and not tree:
            # Without words of its own, U-Boot leaves those in the tree (boot/fdt_support.c, fdt_chosen).
            tree, overlays = self.firmware.device_tree, [*self.firmware.overlays, *overlays]
            line = line or self.firmware.cmdline
            name = shown(self.firmware.kernel)
            notes.append(f"{name}, which the firmware starts by {self.firmware.source}, is no Linux: taken for U-Boot")
            notes += self.firmware.notes
        # A FIT image has device trees of its own.
        has_trees = head.startswith(device_tree.MAGIC)
        asks = not tree and not has_trees and not (self.variables.get("fdtfile") or self.variables.get("fdt_file"))
        self.booted = BootEntry(
            title="U-Boot",
            kernel=kernel,
            initrds=(initrd,) if initrd else (),
            device_tree=tree,
            cmdline=" ".join(word for word in line.split() if word not in asked),
            source=self._source,
            default=True,
            overlays=tuple(overlays),
            configuration=named[0] if named else "",
            asks_tree=_ASKS_TREE.format(self._source) if asks else "",
            is_partial=bool(asked or self._taken_as_empty or self._taken_as_another or self._numbered),
            notes=tuple(notes),
        )
        return "return"

    def _of_other_boards(self) -> list[str]:
        """Say what of the line depends on the board."""
        notes = []
        if self._taken_as_another:
            listed = ", ".join(f"${name}" for name in self._taken_as_another)
            notes.append(
                f"{self._source} compares {listed}, which the board's U-Boot sets, with names of boards: taken for a "
                "board that it does not name; for one that it names, the command line may be another"
            )
        if self._numbered:
            listed = ", ".join(f"${name}" for name in self._numbered)
            notes.append(
                f"{self._source}: which number the disk has there, the board's U-Boot says ({listed}): taken as "
                f"{', '.join(self.variables.get(name, '') or 'empty' for name in self._numbered)}"
            )
        return notes
