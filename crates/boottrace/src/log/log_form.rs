// SPDX-License-Identifier: MIT
//! A log daemon's form that no list knows (`5:2017 Dec  2 06:40:29:BMC:kernel:-:<5>Linux version ...`): what stands before the
//! kernel's banner stands before its other lines, but for its digits.

use super::host_prefix::HostPrefix;
use super::line::HostSource;
use super::stamp::clock_time;

/// The longest prefix; a log's habits are passed by value, and stay small.
const MAX_BYTES: usize = 40;
/// Lines that must have it before it is believed.
const MIN_LINES: u32 = 5;
/// What the kernel's first line begins with (init/version.c).
const BANNER: &str = "Linux version ";

/// What the daemon puts before a line of the kernel's; a digit or a blank stands for any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogForm {
    bytes: [u8; MAX_BYTES],
    length: u8,
    /// Where the time of day stands.
    clock: u8,
}

impl LogForm {
    fn new(prefix: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_BYTES];
        bytes.get_mut(..prefix.len())?.copy_from_slice(prefix);
        let clock = (0..prefix.len()).find(|at| clock_time(&prefix[*at..]).is_some())?;
        Some(Self {
            bytes,
            length: u8::try_from(prefix.len()).ok()?,
            clock: u8::try_from(clock).ok()?,
        })
    }

    /// The prefix of a line that has this form.
    pub fn peel(&self, bytes: &[u8]) -> Option<HostPrefix> {
        let length = usize::from(self.length);
        let (form, prefix) = (&self.bytes[..length], bytes.get(..length)?);
        let any = |b: u8| b.is_ascii_digit() || b == b' ';
        let fits = |(a, b): (&u8, &u8)| a == b || (any(*a) && any(*b));
        if !form.iter().zip(prefix).all(fits) {
            return None;
        }
        let (ns, _) = clock_time(&prefix[usize::from(self.clock)..])?;
        let name = form.windows(6).position(|word| word == b"kernel");
        Some(HostPrefix {
            ns,
            source: HostSource::Syslog,
            length,
            sender: name.map(|at| (at, at + 6)),
            level: None,
        })
    }
}

/// Finds out whether a log has such a form.
#[derive(Default)]
pub struct Forms {
    found: Option<(LogForm, u32)>,
}

impl Forms {
    /// Takes the text of one line in which no known prefix stands.
    pub fn line(&mut self, text: &str) {
        if let Some((form, lines)) = &mut self.found {
            *lines += u32::from(form.peel(text.as_bytes()).is_some());
            return;
        }
        let Some((prefix, rest)) = text.split_once(BANNER) else {
            return;
        };
        // The kernel's level may stand before its text.
        let bare = prefix.strip_suffix('>').and_then(|head| {
            let head = head.strip_suffix(|c: char| c.is_ascii_digit())?;
            head.strip_suffix('<')
        });
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.found = LogForm::new(bare.unwrap_or(prefix).as_bytes()).map(|form| (form, 1));
        }
    }

    /// The form that several lines have.
    pub fn learned(&self) -> Option<LogForm> {
        self.found
            .filter(|(_, lines)| *lines >= MIN_LINES)
            .map(|(form, _)| form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_the_banner_stands_before_other_lines() {
        let mut forms = Forms::default();
        forms.line("6:2017 Dec  2 06:40:29:FROB:logd:-: restart");
        forms.line("5:2017 Dec  2 06:40:29:FROB:kernel:-:<5>Linux version 9.9.9 (frob@frob)");
        for n in 0..4 {
            assert_eq!(forms.learned(), None);
            forms.line(&format!("4:2017 Dec 12 06:40:3{n}:FROB:kernel:-:<4>frob {n}"));
        }
        let form = forms.learned().expect("a form");
        let line = "3:2017 Dec  2 06:40:31:FROB:kernel:-:<3>frobs";
        let found = form.peel(line.as_bytes()).expect("the kernel's");
        assert_eq!(&line[found.length..], "<3>frobs");
        assert_eq!(found.ns, ((6 * 60 + 40) * 60 + 31) * 1_000_000_000);
        assert_eq!(form.peel(b"3:2017 Dec  2 06:40:31:FROB:logd:-: restart"), None);
    }
}
