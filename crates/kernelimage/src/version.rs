// SPDX-License-Identifier: MIT
//! The `Linux version …` banner that every kernel carries (kernel: `init/version.c`, `init/version-timestamp.c`).

use serde::{Deserialize, Serialize};

/// A banner is one line; longer ones are cut here.
const MAX_BANNER_BYTES: usize = 1024;

/// The banner and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The whole line, without its newline.
    pub banner: String,
    /// The release, as `uname -r` prints it.
    pub release: String,
    /// `(major, minor)` of the release, where it starts with two numbers.
    pub major_minor: Option<(u32, u32)>,
}

/// Finds the banner in an unpacked kernel.
pub fn find(kernel: &[u8]) -> Option<Version> {
    const START: &[u8] = b"Linux version ";
    memchr::memmem::find_iter(kernel, START)
        // Format strings start the same and go on with a percent sign.
        .filter(|at| kernel.get(at + START.len()).is_some_and(u8::is_ascii_digit))
        .find_map(|at| parse(&kernel[at..]))
}

fn parse(text: &[u8]) -> Option<Version> {
    let window = &text[..text.len().min(MAX_BANNER_BYTES)];
    let end = memchr::memchr2(b'\n', 0, window)?;
    let banner = std::str::from_utf8(&window[..end]).ok()?;
    let release = banner.split(' ').nth(2)?;
    Some(Version {
        banner: banner.to_owned(),
        release: release.to_owned(),
        major_minor: major_minor(release),
    })
}

fn major_minor(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_banner_and_not_the_format_string() {
        let kernel = b"..Linux version %s\0Linux version 6.18.0-rc2+ (me@host) (gcc) #7 SMP\n\0";
        let version = find(kernel).unwrap();
        assert_eq!(version.release, "6.18.0-rc2+");
        assert_eq!(version.major_minor, Some((6, 18)));
        assert!(version.banner.ends_with("#7 SMP"));
    }

    #[test]
    fn a_banner_without_end_is_none() {
        assert_eq!(find(b"Linux version 6.1"), None);
        assert_eq!(find(b""), None);
    }
}
