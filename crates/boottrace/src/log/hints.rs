//! What lines without a stamp say about who prints them, where no banner says it.

/// A loader's or decompressor's last words: what follows comes from the kernel or, if that is quiet, from user space.
pub fn hands_over(text: &str) -> bool {
    [
        "Starting kernel ...",
        "ooting the kernel",
        "umping to kernel",
        "Transferring control to Linux",
        "Starting Kernel ...",
        "jump to 64-bit kernel entrypoint",
        "Linux/PowerPC load: ",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Words of user space.
pub fn is_user_space(text: &str) -> bool {
    const STARTS: [&str; 12] = [
        "INIT: ",
        "init started: ",
        "Welcome to ",
        "Please press Enter to activate this console",
        "Starting syslogd",
        "Starting klogd",
        "Starting network",
        "Starting mdev",
        "Starting udev",
        "starting pid ",
        "/ # ",
        "[  OK  ] ",
    ];
    let text = text.trim();
    STARTS.iter().any(|start| text.starts_with(start))
        || text.ends_with(" login:")
        || text == "/ #"
        || text.contains("] A start job is running for ")
}

/// Begins of messages of a kernel that fails: people paste them without what came before.
pub fn is_kernel_fault(text: &str) -> bool {
    const STARTS: [&str; 11] = [
        "------------[ cut here ]------------",
        "Kernel panic - not syncing: ",
        "BUG: ",
        "Unable to handle kernel ",
        "Internal error: ",
        "Oops: ",
        "Unhandled fault: ",
        "kernel BUG at ",
        "general protection fault",
        "VFS: Cannot open root device ",
        "VFS: Unable to mount root fs ",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}
