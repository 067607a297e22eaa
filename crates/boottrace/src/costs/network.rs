// SPDX-License-Identifier: MIT
//! The network is configured before the system is usable: by the kernel (`ip=`), or by a client that waits.

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// A longer try is none.
const MAX_TRY_S: i64 = 86_400;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    kernel(context, out);
    initramfs(context, out);
    client(context, out);
}

/// The kernel's own configuration, whether it succeeds or not.
fn kernel(context: &Context<'_>, out: &mut Vec<Cost>) {
    const STARTS: [&str; 5] = [
        "Sending DHCP requests",
        "Sending BOOTP requests",
        "Sending BOOTP and RARP",
        "IP-Config: ",
        "Waiting up to ",
    ];
    let found = context
        .find(&STARTS)
        .filter(|(_, line)| given_up_s(&line.text).is_none());
    let Some((at, line)) = found else {
        return;
    };
    let ends = [
        "IP-Config: Complete",
        "IP-Config: Auto-configuration of network failed",
        "IP-Config: Retrying forever",
    ];
    let Some((_, end)) = last_round(context, at, &ends) else {
        return;
    };
    // The requests' line is stamped when it begins; the wait for a carrier began after the message before it.
    let waits = line.text.trim_start().starts_with("Waiting up to ");
    let from = if waits {
        line
    } else {
        at.checked_sub(1).map_or(line, |before| context.lines[before])
    };
    let failed = context.lines[at..]
        .iter()
        .take_while(|l| l.number < end.number)
        .filter(|l| l.text.contains("timed out!"))
        .count();
    let ns = context.between(from, end);
    // The log has no more than its end.
    if line.number == end.number && ns.is_none_or(|ns| ns == 0) {
        return;
    }
    let mut evidence = ns.map_or("the log has no stamps there".to_owned(), |ns| {
        format!(
            "{} from `{}` to `{}`",
            spell(ns),
            shorten(from.text.trim()),
            shorten(end.text.trim())
        )
    });
    if failed > 0 {
        evidence = format!("{evidence}; {failed} attempts got no answer");
    }
    let title = if failed > 0 {
        "the kernel asks for an address, and nobody answers"
    } else {
        "the kernel configures the network"
    };
    out.push(cost(
        title,
        ns,
        &[line, end],
        evidence,
        "drop ip= from the command line and configure the network from user space, if root is not on the network",
    ));
}

/// The end of the last round: a kernel whose root is on the network tries again and again.
fn last_round<'a>(context: &Context<'a>, from: usize, ends: &[&str]) -> Option<(usize, &'a Line)> {
    let mut found = context.find_from(from, ends)?;
    while found.1.text.trim_start().starts_with("IP-Config: Retrying forever") {
        match context.find_from(found.0 + 1, ends) {
            Some(next) => found = next,
            None => break,
        }
    }
    Some(found)
}

/// klibc's `ipconfig`, which initramfs-tools run for a root over the network, says how long each try took.
fn initramfs(context: &Context<'_>, out: &mut Vec<Cost>) {
    let tries: Vec<(&Line, i64)> = context
        .boot
        .lines
        .iter()
        .filter_map(|l| Some((l, given_up_s(&l.text)?)))
        .collect();
    let (Some((first, _)), Some((last, _))) = (tries.first(), tries.last()) else {
        return;
    };
    let ns = tries.iter().fold(0_i64, |sum, (_, s)| sum.saturating_add(s * NS_PER_S));
    let mut found = cost(
        "the initramfs asks for an address, and nobody answers",
        Some(ns),
        &[*first, *last],
        format!("{} tries without an answer take {}, as they say", tries.len(), spell(ns)),
        "see why nobody answers (cable, driver, server, name of the interface), or drop ip= and boot from a local medium",
    );
    found.basis = Basis::Printed;
    out.push(found);
}

/// Seconds of `IP-Config: no response after 16 secs - giving up`.
fn given_up_s(text: &str) -> Option<i64> {
    let rest = text.trim_start().strip_prefix("IP-Config: no response after ")?;
    rest.strip_suffix(" secs - giving up")?
        .parse()
        .ok()
        .filter(|s| (0..=MAX_TRY_S).contains(s))
}

/// A DHCP client that is waited for in vain.
fn client(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = &context.boot.lines;
    let begins = |l: &Line| {
        let text = l.text.trim_start();
        text.contains("udhcpc: started") || text.starts_with("udhcpc (v") || text.contains("DHCPDISCOVER on ")
    };
    let Some(at) = lines.iter().position(begins) else {
        return;
    };
    let ended = lines[at..]
        .iter()
        .find(|l| l.text.contains("udhcpc: no lease") || l.text.contains("No DHCPOFFERS received"));
    let rounds = || {
        let asks =
            |l: &&Line| l.text.contains("udhcpc: broadcasting discover") || l.text.contains("udhcpc: sending discover");
        let got = lines[at..]
            .iter()
            .any(|l| l.text.contains("udhcpc: lease of ") || l.text.contains("udhcpc: sending select"));
        lines[at..].iter().rev().find(asks).filter(|_| !got)
    };
    let Some(end) = ended.or_else(rounds) else { return };
    let Some(ns) = context.apart(&lines[at], end).filter(|ns| *ns > 100_000_000) else {
        out.extend(between_stamps(context, &lines[at], end));
        return;
    };
    out.push(cost(
        "a DHCP client gets no answer",
        Some(ns),
        &[&lines[at], end],
        format!(
            "{} from `{}` to `{}`",
            spell(ns),
            shorten(lines[at].text.trim()),
            shorten(end.text.trim())
        ),
        "start the client in the background (udhcpc -b), or start it after what the system is for",
    ));
}

/// A client without stamps of its own, between two of the kernel's: it took no longer than lies between them.
fn between_stamps(context: &Context<'_>, from: &Line, to: &Line) -> Option<Cost> {
    let mut before = context.lines.iter().rev().filter(|line| line.number < from.number);
    let before = before.find(|line| context.stamp(line).is_some())?;
    let mut behind = context.boot.lines.iter().filter(|line| line.number > to.number);
    let behind = behind.find(|line| context.stamp(line).is_some())?;
    let near = behind.number - before.number <= 30;
    let ns = context.between(before, behind).filter(|ns| near && *ns > 100_000_000)?;
    let mut found = cost(
        "a DHCP client gets no answer",
        Some(ns),
        &[before, from, to, behind],
        format!(
            "the stamps around it, of `{}` and `{}`, are {} apart",
            shorten(before.text.trim()),
            shorten(behind.text.trim()),
            spell(ns)
        ),
        "start the client in the background (udhcpc -b), or start it after what the system is for",
    );
    found.at_most = true;
    Some(found)
}

fn cost(title: &str, ns: Option<i64>, lines: &[&Line], evidence: String, advice: &str) -> Cost {
    let mut lines: Vec<u32> = lines.iter().map(|l| l.number).collect();
    lines.dedup();
    Cost {
        title: title.to_owned(),
        cost_ns: ns,
        gain_ns: ns,
        lines,
        evidence,
        advice: advice.to_owned(),
        ..Cost::of(CostKind::NetworkConfiguration)
    }
}
