// SPDX-License-Identifier: MIT
//! cloud-init's own words of where it is: `Cloud-init v. 9.1 running 'init' at DATE. Up 5.59 seconds.` It counts from the
//! kernel's start, so that what lies between two stages of one boot is known, whatever stamps the lines have or lack; and the
//! records of `cloud-init analyze show`. Texts: cloudinit/cmd/main.py, cloudinit/analyze/show.py.

use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use super::stated_time::{length, LONGEST_NS};
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// Lines looked at.
const MOST: usize = 200_000;
/// Steps told.
const LISTED: usize = 6;
/// Shorter ones are not told.
const SHORTEST_NS: i64 = 100_000_000;
const RECORD: &str = "cloud-init's own record";
const ADVICE: &str =
    "see cloud-init.log between these two lines (`cloud-init analyze blame`): the network that it waits for, \
                      the sources of data that it asks, the modules that it runs";

/// No system takes longer to come to cloud-init: it was called by hand, or in a container whose host counts.
const LONGEST_BEFORE_NS: i64 = 300_000_000_000;
/// A shorter time before it is not told.
const SHORTEST_BEFORE_NS: i64 = 1_000_000_000;

/// A stage begins, or all is over.
struct Mark<'a> {
    stage: Option<&'a str>,
    up_ns: i64,
    line: &'a Line,
}

/// The longest times between two stages of one boot; of several boots, the longest of each.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let boots = boots(marks(lines.take(MOST)).into_iter());
    let many = boots.len() > 1;
    let mut out = Vec::new();
    for (at, marks) in boots.iter().enumerate() {
        let place = if many {
            format!(", in boot {} of {} that these lines show", at + 1, boots.len())
        } else {
            String::new()
        };
        let mut steps: Vec<Cost> = marks.windows(2).filter_map(|two| step(two, &place)).collect();
        // A stage that comes again may be somebody's call.
        let first = marks.first().filter(|first| at == 0 || first.stage != Some("init"));
        steps.extend(first.and_then(|first| before(first, &place)));
        steps.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
        steps.truncate(if many { 2 } else { LISTED });
        out.extend(steps);
    }
    out.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    out.truncate(LISTED);
    out
}

/// The marks of each boot: a count that goes back, or that goes on behind the end, is another boot's.
fn boots<'a>(marks: impl Iterator<Item = Mark<'a>>) -> Vec<Vec<Mark<'a>>> {
    let mut boots: Vec<Vec<Mark<'a>>> = Vec::new();
    for mark in marks {
        let last = boots.last().and_then(|boot| boot.last());
        let goes_on = last.is_some_and(|last| {
            last.stage.is_some()
                && last.up_ns <= mark.up_ns
                && mark.stage != Some("init-local")
                && mark.stage != last.stage
        });
        match boots.last_mut().filter(|_| goes_on) {
            Some(boot) => boot.push(mark),
            None => boots.push(vec![mark]),
        }
    }
    boots
}

/// Is a cost told by one line alone, with cloud-init's count since the kernel's start? A log's dates may begin much later.
pub(super) fn counts_from_the_kernel(cost: &Cost, lines: &[Line]) -> bool {
    let [number] = cost.lines[..] else { return false };
    let line = lines.iter().find(|line| line.number == number);
    cost.kind == CostKind::StatedTime && !marks(line.into_iter()).is_empty()
}

/// The time before the first stage that the lines of one boot show.
pub(crate) fn before_first<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Cost> {
    marks(lines.take(MOST)).first().and_then(|first| before(first, ""))
}

/// What ran before cloud-init's first stage, by its count since the kernel's start.
fn before(first: &Mark<'_>, place: &str) -> Option<Cost> {
    const FIRST: [&str; 4] = ["init-local", "init", "start-local", ""];
    let stage = first.stage.filter(|stage| FIRST.contains(stage))?;
    if !(SHORTEST_BEFORE_NS..LONGEST_BEFORE_NS).contains(&first.up_ns) {
        return None;
    }
    // `init` has a stage before it, which other lines may show, or the log has lost.
    let title = match stage {
        "" => "the kernel and what runs before the first stage of cloud-init that is shown".to_owned(),
        "init" => "the kernel and what runs before the stage `init` of cloud-init".to_owned(),
        _ => format!("the kernel and what runs before the first stage of cloud-init that is shown, `{stage}`"),
    };
    let evidence = format!(
        "cloud-init begins {} after the kernel's start by its own count{place}",
        spell(first.up_ns)
    );
    let advice = "ask `systemd-analyze critical-chain cloud-init-local.service` what comes before it, and dmesg for the kernel's part";
    Some(Cost {
        cost_ns: Some(first.up_ns),
        basis: Basis::Computed,
        ..Cost::without_time(CostKind::StatedTime, title, first.line.number, evidence, advice)
    })
}

/// Commands that cloud-init runs, by the stamps of cloud-init.log: from a command's line to its next one.
pub(crate) fn commands<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    const WHOLE_NS: i64 = 1_000_000_000;
    let own = lines
        .take(MOST)
        .filter(|line| line.text.contains(".py[") || line.text.contains("cloud-init["));
    let (mut out, mut last): (Vec<Cost>, Option<&Line>) = (Vec::new(), None);
    for line in own {
        let Some(from) = last.replace(line) else { continue };
        let Some((_, command)) = from.text.split_once("Running command ") else {
            continue;
        };
        // It asks the kernel, which answers at once: what lasts is what cloud-init does behind it.
        if command.starts_with("['ip', ") {
            continue;
        }
        let dates = from.host_ns.zip(line.host_ns);
        let Some(ns) = dates.and_then(|(from, to)| to.checked_sub(from)) else {
            continue;
        };
        let whole = dates.is_some_and(|(from, to)| from % WHOLE_NS == 0 && to % WHOLE_NS == 0);
        let shortest = if whole { 2 * WHOLE_NS } else { WHOLE_NS };
        // What begins another stage, or another boot, ends no command.
        if !(shortest..LONGEST_BEFORE_NS).contains(&ns) || line.text.contains("Cloud-init v. ") {
            continue;
        }
        let command = command.split(" with allowed return codes").next().unwrap_or(command);
        let by = if whole { ", by dates of whole seconds" } else { "" };
        out.push(Cost {
            cost_ns: Some(ns),
            basis: Basis::Computed,
            lines: vec![from.number, line.number],
            ..Cost::without_time(
                CostKind::StatedTime,
                format!("cloud-init runs the command `{}`", shorten(command)),
                from.number,
                format!("{} from that line to cloud-init's next{by}", spell(ns)),
                ADVICE,
            )
        });
    }
    out.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    out.truncate(LISTED);
    out
}

fn step(two: &[Mark<'_>], place: &str) -> Option<Cost> {
    let [from, to] = two else { return None };
    let ns = to.up_ns.checked_sub(from.up_ns)?;
    if !(SHORTEST_NS..LONGEST_NS).contains(&ns) {
        return None;
    }
    let end = to
        .stage
        .map_or_else(|| "its end".to_owned(), |stage| format!("`{stage}`"));
    let title = format!("the step `{}` of cloud-init, with what comes before {end}", from.stage?);
    let up = |mark: &Mark<'_>| format!("{} after the kernel's start", spell(mark.up_ns));
    let evidence = format!("from {} to {} by cloud-init's own count{place}", up(from), up(to));
    Some(Cost {
        cost_ns: Some(ns),
        basis: Basis::Computed,
        lines: vec![from.line.number, to.line.number],
        ..Cost::without_time(CostKind::StatedTime, title, from.line.number, evidence, ADVICE)
    })
}

/// The lines with which stages begin: `Cloud-init v. 9.1 running 'init' at DATE. Up 5.59 seconds.`, `Cloud-init v. 9.1 finished at DATE. Datasource X.  Up 9.8 seconds`
fn marks<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Mark<'a>> {
    let mut lines = lines.peekable();
    let mut out = Vec::new();
    while let Some(line) = lines.next() {
        let rest = lines.peek().map_or("", |next| next.text.as_str());
        out.extend(mark(line, rest));
    }
    out
}

/// `rest`: the line behind it, where the end of a broken one stands. A form that wraps its lines (YAML) breaks them anywhere.
fn mark<'a>(line: &'a Line, rest: &'a str) -> Option<Mark<'a>> {
    if let Some(mark) = old_mark(line) {
        return Some(mark);
    }
    let (_, said) = line.text.split_once("Cloud-init v. ")?;
    let whole = said.rsplit_once(" Up ").is_some_and(|(_, up)| up.contains(" second"));
    let joined = if whole {
        said.to_owned()
    } else {
        format!("{} {}", said.trim_end(), rest.trim_start())
    };
    let (_, words) = joined.split_once(' ')?;
    let runs = words.starts_with("running '");
    if !runs && !words.starts_with("finished at ") {
        return None;
    }
    let name = |text: &'a str| text.split_once('\'')?.1.split('\'').next();
    let stage = runs.then(|| name(said).or_else(|| name(rest)).unwrap_or(""));
    let (_, up) = joined.rsplit_once(" Up ")?;
    let mut words = up.split(' ');
    let up_ns = seconds_ns(words.next()?).filter(|_| words.next().is_some_and(|unit| unit.starts_with("second")))?;
    Some(Mark { stage, up_ns, line })
}

/// `cloud-init start-local running: Wed, 06 Jul 2011 12:03:37 +0000. up 25.10 seconds` of versions before 0.7.
fn old_mark(line: &Line) -> Option<Mark<'_>> {
    let said = line.text.trim_start().strip_prefix("cloud-init ")?;
    let (stage, rest) = said.split_once("running: ").filter(|(stage, _)| stage.len() < 20)?;
    let (_, up) = rest.rsplit_once(". up ")?;
    let (up, unit) = up.split_once(' ')?;
    let up_ns = seconds_ns(up).filter(|_| unit.starts_with("second"))?;
    Some(Mark {
        stage: Some(stage.trim()),
        up_ns,
        line,
    })
}

/// Seconds with decimals. A container counts the time of its host, which may be years.
fn seconds_ns(text: &str) -> Option<i64> {
    let seconds: f64 = text.parse().ok()?;
    (0.0..1e9).contains(&seconds).then_some((seconds * 1e9) as i64)
}

/// The longest events of the first record of `cloud-init analyze show`:
/// `|`->found local data from DataSourceX @00.04000s +06.12200s`.
pub(crate) fn of_records<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut records = 0;
    let mut stage = "";
    let mut events: Vec<(i64, &str, &str, &Line)> = Vec::new();
    let mut last: Option<Event<'_>> = None;
    let mut between: Vec<Cost> = Vec::new();
    let mut whole: Option<(i64, &Line)> = None;
    for line in lines.take(MOST) {
        let text = line.text.trim();
        whole = whole.or_else(|| Some((total(text)?, line)));
        records += u32::from(text.starts_with("-- Boot Record "));
        if records > 1 {
            break;
        }
        stage = text.strip_prefix("Starting stage: ").unwrap_or(stage);
        let Some((name, at, ns)) = event(text) else { continue };
        let this = Event { stage, at, ns, line };
        between.extend(last.as_ref().and_then(|last| apart(last, &this)));
        last = Some(this);
        events.push((ns, name, stage, line));
    }
    events.retain(|(ns, ..)| (SHORTEST_NS..LONGEST_NS).contains(ns));
    events.sort_by_key(|(ns, ..)| std::cmp::Reverse(*ns));
    events.truncate(LISTED);
    let steps = events.into_iter();
    let mut out: Vec<Cost> = steps
        .map(|(ns, name, stage, line)| of_event(ns, name, stage, line))
        .collect();
    out.extend(between);
    let longest = out.iter().filter_map(|cost| cost.cost_ns).max().unwrap_or(0);
    // The sum says more only where no step accounts for it.
    out.extend(whole.filter(|(ns, _)| ns / 2 > longest).map(of_all));
    out.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    out.truncate(LISTED);
    out
}

/// An event of a record: when it began since the record's start, and how long it took.
struct Event<'a> {
    stage: &'a str,
    at: i64,
    ns: i64,
    line: &'a Line,
}

/// What lies between the last event of a stage and the first of the next, where it is long: other units run there.
fn apart(last: &Event<'_>, this: &Event<'_>) -> Option<Cost> {
    const LEAST_NS: i64 = 1_000_000_000;
    let ns = this.at.checked_sub(last.at.saturating_add(last.ns))?;
    if last.stage == this.stage || !(LEAST_NS..LONGEST_NS).contains(&ns) {
        return None;
    }
    let title = format!("nothing of cloud-init runs before its stage {}", this.stage);
    let evidence = format!(
        "{} between its last step before and the first of that stage, by cloud-init's own record",
        spell(ns)
    );
    let advice = "cloud-init waits for nothing of its own there: see what systemd starts before that stage \
                  (`systemd-analyze critical-chain cloud-final.service`)";
    Some(Cost {
        cost_ns: Some(ns),
        basis: Basis::Computed,
        lines: vec![last.line.number, this.line.number],
        ..Cost::without_time(CostKind::StatedTime, title, this.line.number, evidence, advice)
    })
}

/// `Total Time: 9.13200 seconds`: the sum of a record's stages.
fn total(text: &str) -> Option<i64> {
    let (_, said) = text.split_once("Total Time: ")?;
    let mut words = said.split([' ', '`']);
    let ns = seconds_ns(words.next()?)?;
    (words.next() == Some("seconds")).then_some(ns)
}

fn of_all((ns, line): (i64, &Line)) -> Cost {
    Cost::stated_by("all stages of cloud-init together".to_owned(), ns, line, RECORD, ADVICE)
}

fn of_event(ns: i64, name: &str, stage: &str, line: &Line) -> Cost {
    let title = format!("the step `{}` of cloud-init's stage {stage}", shorten(name));
    Cost::stated_by(title, ns, line, RECORD, ADVICE)
}

/// Its name, when it began, how long it took.
fn event(text: &str) -> Option<(&str, i64, i64)> {
    let rest = text.strip_prefix("|`->")?;
    let (name, times) = rest.rsplit_once(" @")?;
    let (at, took) = times.split_once(" +")?;
    Some((name.trim(), length(at, None, &[])?, length(took, None, &[])?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn of(text: &str) -> Vec<(String, i64)> {
        let lines = lines_of(text);
        let found = of_lines(lines.iter()).into_iter().chain(of_records(lines.iter()));
        found
            .map(|cost| (cost.title, cost.cost_ns.unwrap_or(0) / 1_000_000))
            .collect()
    }

    #[test]
    fn stages_of_each_boot() {
        let text = "Cloud-init v. 9.1 running 'init-local' at Mon, 01 Jan 2035 10:00:00 +0000. Up 3.50 seconds.\n\
                    ci-info: frob\n\
                    frobd[7]: Cloud-init v. 9.1 running 'init' at Mon, 01 Jan 2035 10:00:04 +0000. Up 7.75 seconds.\n\
                    Cloud-init v. 9.1 finished at Mon, 01 Jan 2035 10:00:05 +0000. Datasource X [a=b].  Up 8.25 seconds\n\
                    Cloud-init v. 9.1 running 'init-local' at Tue, 02 Jan 2035 10:00:00 +0000. Up 9.00 seconds.\n\
                    Cloud-init v. 9.1 running 'init' at Tue, 02 Jan 2035 10:00:21 +0000. Up 30.00 seconds.\n\
                    Cloud-init v. 9.1 running 'init' at Tue, 02 Jan 2035 10:00:21 +0000. Up 90.00 seconds.\n";
        let told: Vec<i64> = of(text).into_iter().map(|(_, ms)| ms).collect();
        assert_eq!(told, [21_000, 9_000, 4_250, 3_500]);
        let name = "the kernel and what runs before the first stage of cloud-init that is shown, `init-local`";
        assert!(of(text).contains(&(name.to_owned(), 9_000)));
        let old = "cloud-init start-local running: Mon, 01 Jan 2035 10:00:00 +0000. up 7.25 seconds\n";
        assert_eq!(of(old)[0].1, 7_250);
        assert!(of("Cloud-init v. 9.1 finished at X. Datasource Y.  Up 77.0 seconds\n").is_empty());
        assert!(of("Cloud-init v. 9.1 running 'init' at X. Up many seconds\n").is_empty());
        let wrapped = "  a frobd[7]: Cloud-init v. 9.1\n  running 'init' at X. Up 7.50 seconds.\n  b frobd[7]: Cloud-init v. 9.1 running\n\
                       'modules:final' at X. Up 47.50 seconds.\n";
        assert_eq!(of(wrapped)[0].1, 40_000);
    }

    #[test]
    fn a_command_lasts_until_the_next_line() {
        let mut lines = lines_of(
            "util.py[DEBUG]: Running command ['frob', '-y'] with allowed return codes [0] (shell=False, capture=False)\n\
             stages.py[DEBUG]: Running module quux\n\
             util.py[DEBUG]: Running command ['frob'] with allowed return codes [0]\n\
             util.py[DEBUG]: Cloud-init v. 9.1 running 'init' at X. Up 9.0 seconds",
        );
        for (line, s) in lines.iter_mut().zip([10, 14, 15, 99]) {
            line.host_ns = Some(s * 1_000_000_000);
        }
        let told = commands(lines.iter());
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].title, "cloud-init runs the command `['frob', '-y']`");
        assert_eq!(told[0].cost_ns, Some(4_000_000_000));
    }

    #[test]
    fn events_of_a_record() {
        let text = "-- Boot Record 01 --\nStarting stage: init-local\n|`->no cache found @00.00600s +00.00000s\n\
                    |`->found local data from DataSourceFrob @00.04000s +06.12200s\nFinished stage: (init-local) 06.3 seconds\n\
                    -- Boot Record 02 --\n|`->found local data from DataSourceFrob @00.04000s +09.12200s\n";
        let name = "the step `found local data from DataSourceFrob` of cloud-init's stage init-local";
        assert_eq!(of(text), [(name.to_owned(), 6_122)]);
        let text = "Starting stage: modules-config\n|`->config-frob ran successfully @05.00000s +01.00000s\n\
                    Starting stage: modules-final\n|`->config-quux ran successfully @26.00000s +00.20000s\n\
                    Total Time: 90.5 seconds\n";
        let told: Vec<i64> = of(text).into_iter().map(|(_, ms)| ms).collect();
        assert_eq!(told, [90_500, 20_000, 1_000, 200]);
    }
}
