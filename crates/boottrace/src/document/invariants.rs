// SPDX-License-Identifier: MIT
//! What holds for every document, whatever the bytes were. The fuzz targets and the tests check it for all that they read;
//! a reader that breaks it says something that cannot be.

use super::boot::Boot;
use super::document::{Document, Part};
use super::units::UnitReport;
use crate::costs::cost::{Cost, Wording};
use crate::costs::kind::CostKind;
use crate::facts::boot::failure::Outcome;
use crate::facts::boot::gap::BootPart;
use crate::facts::boot::idle::ends_no_wait;
use crate::facts::boot::stage::{Stage, StageEvent};

/// Sentences about what does not hold; none where all is well.
pub fn broken(document: &Document) -> Vec<String> {
    let mut out = Vec::new();
    for took in &document.took {
        hold(
            &mut out,
            took.from_line <= took.to_line,
            "a range of lines ends before it begins",
        );
    }
    in_order(document, &mut out);
    for part in &document.parts {
        match part {
            Part::Boot(boot) => of_boot(boot, &mut out),
            Part::Units(report) => of_units(report, &mut out),
            _ => {}
        }
    }
    out
}

/// Lines that are said to stand before the kernel's of one boot do so.
fn in_order(document: &Document, out: &mut Vec<String>) {
    let begin = |part: &Part| match part {
        Part::Boot(boot) => Some(boot.from_line),
        Part::NotABoot(part) => Some(part.from_line),
        _ => None,
    };
    let begins: Vec<u32> = document.parts.iter().filter_map(begin).collect();
    for part in &document.parts {
        let Part::NotABoot(part) = part else { continue };
        // Messages that ran together share a line.
        let follows = begins
            .iter()
            .any(|from| (part.to_line..=part.to_line.saturating_add(2)).contains(from));
        hold(
            out,
            part.what != "before-kernel" || follows,
            "no kernel follows what stands before one",
        );
    }
}

fn hold(out: &mut Vec<String>, holds: bool, what: &str) {
    if !holds {
        out.push(what.to_owned());
    }
}

fn of_boot(boot: &Boot, out: &mut Vec<String>) {
    of_stages(boot, out);
    for interval in &boot.intervals {
        let ordered = interval.duration_ns.is_none_or(|ns| ns >= 0);
        hold(out, ordered, "an interval is shorter than nothing");
    }
    for gap in &boot.gaps {
        hold(out, gap.duration_ns > 0, "a silence does not last");
        hold(
            out,
            gap.after_line <= gap.before_line,
            "a silence ends before it begins",
        );
        hold(
            out,
            !ends_no_wait(&gap.before),
            "a silence ends with what nobody has waited for",
        );
        hold(
            out,
            gap.in_user_space == (gap.part == BootPart::UserSpace),
            "a silence lies in two parts",
        );
    }
    of_longest(boot, out);
    of_later(boot, out);
    let used = stage(boot, StageEvent::FirstUse).and_then(|stage| stage.line);
    for cost in &boot.costs {
        of_cost(cost, out);
        hold(
            out,
            !is_logged_meanwhile(boot, cost),
            &format!("`{}`, and a line has a date in between", cost.title),
        );
        // What systemd-analyze printed may stand behind the boot.
        let inside = cost
            .lines
            .iter()
            .all(|line| (boot.from_line..=boot.to_line).contains(line));
        hold(
            out,
            inside || is_of_report(cost.kind),
            &format!("`{}` has lines of another boot", cost.title),
        );
        let later = used.is_some_and(|used| cost.lines.iter().min().is_some_and(|line| *line > used));
        hold(
            out,
            !(later && cost.kind == CostKind::Silence),
            &format!("`{}` begins after the boot's end", cost.title),
        );
        let of_console = matches!(cost.kind, CostKind::ConsoleOutput) && cost.gain_ns.is_some();
        let seen = boot.reached_user || boot.outcome == Outcome::Panic || boot.kernel.banner.is_some();
        hold(
            out,
            !of_console || seen || cost.lines.len() == 1,
            "a gain of the console's, and neither the kernel's begin nor init's is seen",
        );
    }
}

/// Does a cost say that nothing is logged between two dates, and a line has one in between? Only where all lines were kept.
fn is_logged_meanwhile(boot: &Boot, cost: &Cost) -> bool {
    let date = |number: &u32| boot.lines.iter().find(|line| line.number == *number)?.host_ns;
    let [from, to] = cost.lines.as_slice() else {
        return false;
    };
    let silent = cost.wording == Wording::NothingBetween;
    let Some((begin, end)) = date(from).zip(date(to)).filter(|_| silent) else {
        return false;
    };
    let inside = |ns: i64| begin < ns && ns < end;
    cost.cost_ns == end.checked_sub(begin) && boot.lines.iter().filter_map(|line| line.host_ns).any(inside)
}

/// What no cost tells of lasts, lies in the boot, up to its first use, and within what the stamps span.
fn of_longest(boot: &Boot, out: &mut Vec<String>) {
    let Some(longest) = &boot.longest else { return };
    let used = stage(boot, StageEvent::FirstUse).and_then(|stage| stage.line);
    hold(out, longest.duration_ns > 0, "the longest stretch does not last");
    hold(
        out,
        longest.after_line < longest.before_line,
        "the longest stretch ends before it begins",
    );
    let inside = boot.from_line <= longest.after_line && longest.before_line <= boot.to_line;
    hold(out, inside, "the longest stretch lies outside its boot");
    let later = used.is_some_and(|used| longest.before_line > used);
    hold(out, !later, "the longest stretch ends behind the first use");
    hold(
        out,
        !ends_no_wait(&longest.before),
        "the longest stretch ends with what nobody has waited for",
    );
    let told = boot.costs.iter().any(|cost| {
        let around = |line: &u32| (longest.after_line..=longest.before_line).contains(line);
        !cost.lines.is_empty()
            && cost.lines.iter().all(around)
            && cost.cost_ns.is_some_and(|ns| ns >= longest.duration_ns)
    });
    hold(out, !told, "a cost tells of the stretch that no cost tells of");
}

/// What lies behind the boot is none of its costs, lasts, and stands in the boot's lines.
fn of_later(boot: &Boot, out: &mut Vec<String>) {
    let Some(later) = &boot.later else { return };
    hold(out, later.duration_ns > 0, "a later stretch does not last");
    let inside = boot.from_line <= later.after_line && later.before_line <= boot.to_line;
    hold(
        out,
        inside && later.after_line < later.before_line,
        "a later stretch lies outside its boot",
    );
    hold(
        out,
        !ends_no_wait(&later.before),
        "a later stretch ends with what nobody has waited for",
    );
}

/// May a report about units tell it?
fn is_of_report(kind: CostKind) -> bool {
    use CostKind as Kind;
    matches!(
        kind,
        Kind::UnitStart
            | Kind::UnitFailure
            | Kind::UserSpaceStart
            | Kind::DeviceWait
            | Kind::ChainGap
            | Kind::InitramfsRun
            | Kind::FirmwareAccount
            | Kind::LoaderAccount
            | Kind::KernelAccount
    )
}

fn stage(boot: &Boot, event: StageEvent) -> Option<&Stage> {
    boot.stages.iter().find(|stage| stage.event == event)
}

fn of_stages(boot: &Boot, out: &mut Vec<String>) {
    let begin = stage(boot, StageEvent::KernelStart).filter(|stage| !stage.at_most);
    let begin = begin.and_then(|stage| stage.ns);
    for stage in &boot.stages {
        let of_user = stage.event > StageEvent::KernelStart;
        let before = of_user && stage.ns.zip(begin).is_some_and(|(ns, begin)| ns < begin);
        hold(out, !before, &format!("{:?} precedes the kernel", stage.event));
        hold(
            out,
            stage.ns.is_some() || !(stage.at_least || stage.at_most),
            &format!("{:?} is bounded by nothing", stage.event),
        );
        // Only where all lines were kept.
        let own = boot.lines.iter().filter(|line| Some(line.number) == stage.line);
        let own = own.filter_map(|line| boot.axis.at(line)).max();
        if let (Some((at, clock)), Some(ns)) = (own, stage.ns) {
            let later = stage.clock == Some(clock) && ns > at;
            hold(out, !later, &format!("{:?} is later than its own line", stage.event));
        }
    }
}

fn of_cost(cost: &Cost, out: &mut Vec<String>) {
    let title = &cost.title;
    let negative = [cost.cost_ns, cost.gain_ns].into_iter().flatten().any(|ns| ns < 0);
    hold(out, !negative, &format!("`{title}` takes less than no time"));
    let more = cost.cost_ns.zip(cost.gain_ns).is_some_and(|(spent, gain)| gain > spent);
    hold(out, !more, &format!("`{title}` gains more than it takes"));
    let bounds = (cost.at_least && cost.cost_ns.is_none()) || (cost.at_most && cost.gain_ns.is_none());
    hold(out, !bounds, &format!("`{title}` is bounded by nothing"));
    let counted = cost.kind != CostKind::BootLoaderDelay || cost.cost_ns.is_some_and(|ns| ns > 0);
    hold(out, counted, &format!("`{title}` is a countdown of nothing"));
}

fn of_units(report: &UnitReport, out: &mut Vec<String>) {
    for cost in &report.costs {
        of_cost(cost, out);
    }
    let Some(startup) = &report.startup else { return };
    let parts = || startup.parts.iter();
    let sum = parts().fold(0_u64, |sum, (_, ns)| sum.saturating_add(*ns));
    let total = startup.total_ns.filter(|_| parts().count() > 1);
    let adds_up = total.is_none_or(|total| total.abs_diff(sum) <= (total / 20).max(1_000_000_000));
    hold(out, adds_up, "an account's parts are not its sum");
    // A chain may be another boot's, and says so itself.
    let user = parts().find(|(name, _)| name == "userspace").map(|(_, ns)| *ns);
    for cost in report.costs.iter().filter(|_| report.chain.is_empty()) {
        let ns = cost.cost_ns.and_then(|ns| u64::try_from(ns).ok());
        let longer = ns
            .zip(user)
            .is_some_and(|(ns, user)| ns > user.saturating_add(user / 20));
        hold(
            out,
            !(longer && cost.kind == CostKind::UnitStart),
            &format!("`{}` outlasts the start that it is told of", cost.title),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::analyze::analyze;
    use crate::options::Options;

    fn a_boot() -> Document {
        let log =
            "[    0.000000] Linux version 6.1 (a@b) #1\n[    0.500000] x\n[    2.500000] Run /init as init process\n";
        analyze("x", log.as_bytes(), &Options::default()).unwrap()
    }

    #[test]
    fn what_cannot_be_is_told() {
        let mut document = a_boot();
        assert_eq!(broken(&document), Vec::<String>::new());
        let Some(Part::Boot(boot)) = document.parts.first_mut() else {
            panic!("a boot")
        };
        boot.costs[0].cost_ns = Some(-1);
        boot.costs[0].lines.push(99);
        for stage in &mut boot.stages {
            if stage.event == StageEvent::UserSpaceStart {
                stage.ns = Some(-5);
            }
        }
        let told = broken(&document);
        assert_eq!(told.len(), 3, "{told:?}");
    }
}
