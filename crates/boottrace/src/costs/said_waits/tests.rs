// SPDX-License-Identifier: MIT

use super::*;

fn of(texts: &[(&str, Option<i64>)]) -> Vec<Cost> {
    let lines: Vec<Line> = texts
        .iter()
        .enumerate()
        .map(|(at, (text, seconds))| {
            let mut line = Line::plain(at as u32 + 1, 0, (*text).to_owned());
            line.printk_ns = seconds.map(|s| s * 1_000_000_000);
            line
        })
        .collect();
    of_lines(lines.iter())
}

#[test]
fn the_surest_words_come_first() {
    let found = of(&[
        ("frob: waiting for the panel", None),
        ("quux0: command timed out", None),
        ("quux0: command timed out", None),
    ]);
    let titles: Vec<&str> = found.iter().map(|cost| cost.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "a line tells of a time-out: `quux0: command timed out`",
            "a line speaks of a wait: `frob: waiting for the panel`"
        ]
    );
    assert_eq!(found[0].lines, [2, 3]);
    assert_eq!(found[0].cost_ns, None);
}

#[test]
fn a_wait_that_is_over_at_once_is_none() {
    let found = of(&[
        ("frobd: Waiting for quux lock", Some(3)),
        ("frobd: quux lock available", Some(3)),
        ("frobd: at work", Some(4)),
        ("frobd: Waiting for quux lock", Some(90)),
        ("frobd: quux lock available", Some(90)),
    ]);
    assert!(found.is_empty());
    let found = of(&[("frobd: Waiting for quux lock", Some(3)), ("frobd: baz ready", Some(4))]);
    assert_eq!(found.len(), 1);
}

#[test]
fn what_comes_again_takes_at_least_as_long() {
    let found = of(&[
        ("waiting for frob 1", Some(703)),
        ("waiting for frob 2", Some(710)),
        ("waiting for frob 3", Some(731)),
        ("waiting for frob 4", Some(5_000)),
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].cost_ns, found[0].at_least), (Some(28_000_000_000), true));
}

#[test]
fn systemds_own_count_is_the_least() {
    let found = of(&[
        (
            "**A start job is running for dev-disk-by\\x2duuid-12ab.device (44s / 1min 30s)**",
            None,
        ),
        ("> A start job is running for dev-disk-by(...)", None),
    ]);
    assert_eq!(found[0].title, "systemd waits for the device /dev/disk/by-uuid/12ab");
    assert_eq!((found[0].cost_ns, found[0].at_least), (Some(44_000_000_000), true));
    let found = of(&[("stuck at `Job frob-wait.service/start running()`", None)]);
    assert_eq!(
        found[0].title,
        "a line speaks of a wait: `Job frob-wait.service/start running()`"
    );
}

#[test]
fn stamps_that_nobody_reads_count_too() {
    let found = of(&[
        ("11:20:01.750 frobd: no response, will retry", None),
        ("11:20:09.750 frobd: no response, will retry", None),
    ]);
    assert_eq!((found[0].cost_ns, found[0].at_least), (Some(8_000_000_000), true));
}

#[test]
fn of_a_sentence_only_what_it_quotes() {
    for text in [
        "# The frob is not responding",
        "2. **Timeout in frobd**",
        "With that gone, a start spends most of its time in the loader waiting for the frob to come up in the end",
        "It shows the time that the frob waited for the panel to be there on a slow bus",
    ] {
        assert!(of(&[(text, None)]).is_empty(), "{text}");
    }
    for text in [
        "1) On start there is an unlimited wait for the frob:",
        "On starting again, the boot fails, sitting at the frob.",
    ] {
        assert!(of(&[(text, None)]).is_empty(), "{text}");
    }
    assert!(!of(&[("Waiting for the frob to appear.", None)]).is_empty());
    let found = of(&[("- Getting a `quux not responding, error -62`.", None)]);
    assert_eq!(found[0].title, "the text says `quux not responding, error -62`");
    let found = of(&[("`quux0: Timeout waiting for hardware`", None)]);
    assert_eq!(
        found[0].title,
        "a line tells of a time-out: `quux0: Timeout waiting for hardware`"
    );
    assert!(of(&[("I think my board is waiting for something, but I do not know", None)]).is_empty());
    let found = of(&[("When I boot it says `frob: waiting for panel` and then stops", None)]);
    assert_eq!(found[0].title, "the text says `frob: waiting for panel`");
}
