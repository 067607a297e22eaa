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
        "ow booting linux kernel",
        "ow booting Linux kernel",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// systemd's status of something that started: what it says of a shutdown begins with `Stopped` and the like.
pub fn starts_unit(text: &str) -> bool {
    text.trim_start().strip_prefix("[  OK  ] ").is_some_and(|rest| {
        [
            "Started ",
            "Reached target ",
            "Found device ",
            "Mounted ",
            "Listening on ",
        ]
        .iter()
        .any(|word| rest.starts_with(word))
    })
}

/// The account of the system's manager; those of users' managers name no part of the start.
pub fn accounts_for_start(text: &str) -> bool {
    text.split_once("Startup finished in ")
        .is_some_and(|(_, parts)| parts.contains("(kernel)") || parts.contains("(userspace)"))
}

/// Words of user space.
pub fn is_user_space(text: &str) -> bool {
    const STARTS: [&str; 21] = [
        "INIT: ",
        "/etc/rc.",
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
        "Loading, please wait...",
        "Begin: Running /scripts/",
        "Begin: Mounting root file system",
        "Starting version ",
        "Running sysctl",
        "Starting application",
        "Press ENTER to get started",
        "Mounting ",
    ];
    let text = text.trim();
    STARTS.iter().any(|start| text.starts_with(start))
        || is_login(text)
        || text == "/ #"
        || text.contains("] A start job is running for ")
        || is_named_process(text)
}

/// `poky login:`, `(none) login: root`, `192.168.128.34 login:`, and `host login` where a tool cut the rest.
pub fn is_login(text: &str) -> bool {
    let head = match text.split_once(" login:") {
        Some((head, _)) => head,
        None => match text.strip_suffix(" login") {
            Some(head) => head,
            None => return matches!(text, "login:" | "Login:") || text.starts_with("login: ") || text == "Username:",
        },
    };
    // Colours and movements of the cursor may stand before it.
    let name = head.rsplit(['\u{1b}', ';']).next().unwrap_or(head);
    !name.is_empty()
        && name.len() <= 80
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '(' | ')' | ':' | '['))
}

/// `systemd-fsck[209]: rootfs: clean`, `udevd[123]: starting version 3.2.7`.
fn is_named_process(text: &str) -> bool {
    let Some((head, _)) = text.split_once("]: ") else {
        return false;
    };
    let Some((name, pid)) = head.split_once('[') else {
        return false;
    };
    let named = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    named && !pid.is_empty() && pid.len() <= 7 && pid.bytes().all(|b| b.is_ascii_digit())
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
