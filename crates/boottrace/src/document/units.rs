// SPDX-License-Identifier: MIT
//! Start times of systemd's units as a part of a document, whichever tool wrote them.

use serde::{Deserialize, Serialize};

use crate::costs::cost::Cost;
use crate::costs::units::is_waiter;
use crate::facts::boot::first_boot::{self, FirstBoot};
use crate::log::clock::Clock;
use crate::readers::formats::Format;
use crate::readers::userspace::journal;
use crate::readers::userspace::systemd_analyze::{Analyze, StartupTime};
use crate::readers::userspace::systemd_plot::Plot;
use crate::readers::userspace::systemd_plot_json::PlotTable;
use crate::readers::userspace::unit::UnitTimes;

/// Units and links kept; further ones are counted.
pub const MAX_UNITS: usize = 5000;

/// What was said about units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitReport {
    /// The format it was read from.
    pub source: Format,
    /// First and last physical line, for a report inside a console log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<(u32, u32)>,
    /// Clock of all stamps here: kernel start is 0.
    pub clock: Clock,
    /// System and kernel, or the boot's id.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub about: String,
    /// The line of `systemd-analyze time`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub startup: Option<Startup>,
    /// systemd said that it had not finished starting (`Bootup is not yet finished`).
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unfinished: bool,
    /// A unit that only runs on a system's first boot.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_boot: Option<FirstBoot>,
    /// Stages drawn by `systemd-analyze plot`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stages: Vec<UnitStage>,
    /// Units, the longest starts first.
    pub units: Vec<Unit>,
    /// What of it costs most.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub costs: Vec<Cost>,
    /// The critical chain, in the order printed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chain: Vec<ChainRow>,
    /// Units and links beyond [`MAX_UNITS`].
    pub left_out: u64,
    /// Line that names a unit and a longer time than any cost here, and was not read as a row.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub longer_unread: Option<u32>,
}

/// `Startup finished in ...`, ns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Startup {
    /// The parts, in order: `firmware`, `loader`, `kernel`, `initrd`, `userspace`, or others as printed.
    pub parts: Vec<(String, u64)>,
    /// All together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total_ns: Option<u64>,
    /// The default target.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<String>,
    /// When it was reached, counted from the start of user space.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target_after_ns: Option<u64>,
    /// Physical line that says it, of a text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

/// A stage of the plot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitStage {
    /// Name.
    pub name: String,
    /// Start; firmware and loader lie before 0.
    pub start_ns: i64,
    /// End.
    pub end_ns: i64,
}

/// A unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unit {
    /// Its name.
    pub unit: String,
    /// Began to start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub start_ns: Option<i64>,
    /// Was up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_ns: Option<i64>,
    /// Time to start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ns: Option<u64>,
    /// `done`, `failed` ...
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<String>,
    /// Physical line that says it, of a text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

/// A link of the critical chain; times count from the start of user space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainRow {
    /// Unit.
    pub unit: String,
    /// Depth; 0 is the goal.
    pub depth: u32,
    /// Active at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_ns: Option<u64>,
    /// Took to start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took_ns: Option<u64>,
    /// Physical line that says it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

impl From<&StartupTime> for Startup {
    fn from(time: &StartupTime) -> Self {
        let named = [
            ("firmware", time.firmware_ns),
            ("loader", time.loader_ns),
            ("kernel", time.kernel_ns),
            ("initrd", time.initrd_ns),
            ("userspace", time.userspace_ns),
        ];
        let mut parts: Vec<(String, u64)> = named
            .into_iter()
            .filter_map(|(name, ns)| Some((name.to_owned(), ns?)))
            .collect();
        parts.extend(time.other_ns.iter().cloned());
        // What was reached long after all had started was reached again, or by a wrong clock.
        let all = time.userspace_ns.or(time.total_ns);
        let again = time
            .target_after_ns
            .zip(all)
            .is_some_and(|(reached, all)| reached > all.saturating_mul(2).saturating_add(10_000_000_000));
        Self {
            parts,
            total_ns: time.total_ns,
            target: time.target.clone().filter(|_| !again),
            target_after_ns: time.target_after_ns.filter(|_| !again),
            line: None,
        }
    }
}

impl From<&UnitTimes> for Unit {
    fn from(times: &UnitTimes) -> Self {
        let start_ns = times.activating_ns.filter(|&ns| ns != 0);
        let end_ns = times.activated_ns.filter(|&ns| ns != 0);
        let between = start_ns
            .zip(end_ns)
            .and_then(|(from, to)| u64::try_from(to.saturating_sub(from)).ok());
        Self {
            unit: times.unit.clone(),
            start_ns,
            end_ns,
            time_ns: times.time_ns.or(between),
            result: times.result.clone(),
            line: None,
        }
    }
}

impl UnitReport {
    fn new(source: Format, about: &str, startup: Option<&StartupTime>, units: &[UnitTimes]) -> Self {
        let mut all: Vec<Unit> = units.iter().map(Unit::from).collect();
        all.sort_by_key(|unit| std::cmp::Reverse(unit.time_ns));
        let left_out = all.len().saturating_sub(MAX_UNITS) as u64;
        all.truncate(MAX_UNITS);
        Self {
            source,
            lines: None,
            clock: Clock::Monotonic,
            about: about.to_owned(),
            startup: startup.map(Startup::from),
            unfinished: false,
            first_boot: None,
            stages: Vec::new(),
            units: all,
            costs: Vec::new(),
            chain: Vec::new(),
            left_out,
            longer_unread: None,
        }
    }

    /// The lines of a text, counted in it, as those of the log that it stood in. `numbers` holds them in order.
    pub fn stood_at(&mut self, numbers: &[u32]) {
        let place = |line: &mut Option<u32>| {
            *line = line.and_then(|line| numbers.get((line as usize).checked_sub(1)?).copied());
        };
        self.startup.iter_mut().for_each(|startup| place(&mut startup.line));
        self.units.iter_mut().for_each(|unit| place(&mut unit.line));
        self.chain.iter_mut().for_each(|link| place(&mut link.line));
        place(&mut self.longer_unread);
    }

    /// Remembers a line that was not read and names a unit with a longer time: no superlative holds over it. What a row tells
    /// already is no longer time.
    pub fn tell_unread(&mut self, unread: impl Iterator<Item = (u64, u32)>) {
        let told = self.costs.iter().filter_map(|cost| cost.cost_ns).max();
        let told = told.and_then(|ns| u64::try_from(ns).ok()).unwrap_or(0);
        let read = |ns: u64| {
            let rows = self.units.iter().filter_map(|unit| unit.time_ns);
            let links = self.chain.iter().flat_map(|link| [link.took_ns, link.at_ns]).flatten();
            rows.chain(links).any(|row| row.abs_diff(ns) * 10 <= ns)
        };
        if self.source != Format::SystemdAnalyze {
            return;
        }
        let longest = unread.filter(|(ns, _)| *ns > told && !read(*ns)).max();
        self.longer_unread = longest.map(|(_, line)| line).or(self.longer_unread);
    }

    /// A unit that waits until the others are up, by its own time: name, ns, line. What it waits for is not told by it.
    pub fn waiter(&self) -> Option<(&str, u64, Option<u32>)> {
        let listed = self
            .units
            .iter()
            .filter_map(|unit| Some((unit.unit.as_str(), unit.time_ns?, unit.line)));
        let links = self
            .chain
            .iter()
            .filter_map(|link| Some((link.unit.as_str(), link.took_ns?, link.line)));
        listed
            .chain(links)
            .filter(|(name, ..)| is_waiter(name))
            .max_by_key(|(_, ns, _)| *ns)
    }

    /// Finds a unit that only a first boot runs.
    pub fn tell_first_boot(&mut self) {
        let named = self.units.iter().map(|unit| (unit.unit.as_str(), unit.line));
        self.first_boot = first_boot::of_units(named);
    }

    /// Of `systemd-analyze`'s texts.
    pub fn of_text(found: &Analyze) -> Self {
        let mut out = Self::new(Format::SystemdAnalyze, "", found.time.as_ref(), &[]);
        out.units = found
            .blame
            .iter()
            .take(MAX_UNITS)
            .map(|row| Unit {
                unit: row.unit.clone(),
                start_ns: None,
                end_ns: None,
                time_ns: Some(row.ns),
                result: None,
                line: Some(row.line),
            })
            .collect();
        out.chain = found
            .chain
            .iter()
            .take(MAX_UNITS)
            .map(|link| ChainRow {
                unit: link.unit.clone(),
                depth: link.depth,
                at_ns: link.at_ns,
                took_ns: link.took_ns,
                line: Some(link.line),
            })
            .collect();
        out.left_out = (found.blame.len() - out.units.len() + found.chain.len() - out.chain.len()) as u64;
        if let Some(startup) = &mut out.startup {
            startup.line = found.time_line;
        }
        out.unfinished = found.unfinished && found.time.is_none();
        out
    }

    /// Of lines that are no boot, with what they tell of costs.
    pub(crate) fn of_lines(costs: Vec<Cost>, lines: (u32, u32), clock: Clock) -> Self {
        Self {
            source: Format::BootLog,
            lines: Some(lines),
            clock,
            about: String::new(),
            startup: None,
            unfinished: false,
            first_boot: None,
            stages: Vec::new(),
            units: Vec::new(),
            costs,
            chain: Vec::new(),
            left_out: 0,
            longer_unread: None,
        }
    }

    /// Of a picture.
    pub fn of_plot(plot: &Plot) -> Self {
        let mut out = Self::new(Format::SystemdPlot, &plot.host, plot.time.as_ref(), &plot.units);
        out.stages = plot
            .stages
            .iter()
            .take(100)
            .map(|stage| UnitStage {
                name: stage.name.clone(),
                start_ns: stage.start_ns,
                end_ns: stage.end_ns,
            })
            .collect();
        out
    }

    /// Of the plot's table.
    pub fn of_table(table: &PlotTable) -> Self {
        Self::new(Format::SystemdPlotJson, "", None, &table.units)
    }

    /// Of one boot of a journal.
    pub fn of_journal(boot: &journal::Boot) -> Self {
        let about = format!("boot {}", boot.boot_id);
        Self::new(Format::JournalExport, &about, boot.startup.as_ref(), &boot.units)
    }
}
