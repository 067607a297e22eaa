// SPDX-License-Identifier: MIT
//! How sure the time between two events of a boot is.

use boottrace::document::boot::Boot;
use boottrace::facts::boot::end::{BootEnd, EndKind};
use boottrace::facts::boot::failure::Outcome;
use boottrace::facts::boot::stage::{Stage, StageEvent};
use serde::Serialize;

/// A length is what it says, at least that, at most that, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Sureness {
    /// As long as it says.
    Exact,
    /// At least as long.
    Least,
    /// At most as long.
    Most,
    /// Its ends do not bound it.
    Unknown,
}

impl Sureness {
    /// The sign before a number; none where nothing can be said of it.
    pub fn sign(self) -> Option<&'static str> {
        match self {
            Self::Exact => Some(""),
            Self::Least => Some("≥ "),
            Self::Most => Some("≤ "),
            Self::Unknown => None,
        }
    }

    /// The words before a number in a sentence; none where nothing can be said of it.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::Exact => Some(""),
            Self::Least => Some("at least "),
            Self::Most => Some("up to "),
            Self::Unknown => None,
        }
    }
}

/// How the time between two events is meant, whose own times may be bounds. `broke_off`: the last one is the log's last
/// line, behind which the boot went on.
pub fn sureness(first: Option<&Stage>, last: Option<&Stage>, broke_off: bool) -> Sureness {
    let (begin_most, begin_least) = first.map_or((false, false), |stage| (stage.at_most, stage.at_least));
    let (end_most, end_least) = last.map_or((false, broke_off), |stage| (stage.at_most, stage.at_least));
    if begin_least && end_least {
        // Behind a boot loader without a clock the kernel's two events are bounds, and yet as far apart as they say.
        let events = first.zip(last).map(|(first, last)| (first.event, last.event));
        let kernel = events == Some((StageEvent::KernelStart, StageEvent::UserSpaceStart));
        return if kernel { Sureness::Exact } else { Sureness::Least };
    }
    match (end_least || begin_most, end_most || begin_least) {
        (true, true) => Sureness::Unknown,
        (true, false) => Sureness::Least,
        (false, true) => Sureness::Most,
        (false, false) => Sureness::Exact,
    }
}

/// Says before a time that it is a bound, or that it is one in both directions.
pub fn bounded(text: &str, at_least: bool, at_most: bool) -> String {
    let sign = match (at_least, at_most) {
        (true, true) => "≈ ",
        (true, false) => "≥ ",
        (false, true) => "≤ ",
        (false, false) => "",
    };
    format!("{sign}{text}")
}

/// The end of a boot where it belongs to the boot: a system that is up may print for days.
pub fn end_on_axis(boot: &Boot) -> Option<&BootEnd> {
    let end = boot.end.as_ref()?;
    (matches!(end.kind, EndKind::Panic | EndKind::Kexec) || boot.outcome != Outcome::UserSpace).then_some(end)
}

/// What the kernel did at last in the place of a boot's goal, and when.
pub fn kernel_end(boot: &Boot) -> Option<(&'static str, i64)> {
    let end = boot.end.as_ref()?;
    match end.kind {
        _ if boot.outcome == Outcome::Panic => Some(("panicked", end.ns?)),
        EndKind::Kexec if !shows_use(boot) => Some(("started another one by kexec", end.ns?)),
        _ => None,
    }
}

/// One event of a boot.
pub fn stage(boot: &Boot, event: StageEvent) -> Option<&Stage> {
    boot.stages.iter().find(|stage| stage.event == event)
}

/// The events of a boot that have a time.
pub fn timed(boot: &Boot) -> Vec<&Stage> {
    boot.stages.iter().filter(|stage| stage.ns.is_some()).collect()
}

/// Whether the log shows when the system could be used, or at least that it could.
pub fn shows_use(boot: &Boot) -> bool {
    stage(boot, StageEvent::FirstUse).is_some_and(|shown| shown.ns.is_some() || shown.line.is_some())
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_bound_carries_its_sign() {
        let signs = [(false, false), (true, false), (false, true), (true, true)];
        assert_eq!(
            signs.map(|(least, most)| bounded("5", least, most)),
            ["5", "≥ 5", "≤ 5", "≈ 5"]
        );
    }
}
