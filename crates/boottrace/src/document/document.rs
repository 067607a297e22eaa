// SPDX-License-Identifier: MIT
//! The result of one analysis, as it is written to JSON.

use serde::{Deserialize, Serialize};

use super::boot::Boot;
use super::call_trace::CallTrace;
use super::chart::Chart;
use super::reports::{DeltaReport, KdReport};
use super::units::UnitReport;
use crate::facts::boot::failure::BootLoop;
use crate::input::notes::InputNotes;
use crate::readers::formats::Format;
use crate::readers::ledger::{Skipped, Took};
use crate::readers::strace::profile::ApplicationProfile;

/// `format` of the JSON.
pub const DOCUMENT_FORMAT: &str = "bootlab-analysis";
/// `version` of the JSON. Raised when a field changes its meaning or goes away.
pub const DOCUMENT_VERSION: u32 = 1;

/// Everything that one input told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document {
    /// Always [`DOCUMENT_FORMAT`].
    pub format: String,
    /// [`DOCUMENT_VERSION`] of the writer.
    pub version: u32,
    /// The name that the caller gave to the input.
    pub name: String,
    /// Size, packing, damage.
    pub input: InputNotes,
    /// What the bytes were taken for.
    pub detected: Format,
    /// Lines of text, when there are any.
    pub lines: u64,
    /// The parts in file order.
    pub parts: Vec<Part>,
    /// What each range of lines was taken for.
    pub took: Vec<Took>,
    /// What was not used, and why.
    pub skipped: Vec<Skipped>,
    /// The machine never comes further than in the boots before: seen over several boots of one input.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub boot_loop: Option<BootLoop>,
}

/// One part of an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant)] // boots are the rule
pub enum Part {
    /// A boot, or as much of one as the log holds.
    Boot(Boot),
    /// Kernel messages that are no boot.
    NotABoot(NotABoot),
    /// A function, event or sample trace.
    Calls(CallTrace),
    /// Start times of systemd's units.
    Units(UnitReport),
    /// A bootchart archive.
    Bootchart(Chart),
    /// A report of `kd`.
    KdReport(KdReport),
    /// Output of `show_delta`.
    Deltas(DeltaReport),
    /// The system calls of an application.
    Application(ApplicationProfile),
}

impl Part {
    /// The boot, if it is one.
    pub fn boot(&self) -> Option<&Boot> {
        match self {
            Self::Boot(boot) => Some(boot),
            _ => None,
        }
    }

    /// Says where in a console log the part stood.
    pub(crate) fn stood_at(&mut self, from: u32, to: u32) {
        match self {
            Self::Calls(part) => part.lines = Some((from, to)),
            Self::Units(part) => part.lines = Some((from, to)),
            Self::KdReport(part) => part.lines = Some((from, to)),
            _ => {}
        }
    }
}

/// Kernel messages that are no boot, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotABoot {
    /// First physical line.
    pub from_line: u32,
    /// Last physical line.
    pub to_line: u32,
    /// What it is: `suspend`, `recovery`.
    pub what: String,
    /// How that was seen.
    pub why: String,
}

impl Document {
    /// The boots, without parts that are none.
    pub fn boots(&self) -> impl Iterator<Item = &Boot> {
        self.parts.iter().filter_map(Part::boot)
    }
}
