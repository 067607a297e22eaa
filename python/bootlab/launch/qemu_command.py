# SPDX-License-Identifier: MIT
"""A launch as QEMU's command line. This is the only place that knows QEMU's words for it."""

from __future__ import annotations

import itertools

from bootlab.launch.extra_words import grouped
from bootlab.model.launch import InMemory, InstructionClock, Launch, LoadedFirst, LoadedPlugin, Medium

_GIB = 1 << 30
Option = tuple[str, ...]
"""An option with its value, if it takes one."""


def words(launch: Launch) -> tuple[str, ...]:
    """Return the command, word by word."""
    return (launch.emulator, *itertools.chain.from_iterable(options(launch)))


def options(launch: Launch) -> tuple[Option, ...]:
    """Return the command's options in their order, those of the user's own last."""
    found: list[Option] = [_machine(launch), ("-accel", launch.accel), *_processor(launch)]
    found += [("-nodefaults",), ("-display", "none"), *_monitor(launch), ("-no-reboot",)]
    if launch.mute:
        found.append(("-audio", "none"))
    found += [*_firmware(launch), *_console(launch)]
    if launch.clock is not None:
        found += _clock(launch.clock)
    found += [("-plugin", _plugin(plugin)) for plugin in launch.plugins]
    found += itertools.chain.from_iterable(medium_options(medium) for medium in launch.media)
    found += [("-device", device) for device in launch.devices]
    found += [("-smbios", table) for table in launch.smbios]
    found += [("-global", text) for text in launch.properties]
    if launch.kernel is None:
        return (*found, *_loader(launch.loader), *grouped(launch.extra))
    found.append(("-kernel", launch.kernel))
    if launch.initramfs is not None:
        found.append(("-initrd", launch.initramfs))
    if launch.dtb is not None:
        found.append(("-dtb", launch.dtb))
    return (*found, ("-append", launch.cmdline), *_loader(launch.loader), *grouped(launch.extra))


def machine_words(launch: Launch) -> tuple[str, ...]:
    """Return the words that say which machine it is: board, processor, memory, firmware."""
    return tuple(itertools.chain(_machine(launch), *_processor(launch), *_firmware(launch)))


def medium_options(medium: Medium) -> tuple[Option, ...]:
    """Return the options that attach a medium. Unless it is kept, no boot changes it (`snapshot=on`)."""
    match medium.bus:
        case "virtio":
            return (_drive(medium, "virtio"),)
        case "virtio-mmio":
            name = f"disk{medium.unit}"
            return (_drive(medium, "none", f"id={name}"), ("-device", f"virtio-blk-device,drive={name}"))
        case "pflash":
            return (_drive(medium, "pflash", f"unit={medium.unit}"),)
        case "sd":
            return (_drive(medium, "sd", f"index={medium.unit}"),)
        case "sd-device" | "sdhci-pci":
            name = f"card{medium.unit}"
            card = (_drive(medium, "none", f"id={name}"), ("-device", f"sd-card,drive={name}"))
            return card if medium.bus == "sd-device" else (("-device", "sdhci-pci"), *card)
        case "nvdimm":
            # Private: what the guest writes stays in memory and is thrown away.
            name, share = f"pmem{medium.unit}", "on" if medium.kept else "off"
            words = (f"memory-backend-file,id={name}", f"mem-path={_escape(medium.file)}", f"size={medium.size_bytes}")
            return (("-object", ",".join((*words, f"share={share}"))), ("-device", f"nvdimm,memdev={name}"))


def _machine(launch: Launch) -> Option:
    return ("-machine", ",".join((launch.machine, *launch.machine_options)))


def _processor(launch: Launch) -> tuple[Option, ...]:
    return (("-cpu", launch.cpu), ("-m", _memory(launch)), ("-smp", str(launch.processors)))


def _memory(launch: Launch) -> str:
    plugged = [medium.size_bytes for medium in launch.media if medium.bus == "nvdimm"]
    if not plugged:
        return str(launch.memory_mib)
    # NVDIMMs are plugged into slots of memory, which lie behind the usual one, each from a boundary on.
    behind = sum(-(-size // _GIB) + 1 for size in plugged)
    return f"{launch.memory_mib},slots={len(plugged)},maxmem={-(-launch.memory_mib // 1024) + behind}G"


def _firmware(launch: Launch) -> tuple[Option, ...]:
    return (("-bios", launch.firmware),) if launch.firmware is not None else ()


def _loader(loader: LoadedFirst | None) -> tuple[Option, ...]:
    if loader is None:
        return ()
    first = ("-bios" if loader.instead_of == "firmware" else "-kernel", loader.file)
    tree = (("-dtb", loader.dtb),) if loader.dtb is not None else ()
    return (first, *tree, *(("-device", _in_memory(part)) for part in loader.memory))


def _in_memory(part: InMemory) -> str:
    return f"loader,file={_escape(part.file)},addr={part.address:#x},force-raw=on"


def _console(launch: Launch) -> tuple[Option, ...]:
    # A file loses no byte and needs no reader that keeps up.
    place = "stdio,id=console,signal=on"
    # One that is read at a pace goes to the standard output, a pipe then, and bootlab writes the file.
    if launch.console is not None and not launch.console_baud:
        place = f"file,id=console,path={_escape(launch.console)}"
    others = (("-serial", "null"),) * launch.console_port
    return (("-chardev", place), *others, ("-serial", "chardev:console"))


def _monitor(launch: Launch) -> tuple[Option, ...]:
    if launch.monitor is None:
        return (("-monitor", "none"),)
    socket = f"socket,id=monitor,path={_escape(launch.monitor)},server=on,wait=off"
    return (("-chardev", socket), ("-monitor", "chardev:monitor"))


def _clock(clock: InstructionClock) -> tuple[Option, ...]:
    recorded = ",rr=record,rrfile=/dev/null" if clock.recorded else ""
    return (
        ("-icount", f"shift={clock.shift},sleep=off,align=off{recorded}"),
        ("-rtc", f"base={clock.rtc_base},clock=vm"),
        ("-seed", str(clock.seed)),
    )


def _plugin(plugin: LoadedPlugin) -> str:
    return ",".join(_escape(word) for word in (plugin.file, *plugin.arguments))


def _drive(medium: Medium, interface: str, *more: str) -> Option:
    # Unsafe for the host's power alone: a snapshot is written so too, and bootlab writes a kept file through itself.
    lasting = "cache=unsafe" if medium.kept else "snapshot=on"
    image = (f"file={_escape(medium.file)}", f"format={medium.format}", f"if={interface}", lasting)
    return ("-drive", ",".join((*image, *more)))


def _escape(text: str) -> str:
    # QEMU's option parser reads a comma as the end of the value; two stand for one.
    return text.replace(",", ",,")
