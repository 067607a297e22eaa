"""All techniques, in one place: a technique that does not stand here does not exist."""

from __future__ import annotations

import difflib
import functools
from importlib.metadata import EntryPoint, entry_points

import msgspec

from bootlab.errors import UserError
from bootlab.techniques.base import Technique
from bootlab.techniques.firmware.edd_off import EddOff
from bootlab.techniques.firmware.firmware_microvm import FirmwareMicrovm
from bootlab.techniques.firmware.firmware_qboot import FirmwareQboot
from bootlab.techniques.image.appended_dtb import AppendedDtb
from bootlab.techniques.image.compile_checks_off import CompileChecksOff
from bootlab.techniques.image.compiler_optimisation import CompilerOptimisation
from bootlab.techniques.image.debug_info_off import DebugInfoOff
from bootlab.techniques.image.kernel_compression import KernelCompression
from bootlab.techniques.image.kernel_pvh import KernelPvh
from bootlab.techniques.image.kernel_uncompressed import KernelUncompressed
from bootlab.techniques.image.thumb2_kernel import Thumb2Kernel
from bootlab.techniques.image.verbose_bootup_off import VerboseBootupOff
from bootlab.techniques.init.app_as_init import AppAsInit
from bootlab.techniques.init.application_unit_first import ApplicationUnitFirst
from bootlab.techniques.init.busybox_applets import BusyboxApplets
from bootlab.techniques.init.busybox_nofork import BusyboxNofork
from bootlab.techniques.init.getty_late import GettyLate
from bootlab.techniques.init.mounts_by_application import MountsByApplication
from bootlab.techniques.init.rc_parallel import RcParallel
from bootlab.techniques.init.rc_scripts_merged import RcScriptsMerged
from bootlab.techniques.init.systemd_generators_off import SystemdGeneratorsOff
from bootlab.techniques.init.systemd_target_reduced import SystemdTargetReduced
from bootlab.techniques.init.systemd_unit_masked import SystemdUnitMasked
from bootlab.techniques.init.unneeded_mounts import UnneededMounts
from bootlab.techniques.initramfs.initramfs_async import InitramfsAsync
from bootlab.techniques.initramfs.initramfs_builtin import InitramfsBuiltin
from bootlab.techniques.initramfs.initramfs_builtin_uncompressed import InitramfsBuiltinUncompressed
from bootlab.techniques.initramfs.initramfs_compression import InitramfsCompression
from bootlab.techniques.initramfs.initramfs_slim import InitramfsSlim
from bootlab.techniques.kernel.acpi_off import AcpiOff
from bootlab.techniques.kernel.arm_unwinder_off import ArmUnwinderOff
from bootlab.techniques.kernel.audit_off import AuditOff
from bootlab.techniques.kernel.block_off import BlockOff
from bootlab.techniques.kernel.bug_off import BugOff
from bootlab.techniques.kernel.cgroups_off import CgroupsOff
from bootlab.techniques.kernel.configfs_off import ConfigfsOff
from bootlab.techniques.kernel.console_dropped import ConsoleDropped
from bootlab.techniques.kernel.crypto_selftests import CryptoSelftests
from bootlab.techniques.kernel.crypto_selftests_off import CryptoSelftestsOff
from bootlab.techniques.kernel.debug_leftovers import DebugLeftovers
from bootlab.techniques.kernel.debug_options_off import DebugOptionsOff
from bootlab.techniques.kernel.debugfs_off import DebugfsOff
from bootlab.techniques.kernel.deferred_page_init import DeferredPageInit
from bootlab.techniques.kernel.deferred_probe_timeout import DeferredProbeTimeout
from bootlab.techniques.kernel.driver_async_probe import DriverAsyncProbe
from bootlab.techniques.kernel.drivers_as_modules import DriversAsModules
from bootlab.techniques.kernel.drivers_async import DriversAsync
from bootlab.techniques.kernel.expert_trims import ExpertTrims
from bootlab.techniques.kernel.hpet_off import HpetOff
from bootlab.techniques.kernel.i8042_probing import I8042Probing
from bootlab.techniques.kernel.ikconfig_off import IkconfigOff
from bootlab.techniques.kernel.init_on_alloc import InitOnAlloc
from bootlab.techniques.kernel.initcall_blacklist import InitcallBlacklist
from bootlab.techniques.kernel.ip_autoconfig import IpAutoconfig
from bootlab.techniques.kernel.kallsyms_off import KallsymsOff
from bootlab.techniques.kernel.latent_entropy_off import LatentEntropyOff
from bootlab.techniques.kernel.loglevel import Loglevel
from bootlab.techniques.kernel.lpj_compiled_in import LpjCompiledIn
from bootlab.techniques.kernel.lpj_preset import LpjPreset
from bootlab.techniques.kernel.lsm_off import LsmOff
from bootlab.techniques.kernel.memory_limit import MemoryLimit
from bootlab.techniques.kernel.mitigations_off import MitigationsOff
from bootlab.techniques.kernel.mmc_off import MmcOff
from bootlab.techniques.kernel.modprobe_path_empty import ModprobePathEmpty
from bootlab.techniques.kernel.modules_off import ModulesOff
from bootlab.techniques.kernel.networking_off import NetworkingOff
from bootlab.techniques.kernel.no_apic_timer import NoApicTimer
from bootlab.techniques.kernel.no_timer_check import NoTimerCheck
from bootlab.techniques.kernel.no_tracefs import NoTracefs
from bootlab.techniques.kernel.noreplace_smp import NoreplaceSmp
from bootlab.techniques.kernel.nowatchdog import Nowatchdog
from bootlab.techniques.kernel.numa_off import NumaOff
from bootlab.techniques.kernel.one_processor import OneProcessor
from bootlab.techniques.kernel.pci_off import PciOff
from bootlab.techniques.kernel.printk_off import PrintkOff
from bootlab.techniques.kernel.printk_time import PrintkTime
from bootlab.techniques.kernel.proc_off import ProcOff
from bootlab.techniques.kernel.proc_page_monitor_off import ProcPageMonitorOff
from bootlab.techniques.kernel.proc_sysctl_off import ProcSysctlOff
from bootlab.techniques.kernel.quiet import Quiet
from bootlab.techniques.kernel.random_trust_cpu import RandomTrustCpu
from bootlab.techniques.kernel.rcu_expedited import RcuExpedited
from bootlab.techniques.kernel.rtc_hctosys_off import RtcHctosysOff
from bootlab.techniques.kernel.runtime_uarts import RuntimeUarts
from bootlab.techniques.kernel.serial_8250_uarts import Serial8250Uarts
from bootlab.techniques.kernel.slab_allocator import SlabAllocator
from bootlab.techniques.kernel.smp_off import SmpOff
from bootlab.techniques.kernel.stack_protector_off import StackProtectorOff
from bootlab.techniques.kernel.startup_tests_off import StartupTestsOff
from bootlab.techniques.kernel.swap_off import SwapOff
from bootlab.techniques.kernel.sysfs_off import SysfsOff
from bootlab.techniques.kernel.timer_frequency import TimerFrequency
from bootlab.techniques.kernel.tracing_off import TracingOff
from bootlab.techniques.kernel.tsc_reliable import TscReliable
from bootlab.techniques.kernel.unused_drivers import UnusedDrivers
from bootlab.techniques.kernel.vt_off import VtOff
from bootlab.techniques.storage.md_autodetect_off import MdAutodetectOff
from bootlab.techniques.storage.raid6_benchmark_off import Raid6BenchmarkOff
from bootlab.techniques.storage.raid_noautodetect import RaidNoautodetect
from bootlab.techniques.storage.root_in_initramfs import RootInInitramfs
from bootlab.techniques.storage.rootdelay_to_rootwait import RootdelayToRootwait
from bootlab.techniques.storage.rootfstype import Rootfstype
from bootlab.techniques.userspace.arm_instruction_set import ArmInstructionSet
from bootlab.techniques.userspace.fewer_relocations import FewerRelocations
from bootlab.techniques.userspace.hash_style import HashStyle
from bootlab.techniques.userspace.musl_libc import MuslLibc
from bootlab.techniques.userspace.program_optimisation import ProgramOptimisation
from bootlab.techniques.userspace.static_linking import StaticLinking
from bootlab.techniques.userspace.strip_programs import StripPrograms
from bootlab.techniques.userspace.symbol_binding import SymbolBinding
from bootlab.techniques.userspace.unneeded_libraries import UnneededLibraries
from bootlab.techniques.userspace.unused_sections import UnusedSections

ENTRY_POINTS = "bootlab.techniques"
"""Third parties name a `Technique` class or instance in this group."""

BUILT_IN: tuple[Technique, ...] = (
    EddOff(),
    FirmwareMicrovm(),
    FirmwareQboot(),
    KernelPvh(),
    Quiet(),
    Loglevel(),
    ConsoleDropped(),
    DebugLeftovers(),
    PrintkTime(),
    CryptoSelftests(),
    LpjPreset(),
    LpjCompiledIn(),
    NoApicTimer(),
    NoTimerCheck(),
    NoTracefs(),
    TscReliable(),
    HpetOff(),
    NoreplaceSmp(),
    OneProcessor(),
    NumaOff(),
    InitcallBlacklist(),
    DriverAsyncProbe(),
    DeferredProbeTimeout(),
    I8042Probing(),
    Serial8250Uarts(),
    PciOff(),
    AcpiOff(),
    IpAutoconfig(),
    RcuExpedited(),
    RandomTrustCpu(),
    MemoryLimit(),
    Nowatchdog(),
    InitOnAlloc(),
    AuditOff(),
    LsmOff(),
    MitigationsOff(),
    InitramfsAsync(),
    InitramfsCompression(),
    InitramfsSlim(),
    RaidNoautodetect(),
    RootdelayToRootwait(),
    Rootfstype(),
    RootInInitramfs(),
    RcScriptsMerged(),
    RcParallel(),
    UnneededMounts(),
    GettyLate(),
    BusyboxApplets(),
    BusyboxNofork(),
    SystemdUnitMasked(),
    ApplicationUnitFirst(),
    SystemdTargetReduced(),
    SystemdGeneratorsOff(),
    MountsByApplication(),
    AppAsInit(),
    StaticLinking(),
    MuslLibc(),
    ArmInstructionSet(),
    SymbolBinding(),
    HashStyle(),
    UnneededLibraries(),
    FewerRelocations(),
    ProgramOptimisation(),
    UnusedSections(),
    StripPrograms(),
    # what only a build can change
    KernelCompression(),
    KernelUncompressed(),
    AppendedDtb(),
    InitramfsBuiltin(),
    InitramfsBuiltinUncompressed(),
    CompilerOptimisation(),
    SmpOff(),
    ModulesOff(),
    TracingOff(),
    PrintkOff(),
    BugOff(),
    KallsymsOff(),
    IkconfigOff(),
    ConfigfsOff(),
    ProcOff(),
    SysfsOff(),
    ProcSysctlOff(),
    ProcPageMonitorOff(),
    ArmUnwinderOff(),
    Thumb2Kernel(),
    BlockOff(),
    MmcOff(),
    NetworkingOff(),
    StartupTestsOff(),
    CryptoSelftestsOff(),
    DebugOptionsOff(),
    DebugfsOff(),
    ExpertTrims(),
    VtOff(),
    RtcHctosysOff(),
    ModprobePathEmpty(),
    MdAutodetectOff(),
    Raid6BenchmarkOff(),
    VerboseBootupOff(),
    LatentEntropyOff(),
    DeferredPageInit(),
    StackProtectorOff(),
    CgroupsOff(),
    SwapOff(),
    TimerFrequency(),
    SlabAllocator(),
    DebugInfoOff(),
    CompileChecksOff(),
    RuntimeUarts(),
    UnusedDrivers(),
    DriversAsModules(),
    DriversAsync(),
)
"""In the order in which they are listed and tried: from power-on to the application."""


class UnknownTechnique(UserError):
    """No technique has this id."""

    def __init__(self, technique_id: str, known: tuple[str, ...]) -> None:
        """Name the ids that look alike."""
        close = difflib.get_close_matches(technique_id[:100], known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?   " if close else ""
        super().__init__(f"there is no technique {technique_id[:100]!r}", hint=f"{hint}all of them: bootlab techniques")
        self.technique_id = technique_id


class Problem(msgspec.Struct, frozen=True):
    """A technique of a third party that could not be taken in, and why."""

    entry_point: str
    reason: str


class Catalogue(msgspec.Struct, frozen=True):
    """Built-in techniques, those of third parties, and what went wrong with the latter."""

    techniques: tuple[Technique, ...]
    problems: tuple[Problem, ...] = ()


def load(points: tuple[EntryPoint, ...]) -> Catalogue:
    """Take in the techniques of third parties. An error in one of them is reported, never raised."""
    techniques = list(BUILT_IN)
    problems: list[Problem] = []
    for point in points:
        name = f"{point.name} = {point.value}"
        try:
            found = point.load()
            technique = found() if isinstance(found, type) else found
        except Exception as error:  # noqa: BLE001 - foreign code may raise anything when it is imported
            problems.append(Problem(name, f"{type(error).__name__}: {error}"))
            continue
        if not isinstance(technique, Technique):
            problems.append(Problem(name, f"{type(technique).__name__} is not a bootlab.techniques.base.Technique"))
        elif missing := unfilled(technique):
            problems.append(Problem(name, f"these are not filled: {', '.join(missing)}"))
        elif any(known.id == technique.id for known in techniques):
            problems.append(Problem(name, f"the id {technique.id!r} is taken"))
        else:
            techniques.append(technique)
    return Catalogue(tuple(techniques), tuple(problems))


def unfilled(technique: Technique) -> tuple[str, ...]:
    """Return the names of class variables that must be filled and are not."""
    texts = ("id", "title", "stage", "what", "why", "when_not", "cost", "kernels")
    missing = [
        name for name in texts if not isinstance(getattr(technique, name, None), str) or not getattr(technique, name)
    ]
    return tuple(missing) if technique.references else (*missing, "references")


@functools.cache
def catalogue() -> Catalogue:
    """Return everything that is installed, read once."""
    return load(tuple(entry_points(group=ENTRY_POINTS)))


def all_techniques() -> tuple[Technique, ...]:
    """Return every technique."""
    return catalogue().techniques


def get(technique_id: str) -> Technique:
    """Return one technique by its id. Raise UnknownTechnique with the ids that look alike."""
    for technique in all_techniques():
        if technique.id == technique_id:
            return technique
    raise UnknownTechnique(technique_id, tuple(t.id for t in all_techniques()))
