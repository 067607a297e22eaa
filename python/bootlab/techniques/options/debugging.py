"""Tests, checks and tracers that a kernel is built without."""

from __future__ import annotations

from bootlab.techniques.base import Context, Evidence, Published, Risk, Technique
from bootlab.techniques.option import Options, OptionTechnique, value_of

_HARDENING = "BUG_ON_DATA_CORRUPTION"


def _unhardened(options: Options, hardening: str) -> Options:
    return tuple(pair for pair in options if pair[0] != "DEBUG_LIST") if hardening == "y" else options


class DebugOptionsOff(OptionTechnique):
    """Options that check at run time and were left on."""

    def pending(self, context: Context) -> Options:
        """Leave the checks of lists alone where they are hardening (BUG_ON_DATA_CORRUPTION selects them)."""
        return _unhardened(super().pending(context), value_of(context, _HARDENING))

    def proved_by(self, after: Evidence) -> Options:
        """Return the options without those that were left alone."""
        return _unhardened(self.sets, after.recording.kernel_config.get(f"CONFIG_{_HARDENING}", ""))


TECHNIQUES: tuple[Technique, ...] = (
    OptionTechnique(
        id="tracing-off",
        title="Kernel without tracing",
        what="Builds without CONFIG_FTRACE.",
        why="The boot patches or lists every traced call site, makes the event tables and allocates ring buffers.",
        when_not="Somebody traces this system.",
        cost="No ftrace, no trace events, no perf probes.",
        risk=Risk(debuggability="no ftrace and no kprobe events on this kernel"),
        sets=(("FTRACE", "n"),),
        because="tracers are built in",
        gone=r"ftrace: allocating",
        published=(
            Published("-550 ms, -217 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
            Published("maybe 0.5 s with other debugging", "SDM845", "comma.ai: fast boot"),
        ),
        references=("kernel/trace/Kconfig: FTRACE",),
    ),
    OptionTechnique(
        id="startup-tests-off",
        title="Kernel without start-up self-tests",
        what="Builds without the tests of ftrace, ring buffer, trace events, locks, checksums, KUnit and the like.",
        why="They run at each boot; the ring buffer's alone takes ten seconds.",
        when_not="This is a test kernel.",
        cost="None.",
        risk=Risk(debuggability="the kernel does not test itself"),
        sets=(
            ("FTRACE_STARTUP_TEST", "n"),
            ("RING_BUFFER_STARTUP_TEST", "n"),
            ("EVENT_TRACE_STARTUP_TEST", "n"),
            ("EVENT_TRACE_TEST_SYSCALLS", "n"),
            ("GLOB_SELFTEST", "n"),
            ("KUNIT", "n"),
            ("RUNTIME_TESTING_MENU", "n"),
            ("OF_UNITTEST", "n"),
            ("DEBUG_LOCKING_API_SELFTESTS", "n"),
            ("DEBUG_OBJECTS_SELFTEST", "n"),
            ("WW_MUTEX_SELFTEST", "n"),
            ("KPROBES_SANITY_TEST", "n"),
            ("CRC32_SELFTEST", "n"),
            ("RANDOM32_SELFTEST", "n"),
            ("XZ_DEC_TEST", "n"),
            ("STATIC_KEYS_SELFTEST", "n"),
            ("STATIC_CALL_SELFTEST", "n"),
            ("DEBUG_NMI_SELFTEST", "n"),
            ("DEBUG_VM_PGTABLE", "n"),
            ("CPA_DEBUG", "n"),
            ("RCU_TORTURE_TEST", "n"),
            ("RCU_SCALE_TEST", "n"),
            ("LOCK_TORTURE_TEST", "n"),
            ("RING_BUFFER_BENCHMARK", "n"),
            ("TRACEPOINT_BENCHMARK", "n"),
            ("FIPS_SIGNATURE_SELFTEST", "n"),
            ("BTRFS_FS_RUN_SANITY_TESTS", "n"),
            ("DMABUF_SELFTESTS", "n"),
            ("IOMMU_IO_PGTABLE_LPAE_SELFTEST", "n"),
            ("IOMMU_IO_PGTABLE_ARMV7S_SELFTEST", "n"),
        ),
        gone=r"Testing tracer \w|Running tests on (?:all )?trace event|Running ring buffer tests|^K?TAP version 1|"
        r"^(?:crc32|prandom|glob): .{0,80}self.?tests? passed",
        because="self-tests run at each boot",
        published=(Published("at least 10 s", "any", "kernel/trace/Kconfig: RING_BUFFER_STARTUP_TEST"),),
        references=("kernel/trace/Kconfig", "lib/Kconfig.debug", "arch/Kconfig: STATIC_KEYS_SELFTEST"),
    ),
    OptionTechnique(
        id="crypto-selftests-off",
        title="Crypto self-tests compiled out",
        what="Builds with CONFIG_CRYPTO_MANAGER_DISABLE_TESTS (from 6.16: without CONFIG_CRYPTO_SELFTESTS).",
        why="Each algorithm is tested when it registers, and blake2s tests itself.",
        when_not="The system must run them (FIPS 140).",
        cost="None at run time.",
        risk=Risk(debuggability="a miscompiled algorithm goes unnoticed"),
        kernels="2.6.36 and later",
        sets=(("CRYPTO_SELFTESTS", "n"),),
        earlier=((6, 16), (("CRYPTO_MANAGER_DISABLE_TESTS", "y"),)),
        only_if=("CRYPTO",),
        because="crypto self-tests are compiled in",
        references=("crypto/Kconfig: CRYPTO_MANAGER_DISABLE_TESTS, since 6.16 CRYPTO_SELFTESTS",),
    ),
    DebugOptionsOff(
        id="debug-options-off",
        title="Kernel without run-time debugging",
        what="Builds without lock proving, object and page debugging, sanitizers and the like.",
        why="They check every lock, allocation or access, from the first one on.",
        when_not="Somebody looks for a fault.",
        cost="None.",
        risk=Risk(debuggability="what these options find is not found"),
        sets=(
            ("PROVE_LOCKING", "n"),
            ("LOCK_STAT", "n"),
            ("DEBUG_LOCK_ALLOC", "n"),
            ("DEBUG_SPINLOCK", "n"),
            ("DEBUG_MUTEXES", "n"),
            ("DEBUG_OBJECTS", "n"),
            ("DEBUG_PAGEALLOC", "n"),
            ("SLUB_DEBUG_ON", "n"),
            ("KASAN", "n"),
            ("KFENCE", "n"),
            ("UBSAN", "n"),
            ("KCSAN", "n"),
            ("DEBUG_KMEMLEAK", "n"),
            ("PAGE_POISONING", "n"),
            ("DEBUG_VM", "n"),
            ("DEBUG_LIST", "n"),
            ("DEBUG_RT_MUTEXES", "n"),
            ("DEBUG_RWSEMS", "n"),
            ("DEBUG_WW_MUTEX_SLOWPATH", "n"),
            ("DEBUG_ATOMIC_SLEEP", "n"),
            ("SCHED_DEBUG", "n"),
            ("DEBUG_PREEMPT", "n"),
            ("DEBUG_TIMEKEEPING", "n"),
            ("DEBUG_WX", "n"),
            ("DETECT_HUNG_TASK", "n"),
            ("HARDLOCKUP_DETECTOR", "n"),
            ("SOFTLOCKUP_DETECTOR", "n"),
            ("GCOV_KERNEL", "n"),
            ("KCOV", "n"),
        ),
        because="debugging options are on",
        references=("lib/Kconfig.debug",),
    ),
    OptionTechnique(
        id="debugfs-off",
        title="Kernel without debugfs",
        what="Builds without CONFIG_DEBUG_FS.",
        why="Drivers and subsystems make directories and files there while the kernel boots.",
        when_not="Somebody reads /sys/kernel/debug.",
        cost="None otherwise.",
        risk=Risk(debuggability="/sys/kernel/debug is gone"),
        sets=(("DEBUG_FS", "n"),),
        # Debugging aids that select it. What else does (SUNRPC_DEBUG, drivers) is left to who configures the kernel.
        held_by=(
            "BLK_DEV_IO_TRACE",
            "DEBUG_KMEMLEAK",
            "PAGE_OWNER",
            "NOTIFIER_ERROR_INJECTION",
            "FAIL_FUTEX",
            "KCOV",
            "ARM_PTDUMP_DEBUGFS",
            "ZSMALLOC_STAT",
        ),
        because="debugfs is built in",
        references=("lib/Kconfig.debug: DEBUG_FS",),
    ),
    OptionTechnique(
        id="debug-info-off",
        title="Kernel without debug information",
        stage="image",
        what="Builds with CONFIG_DEBUG_INFO_NONE (before 5.18: without CONFIG_DEBUG_INFO).",
        why="The files vmlinux and modules become many times smaller: what is copied or packed with them too.",
        when_not="The image is a stripped one: then only the build becomes faster.",
        cost="No line numbers in crash dumps.",
        risk=Risk(debuggability="vmlinux has no types and lines; BTF is gone too"),
        sets=(("DEBUG_INFO_NONE", "y"),),
        earlier=((5, 18), (("DEBUG_INFO", "n"),)),
        only_if=("DEBUG_INFO",),
        because="debug information is made",
        references=("lib/Kconfig.debug: choice 'Debug information'",),
    ),
    OptionTechnique(
        id="compile-checks-off",
        title="Kernel compiled without compile-time checks",
        stage="image",
        what=(
            "Builds without CONFIG_DEBUG_SECTION_MISMATCH, READABLE_ASM, and alignment or symbols forced for debugging."
        ),
        why=(
            "They keep the compiler from inlining and reordering: a larger and slower kernel, for a check or a listing."
        ),
        when_not="Somebody reads the listings, or looks for references between sections.",
        cost="None.",
        risk=Risk(debuggability="wrong references between sections are found less surely at build time"),
        sets=(
            ("DEBUG_SECTION_MISMATCH", "n"),
            ("READABLE_ASM", "n"),
            ("DEBUG_FORCE_FUNCTION_ALIGN_64B", "n"),
            ("DEBUG_FORCE_WEAK_PER_CPU", "n"),
        ),
        because="the compiler is held back for checks",
        references=(
            "lib/Kconfig.debug: DEBUG_SECTION_MISMATCH, READABLE_ASM",
            "Makefile: -fno-inline-functions-called-once",
        ),
    ),
    OptionTechnique(
        id="latent-entropy-off",
        title="No latent entropy instrumentation",
        what="Builds without CONFIG_GCC_PLUGIN_LATENT_ENTROPY.",
        why="Every instrumented function mixes a value: half a per cent of the boot.",
        when_not="The system has no other early source of randomness.",
        cost="None.",
        risk=Risk(security="one early source of randomness less"),
        kernels="4.9 and later",
        sets=(("GCC_PLUGIN_LATENT_ENTROPY", "n"),),
        because="functions are instrumented",
        published=(
            Published("about 0.5 % of the boot", "any", "security/Kconfig.hardening, scripts/gcc-plugins/Kconfig"),
        ),
        references=("scripts/gcc-plugins/Kconfig",),
    ),
    OptionTechnique(
        id="stack-protector-off",
        title="Kernel without stack canaries",
        what="Builds without CONFIG_STACKPROTECTOR.",
        why="Functions do not write and check a canary.",
        when_not="The system is exposed to anybody.",
        cost="A hardening measure less.",
        risk=Risk(security="stack overflows in the kernel are not detected"),
        sets=(("STACKPROTECTOR", "n"),),
        because="functions check a canary",
        references=("arch/Kconfig: STACKPROTECTOR",),
    ),
)
