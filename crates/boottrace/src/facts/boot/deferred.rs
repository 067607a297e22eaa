// SPDX-License-Identifier: MIT
//! Deferred probing split by device: what each one cost, and whom it waited for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::facts::kernel::facts::KernelFacts;
use crate::facts::kernel::probe::ProbeResult;
use crate::log::boot_log::BootLog;
use crate::log::clock::Clock;
use crate::log::line::LineKind;

/// One device that was deferred at least once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeferredDevice {
    /// Device name.
    pub device: String,
    /// Attempts that ended with `-EPROBE_DEFER`.
    pub deferrals: u32,
    /// All attempts.
    pub tries: u32,
    /// Time in the deferred attempts, by the kernel's own numbers.
    pub attempts_us: u64,
    /// Clock of the stamps below.
    pub clock: Clock,
    /// End of the first attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_try_ns: Option<i64>,
    /// End of the attempt that bound it; absent when the log shows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_ns: Option<i64>,
    /// From the first attempt to the success: what deferring added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<i64>,
    /// Line of the first attempt.
    pub first_line: u32,
    /// Suppliers it waited for, as far as the kernel says.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub suppliers: Vec<String>,
}

/// The whole block.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeferredProbes {
    /// Devices, the costliest attempts first.
    pub devices: Vec<DeferredDevice>,
    /// Deferred attempts of all devices.
    pub deferrals: u32,
    /// Time in deferred attempts of all devices.
    pub attempts_us: u64,
    /// Order in which the devices (and suppliers named by the kernel) would bind at the first try.
    pub suggested_order: Vec<String>,
}

/// Makes the table of a boot.
pub fn deferred(boot: &BootLog, kernel: &KernelFacts) -> DeferredProbes {
    let mut devices: BTreeMap<&str, DeferredDevice> = BTreeMap::new();
    let waiting: BTreeSet<&str> = kernel
        .probes
        .iter()
        .filter(|p| p.result == ProbeResult::Deferred)
        .map(|p| p.device.as_str())
        .collect();
    for probe in kernel.probes.iter().filter(|p| waiting.contains(p.device.as_str())) {
        let entry = devices.entry(&probe.device).or_insert_with(|| DeferredDevice {
            device: probe.device.clone(),
            deferrals: 0,
            tries: 0,
            attempts_us: 0,
            clock: probe.clock,
            first_try_ns: probe.end_ns,
            success_ns: None,
            latency_ns: None,
            first_line: probe.line,
            suppliers: Vec::new(),
        });
        entry.tries += 1;
        match probe.result {
            ProbeResult::Deferred => {
                entry.deferrals += 1;
                entry.attempts_us = entry.attempts_us.saturating_add(probe.printed_us);
            }
            ProbeResult::Bound if entry.success_ns.is_none() => {
                entry.success_ns = probe.end_ns;
                let latency = probe
                    .end_ns
                    .zip(entry.first_try_ns)
                    .and_then(|(end, first)| end.checked_sub(first));
                entry.latency_ns = latency.filter(|ns| *ns >= 0);
            }
            _ => {}
        }
    }
    let suppliers = suppliers(boot);
    for (device, entry) in &mut devices {
        // `probe of DEVICE with driver DRIVER` names more than the lines about its supplier.
        let bare = device.split(" with driver ").next().unwrap_or(device);
        if let Some(found) = suppliers.get(*device).or_else(|| suppliers.get(bare)) {
            entry.suppliers = found.iter().cloned().collect();
        }
    }
    let mut devices: Vec<_> = devices.into_values().collect();
    let suggested_order = order(&devices, kernel);
    devices.sort_by(|a, b| b.attempts_us.cmp(&a.attempts_us).then_with(|| a.device.cmp(&b.device)));
    DeferredProbes {
        deferrals: devices.iter().map(|d| d.deferrals).sum(),
        attempts_us: devices.iter().map(|d| d.attempts_us).fold(0, u64::saturating_add),
        devices,
        suggested_order,
    }
}

/// Names kept for one device: a log made to hurt could list millions.
const MAX_SUPPLIERS: usize = 32;

/// What drivers/base/core.c and dd.c print about who waits for whom.
fn suppliers(boot: &BootLog) -> HashMap<String, BTreeSet<String>> {
    let mut out: HashMap<String, BTreeSet<String>> = HashMap::new();
    for line in boot.lines.iter().filter(|l| l.kind == LineKind::Kernel) {
        let text = line.text.as_str();
        let found = waits_not_ready(text).or_else(|| linked(text)).or_else(|| pending(text));
        if let Some((device, supplier)) = found {
            let entry = out.entry(device.to_owned()).or_default();
            if entry.len() < MAX_SUPPLIERS {
                entry.insert(supplier.to_owned());
            }
        }
    }
    out
}

/// `platform foo: error -EPROBE_DEFER: supplier bar not ready`.
fn waits_not_ready(text: &str) -> Option<(&str, &str)> {
    let (head, tail) = text.split_once("supplier ")?;
    let supplier = tail.split_once(" not ready")?.0;
    Some((subject(head)?, supplier))
}

/// `foo bar: Linked as a consumer to baz`.
fn linked(text: &str) -> Option<(&str, &str)> {
    let (head, supplier) = text.split_once("Linked as a consumer to ")?;
    // Regulators link by number; the supplier's name tells more.
    Some((subject(head)?, supplier.trim()))
}

/// `platform foo: deferred probe pending: platform: wait for supplier /soc/bar`.
fn pending(text: &str) -> Option<(&str, &str)> {
    let (head, tail) = text.split_once("deferred probe pending")?;
    Some((subject(head)?, tail.split_once("wait for supplier ")?.1.trim()))
}

/// The device's name in `driver device: ...`.
fn subject(head: &str) -> Option<&str> {
    head.split(": ")
        .next()?
        .trim_end_matches(':')
        .trim()
        .rsplit(' ')
        .next()
        .filter(|name| !name.is_empty())
}

/// Suppliers before consumers; otherwise the order in which the devices did bind.
fn order(devices: &[DeferredDevice], kernel: &KernelFacts) -> Vec<String> {
    let mut bound: HashMap<&str, i64> = HashMap::new();
    for probe in kernel.probes.iter().filter(|p| p.result == ProbeResult::Bound) {
        if let Some(ns) = probe.end_ns {
            bound.entry(&probe.device).or_insert(ns);
        }
    }
    let wanted: HashMap<&str, &DeferredDevice> = devices.iter().map(|d| (d.device.as_str(), d)).collect();
    let mut names: Vec<&str> = wanted.keys().copied().collect();
    names.sort_by_key(|name| (bound.get(name).copied().unwrap_or(i64::MAX), *name));
    let mut out = Vec::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for name in names {
        // Depth first, with a list of its own: the chain's length is the log's choice.
        let mut stack = vec![(name, false)];
        while let Some((name, expanded)) = stack.pop() {
            if expanded {
                out.push(name.to_owned());
                continue;
            }
            if !done.insert(name) {
                continue;
            }
            stack.push((name, true));
            if let Some(device) = wanted.get(name) {
                stack.extend(device.suppliers.iter().rev().map(|s| (s.as_str(), false)));
            }
        }
    }
    out
}
