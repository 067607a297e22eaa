// SPDX-License-Identifier: MIT
//! The tables of one boot.

use boottrace::document::boot::Boot;
use boottrace::facts::boot::critical_path::{CriticalPath, PathSegment};
use boottrace::facts::boot::gap::{BootPart, LargeGap};
use boottrace::facts::kernel::initcall::{CallFlag, Initcall};
use boottrace::facts::services::Service;
use boottrace::log::boot_log::BootStart;
use boottrace::readers::firmware_table::table::TimeTable;

use crate::figures::{count, counted, ms, percent};
use crate::listing::{label, share, time, time_or_nothing, words, Only, TableListing};
use crate::names::{flag_words, manager_words, name, part_words};
use crate::sureness::shows_use;

/// Devices of the best order that a page names.
const ORDER: usize = 50;

/// All tables of a boot, in their order.
pub fn tables(boot: &Boot) -> Vec<TableListing> {
    let mut out = vec![initcalls(boot), deferred(boot)];
    out.extend(way_to_init(boot));
    out.push(services(boot));
    out.push(silences(boot));
    out.extend(boot.firmware.tables.iter().map(time_table));
    out
}

/// What is to be known about an initcall's numbers, in words.
pub fn remarks(call: &Initcall) -> String {
    let mut told: Vec<String> = call.flags.iter().map(|flag| flag_words(*flag).to_owned()).collect();
    if let Some(returned) = call.returned.filter(|returned| *returned != 0) {
        told.push(format!("returned {returned}"));
    }
    told.join("; ")
}

/// The initcalls by true duration, longest first; those that never ended come first of all.
fn slowest(boot: &Boot) -> Vec<&Initcall> {
    let endless = |call: &&Initcall| call.has(CallFlag::NeverReturned);
    let (first, mut timed): (Vec<&Initcall>, Vec<&Initcall>) = boot.kernel.initcalls.iter().partition(endless);
    timed.retain(|call| call.best_duration_ns().is_some());
    timed.sort_by_key(|call| std::cmp::Reverse(call.best_duration_ns()));
    first.into_iter().chain(timed).collect()
}

fn us(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX).saturating_mul(1000)
}

fn initcalls(boot: &Boot) -> TableListing {
    let row = |call: &Initcall| {
        vec![
            words(call.label()),
            time(call.duration_ns),
            time(call.printed_us.map(us)),
            time(call.start_ns),
            label(call.pid),
            label(call.start_line.filter(|line| *line != 0).or(call.end_line)),
            words(remarks(call)).styled("yellow").limited(200),
        ]
    };
    let all = count(boot.kernel.initcalls.len() as u64);
    TableListing {
        title: "Initcalls by their stamps".to_owned(),
        columns: vec![
            "initcall",
            ">true, ms",
            ">printed, ms",
            ">start, ms",
            ">pid",
            ">line",
            "~flags",
        ],
        rows: slowest(boot).into_iter().map(row).collect(),
        terminal: format!("Longest initcalls of {all}, by their stamps"),
        below: initcall_notes(boot),
        ..TableListing::default()
    }
}

fn deferred(boot: &Boot) -> TableListing {
    let found = &boot.deferred;
    let rows = found.devices.iter().map(|device| {
        let suppliers = device.suppliers.join(", ");
        let waited = if suppliers.is_empty() {
            words("the log does not say").styled("dim")
        } else {
            words(suppliers)
        };
        vec![
            words(device.device.as_str()),
            label(Some(device.tries)),
            time(Some(us(device.attempts_us))),
            time(device.first_try_ns),
            time(device.success_ns),
            time(device.latency_ns),
            waited.limited(200),
        ]
    });
    let first: Vec<&str> = found.suggested_order.iter().take(ORDER).map(String::as_str).collect();
    TableListing {
        title: "Deferred probes".to_owned(),
        columns: vec![
            "device",
            ">tries",
            ">in attempts, ms",
            ">first try, ms",
            ">bound, ms",
            ">added, ms",
            "~waited for",
        ],
        rows: rows.collect(),
        lead: if first.is_empty() {
            String::new()
        } else {
            format!("Best order: {}", first.join(", "))
        },
        terminal: format!(
            "Deferred probes: {} attempts of {} devices, {} ms in them",
            found.deferrals,
            found.devices.len(),
            ms(Some(us(found.attempts_us)))
        ),
        below: best_order(&found.suggested_order).into_iter().collect(),
        ..TableListing::default()
    }
}

/// The stretches of the way to init: on a page in their order, on the terminal the longest first.
fn way_to_init(boot: &Boot) -> Vec<TableListing> {
    let Some(path) = &boot.critical_path else {
        return Vec::new();
    };
    let whole = path.to_ns.saturating_sub(path.from_ns);
    let row = |segment: &PathSegment| {
        let inside: Vec<String> = segment
            .inside
            .iter()
            .map(|(name, took_us)| format!("{name} {}", ms(Some(us(*took_us)))))
            .collect();
        vec![
            words(segment.label.as_str()),
            time(Some(segment.duration_ns)),
            share(percent(segment.duration_ns, whole), segment.duration_ns),
            time(Some(segment.start_ns)),
            words(inside.join(", ")).styled("dim").limited(200),
        ]
    };
    let listing = |segments: &[&PathSegment], only| TableListing {
        title: "Way to init".to_owned(),
        columns: vec!["stretch", ">ms", ">share", ">start, ms", "~inside"],
        rows: segments.iter().map(|segment| row(segment)).collect(),
        terminal: format!(
            "Way to init: {} ms ({}), longest stretches",
            ms(Some(whole)),
            name(&path.clock)
        ),
        only,
        ..TableListing::default()
    };
    let in_order: Vec<&PathSegment> = path.segments.iter().collect();
    let page = listing(&in_order, Only::Page);
    if in_order.len() < 2 {
        return vec![page];
    }
    let mut longest = in_order;
    longest.sort_by_key(|segment| std::cmp::Reverse(segment.duration_ns));
    let terminal = TableListing {
        below: beside(path).into_iter().collect(),
        ..listing(&longest, Only::Terminal)
    };
    vec![page, terminal]
}

/// What only ran beside the way to init.
fn beside(path: &CriticalPath) -> Option<String> {
    let longest: Vec<String> = path
        .beside
        .iter()
        .take(4)
        .map(|call| format!("{} {} ms", call.label, ms(Some(call.duration_ns))))
        .collect();
    let whole = ms(Some(path.beside_ns));
    let count = path.beside_count;
    (count > 0).then(|| {
        format!(
            "{count} initcalls ran beside or after it ({whole} ms): {}",
            longest.join(", ")
        )
    })
}

/// The order in which no probe would be deferred.
fn best_order(order: &[String]) -> Option<String> {
    let first: Vec<&str> = order.iter().take(12).map(String::as_str).collect();
    let more = match order.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!first.is_empty()).then(|| format!("binds at the first try in this order: {}{more}", first.join(", ")))
}

/// How many printed durations are wrong, and why.
fn initcall_notes(boot: &Boot) -> Vec<String> {
    let calls = &boot.kernel.initcalls;
    let switched = |call: &&Initcall| {
        let switch = boot.kernel.clocksource_switch_line;
        switch.is_some_and(|line| call.start_line.unwrap_or(0) > line)
    };
    let late: Vec<&Initcall> = calls.iter().filter(switched).collect();
    let wrong: Vec<&&Initcall> = late.iter().filter(|call| call.has(CallFlag::Disagrees)).collect();
    let shared = wrong.iter().filter(|call| call.has(CallFlag::SharedStart)).count();
    let mut notes = Vec::new();
    if !late.is_empty() {
        notes.push(format!(
            "{} of the {} initcalls after the clocksource switch print a duration that their stamps contradict; {shared} of \
             them print the time since another initcall's start",
            wrong.len(),
            late.len()
        ));
    }
    let early = calls.iter().filter(|call| call.has(CallFlag::JiffiesClock)).count();
    if early > 0 {
        notes.push(format!(
            "{early} ran before the switch: what they print has the timer tick's resolution"
        ));
    }
    if boot.kernel.backward_stamps > 0 {
        notes.push(format!("stamps went back {} times", boot.kernel.backward_stamps));
    }
    notes
}

/// Whose a silence is: in a piece that shows neither the kernel's start nor init, nobody knows.
fn shown_part(boot: &Boot, gap: &LargeGap) -> BootPart {
    let piece = boot.start == BootStart::MiddleOfLog && gap.part == BootPart::Kernel && !boot.reached_user;
    if piece {
        BootPart::Unclaimed
    } else {
        gap.part
    }
}

fn silences(boot: &Boot) -> TableListing {
    let rows = boot.gaps.iter().map(|gap| {
        vec![
            time(Some(gap.duration_ns)),
            words(part_words(shown_part(boot, gap))),
            time(Some(gap.start_ns)),
            label(Some(gap.after_line)),
            words(gap.after.as_str()).limited(200),
            words(gap.before.as_str()).limited(200),
        ]
    });
    let (title, beside_goal) = if shows_use(boot) {
        ("Longest silences up to first use", "")
    } else {
        let title = "Longest silences (no first use was found)";
        (title, "Longest silences of the recorded boot")
    };
    TableListing {
        title: title.to_owned(),
        beside_goal: beside_goal.to_owned(),
        columns: vec![">ms", "of", ">start, ms", ">line", "~after", "~before"],
        rows: rows.collect(),
        ..TableListing::default()
    }
}

fn services(boot: &Boot) -> TableListing {
    let length = |service: &Service| service.done_ns.map(|done| done.saturating_sub(service.start_ns));
    let mut found: Vec<&Service> = boot.services.iter().collect();
    found.sort_by_key(|service| std::cmp::Reverse(length(service).unwrap_or(0)));
    let rows = found.iter().map(|service| {
        vec![
            words(service.name.as_str()),
            time(length(service)),
            time(Some(service.start_ns)),
            label(Some(service.lines.0)),
            words(remark(service)).styled("dim").limited(200),
        ]
    });
    TableListing {
        title: "Services".to_owned(),
        columns: vec!["service", ">ms", ">start, ms", ">line", "~started by"],
        rows: rows.collect(),
        terminal: format!("Longest starts of {}", counted(found.len() as u64, "service")),
        ..TableListing::default()
    }
}

/// Who started a service, and what is to be known about its times.
fn remark(service: &Service) -> String {
    let mut told = vec![manager_words(service.manager)];
    if service.at_most {
        told.push("up to the next line".to_owned());
    }
    if service.done_ns.is_none() {
        told.push("how long was not found".to_owned());
    }
    if !service.ok {
        told.push("did not come up".to_owned());
    }
    told.join("; ")
}

/// The marks of a firmware's time table: what firmware tells about itself.
fn time_table(times: &TimeTable) -> TableListing {
    let mut before = None;
    let mut rows = Vec::new();
    for mark in &times.marks {
        let named = mark.name.trim();
        let since = before.map(|before| mark.ns.saturating_sub(before));
        rows.push(vec![
            time(Some(mark.ns)),
            time_or_nothing(since),
            label(Some(mark.line)),
            words(if named.is_empty() { "(no name)" } else { named }).limited(200),
        ]);
        before = Some(mark.ns);
    }
    rows.extend(times.accumulated.iter().map(|row| {
        vec![
            words(""),
            time(Some(row.total_ns)),
            label(Some(row.line)),
            words(format!("{}, accumulated", row.name)).limited(200),
        ]
    }));
    let least = rows.len() as u32;
    let source = name(&times.source);
    let whole = times.marks.iter().map(|mark| mark.ns).max().unwrap_or(0);
    TableListing {
        title: format!("Time table of {source}"),
        columns: vec![">at, ms", ">since the mark before, ms", ">line", "~mark"],
        rows,
        least,
        terminal: format!(
            "Time table of {source}: {} marks, {} ms",
            times.marks.len(),
            ms(Some(whole))
        ),
        ..TableListing::default()
    }
}
