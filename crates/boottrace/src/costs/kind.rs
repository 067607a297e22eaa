// SPDX-License-Identifier: MIT
//! The kinds of cost, by what happens and not by what can be done about it.

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// What takes the time.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// A port of a SATA controller is waited for, or reset.
    SataLink,
    /// A disk spins up.
    DiskSpinUp,
    /// A card or eMMC does not answer in time.
    MmcTimeout,
    /// A card or eMMC is set up.
    MmcCardSetUp,
    /// A USB disk is let settle.
    UsbStorageDelay,
    /// A USB device does not answer.
    UsbError,
    /// USB hubs and devices are looked for.
    UsbEnumeration,
    /// An NFS server does not answer at once.
    NfsServer,
    /// A file system is recovered.
    FileSystemRecovery,
    /// File systems are checked.
    FileSystemCheck,
    /// A file system is mounted.
    FileSystemMount,
    /// The device to resume from is waited for.
    ResumeDeviceWait,
    /// RAID arrays are assembled or synchronised.
    RaidAssembly,
    /// An encrypted disk is unlocked.
    DiskUnlock,
    /// Logical volumes are activated.
    LogicalVolumes,
    /// A firmware file is waited for.
    FirmwareFile,
    /// A network link comes up.
    NetworkLink,
    /// Page structures are initialised.
    MemoryInitialisation,
    /// Hash tables are made.
    HashTables,
    /// A device on an I2C bus does not answer.
    I2cTimeout,
    /// A PCIe link is waited for.
    PcieLink,
    /// A TPM is started.
    TpmStart,
    /// A display is set up.
    DisplaySetUp,
    /// A device or a service does not answer in time.
    DeviceTimeout,
    /// udev is waited for.
    UdevSettle,
    /// Keys are generated.
    KeyGeneration,
    /// A security policy is loaded.
    SecurityPolicy,
    /// init is loaded, and comes to its first words.
    InitStart,
    /// systemd waits for a device.
    DeviceWait,
    /// A time of the critical chain that no unit explains.
    ChainGap,
    /// The firmware as a whole, by systemd's account.
    FirmwareAccount,
    /// The boot loader as a whole, by systemd's account.
    LoaderAccount,
    /// The kernel as a whole, by systemd's account.
    KernelAccount,
    /// A program that runs at every boot is at work.
    ProgramRun,
    /// A line of the log states how long something took.
    StatedTime,
    /// Sentences of a text, quoted: they say that something is slow, or why, and name no time.
    Quotation,
    /// A time in which nothing is printed, for no reason that the log tells.
    Silence,
}
