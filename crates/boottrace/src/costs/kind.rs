//! The kinds of cost, by what happens and not by what can be done about it.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// What takes the time.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum CostKind {
            $($(#[$doc])* $kind,)*
        }

        /// All of them.
        pub const KINDS: &[CostKind] = &[$(CostKind::$kind),*];
    };
}

kinds! {
    /// The kernel times its delay loop.
    DelayCalibration,
    /// Characters sent over a slow console.
    ConsoleOutput,
    /// Lines of `initcall_debug` that nobody reads.
    InitcallDebug,
    /// The kernel image unpacks itself.
    KernelDecompression,
    /// The initramfs is unpacked.
    InitramfsUnpacking,
    /// Drivers that look for a device and find none.
    AbsentDevice,
    /// Initcalls that fail.
    FailedInitcall,
    /// One initcall holds init up.
    LongInitcall,
    /// Algorithms of the crypto subsystem test themselves.
    CryptoSelfTest,
    /// Initcalls of the tracers.
    TracerSetUp,
    /// Functions are prepared for tracing.
    FunctionTracingSetUp,
    /// RAID-6 algorithms are measured.
    Raid6Benchmark,
    /// XOR routines are measured.
    XorBenchmark,
    /// Processors beside the first are started.
    SecondaryProcessors,
    /// A PS/2 controller is looked for.
    Ps2ControllerSearch,
    /// Checks of a debug kernel.
    DebugChecks,
    /// The kernel tests itself.
    SelfTest,
    /// The boot loader waits for a key.
    BootLoaderDelay,
    /// The kernel sleeps before it mounts root.
    RootDelay,
    /// The kernel waits for the root device.
    RootDeviceWait,
    /// The kernel waits for devices to look for RAID on them.
    RaidAutodetection,
    /// The kernel configures the network.
    NetworkConfiguration,
    /// Random numbers are ready late.
    RandomNumberWait,
    /// Probes that come before their suppliers.
    DeferredProbes,
    /// A device waits for a supplier that does not come.
    MissingSupplier,
    /// A step of the firmware, by its own clock.
    FirmwareStep,
    /// Firmware prints what it does.
    FirmwareConsole,
    /// The boot loader reads files or images.
    BootLoaderRead,
    /// The boot loader looks for devices on USB.
    BootLoaderUsb,
    /// UBI reads the headers of all blocks of the flash.
    UbiAttach,
    /// The initramfs runs before the real root file system's init.
    InitramfsRun,
    /// systemd starts a unit.
    UnitStart,
    /// A unit that is waited for fails, or does not come in its time.
    UnitFailure,
    /// systemd starts user space, as a whole.
    UserSpaceStart,
    /// A time in which nothing is printed, for no reason that the log tells.
    Silence,
}
