// SPDX-License-Identifier: MIT
//! A log's habits, learnt from its head: which stamps and labels stand before its lines.

use crate::log::bracket::is_too_wide;
use crate::log::host_shape::Shapes;
use crate::log::label::Label;
use crate::log::labels::Labels;
use crate::log::line::HostSource;
use crate::log::log_form::Forms;
use crate::log::nameless::Machines;
use crate::log::own_clock::OwnClock;
use crate::log::prefix;
use crate::log::style::Style;
use crate::log::{firmware_stamp, lava, logcat};
use crate::options::Limits;
use crate::text::physical;

/// Lines looked at to learn a log's habits.
const STYLE_LINES: usize = 4000;

/// What the head of a log tells of the stamps that its lines have.
pub(super) fn style(bytes: &[u8], limits: &Limits) -> Style {
    let mut style = Style {
        label: label(bytes, limits),
        ..Style::default()
    };
    let (mut bare, mut stamped, mut narrow, mut wide, mut loader) = (0_u32, 0_u32, 0_u32, 0_u32, false);
    let (mut exact, mut too_wide) = (0_u32, 0_u32);
    let mut own = OwnClock::default();
    let mut shapes = Shapes::default();
    let mut machines = Machines::default();
    let mut forms = Forms::default();
    for line in physical::lines(bytes, limits.line_bytes.min(512)).take(STYLE_LINES) {
        let record = lava::record(line.bytes).and_then(|r| r.message);
        let text = physical::clean(record.as_deref().unwrap_or(line.bytes));
        let found = prefix::peel(&text, style);
        if found.level.is_some() {
            let dated = matches!(found.host, Some((_, HostSource::Computed)));
            if found.printk_ns.is_some() || dated {
                stamped += 1;
            } else {
                bare += 1;
            }
        }
        if found.printk_ns.is_some() {
            let padded = text.as_bytes().get(1) == Some(&b' ') || text.find(']').is_some_and(|n| n > 12);
            *(if padded { &mut wide } else { &mut narrow }) += 1;
            if text.starts_with("[ ") {
                *(if is_too_wide(text.as_bytes()) {
                    &mut too_wide
                } else {
                    &mut exact
                }) += 1;
            }
        }
        let labelled = style.label.and_then(|label| label.peel(text.as_bytes())).unwrap_or(0);
        if record.is_none() && !text[labelled..].trim_ascii().is_empty() {
            shapes.line(&text.as_bytes()[labelled..]);
        }
        if let (Some((_, HostSource::Syslog)), Some((from, _))) = (found.host, found.sender) {
            machines.line(&text, from);
        }
        if let (Some((_, source)), Some(_)) = (found.host, found.printk_ns) {
            style.short_is_host |= source == HostSource::Capture && has_short_stamp(&text);
            style.dates_are_host |= source == HostSource::Computed;
        }
        if found.length == 0 {
            forms.line(&text);
        }
        let bare_text = text.as_bytes().trim_ascii_start();
        style.loader_ms |= firmware_stamp::shows_milliseconds(bare_text);
        style.raspberry |= firmware_stamp::shows_raspberry(bare_text);
        let message = &text[found.length..];
        style.received_kernel |= is_received(&found, message);
        style.logcat_kernel |= logcat::shows_a_step(bare_text);
        own.line(bare_text, found.printk_ns.is_some() || found.host.is_some());
        loader |= wide == 0 && (message.starts_with("U-Boot ") || message.starts_with("Starting kernel"));
    }
    style.shape = shapes
        .learned()
        .filter(|shape| !(style.raspberry && shape.is_bare_seconds()));
    style.machines = machines.learned();
    style.form = forms.learned();
    style.own_clock = style.shape.is_none() && own.learned();
    style.exact_width = exact > too_wide;
    style.bare_levels = bare > 10 && bare > stamped;
    style.narrow_is_host = loader && narrow > 0 && narrow > wide;
    style
}

/// The label that a capturing program puts before each line, if it does.
fn label(bytes: &[u8], limits: &Limits) -> Option<Label> {
    let mut labels = Labels::default();
    for line in physical::lines(bytes, limits.line_bytes.min(512)).take(STYLE_LINES) {
        // Most lines of most logs begin with a stamp of the kernel's form, which is no label.
        if matches!(line.bytes, [b'[', b' ' | b'0'..=b'9', b' ' | b'0'..=b'9' | b'.', ..]) {
            labels.without_label();
            continue;
        }
        let text = physical::clean(line.bytes);
        if !text.trim_ascii().is_empty() {
            labels.line(&text);
        }
    }
    labels.learned()
}

/// `[    7.637276] host kernel: Linux version`: the kernel said that at its own zero, so the journal's daemon tells when
/// it read the line (systemd issue 34250).
fn is_received(found: &prefix::Prefix, message: &str) -> bool {
    const LATE_NS: i64 = 1_000_000_000;
    found.sender.is_some() && found.printk_ns.is_some_and(|ns| ns >= LATE_NS) && message.starts_with("Linux version ")
}

/// `[   1.600] ` and no second number in the bracket.
fn has_short_stamp(text: &str) -> bool {
    let end = text.find(']').unwrap_or(0);
    text[..end].bytes().rev().take_while(u8::is_ascii_digit).count() == 3
        && !text[..end].trim_start_matches(['[', ' ']).contains(' ')
}
