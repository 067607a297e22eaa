// SPDX-License-Identifier: MIT
//! What lines without a stamp say about who prints them, where no banner says it.

use super::hand_over::hands_over;
use super::line::Line;

/// Does a boot loader that could not start the kernel still hold the machine? U-Boot: common/bootm.c, lib/hang.c,
/// arch/arm/lib/interrupts.c and interrupts_64.c, drivers/sysreset.
pub fn loader_goes_on(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "### ERROR ###",
        "resetting ...",
        "undefined instruction",
        "data abort",
        "prefetch abort",
        "Synchronous Abort",
        "SError\" handler",
        "- hanging",
    ];
    let text = text.trim();
    WORDS.iter().any(|word| text.contains(word)) || text.starts_with("=> ") || text == "=>"
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

/// init's first doings: SysV scripts, BusyBox rcS, systemd units.
pub fn starts_scripts(line: &Line) -> bool {
    const STARTS: [&str; 14] = [
        "INIT: Entering runlevel",
        "INIT: version ",
        "systemd[1]: Starting ",
        "systemd[1]: Started ",
        "systemd[1]: Listening on ",
        "systemd[1]: Mounting ",
        "systemd[1]: Reached target ",
        "systemd[1]: Created slice ",
        "Starting ",
        "[  OK  ] ",
        "Running sysctl",
        "rcS",
        "init: starting service",
        "procd: - early -",
    ];
    let text = line.text.trim_start();
    if hands_over(text) || starts_an_image(text) {
        return false;
    }
    let unit = line.process.as_deref() == Some("systemd")
        && [
            "Started ",
            "Listening on ",
            "Mounting ",
            "Reached target ",
            "Created slice ",
        ]
        .iter()
        .any(|start| text.starts_with(start));
    unit || STARTS.iter().any(|s| text.starts_with(s)) || text.contains("/etc/init.d/")
}

/// Does a line start a daemon anew that had been stopped: `Starting frobd:` behind `Shutting down frobd:`? That is no start
/// script's of the boot.
pub fn starts_anew(lines: &[Line], line: &Line) -> bool {
    let Some(rest) = line.text.trim_start().strip_prefix("Starting ") else {
        return false;
    };
    let name = rest.split([' ', ':', '.']).next().unwrap_or("");
    let stops = [
        format!("Shutting down {name}"),
        format!("Stopping {name}"),
        format!("{name} exiting on signal"),
    ];
    let mut before = lines.iter().take_while(|other| other.number < line.number);
    !name.is_empty() && before.any(|other| stops.iter().any(|stop| other.text.contains(stop.as_str())))
}

/// What an init prints when it starts a system, and never later: the log may begin there.
///
/// Texts: OpenRC `src/openrc/rc.c`, runit `src/runit.c` (its third stage ends the system), sysvinit `src/init.c`, BusyBox
/// `init/init.c`, s6-rc, Finit `src/finit.c`; of systemd see [`starts_unit`] and [`is_start_job`].
pub fn begins_user_space(text: &str) -> bool {
    let text = text.trim_start();
    starts_unit(text) || begins_init(text) || is_start_job(text) || gives_up(text)
}

/// `=> Welcome to Void!`, the first line of Void's `/etc/runit/1`.
pub fn begins_void(text: &str) -> bool {
    (text.strip_prefix("=> Welcome to ")).is_some_and(|name| name.trim_end().ends_with('!'))
}

fn begins_init(text: &str) -> bool {
    let stage = text.trim_start_matches("- ").strip_prefix("runit: enter stage: ");
    stage.is_some_and(|path| !path.trim_end().ends_with('3'))
        || begins_void(text)
        || (text.starts_with("OpenRC ") && text.contains(" is starting up"))
        || (text.starts_with("INIT: version ") && text.trim_end().ends_with(" booting"))
        || text.starts_with("init started: BusyBox")
        || (text.starts_with("s6-rc: info: service ") && text.contains(": starting"))
        || text.starts_with("s6-linux-init version ")
        || text
            .strip_prefix("Finit v")
            .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()) || version.starts_with("ersion "))
}

/// systemd's line about a start that it waits for, in its older and its newer words (src/core/manager.c,
/// `manager_print_jobs_in_progress()`): `A start job is running for X (9s / no limit)`, `Job X/start running (9s / 1min)`.
pub fn is_start_job(text: &str) -> bool {
    let timed = |rest: &str| rest.contains(" / ") && rest.contains(')');
    text.split_once("] A start job is running for")
        .or_else(|| text.split_once(") A start job is running for"))
        .is_some_and(|(_, rest)| timed(rest))
        || JOB_RUNS.iter().any(|runs| {
            text.split_once(runs)
                .is_some_and(|(head, rest)| head.contains("Job ") && timed(rest))
        })
}

/// What stands behind the name of a job that runs; a terminal that is too narrow lets systemd cut it in the middle.
pub const JOB_RUNS: [&str; 11] = [
    "/start running (",
    "\u{2026}start running (",
    "\u{2026}tart running (",
    "\u{2026}art running (",
    "\u{2026}rt running (",
    "\u{2026}t running (",
    "...start running (",
    "...tart running (",
    "...art running (",
    "...rt running (",
    "...t running (",
];

/// systemd's status of a start that failed, or that was waited for too long.
fn gives_up(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "[ TIME ] Timed out ",
        "[DEPEND] Dependency failed for ",
        "[FAILED] Failed to start ",
        "[FAILED] Failed to mount ",
        "[FAILED] Failed to activate swap ",
    ];
    // A capture's date may stand before it.
    let behind = || text.split_once("] [").map(|(_, rest)| format!("[{rest}"));
    let dated = || text.starts_with("[20") && behind().is_some_and(|rest| STARTS.iter().any(|s| rest.starts_with(s)));
    STARTS.iter().any(|start| text.starts_with(start)) || dated()
}

/// Does a program of an initramfs speak, however late? The boot goes on as long as it waits.
pub fn is_of_initramfs(line: &Line) -> bool {
    const PROGRAMS: [&str; 6] = [
        "dracut-initqueue",
        "dracut-pre-trigger",
        "dracut-mount",
        "dracut-cmdline",
        "dracut-pre-udev",
        "dracut",
    ];
    const UNITS: [&str; 4] = [
        "initrd-root-fs.target",
        "initrd-root-device.target",
        "sysroot.mount",
        "initrd-switch-root",
    ];
    let text = line.text.trim_start();
    line.process.as_deref().is_some_and(|name| PROGRAMS.contains(&name))
        || text.starts_with("dracut-initqueue[")
        || text.starts_with("dracut: ")
        || UNITS.iter().any(|unit| text.contains(unit))
}

/// systemd's words about a device that did not come, in its status and in the job's own line (src/core/job.c).
pub fn waits_in_vain(text: &str) -> bool {
    text.contains("Timed out waiting for device ") || timed_out_device(text).is_some()
}

/// The unit of `dev-sda1.device: Job dev-sda1.device/start timed out.`, in older and newer words.
pub fn timed_out_device(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once(".device: Job ")?;
    let ended = ["/start timed out", "/start failed with result 'timeout'"];
    let unit = head.rsplit([' ', '\t']).next()?;
    (!unit.is_empty() && ended.iter().any(|words| rest.contains(words))).then_some(unit)
}

/// The account of the system's manager; those of users' managers name no part of the start.
pub fn accounts_for_start(text: &str) -> bool {
    text.split_once("Startup finished in ")
        .is_some_and(|(_, parts)| parts.contains("(kernel)") || parts.contains("(userspace)"))
}

/// barebox, or U-Boot's `go`, starts what it loaded: `Starting application at 0x80770000, dts 0x837d56e0...`
fn starts_an_image(text: &str) -> bool {
    let said = text.trim_start_matches(['#', ' ']);
    said.starts_with("Starting application at 0x") || said.starts_with("Starting program at 0x")
}

/// Words of user space.
pub fn is_user_space(text: &str) -> bool {
    const STARTS: [&str; 22] = [
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
        "Begin: Waiting for root file system",
        "Starting version ",
        "Running sysctl",
        "Starting application",
        "Press ENTER to get started",
        "Mounting ",
    ];
    let text = text.trim();
    (STARTS.iter().any(|start| text.starts_with(start)) && !starts_an_image(text))
        || is_login(text)
        || text == "/ #"
        || is_start_job(text)
        || begins_init(text)
        || gives_up(text)
        || is_of_scripts(text)
        || is_named_process(text)
}

/// Words of programs that only init's scripts start: udhcpc's (networking/udhcp/dhcpc.c), fsck's (e2fsprogs, e2fsck/unix.c),
/// and those of sysvinit's own scripts.
pub fn is_of_scripts(text: &str) -> bool {
    const STARTS: [&str; 12] = [
        "udhcpc: ",
        "udhcpc (",
        "INIT: ",
        "dhcpcd-",
        "fsck from util-linux",
        "Configuring network interfaces",
        "Activating swap",
        "Checking root file system",
        "Checking file systems",
        "Will now check root file system",
        "Will now activate swap",
        "Setting up swap",
    ];
    let text = text.trim_start();
    let checked = |text: &str| text.contains("check forced") || text.contains(": recovering journal");
    STARTS.iter().any(|start| text.starts_with(start)) || (text.starts_with("/dev/") && checked(text))
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
pub fn is_named_process(text: &str) -> bool {
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
/// An initcall that a kernel reports when it boots.
pub fn is_boot_initcall(text: &str) -> bool {
    text.starts_with("initcall ") && text.contains(" returned ") && text.contains(" after ")
}
