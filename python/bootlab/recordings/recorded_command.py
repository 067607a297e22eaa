# SPDX-License-Identifier: MIT
"""Reads the emulator's command in older recordings (versions 1 and 2), which kept its words alone.

Newer ones keep the launch itself, and nothing else reads a command.
"""

from __future__ import annotations

from pathlib import Path

from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.launch import InstructionClock, Launch, LoadedPlugin, Medium, MediumBus

_BUSES: dict[str, MediumBus] = {"virtio": "virtio", "none": "virtio-mmio", "pflash": "pflash", "sd": "sd"}
_ALONE = frozenset({"-nodefaults", "-no-reboot"})


def launch_in(command: tuple[str, ...]) -> Launch | None:
    """Return the launch that a command was made from; None for words that no bootlab has written."""
    emulator, *rest = command or ("",)
    known = next((facts for facts in ARCHITECTURES.values() if facts.emulator == Path(emulator).name), None)
    given, extra = _options(rest)
    first = {option: values[0] for option, values in given.items()}
    machine, *machine_options = first.get("-machine", "").split(",")
    memory, processors = first.get("-m", ""), first.get("-smp", "")
    if known is None or not machine or "-kernel" not in first or not (memory.isdigit() and processors.isdigit()):
        return None
    media = tuple(medium for text in given.get("-drive", ()) if (medium := _medium(text)) is not None)
    own = {f"virtio-blk-device,drive=disk{medium.unit}" for medium in media if medium.bus == "virtio-mmio"}
    return Launch(
        emulator=emulator,
        arch=known.name,
        machine=machine,
        machine_options=tuple(machine_options),
        accel=first.get("-accel", "tcg"),
        cpu=first.get("-cpu", ""),
        memory_mib=int(memory),
        processors=int(processors),
        firmware=first.get("-bios"),
        mute="-audio" in first,
        console=_fields(first.get("-chardev", "")).get("path"),
        clock=_clock(first),
        plugins=tuple(_plugin(text) for text in given.get("-plugin", ())),
        media=media,
        devices=tuple(text for text in given.get("-device", ()) if text not in own),
        kernel=first["-kernel"],
        initramfs=first.get("-initrd"),
        dtb=first.get("-dtb"),
        cmdline=first.get("-append", ""),
        extra=extra,
    )


def _options(rest: list[str]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return the values of bootlab's own options, and the user's words, which stand behind the last of them."""
    given: dict[str, list[str]] = {}
    at = 0
    while at < len(rest):
        option = rest[at]
        if option in _ALONE:
            at += 1
            continue
        given.setdefault(option, []).append(rest[at + 1] if at + 1 < len(rest) else "")
        at += 2
        if option == "-append":
            break
    return given, tuple(rest[at:])


def _words(text: str) -> list[str]:
    return [word.replace("\0", ",") for word in text.replace(",,", "\0").split(",")]


def _fields(text: str) -> dict[str, str]:
    return dict(word.partition("=")[::2] for word in _words(text))


def _clock(first: dict[str, str]) -> InstructionClock | None:
    counted, rtc = _fields(first.get("-icount", "")), _fields(first.get("-rtc", ""))
    shift, seed = counted.get("shift", ""), first.get("-seed", "1")
    if not (shift.isdigit() and seed.isdigit()):
        return None
    return InstructionClock(
        shift=int(shift), rtc_base=rtc.get("base", ""), seed=int(seed), recorded=counted.get("rr") == "record"
    )


def _medium(text: str) -> Medium | None:
    fields = _fields(text)
    bus = _BUSES.get(fields.get("if", ""))
    if bus is None:
        return None
    number = fields.get("unit") or fields.get("index") or fields.get("id", "").removeprefix("disk")
    return Medium(
        file=fields.get("file", ""),
        bus=bus,
        format="qcow2" if fields.get("format") == "qcow2" else "raw",
        unit=int(number) if number.isdigit() else 0,
    )


def _plugin(text: str) -> LoadedPlugin:
    file, *arguments = _words(text)
    return LoadedPlugin(file=file, arguments=tuple(arguments))
