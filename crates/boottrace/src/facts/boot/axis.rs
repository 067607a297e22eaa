// SPDX-License-Identifier: MIT
//! One time axis for a boot, and how each clock lies on it.

use serde::{Deserialize, Serialize};

use super::alignment::{Alignment, Fit};
use super::clock_set::clock_set;
use super::host_stamps::{date_ns, dates_alone, host_saw_all, received_alone, received_ns};
use super::loader_time::{last_loader_time, LoaderTime};
use super::meeting::{meet, Meeting};
use super::startup::StartupAccount;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::log::boot_log::BootLog;
use crate::log::clock::{Clock, JIFFIES_START_NS, NS_PER_S};
use crate::log::line::{HostSource, Line};

/// The axis of one boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Axis {
    /// The clock that makes the axis.
    pub clock: Clock,
    /// What its zero is.
    pub origin: String,
    /// All clocks that lie on it.
    pub alignments: Vec<Alignment>,
    /// Lines at which the host's stamps began again, with what was added from there on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub host_restarts: Vec<(u32, i64)>,
    /// The stamps are those of a daemon, which reads the kernel's log late and all at once: everything came no later.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub late: bool,
    /// Lines before which the machine's clock was set: dates on both sides of one have nothing to do with each other.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub clock_set: Vec<u32>,
    /// The lines, from one and up to before another, whose dates the axis counts.
    #[serde(skip)]
    counted: Option<(u32, u32)>,
}

impl Axis {
    /// Finds the axis of a boot.
    pub fn of(boot: &BootLog, firmware: &FirmwareFacts, startup: Option<&StartupAccount>) -> Self {
        let lines = &boot.lines;
        if host_saw_all(lines) {
            return Self::on_host(lines);
        }
        if dates_alone(lines) {
            return Self::on_dates(lines);
        }
        if received_alone(lines) {
            return Self::on_received(lines, startup);
        }
        let loader = last_loader_time(boot, firmware);
        let kernel = boot.kernel_from.map_or(&[][..], |from| &lines[from..]);
        let first = kernel.iter().find_map(|l| l.printk_ns);
        match (loader, first) {
            (Some(time), _) => Self::on_firmware(&time, first),
            (None, _) => Self::on_printk(kernel),
        }
    }

    fn on_host(lines: &[Line]) -> Self {
        let mut restarts = Vec::new();
        let (mut shift, mut last, mut first) = (0_i64, None::<i64>, None::<i64>);
        for line in lines {
            let Some(ns) = line.live_host_ns() else { continue };
            first.get_or_insert(ns);
            if let Some(before) = last {
                if before.saturating_sub(ns) > RESTART_NS {
                    shift = shift.saturating_add(before.saturating_sub(ns.min(0)));
                    restarts.push((line.number, shift));
                }
            }
            last = Some(ns);
        }
        let origin_ns = first.unwrap_or(0);
        let virtual_time = lines.iter().any(|l| l.host_source == Some(HostSource::Emulator));
        // Two lines say nothing about a clock's resolution.
        let stamps = || lines.iter().filter_map(Line::live_host_ns);
        let whole = stamps().nth(2).is_some() && stamps().all(|ns| ns % NS_PER_S == 0);
        let (clock, origin) = match (virtual_time, whole) {
            (true, _) => (Clock::Virtual, "the first line that the emulator stamped"),
            (false, true) => (
                Clock::Host,
                "the first line that the capturing host stamped, in whole seconds",
            ),
            (false, false) => (Clock::Host, "the first line that the capturing host stamped"),
        };
        let mut axis = Self {
            clock,
            origin: origin.to_owned(),
            alignments: vec![Alignment::the_axis(clock, origin_ns.saturating_neg())],
            host_restarts: restarts,
            late: false,
            clock_set: Vec::new(),
            counted: None,
        };
        let odd = !lines.iter().any(|l| usable_printk(l).is_some());
        let printk: Reading = if odd { |l| l.printk_ns } else { usable_printk };
        let clocks: [(Clock, Reading); 2] = [(Clock::Printk, printk), (Clock::Firmware, |l| l.firmware_ns)];
        for (clock, read) in clocks {
            let meetings: Vec<Meeting> = lines
                .iter()
                .filter_map(|l| {
                    let ns = read(l)?;
                    Some(Meeting {
                        ns,
                        offset_ns: axis.host(l)?.checked_sub(ns)?,
                        line: l.number,
                    })
                })
                .collect();
            axis.alignments.extend(meet(clock, &meetings, whole));
        }
        axis
    }

    /// `dmesg -T` gives whole seconds only, but they say where a boot's time goes when nothing better does.
    fn on_dates(lines: &[Line]) -> Self {
        let origin_ns = lines.iter().find_map(date_ns).unwrap_or(0);
        // Android's log has fractions of them.
        let whole = lines.iter().filter_map(date_ns).all(|ns| ns % NS_PER_S == 0);
        let origin = if whole {
            "the first line's date; `dmesg -T` computed the dates from the kernel's stamps, in whole seconds"
        } else {
            "the first line's date, which the log computed from the kernel's stamps"
        };
        Self {
            clock: Clock::Host,
            origin: origin.to_owned(),
            alignments: vec![Alignment::the_axis(Clock::Host, origin_ns.saturating_neg())],
            host_restarts: Vec::new(),
            late: false,
            clock_set: Vec::new(),
            counted: None,
        }
    }

    /// syslog's and the journal's whole seconds, where there is nothing better. systemd's account tells where the
    /// kernel's start lies on them.
    fn on_received(lines: &[Line], startup: Option<&StartupAccount>) -> Self {
        let clock_set = clock_set(lines);
        // Where the clock was set, only the dates between two settings are as far apart as they say: those around
        // systemd's account, else the first.
        let at = startup.map_or(0, |account| clock_set.partition_point(|line| *line <= account.line));
        let from = at.checked_sub(1).map_or(0, |before| clock_set[before]);
        let to = clock_set.get(at).copied().unwrap_or(u32::MAX);
        let counted = |line: &&Line| (from..to).contains(&line.number);
        let first_ns = lines.iter().filter(counted).find_map(received_ns).unwrap_or(0);
        let by_account = startup.and_then(|account| {
            let said = lines.iter().find(|l| l.number == account.line).and_then(received_ns)?;
            said.checked_sub(account.since_kernel_ns())
        });
        let mut origin = match by_account {
            Some(_) => "the kernel's start by systemd's account; the log's own stamps have whole seconds or come late",
            None => "the first line's date: the daemon read the kernel's lines later than they were printed",
        }
        .to_owned();
        if !clock_set.is_empty() {
            let which = clock_set
                .iter()
                .map(u32::to_string)
                .take(3)
                .collect::<Vec<_>>()
                .join(", ");
            let why = "the clock was set, or nothing was logged for long";
            origin = format!("{origin}; the dates jump before line {which} ({why}), and those beyond are not counted");
        }
        Self {
            clock: Clock::Host,
            origin,
            alignments: vec![Alignment::the_axis(
                Clock::Host,
                by_account.unwrap_or(first_ns).saturating_neg(),
            )],
            host_restarts: Vec::new(),
            late: true,
            counted: (!clock_set.is_empty()).then_some((from, to)),
            clock_set,
        }
    }

    fn on_firmware(time: &LoaderTime, first_printk_ns: Option<i64>) -> Self {
        let mut alignments = vec![Alignment::the_axis(Clock::Firmware, 0)];
        if let Some(first_ns) = first_printk_ns {
            // One program stamped both, or the kernel counts from the loader's zero.
            let goes_on = time.ns > 0 && (time.ns..JIFFIES_START_NS).contains(&first_ns);
            alignments.push(Alignment {
                clock: Clock::Printk,
                offset_ns: if goes_on { 0 } else { time.ns },
                fit: if goes_on { Fit::Measured } else { Fit::AtLeast },
                anchor_line: Some(time.line),
                lateness_ns: None,
                how: if goes_on {
                    "the kernel's stamps go on where the boot loader's end".to_owned()
                } else {
                    format!("the kernel's zero comes some time after `{}`", time.name)
                },
            });
        }
        Self {
            clock: Clock::Firmware,
            origin: "zero of the boot loader's timer (power-on or later)".to_owned(),
            alignments,
            host_restarts: Vec::new(),
            late: false,
            clock_set: Vec::new(),
            counted: None,
        }
    }

    fn on_printk(kernel: &[Line]) -> Self {
        let mut smallest = None::<i64>;
        let mut first = None;
        for ns in kernel.iter().filter_map(|l| l.printk_ns) {
            first.get_or_insert(ns);
            smallest = Some(smallest.map_or(ns, |s| s.min(ns)));
        }
        // All stamps from the jiffies' odd start on: count from the first.
        let odd = smallest.is_some_and(|s| s >= JIFFIES_START_NS);
        // They begin there and jump to another clock: nothing is known of the time before the jump.
        let jumps = !odd && first.is_some_and(|f| f >= JIFFIES_START_NS);
        let after_jump = || kernel.iter().filter_map(usable_printk).find(|ns| *ns > 0);
        let start = if jumps { after_jump() } else { first };
        let offset_ns = if odd || jumps {
            start.unwrap_or(0).saturating_neg()
        } else {
            0
        };
        let origin = if first.is_none() {
            "no zero: no line carries a stamp"
        } else if jumps {
            "the first stamp of the kernel's real clock (the stamps before it are no times)"
        } else if odd {
            "the kernel's first stamp (its clock does not start at zero)"
        } else {
            "zero of the kernel's stamps (firmware, decompression and the first part of the kernel lie before it)"
        };
        Self {
            clock: Clock::Printk,
            origin: origin.to_owned(),
            alignments: vec![Alignment::the_axis(Clock::Printk, offset_ns)],
            host_restarts: Vec::new(),
            late: false,
            clock_set: Vec::new(),
            counted: None,
        }
    }

    /// The alignment of a clock, when it lies on the axis.
    pub fn alignment(&self, clock: Clock) -> Option<&Alignment> {
        let mut placed = self.alignments.iter().filter(|a| a.fit != Fit::Drifts);
        placed.find(|a| a.clock == clock)
    }

    /// Is the place of a clock known only as a lower bound?
    pub fn is_lower_bound(&self, clock: Clock) -> bool {
        self.alignment(clock).is_some_and(|a| a.fit == Fit::AtLeast)
    }

    /// A time of a clock on the axis.
    pub fn place(&self, clock: Clock, ns: i64) -> Option<i64> {
        ns.checked_add(self.alignment(clock)?.offset_ns)
    }

    /// The host's stamp of a line on the axis, over restarts.
    pub fn host(&self, line: &Line) -> Option<i64> {
        let clock = if self.clock == Clock::Virtual {
            Clock::Virtual
        } else {
            Clock::Host
        };
        let ns = self.place(clock, line.live_host_ns()?)?;
        let at = self.host_restarts.partition_point(|(from, _)| *from <= line.number);
        let shift = at.checked_sub(1).map_or(0, |n| self.host_restarts[n].1);
        ns.checked_add(shift)
    }

    /// When a line was printed: by its own clock if that lies on the axis, else when it arrived.
    pub fn at(&self, line: &Line) -> Option<(i64, Clock)> {
        // A log whose stamps all lie there counts from its first; its offset says so.
        let odd = self
            .alignment(Clock::Printk)
            .is_some_and(|a| a.offset_ns <= -JIFFIES_START_NS);
        let stamp = if odd { line.printk_ns } else { usable_printk(line) };
        if let Some(ns) = stamp.and_then(|ns| self.place(Clock::Printk, ns)) {
            return Some((ns, Clock::Printk));
        }
        if let Some(ns) = line.firmware_ns.and_then(|ns| self.place(Clock::Firmware, ns)) {
            return Some((ns, Clock::Firmware));
        }
        let dated = || {
            let counted = self.counted.is_none_or(|(from, to)| (from..to).contains(&line.number));
            let received = if self.late && counted { received_ns(line) } else { None };
            self.place(Clock::Host, date_ns(line).or(received)?)
        };
        self.host(line).or_else(dated).map(|ns| (ns, self.clock))
    }
}

/// Reads one clock's stamp off a line.
type Reading = fn(&Line) -> Option<i64>;

/// A host stamp that falls by more than this has begun again (`grabserial -m`).
const RESTART_NS: i64 = 500_000_000;

fn usable_printk(line: &Line) -> Option<i64> {
    line.printk_ns.filter(|ns| *ns < JIFFIES_START_NS)
}
