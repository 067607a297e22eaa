// SPDX-License-Identifier: MIT
//! Guests of a hypervisor whose lines stand on its console, each with the guest's number before it.

/// The number of the guest that printed a line, and the bytes of the mark before its text.
///
/// Forms: `(XEN) DOM1: ` (Xen on Arm, also behind a stamp of Xen's), `(d1) ` (Xen's guest_printk). The first guest
/// (dom0) has no mark.
pub fn peel(text: &str) -> Option<(u16, usize)> {
    let by_xen = text.strip_prefix("(XEN) ");
    let mut rest = by_xen.unwrap_or(text);
    if let Some(behind) = by_xen.and_then(|rest| rest.strip_prefix('[')) {
        rest = behind
            .get(..48)
            .unwrap_or(behind)
            .find("] ")
            .map(|at| &behind[at + 2..])?;
    }
    let (number, end) = match (rest.strip_prefix("DOM"), rest.strip_prefix("(d")) {
        (Some(rest), _) if by_xen.is_some() => (rest, ": "),
        (_, Some(rest)) => (rest, ") "),
        _ => return None,
    };
    let digits = number.bytes().take(5).take_while(u8::is_ascii_digit).count();
    let guest = number[..digits].parse().ok().filter(|guest| *guest > 0)?;
    let behind = number[digits..].strip_prefix(end)?;
    Some((guest, text.len() - behind.len()))
}

/// Is it a line of the hypervisor itself, which goes on while its guests run?
pub fn is_hypervisors(text: &str) -> bool {
    text.starts_with("(XEN) ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_guests() {
        let behind = |text: &'static str| peel(text).map(|(guest, used)| (guest, &text[used..]));
        assert_eq!(behind("(XEN) DOM1: [    0.0]"), Some((1, "[    0.0]")));
        assert_eq!(behind("(XEN) [    5.123456] DOM12: x"), Some((12, "x")));
        assert_eq!(behind("(d3) Linux"), Some((3, "Linux")));
        for text in [
            "(XEN) d1v0 Unhandled SMC",
            "(XEN) DOM0: x",
            "DOM1: x",
            "(d1): x",
            "(d99999) x",
            "(XEN) [    5.123456",
            "(d",
            "(XEN) ",
        ] {
            assert_eq!(behind(text), None, "{text}");
        }
    }
}
