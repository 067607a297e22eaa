// SPDX-License-Identifier: MIT
//! What holds for the events of every boot, whatever its log says: an event is no later than the line that shows it, and
//! user space does not precede the kernel.

use super::axis::Axis;
use super::stage::{Stage, StageEvent};
use crate::log::boot_log::BootLog;

/// Mends events that contradict their own line, and forgets times that contradict the order.
pub fn in_order(boot: &BootLog, axis: &Axis, stages: &mut [Stage]) {
    for stage in stages.iter_mut() {
        let Some(number) = stage.line else { continue };
        let at = boot.lines.partition_point(|line| line.number < number);
        let same = boot.lines[at..].iter().take_while(|line| line.number == number);
        let own = same
            .filter_map(|line| axis.at(line))
            .map(|(ns, clock)| (ns, Some(clock)))
            .max();
        if let Some((ns, clock)) = own {
            if stage.clock == clock && stage.ns.is_some_and(|told| told > ns) {
                stage.ns = Some(ns);
            }
        }
    }
    raise_bounds(stages);
    let kernel = stages.iter().find(|stage| stage.event == StageEvent::KernelStart);
    let Some(begin) = kernel.filter(|stage| !stage.at_most).and_then(|stage| stage.ns) else {
        return;
    };
    for stage in stages.iter_mut().filter(|stage| is_of_user_space(stage.event)) {
        if stage.ns.is_some_and(|ns| ns < begin) {
            (stage.ns, stage.clock) = (None, None);
            (stage.at_least, stage.at_most) = (false, false);
        }
    }
}

/// What init started came no earlier than init: a bound of the one is a bound of the other.
fn raise_bounds(stages: &mut [Stage]) {
    let init = stages.iter().find(|stage| stage.event == StageEvent::UserSpaceStart);
    let Some((least, clock)) = init
        .filter(|stage| !stage.at_most)
        .and_then(|stage| Some((stage.ns?, stage.clock)))
    else {
        return;
    };
    for stage in stages
        .iter_mut()
        .filter(|stage| stage.event > StageEvent::UserSpaceStart)
    {
        let bounded = stage.at_least && !stage.at_most && !stage.shifted && stage.clock == clock;
        stage.ns = stage.ns.map(|ns| if bounded { ns.max(least) } else { ns });
    }
}

/// Does it come behind the kernel's start?
pub fn is_of_user_space(event: StageEvent) -> bool {
    event > StageEvent::KernelStart
}
