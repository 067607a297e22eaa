// SPDX-License-Identifier: MIT
use super::*;

#[test]
fn lines_that_speak_of_a_wait() {
    let told = [
        ("quux 12ab0000.bus: transfer timed out", Saying::TimedOut),
        ("pxe-loader: server response timeout", Saying::TimedOut),
        ("probe of 3-1:1.0 failed with error -110", Saying::TimedOut),
        ("flush: i8099 timeout", Saying::TimedOut),
        (
            "loader: Waiting for link-up on nic7 ... Unable to connect",
            Saying::NoAnswer,
        ),
        ("hdq: lost interrupt", Saying::NoAnswer),
        (
            "quuxhcd 12d0.hc: quuxhcd_abort: Device abort task at tag 3",
            Saying::NoAnswer,
        ),
        ("frobraid: Host bus reset request. SCSI hang ?", Saying::NoAnswer),
        ("foo-mgmt: station unreachable, attempt 3 of 9", Saying::NoAnswer),
        ("Retry count exceeded; starting again", Saying::Retried),
        ("worker [77] processing 'pci' is taking a long time", Saying::Slow),
        ("The bus is stuck", Saying::Slow),
        ("A start job is running for Load the Frob", Saying::Waited),
        ("::: waiting for frobs to come ...", Saying::Waited),
        ("foo_early: Wait for the panel", Saying::Waited),
        ("Frob set-up: Attempt 2 of 9. Wait 15 seconds.", Saying::Retried),
        ("frob: retry 4/10", Saying::Retried),
        ("frob: wait 15 seconds", Saying::Waited),
        ("Job frob.service is running (x/no timeout)", Saying::Waited),
        ("[FAILED] Failed to start Frob Daemon.", Saying::Failed),
        ("[DEPEND] Dependency failed for Frob Daemon.", Saying::Failed),
    ];
    for (text, expected) in told {
        assert_eq!(saying(text), Some(expected), "{text}");
    }
}

#[test]
fn lines_that_speak_of_none() {
    for text in [
        "",
        "Waiting for the frobs ... done.",
        "Waiting for PHY auto negotiation to complete... done",
        "frob: timeout set to 60 s",
        "frob0: watchdog timeout 60 sec",
        "frob: timeout: 30",
        "Command line: quiet usbcore.timeout timed out",
        "NMI: hard lockup detector enabled",
        "rcu: stall detection is on",
        "max_timeout_ms",
        "[  OK  ] Started Wait for frobs to come.",
        "Starting Wait for frobs to come...",
        "if (wait_for_frob() == -ETIMEDOUT)",
        "frobd: waiting for events: logging is off",
        "Waiting for Registrar to connect...",
        "+	dev_err(dev, \"frob timed out\\n\");",
        "Hit any key, or wait for the boot",
        "irq 110: nobody",
        "entry 4 of 5, retry policy 3",
        "wait 5 MB",
        "timeout:",
        "frob 0000:02:00.0: Reset timeout\t: 0 secs/0 secs",
        "AER:    [12] Timeout",
        "Watchdog running with a hardware timeout of 30s.",
        "the frob has no timeout",
        "memory [0x-110]",
        "timeout } */",
        "frob_wait(); /* timed out",
        "| 7 | Wait For Frob | Timeout already set to 1s |",
        "Timeout reduzido de 900s para 300s",
        "Timeout von 900s auf 300s gesenkt",
        "Failed to connect to /run/frob/socket: No such file or directory",
        "Failed to connect to frobd: Host is down",
        "frob-system: terminating on signal 15 from pid 77 (timeout)",
    ] {
        assert_eq!(saying(text), None, "{text}");
    }
}
