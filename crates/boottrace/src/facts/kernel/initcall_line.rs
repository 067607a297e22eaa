// SPDX-License-Identifier: MIT
//! One line of `initcall_debug`, in every form since 2.6.2x (init/main.c, drivers/base/dd.c).

use super::symbol;
use super::symbol::Symbol;

/// What a line says about an initcall or a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEvent<'a> {
    /// `calling  X @ 1`.
    Start {
        /// The function.
        symbol: Symbol<'a>,
        /// The task's pid, which old kernels do not print.
        pid: Option<u32>,
    },
    /// `initcall X returned 0 after 12 usecs`.
    End {
        /// The function.
        symbol: Symbol<'a>,
        /// Its result.
        returned: i64,
        /// Printed duration in microseconds.
        printed_us: Option<u64>,
    },
    /// 2.6.2x: `initcall 0x... ran for 3 msecs: X()`, behind the line that gave the result.
    Ran {
        /// The function.
        symbol: Symbol<'a>,
        /// Printed duration in microseconds (milliseconds resolution).
        printed_us: u64,
    },
    /// `entering initcall level: fs`.
    Level(&'a str),
    /// `probe of X returned 0 after 12 usecs`.
    Probe {
        /// The device.
        device: &'a str,
        /// The driver, which a patch adds.
        driver: Option<&'a str>,
        /// Its result; 517 and -517 are both -EPROBE_DEFER.
        returned: i64,
        /// Printed duration in microseconds.
        printed_us: u64,
    },
    /// Has the shape of an initcall line and is none.
    LookAlike(&'static str),
    /// The start of a line that was wrapped: the next line may complete it.
    Incomplete,
}

/// Reasons given for look-alikes.
pub mod look_alike {
    /// Device power-management callbacks.
    pub const SUSPEND: &str = "suspend or resume callback, not an initcall";
    /// `pci 0002:00:00.0: calling  quirk_cmd_compl+0x0/0xb0 @ 1279`.
    pub const FIXUP: &str = "PCI fixup, not an initcall";
    /// `returned with preemption imbalance`.
    pub const WARNING: &str = "warning about an initcall, not its end";
    /// `probe X is being called`.
    pub const PROBE_START: &str = "start of a probe (patched kernel); its end line is used";
    /// `initcall X blacklisted`.
    pub const BLACKLISTED: &str = "notice about a blacklisted initcall";
}

/// Recognises an initcall or probe line, also behind the text of another message.
pub fn event(text: &str) -> Option<CallEvent<'_>> {
    let text = text.trim_start();
    match text.as_bytes().first()? {
        b'c' => {
            if let Some(rest) = text.strip_prefix("calling ") {
                return start(rest);
            }
            if text.starts_with("call ") && text.contains("+ returned ") {
                return Some(CallEvent::LookAlike(look_alike::SUSPEND));
            }
        }
        b'C' => {
            if let Some(rest) = text.strip_prefix("Calling initcall ") {
                let (symbol, _) = symbol::read(rest)?;
                return symbol.resolved.then_some(CallEvent::Start { symbol, pid: None });
            }
        }
        b'i' => {
            if let Some(rest) = text.strip_prefix("initcall ") {
                return end(rest);
            }
        }
        b'e' => {
            if let Some(rest) = text.strip_prefix("entering initcall level: ") {
                return Some(CallEvent::Level(rest.trim()));
            }
        }
        b'p' => {
            if let Some(found) = probe(text) {
                return Some(found);
            }
        }
        b'd' => {
            if let Some(rest) = text.strip_prefix("deferred probe ") {
                return deferred(rest);
            }
        }
        _ => {}
    }
    inside(text)
}

/// A line that ran into another message: `sdc:initcall init_sd+0x0/0x16b [sd_mod] returned 0 after 787 usecs`.
fn inside(text: &str) -> Option<CallEvent<'_>> {
    let bytes = text.as_bytes();
    if let Some(at) = memchr::memmem::find(bytes, b"calling  ") {
        // Asynchronous probes have numbers: `async_run_entry_fn: calling  1_sd_probe_async+0x0/0x20 @ 5`.
        let name = text[at + 8..].trim_start();
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let asynchronous = digits > 0 && name[digits..].starts_with('_');
        if text[..at].ends_with(": ") && !asynchronous {
            let fixup = text.contains("+0x");
            return fixup.then_some(CallEvent::LookAlike(look_alike::FIXUP));
        }
        return start(&text[at + 8..]).filter(|found| !matches!(found, CallEvent::Incomplete));
    }
    if let Some(at) = memchr::memmem::find(bytes, b"initcall ") {
        let found = end(&text[at + 9..])?;
        // Prose about initcalls is common; a wrapped line inside another message is not worth guessing.
        let good = match found {
            CallEvent::End { .. } | CallEvent::LookAlike(look_alike::WARNING) => true,
            CallEvent::Incomplete => text[at..].contains("+0x") && text[at..].contains(" returned "),
            _ => false,
        };
        return good.then_some(found);
    }
    if let Some(at) = memchr::memmem::find(bytes, b"probe of ") {
        return (at > 0).then(|| probe(&text[at..])).flatten();
    }
    None
}

/// Behind `calling `.
fn start(rest: &str) -> Option<CallEvent<'_>> {
    let (symbol, rest) = symbol::read(rest)?;
    if !symbol.resolved {
        let suspend = rest.contains(", parent: ") || rest.contains(" @ ");
        return suspend.then_some(CallEvent::LookAlike(look_alike::SUSPEND));
    }
    let rest = rest.trim();
    if rest.is_empty() || rest == "@" {
        // 2.6.27 printed no pid, a wrapped line lost it.
        return Some(if rest.is_empty() {
            CallEvent::Start { symbol, pid: None }
        } else {
            CallEvent::Incomplete
        });
    }
    let pid = rest.strip_prefix("@ ")?;
    if pid.contains(", parent: ") {
        return Some(CallEvent::LookAlike(look_alike::SUSPEND));
    }
    let (pid, _) = number(pid)?;
    Some(CallEvent::Start {
        symbol,
        pid: u32::try_from(pid).ok(),
    })
}

/// Behind `initcall `.
fn end(rest: &str) -> Option<CallEvent<'_>> {
    if let Some((head, tail)) = rest.split_once(" ran for ") {
        if !head.starts_with("0x") {
            return None;
        }
        let (printed_us, after) = duration(tail)?;
        let (symbol, _) = symbol::read(after.strip_prefix(':')?)?;
        return Some(CallEvent::Ran { symbol, printed_us });
    }
    let (symbol, rest) = symbol::read(rest)?;
    if rest.trim() == "blacklisted" {
        return Some(CallEvent::LookAlike(look_alike::BLACKLISTED));
    }
    if !symbol.resolved {
        return None;
    }
    let Some(rest) = rest.trim_start().strip_prefix("returned") else {
        return rest.trim().is_empty().then_some(CallEvent::Incomplete);
    };
    if rest.starts_with(" with ") {
        return Some(CallEvent::LookAlike(look_alike::WARNING));
    }
    let rest = rest.trim_start();
    if rest.is_empty() {
        return Some(CallEvent::Incomplete);
    }
    let (returned, rest) = number(rest)?;
    if rest.trim() == "." {
        return Some(CallEvent::End {
            symbol,
            returned,
            printed_us: None,
        });
    }
    let Some(rest) = rest.trim_start().strip_prefix("after") else {
        // `returned error code -19`-like prose of others is refused; a cut `af` is a wrapped line.
        return "after".starts_with(rest.trim()).then_some(CallEvent::Incomplete);
    };
    match duration(rest) {
        Some((printed_us, _)) => Some(CallEvent::End {
            symbol,
            returned,
            printed_us: Some(printed_us),
        }),
        None => Some(CallEvent::Incomplete),
    }
}

/// `probe of X returned N after M usecs`, and the forms of the patch that names drivers.
fn probe(text: &str) -> Option<CallEvent<'_>> {
    if text.ends_with(" is being called") && text.contains(" probe ") {
        return Some(CallEvent::LookAlike(look_alike::PROBE_START));
    }
    let rest = text.strip_prefix("probe ")?;
    let (head, tail) = rest.split_once(" returned ")?;
    let (device, driver) = if let Some(device) = head.strip_prefix("of ") {
        (device, None)
    } else {
        let (_, driver_on) = head.split_once(" in driver ")?;
        let (driver, device) = driver_on.split_once(" for device ")?;
        (device, Some(driver))
    };
    let (returned, tail) = number(tail)?;
    let Some(tail) = tail.trim_start().strip_prefix("after") else {
        return "after".starts_with(tail.trim()).then_some(CallEvent::Incomplete);
    };
    match duration(tail) {
        Some((printed_us, _)) => Some(CallEvent::Probe {
            device: device.trim(),
            driver,
            returned,
            printed_us,
        }),
        None => Some(CallEvent::Incomplete),
    }
}

/// Vendor kernels: `deferred probe X @ N` ... `deferred probe X returned N after M usecs`.
fn deferred(rest: &str) -> Option<CallEvent<'_>> {
    if let Some((device, tail)) = rest.split_once(" returned ") {
        let (returned, tail) = number(tail)?;
        let (printed_us, _) = duration(tail.trim_start().strip_prefix("after")?)?;
        return Some(CallEvent::Probe {
            device: device.trim(),
            driver: None,
            returned,
            printed_us,
        });
    }
    rest.contains(" @ ")
        .then_some(CallEvent::LookAlike(look_alike::PROBE_START))
}

/// A signed number and what follows.
fn number(text: &str) -> Option<(i64, &str)> {
    let negative = text.starts_with('-');
    let body = text.strip_prefix('-').unwrap_or(text);
    let end = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    let value: i64 = body[..end].parse().ok()?;
    Some((if negative { -value } else { value }, &body[end..]))
}

/// ` 12 usecs` or ` 3 msecs` as microseconds. The unit must be whole, or the number may be cut.
fn duration(text: &str) -> Option<(u64, &str)> {
    let (value, rest) = number(text.trim_start())?;
    let value = u64::try_from(value).ok()?;
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix("usecs") {
        return Some((value, rest));
    }
    rest.strip_prefix("msecs")
        .map(|rest| (value.saturating_mul(1000), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> (&str, Option<&str>, i64, Option<u64>) {
        match event(text) {
            Some(CallEvent::End {
                symbol,
                returned,
                printed_us,
            }) => (symbol.name, symbol.module, returned, printed_us),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn ends_of_all_ages() {
        assert_eq!(
            end_of("initcall foo_init+0x0/0x38 returned 0 after 12 usecs"),
            ("foo_init", None, 0, Some(12))
        );
        assert_eq!(end_of("initcall 0xffff80008027c844 returned 19 after 27 usecs").2, 19);
        assert_eq!(
            end_of("initcall 0xffffffff81a50e82: a_init+0x0/0x15e() returned 0."),
            ("a_init", None, 0, None)
        );
        assert_eq!(
            end_of(" sdc:initcall init_sd+0x0/0x16b [sd_mod] returned 0 after 787 usecs"),
            ("init_sd", Some("sd_mod"), 0, Some(787))
        );
        assert_eq!(end_of("initcall a+0x0/0x1 returned -19 after 5 msecs").3, Some(5000));
    }

    #[test]
    fn wrapped_lines_ask_for_the_next() {
        for text in [
            "initcall xen_init+0x0/0x34 returned -19 after ",
            " sdc:initcall init_sd+0x0/0x16b [sd_mod] returned 0 after 787 use",
            "initcall a+0x0/0x1 returned",
            "calling  a+0x0/0x1 @",
        ] {
            assert_eq!(event(text), Some(CallEvent::Incomplete), "{text}");
        }
    }

    #[test]
    fn look_alikes_are_named() {
        for (text, why) in [
            ("pci 0002:00:00.0: calling  quirk_x+0x0/0xb0 @ 1279", look_alike::FIXUP),
            ("calling  7-0061+ @ 2804, parent: i2c-7", look_alike::SUSPEND),
            ("call 7-0061+ returned 0 after 1 usecs", look_alike::SUSPEND),
            (
                "initcall debug_vm_pgtable+0x0/0x3cd returned with preemption imbalance",
                look_alike::WARNING,
            ),
            ("platform probe pcs_probe is being called", look_alike::PROBE_START),
        ] {
            assert_eq!(event(text), Some(CallEvent::LookAlike(why)), "{text}");
        }
        assert_eq!(event("initcall levels are documented elsewhere"), None);
    }

    #[test]
    fn probes_with_and_without_driver() {
        let found = event("probe platform_probe in driver omap_i2c for device 4900000.i2c returned -517 after 0 usecs");
        let expected = CallEvent::Probe {
            device: "4900000.i2c",
            driver: Some("omap_i2c"),
            returned: -517,
            printed_us: 0,
        };
        assert_eq!(found, Some(expected));
        assert!(matches!(
            event("probe of a b returned 517 after 3 usecs"),
            Some(CallEvent::Probe { .. })
        ));
    }
}
