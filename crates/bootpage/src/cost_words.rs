// SPDX-License-Identifier: MIT
//! What a cost takes and may gain, in words.

use std::collections::BTreeSet;

use boottrace::costs::cost::{Basis, Cost, Wording};
use boottrace::costs::kind::CostKind;
use boottrace::document::boot::Boot;
use boottrace::facts::boot::gap::BootPart;
use boottrace::facts::boot::stage::{Stage, StageEvent};
use serde::Serialize;

use crate::figures::{ms, seconds};
use crate::names::basis_words;
use crate::sureness::shows_use;

/// A cost in the words of a list of costs. What was found, its evidence and what to do are the cost's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostWords {
    /// What it takes: `≥ 12.500 ms`.
    pub spent: String,
    /// What it may gain, and how sure that is: `may gain at most 3.000 ms; the log says so`.
    pub gain: String,
    /// The lines that show it: `lines 3, 6`; empty where none does.
    pub place: String,
    /// Whether there may be something to gain, so that what to do is said.
    pub helps: bool,
}

impl CostWords {
    /// The words of a cost.
    pub fn of(cost: &Cost) -> Self {
        let spent = match cost.cost_ns {
            None => "cost unknown".to_owned(),
            Some(ns) => format!("{}{} ms", if cost.at_least { "≥ " } else { "" }, ms(Some(ns))),
        };
        let sure = basis_words(cost.basis);
        let gain = match cost.gain_ns {
            None => "gain unknown".to_owned(),
            Some(0) => format!("nothing to gain; {sure}"),
            Some(ns) => format!(
                "may gain {}{} ms; {sure}",
                if cost.at_most { "at most " } else { "" },
                ms(Some(ns))
            ),
        };
        Self {
            spent,
            gain,
            place: place(&cost.lines),
            helps: cost.gain_ns != Some(0),
        }
    }
}

fn place(lines: &[u32]) -> String {
    let numbers: Vec<String> = lines.iter().take(4).map(ToString::to_string).collect();
    match lines.len() {
        0 => String::new(),
        1 => format!("line {}", numbers[0]),
        _ => format!("lines {}", numbers.join(", ")),
    }
}

/// What a cost counts for in a headline.
pub fn size_ns(cost: &Cost) -> i64 {
    cost.cost_ns.filter(|ns| *ns != 0).or(cost.gain_ns).unwrap_or(0)
}

/// What it takes, in a sentence.
pub fn spent(cost: &Cost) -> String {
    format!(
        "{}{}",
        if cost.at_least { "at least " } else { "" },
        seconds(size_ns(cost))
    )
}

/// What it may gain, at the end of a sentence.
pub fn gain(cost: &Cost) -> String {
    match cost.gain_ns {
        None => "and only a boot can show how much of it can be saved".to_owned(),
        Some(0) => "of which nothing is to be gained".to_owned(),
        Some(ns) => {
            let most = if cost.at_most { "at most " } else { "" };
            format!("which may save {most}{} ({})", seconds(ns), basis_words(cost.basis))
        }
    }
}

/// Whether this boot's log tells a cost or a gain; what others gained says nothing of how long it took here.
pub fn is_timed(cost: &Cost) -> bool {
    let some = |ns: Option<i64>| ns.is_some_and(|ns| ns != 0);
    some(cost.cost_ns) || some(cost.gain_ns) && cost.basis != Basis::Published
}

/// The largest of costs; of equals the first.
pub fn largest<'a>(costs: impl IntoIterator<Item = &'a Cost>, of: impl Fn(&Cost) -> i64) -> Option<&'a Cost> {
    costs.into_iter().fold(None, |best, cost| match best {
        Some(held) if of(held) >= of(cost) => best,
        _ => Some(cost),
    })
}

/// The timed costs that the boot had for sure: where no first use is shown, a late silence may be none.
pub fn sure_costs(boot: &Boot) -> Vec<&Cost> {
    let silences = || boot.gaps.iter().filter(|gap| gap.part == BootPart::UserSpace);
    let silent: BTreeSet<_> = silences().map(|gap| [gap.after_line, gap.before_line]).collect();
    let around: BTreeSet<u32> = silent.iter().flatten().copied().collect();
    let shown = shows_use(boot);
    let behind = last_step(boot);
    let late = |cost: &Cost| {
        // In a running system a silence may be nobody's wait, and a device's only its own driver's.
        let lines = <[u32; 2]>::try_from(cost.lines.as_slice());
        let in_silence = lines.is_ok_and(|lines| silent.contains(&lines));
        let of_silences = cost.lines.len() > 1 && cost.lines.iter().all(|line| around.contains(line));
        let late = || cost.lines.first() > behind.as_ref();
        let of_dates = matches!(cost.wording, Wording::NothingBetween | Wording::NothingBut);
        match cost.kind {
            CostKind::Silence => in_silence || (of_dates && boot.startup.is_none()),
            CostKind::LongInitcall => late(),
            _ => of_silences && !waits_for_it(cost) && late(),
        }
    };
    boot.costs
        .iter()
        .filter(|cost| is_timed(cost) && (shown || !late(cost)))
        .collect()
}

/// Does the boot itself wait, whatever a silence of user space is? Any other line around one may be nobody's wait.
fn waits_for_it(cost: &Cost) -> bool {
    use CostKind as Kind;
    let boots = matches!(
        cost.kind,
        Kind::UnitStart
            | Kind::UnitFailure
            | Kind::DeviceWait
            | Kind::UserSpaceStart
            | Kind::ChainGap
            | Kind::InitramfsRun
            | Kind::RootDeviceWait
            | Kind::ResumeDeviceWait
            | Kind::RootDelay
            | Kind::DiskUnlock
            | Kind::FileSystemCheck
            | Kind::UdevSettle
            | Kind::InitStart
            | Kind::ProgramRun
            | Kind::StatedTime
    );
    let modest = cost.kind != Kind::InitStart && cost.title.starts_with("nothing is printed");
    boots && !modest
}

/// The line of the last step of init's that a boot shows; none in a piece, whose steps are not known.
fn last_step(boot: &Boot) -> Option<u32> {
    let of_init = |stage: &&Stage| stage.event >= StageEvent::UserSpaceStart;
    let steps = boot.stages.iter().filter(of_init).filter_map(|stage| stage.line);
    steps.max().or(Some(u32::MAX))
}
