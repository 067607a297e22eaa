//! One time axis for a boot, and how each clock lies on it.

use serde::{Deserialize, Serialize};

use crate::console::{BootLog, Line};
use crate::firmware::{FirmwareFacts, FirmwareStep, TimeTable};
use crate::Clock;

/// How well a clock's place on the axis is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// It is the axis.
    Axis,
    /// Lines with both stamps fix it, up to the shortest delay between printing and arrival.
    Measured,
    /// Only an event both clocks saw one after the other: the true place is later by an unknown time.
    AtLeast,
}

/// Where a clock lies: axis time = clock time + offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// The clock.
    pub clock: Clock,
    /// To be added, ns.
    pub offset_ns: i64,
    /// How well that is known.
    pub fit: Fit,
    /// The line both clocks meet at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor_line: Option<u32>,
    /// In words.
    pub how: String,
}

/// The axis of one boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// Old x86 kernels start their stamps shortly before the overflow of jiffies; such stamps are no times.
///
/// The smallest is 4294667.296 (32-bit jiffies at 1000 Hz, 300 s before their overflow).
pub const JIFFIES_START_NS: i64 = 4_000_000_000_000_000;

impl Axis {
    /// Finds the axis of a boot.
    pub fn of(boot: &BootLog, firmware: &FirmwareFacts) -> Self {
        let lines = &boot.lines;
        if lines.iter().any(|l| l.live_host_ns().is_some()) {
            return Self::on_host(lines);
        }
        let loader = last_loader_time(boot, firmware);
        let kernel = boot.kernel_from.map_or(&[][..], |from| &lines[from..]);
        let first = kernel.iter().find_map(|l| l.printk_ns);
        match (loader, first) {
            (Some(time), _) => Self::on_firmware(&time, first.is_some()),
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
        let mut axis = Self {
            clock: Clock::Host,
            origin: "the first line that the capturing host stamped".to_owned(),
            alignments: vec![Alignment {
                clock: Clock::Host,
                offset_ns: origin_ns.saturating_neg(),
                fit: Fit::Axis,
                anchor_line: None,
                how: "the axis".to_owned(),
            }],
            host_restarts: restarts,
        };
        let odd = !lines.iter().any(|l| usable_printk(l).is_some());
        let printk: Reading = if odd { |l| l.printk_ns } else { usable_printk };
        let clocks: [(Clock, Reading); 2] = [(Clock::Printk, printk), (Clock::Firmware, |l| l.firmware_ns)];
        for (clock, read) in clocks {
            let best = lines
                .iter()
                .filter_map(|l| Some((axis.host(l)?.checked_sub(read(l)?)?, l.number)))
                .min_by_key(|(offset, _)| *offset);
            if let Some((offset_ns, line)) = best {
                axis.alignments.push(Alignment {
                    clock,
                    offset_ns,
                    fit: Fit::Measured,
                    anchor_line: Some(line),
                    how: "the line that arrived soonest after it was stamped".to_owned(),
                });
            }
        }
        axis
    }

    fn on_firmware(time: &LoaderTime, has_printk: bool) -> Self {
        let mut alignments = vec![Alignment {
            clock: Clock::Firmware,
            offset_ns: 0,
            fit: Fit::Axis,
            anchor_line: None,
            how: "the axis".to_owned(),
        }];
        if has_printk {
            alignments.push(Alignment {
                clock: Clock::Printk,
                offset_ns: time.ns,
                fit: Fit::AtLeast,
                anchor_line: Some(time.line),
                how: format!("the kernel's zero comes some time after `{}`", time.name),
            });
        }
        Self {
            clock: Clock::Firmware,
            origin: "zero of the boot loader's timer (power-on or later)".to_owned(),
            alignments,
            host_restarts: Vec::new(),
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
            "none: no line carries a stamp"
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
            alignments: vec![Alignment {
                clock: Clock::Printk,
                offset_ns,
                fit: Fit::Axis,
                anchor_line: None,
                how: "the axis".to_owned(),
            }],
            host_restarts: Vec::new(),
        }
    }

    /// The alignment of a clock, when it lies on the axis.
    pub fn alignment(&self, clock: Clock) -> Option<&Alignment> {
        self.alignments.iter().find(|a| a.clock == clock)
    }

    /// A time of a clock on the axis.
    pub fn place(&self, clock: Clock, ns: i64) -> Option<i64> {
        ns.checked_add(self.alignment(clock)?.offset_ns)
    }

    /// The host's stamp of a line on the axis, over restarts.
    pub fn host(&self, line: &Line) -> Option<i64> {
        let ns = self.place(Clock::Host, line.live_host_ns()?)?;
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
        self.host(line).map(|ns| (ns, Clock::Host))
    }
}

/// Reads one clock's stamp off a line.
type Reading = fn(&Line) -> Option<i64>;

/// A host stamp that falls by more than this has begun again (`grabserial -m`).
const RESTART_NS: i64 = 500_000_000;

fn usable_printk(line: &Line) -> Option<i64> {
    line.printk_ns.filter(|ns| *ns < JIFFIES_START_NS)
}

struct LoaderTime {
    ns: i64,
    line: u32,
    name: String,
}

/// The last time that the boot loader's own clock states before the kernel.
fn last_loader_time(boot: &BootLog, firmware: &FirmwareFacts) -> Option<LoaderTime> {
    let kernel = boot.kernel_from.unwrap_or(boot.lines.len());
    let handover = firmware
        .steps
        .iter()
        .rev()
        .find(|s| s.step == FirmwareStep::StartingKernel)
        .map(|s| s.line);
    let before = &boot.lines[..kernel];
    // The loader's farewell, if it is stamped; output after it comes from elsewhere.
    let stamped = before
        .iter()
        .find(|l| Some(l.number) == handover && l.firmware_ns.is_some())
        .or_else(|| before.iter().rev().find(|l| l.firmware_ns.is_some()));
    if let Some(line) = stamped {
        let name = line.text.trim().to_owned();
        return line.firmware_ns.map(|ns| LoaderTime {
            ns,
            line: line.number,
            name,
        });
    }
    if let Some(mark) = firmware.own_times.last() {
        return Some(LoaderTime {
            ns: mark.ns,
            line: mark.line,
            name: mark.name.clone(),
        });
    }
    let end = boot.lines.get(kernel).map_or(u32::MAX, |l| l.number);
    let marks = firmware
        .tables
        .iter()
        .filter(|t| t.from_line < end)
        .flat_map(table_marks);
    marks
        .max_by_key(|(ns, ..)| *ns)
        .map(|(ns, line, name)| LoaderTime { ns, line, name })
}

fn table_marks(table: &TimeTable) -> impl Iterator<Item = (i64, u32, String)> + '_ {
    table.marks.iter().map(|m| (m.ns, m.line, m.name.clone()))
}
