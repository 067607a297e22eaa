"""Build the kernel without start-up tests."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class StartupTestsOff(OptionTechnique):
    """The kernel tests itself at each boot."""

    id = "startup-tests-off"
    title = "Kernel without start-up self-tests"
    stage = "kernel"
    what = "Builds without the tests of ftrace, ring buffer, trace events, locks, checksums, KUnit and the like."
    why = "They run at each boot; the ring buffer's alone takes ten seconds."
    when_not = "This is a test kernel."
    cost = "None."
    risk = Risk(debuggability="the kernel does not test itself")
    sets = (
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
    )
    gone = (
        r"Testing tracer \w|Running tests on (?:all )?trace event|Running ring buffer tests|^K?TAP version 1|"
        r"^(?:crc32|prandom|glob): .{0,80}self.?tests? passed"
    )
    because = "self-tests run at each boot"
    published = (Published("at least 10 s", "any", "kernel/trace/Kconfig: RING_BUFFER_STARTUP_TEST"),)
    references = ("kernel/trace/Kconfig", "lib/Kconfig.debug", "arch/Kconfig: STATIC_KEYS_SELFTEST")
