// SPDX-License-Identifier: MIT
//! Prefixes of Android's `logcat -b kernel`, which has the kernel's own stamped messages behind them: `-v threadtime`,
//! `time` and `brief`, with `-v uid` and `year`. The dates are computed from the stamps, so they say nothing new.

use super::bracket::{bracket_stamp, Bracket};
use super::level::level;
use super::milestone;
use super::stamp::month_and_day;

/// Bytes of such a prefix, where the kernel's stamp follows.
pub fn peel(bytes: &[u8]) -> Option<usize> {
    let at = dated(bytes).or_else(|| brief(bytes))?;
    let behind = bytes.get(at..)?;
    let stamp = level(behind).map_or(0, |(_, used)| used);
    matches!(bracket_stamp(behind.get(stamp..)?), Some((Bracket::Kernel(_), _))).then_some(at)
}

/// `01-01 00:00:05.123  root     0     0 I KERNEL  : `, `2021-01-01 00:00:05.123 I/KERNEL  (    0): `
/// A message of the kernel's that it does not stamp: it has a date and no tag. The date in ns of a year, and the length.
pub fn unstamped(bytes: &[u8]) -> Option<(i64, usize)> {
    let length = dated(bytes)?;
    let (ns, _) = month_and_day(bytes)?;
    let head = bytes[..length - 2].trim_ascii_end();
    let tagless = matches!(head, [.., b' ', b'V' | b'D' | b'I' | b'W' | b'E' | b'F']);
    tagless.then(|| (ns, length + processor(&bytes[length..])))
}

/// The same of a message of the kernel's whose first word logcat takes for a tag (`OF      : reserved mem: ...`): it comes from
/// process and thread 0, and its tag is a part of it.
pub fn of_the_kernel(bytes: &[u8]) -> Option<(i64, usize)> {
    dated(bytes)?;
    let (ns, used) = month_and_day(bytes)?;
    let mut at = used;
    for _ in 0..2 {
        at += blanks(bytes, at)?;
        (bytes.get(at..at + 2)? == b"0 ").then_some(())?;
        at += 1;
    }
    at += blanks(bytes, at)?;
    let level = is_level(bytes.get(at..=at)?) && bytes.get(at + 1) == Some(&b' ');
    level.then_some((ns, at + 2))
}

/// `c7      1 `: the processor and the process that kernels of phones print in front of a message.
fn processor(bytes: &[u8]) -> usize {
    let digits = |at: usize| bytes[at..].iter().take(7).take_while(|b| b.is_ascii_digit()).count();
    if bytes.first() != Some(&b'c') || !matches!(digits(1), 1 | 2) {
        return 0;
    }
    let blank = 1 + digits(1);
    let number = blank + blanks(bytes, blank).unwrap_or(0);
    let end = number + digits(number);
    let whole = number > blank && end > number && bytes.get(end) == Some(&b' ');
    if whole {
        end + 1
    } else {
        0
    }
}

/// Is it a step of a boot, which the kernel said without a stamp?
pub fn shows_a_step(bytes: &[u8]) -> bool {
    let said = unstamped(bytes).and_then(|(_, used)| std::str::from_utf8(&bytes[used..]).ok());
    said.is_some_and(|said| milestone::of(said).is_some())
}

/// Has a line such a prefix with a date, whoever says what follows?
pub fn is_dated(bytes: &[u8]) -> bool {
    dated(bytes).is_some()
}

/// Is it a line as Android Studio shows Android's log: date, process and thread, tag, package, level, message? The date may
/// have been read before.
pub fn is_of_studio(text: &str) -> bool {
    let at = shape(text.as_bytes(), b"0000-00-00 00:00:00.000").unwrap_or(0);
    let mut words = text[at..].split_ascii_whitespace();
    let ids = words.next().and_then(|ids| ids.split_once('-'));
    let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    ids.is_some_and(|(process, thread)| number(process) && number(thread))
        && words.take(6).any(|word| is_level(word.as_bytes()))
}

/// Does a line of Android's log tell of its start? Its kernel's, init's, the zygote's and the system server's first words, and
/// those with which it is up.
pub fn is_of_a_start(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "beginning of kernel",
        "Linux version ",
        "Boot is finished",
        "boot_progress_",
        "boot_completed",
        "bootanim",
        "BootAnimation",
        "com.android.internal.os.ZygoteInit",
        "Zygote ",
        "Zygote:",
        "zygote ",
        "zygote:",
        "zygote64",
        "SystemServer",
        "SystemServiceManager",
        " init ",
        " init:",
        "installd",
        "servicemanager: Starting",
        "Vold ",
        " vold ",
        "PackageManager",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

fn dated(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    if shape(bytes, b"0000-").is_some() {
        at = 5;
    }
    at += shape(bytes.get(at..)?, b"00-00 00:00:00.000")?;
    // Microseconds with `-v usec`, a zone with `-v zone`.
    at += bytes[at..].iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    if let Some(zone) = bytes
        .get(at..)
        .and_then(|rest| shape(rest.get(2..)?, b"0000").filter(|_| rest[0] == b' '))
    {
        at += if matches!(bytes[at + 1], b'+' | b'-') {
            2 + zone
        } else {
            0
        };
    }
    at += blanks(bytes, at)?;
    if let Some(length) = brief(&bytes[at..]) {
        return Some(at + length);
    }
    // User, process, thread: two or three words, the last ones numbers; then level and tag.
    let mut numbers = 0;
    for _ in 0..3 {
        let length = bytes[at..]
            .iter()
            .take(32)
            .take_while(|b| !b.is_ascii_whitespace())
            .count();
        let word = &bytes[at..at + length];
        if is_level(word) && numbers >= 2 {
            break;
        }
        let number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        if !number && numbers > 0 {
            return None;
        }
        numbers += u8::from(number);
        at += length;
        at += blanks(bytes, at)?;
    }
    (numbers >= 2 && is_level(bytes.get(at..=at)?)).then_some(())?;
    at += 1;
    let colon = at + bytes[at..].iter().take(64).position(|b| *b == b':')?;
    (bytes.get(at) == Some(&b' ') && bytes.get(colon + 1) == Some(&b' ')).then_some(colon + 2)
}

/// `I/KERNEL  (    0): `
fn brief(bytes: &[u8]) -> Option<usize> {
    if !is_level(bytes.get(..1)?) || bytes.get(1) != Some(&b'/') {
        return None;
    }
    let open = bytes.iter().take(64).position(|b| *b == b'(')?;
    let inside = &bytes[open + 1..];
    let close = inside.iter().take(12).position(|b| !b.is_ascii_digit() && *b != b' ')?;
    inside[close..].starts_with(b"): ").then_some(open + 1 + close + 3)
}

fn is_level(word: &[u8]) -> bool {
    matches!(word, [b'V' | b'D' | b'I' | b'W' | b'E' | b'F'])
}

/// How many blanks stand there; at least one.
fn blanks(bytes: &[u8], at: usize) -> Option<usize> {
    let count = bytes.get(at..)?.iter().take(32).take_while(|b| **b == b' ').count();
    (count > 0).then_some(count)
}

/// Length of a form whose zeros stand for any digit.
fn shape(bytes: &[u8], form: &[u8]) -> Option<usize> {
    let fits = |(b, f): (&u8, &u8)| if *f == b'0' { b.is_ascii_digit() } else { b == f };
    (bytes.len() >= form.len() && bytes.iter().zip(form).all(fits)).then_some(form.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_says_without_a_stamp_has_no_tag() {
        let said = b"04-16 16:55:33.685     1     1 I         : Freeing unused kernel memory: 2112K";
        let (ns, length) = unstamped(said).expect("the kernel's");
        assert_eq!(&said[length..length + 7], b"Freeing");
        assert_eq!(ns % 60_000_000_000, 33_685_000_000);
        let said = b"04-16 16:55:33.685     0     0 I         : c11     7 Linux version 9.1";
        assert!(shows_a_step(said));
        assert!(unstamped(said).is_some_and(|(_, length)| said[length..].starts_with(b"Linux")));
        let said = b"04-16 16:55:33.690     0     0 E frob    : no clock";
        let (later, length) = of_the_kernel(said).expect("the kernel's");
        assert_eq!((later - ns, &said[length..]), (5_000_000, &b"frob    : no clock"[..]));
        assert_eq!(
            of_the_kernel(b"04-16 16:55:33.690   461   461 E frob    : no clock"),
            None
        );
        for other in [
            "04-16 16:55:34.185     1     1 I init    : Loading module",
            "I/        (    0): Freeing unused kernel memory: 2112K",
            "04-16 16:55:33.685     1     1 I",
        ] {
            assert_eq!(unstamped(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn forms_of_logcat() {
        for prefix in [
            "01-01 00:00:00.000     0     0 I         : ",
            "01-01 08:00:08.270  root     0     0 I KERNEL  : ",
            "2021-01-01 08:00:08.270123  1000     0     0 W KERNEL  : ",
            "01-01 08:00:08.270 +0800     0     0 I KERNEL  : ",
            "01-01 08:00:08.270 I/KERNEL  (    0): ",
            "I/        (    0): ",
        ] {
            for stamp in [
                "<6>[    0.000000] Booting",
                "[    1.250000] Freeing",
                "[   12.250000][    T1] x",
            ] {
                assert_eq!(
                    peel(format!("{prefix}{stamp}").as_bytes()),
                    Some(prefix.len()),
                    "{prefix}{stamp}"
                );
            }
            // Other buffers have no stamps of the kernel's, and their lines stay as they are.
            assert_eq!(peel(format!("{prefix}starting service").as_bytes()), None, "{prefix}");
        }
        for text in [
            "",
            "I/",
            "01-01 00:00:00.000",
            "01-01 00:00:00.000  a b c I x: [    1.250000] y",
            "W/o (x): [    1.250000] y",
        ] {
            assert_eq!(peel(text.as_bytes()), None, "{text}");
        }
    }
}
