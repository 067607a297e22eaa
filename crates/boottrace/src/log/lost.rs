// SPDX-License-Identifier: MIT
//! Messages that were lost: whoever drops them says so, and nobody knows whether the time before was silent.

/// Were messages lost before this line, or in front of it?
///
/// Who says so: the kernel's ring (kernel/printk/printk.c), its limits (lib/ratelimit.c, net/core/utils.c, kernel/audit.c), the
/// journal (systemd's src/journal/), rsyslog's imuxsock and imjournal, log daemons that count equal messages, Android's logd.
pub fn loses(text: &str) -> bool {
    let text = text.trim();
    // `frob_handler: 315 callbacks suppressed`, `printk: 12 messages suppressed.`
    let counted = |words: &str| {
        let before = text.split_once(words).map(|(before, _)| before);
        before.is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
    };
    // `message repeated 3 times: [ frob]`, `last message repeated 3 times`
    let repeated = || {
        let times = text.split_once("message repeated ").map(|(_, rest)| rest);
        times.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(" times"))
    };
    counted(" printk messages dropped")
        || counted(" callbacks suppressed")
        || counted(" messages suppressed")
        || counted(" output lines suppressed due to ratelimiting")
        || counted(" messages lost due to rate-limiting")
        || (text.starts_with("Missed ") && text.ends_with(" kernel messages"))
        || (text.contains("Suppressed ") && text.contains(" messages from "))
        || text.contains(" to drop messages ") && text.contains("rate-limiting")
        || text.starts_with("audit: rate limit exceeded")
        || text.starts_with("audit: backlog limit exceeded")
        || text.starts_with("audit: audit_lost=")
        || (text.contains("chatty") && text.contains("uid=") && text.ends_with(" lines"))
        || repeated()
}

/// `[ snip - the same line a hundred times ]`, `<trimmed log>`: words in brackets that say so.
pub(super) fn says_that_it_leaves_out(text: &str) -> bool {
    const LONGEST: usize = 80;
    const WORDS: [&str; 11] = [
        "snip",
        "snipped",
        "trim",
        "trimmed",
        "omitted",
        "skipped",
        "skipping",
        "truncated",
        "elided",
        "removed",
        "repeated",
    ];
    let closed = [('[', ']'), ('<', '>'), ('(', ')')]
        .iter()
        .any(|(open, close)| text.starts_with(*open) && text.ends_with(*close));
    let words = || text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    closed
        && text.len() <= LONGEST
        && !text.contains(['=', '/', '_'])
        && words().any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::loses;

    #[test]
    fn messages_were_lost() {
        for text in [
            "** 71 printk messages dropped **",
            "** 5 printk messages dropped ** [    3.000000] frob: up",
            "Missed 12 kernel messages",
            "frob_poll: 17 callbacks suppressed",
            "printk: 3 messages suppressed.",
            "frobd: 7 output lines suppressed due to ratelimiting",
            "Suppressed 70 messages from frob.service",
            "imuxsock begins to drop messages from pid 7 due to rate-limiting",
            "imuxsock: 70 messages lost due to rate-limiting",
            "message repeated 7 times: [ frob is up]",
            "last message repeated 2 times",
            "audit: audit_lost=7 audit_rate_limit=0 audit_backlog_limit=64",
            "chatty  : uid=1000(system) frobd identical 7 lines",
        ] {
            assert!(loses(text), "{text}");
        }
        for text in [
            "frob0: 3 packets dropped",
            "callbacks suppressed",
            "frob: message repeated",
            "Suppressed frob",
        ] {
            assert!(!loses(text), "{text}");
        }
    }
}
