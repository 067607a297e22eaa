// SPDX-License-Identifier: MIT
//! Lines that a capture or test tool wrote among the machine's own.

/// Says which tool wrote an unprefixed line, if one did.
pub fn author(text: &str) -> Option<&'static str> {
    const STARTS: [(&str, &str); 44] = [
        ("Escape character is '", "telnet"),
        ("[Enter `^Ec?'", "conserver"),
        ("[Enter '^Ec?'", "conserver"),
        ("[read-only -- use", "conserver"),
        ("[halt sent]", "conserver"),
        ("Opening serial port ", "grabserial"),
        ("Program will end in ", "grabserial"),
        ("Printing timing information for each line", "grabserial"),
        ("Matching pattern '", "grabserial"),
        ("Use Control-C to stop", "grabserial"),
        ("The instantpat: ", "grabserial"),
        ("The inlinepat: ", "grabserial"),
        ("grabserial: ", "grabserial"),
        ("lava-dispatcher, installed", "LAVA"),
        ("auto-login-action: ", "LAVA"),
        ("bootloader-commands: ", "LAVA"),
        ("Setting prompt string to ", "LAVA"),
        ("Wait for prompt ", "LAVA"),
        ("Matched prompt #", "LAVA"),
        ("Sending with ", "LAVA"),
        ("Sending username ", "LAVA"),
        ("Received signal: <", "LAVA"),
        ("Parsed boot commands: ", "LAVA"),
        ("<LAVA_SIGNAL_", "LAVA"),
        ("Script started on ", "script"),
        ("Script done on ", "script"),
        ("Welcome to minicom", "minicom"),
        ("Compiled on ", "minicom"),
        ("OPTIONS: I18n", "minicom"),
        ("Port /dev/", "minicom"),
        ("Press CTRL-A Z for help on special keys", "minicom"),
        ("picocom v", "picocom"),
        ("Type [C-", "picocom"),
        ("Terminal ready", "picocom"),
        ("Thanks for using picocom", "picocom"),
        ("Skipping tty reset...", "picocom"),
        ("=~=~=~=~=~=~=~=~=~=~=~= PuTTY log ", "PuTTY"),
        ("--- Miniterm on ", "Miniterm"),
        ("--- Quit: Ctrl+", "Miniterm"),
        ("runqemu - ", "runqemu"),
        ("Connected to /dev/tty", "a terminal program"),
        ("[tio ", "tio"),
        ("<board hangs>", "a person"),
        ("-- Boot ", "journalctl"),
    ];
    if let Some((_, who)) = STARTS.iter().find(|(start, _)| text.starts_with(start)) {
        return Some(who);
    }
    if text.starts_with("-- Logs begin at ")
        || text.starts_with("-- Journal begins at ")
        || text.starts_with("-- Subject: ")
        || text.starts_with("-- Defined-By: ")
        || text.starts_with("-- Support: ")
        || text.starts_with("-- The job identifier is ")
        || text.trim_end() == "--"
    {
        return Some("journalctl");
    }
    if is_telnet(text) {
        return Some("telnet");
    }
    if text.contains("grabserial -") {
        return Some("grabserial");
    }
    // grabserial -v: `115200:8N1:xonxoff=0:rtcdtc=0`.
    if text.contains(":xonxoff=") && text.contains(":rtc") {
        return Some("grabserial");
    }
    if is_picocom_setting(text) {
        return Some("picocom");
    }
    if is_lava_step(text) {
        return Some("LAVA");
    }
    None
}

/// `-- Reboot --` and `-- Boot 4f0a... --`, which journalctl prints between two boots.
pub fn divides_boots(text: &str) -> bool {
    let text = text.trim();
    is_dated_head(text)
        || text == "-- Reboot --"
        || text
            .strip_prefix("-- Boot ")
            .and_then(|rest| rest.strip_suffix(" --"))
            .is_some_and(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// `------------ Tue Mar 03 10:11:12 CET 2026 ------------`: Plymouth's head of each boot in /var/log/boot.log.
fn is_dated_head(text: &str) -> bool {
    let inner = text.trim_matches('-');
    if !text.starts_with("----") || !text.ends_with("----") || inner.len() > 60 {
        return false;
    }
    let number = |word: &str, long: usize| word.len() == long && word.bytes().all(|b| b.is_ascii_digit());
    let words = || inner.split_ascii_whitespace();
    let clock = |word: &str| word.len() == 8 && word.split(':').all(|part| number(part, 2));
    (4..=8).contains(&words().count()) && words().any(clock) && words().any(|word| number(word, 4))
}

/// `Trying 127.0.1.1...`, `Connected to board-1.lab.`: a console server was asked.
fn is_telnet(text: &str) -> bool {
    let name = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b':' | b'-' | b'_'))
    };
    let address = text.strip_prefix("Trying ").and_then(|rest| rest.strip_suffix("..."));
    let server = text
        .strip_prefix("Connected to ")
        .and_then(|rest| rest.strip_suffix('.'));
    address.is_some_and(|text| name(text) && text.contains(['.', ':'])) || server.is_some_and(name)
}

/// What syslog's daemons say in the kernel's name when they begin and end reading its log.
pub fn is_log_daemon(text: &str) -> bool {
    let (klogd, imklog) = (text.starts_with("klogd "), text.starts_with("imklog "));
    (klogd || imklog) && text.contains("log source = ")
        || text.starts_with("Kernel logging (")
        || text == "Kernel log daemon terminating."
}

/// `baudrate is    : 115200`, which picocom prints when it starts.
fn is_picocom_setting(text: &str) -> bool {
    const NAMES: [&str; 19] = [
        "port",
        "flowcontrol",
        "baudrate",
        "parity",
        "databits",
        "stopbits",
        "escape",
        "local echo",
        "noinit",
        "noreset",
        "hangup",
        "nolock",
        "send_cmd",
        "receive_cmd",
        "imap",
        "omap",
        "emap",
        "logfile",
        "initstring",
    ];
    let Some((head, _)) = text.split_once(" : ").or_else(|| Some((text.strip_suffix(" :")?, ""))) else {
        return false;
    };
    let head = head.trim_end();
    let name = head.strip_suffix(" is").or_else(|| head.strip_suffix(" are"));
    name.is_some_and(|name| NAMES.contains(&name) || name.starts_with("exit"))
}

/// Comment lines that tools and people put on top of a saved log.
pub fn is_comment(text: &str) -> bool {
    text.starts_with("# ") && !text.starts_with("# [")
}

/// `start: 2.1.1 execute-qemu (timeout 00:15:00) [common]` and the `end:` to it.
fn is_lava_step(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("start: ").or_else(|| text.strip_prefix("end: ")) else {
        return false;
    };
    rest.starts_with(|c: char| c.is_ascii_digit())
        && (rest.contains("(timeout ") || rest.contains("(duration ") || rest.ends_with(']') || rest.contains(' '))
}

/// Does somebody have to type a passphrase or a password now (cryptsetup, systemd, initramfs-tools, NixOS, login)?
pub fn asks_for_a_secret(text: &str) -> bool {
    const WORDS: [&str; 5] = [
        "passphrase",
        "password for ",
        "please unlock disk",
        "pin for ",
        "recovery key for ",
    ];
    let text = text.trim_end().to_ascii_lowercase();
    let asks = || WORDS.iter().any(|word| text.contains(word)) || text.ends_with("password:");
    text.ends_with(':') && asks() && !text.contains("verify")
}

/// A command at a boot loader's or shell's prompt, or its name: `U-Boot> usb start`, `=> boot`, `PANDA # `.
pub fn prompt_command(text: &str) -> Option<&str> {
    for prompt in [
        "U-Boot> ",
        "U-Boot # ",
        "=> ",
        "/ # ",
        "barebox> ",
        "barebox:/ ",
        "iPXE> ",
        "grub> ",
        "Shell> ",
    ] {
        if let Some(command) = text.strip_prefix(prompt) {
            return Some(command);
        }
    }
    let word = text.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_')))?;
    if (2..=24).contains(&word) {
        let rest = &text[word..];
        return rest
            .strip_prefix("> ")
            .or_else(|| rest.strip_prefix(" # "))
            .or_else(|| rest.strip_prefix("# "));
    }
    None
}
