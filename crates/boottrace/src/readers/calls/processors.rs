// SPDX-License-Identifier: MIT
//! Which processor a thread may run on.

/// Keeps the calling thread off the processor that the thread with number `other` runs on, when there is another one.
///
/// Two threads that wait for each other every few microseconds look to the scheduler like one, and it then may leave both
/// on one processor while the other idles (seen in a KVM guest, with 6.1): half the speed. A failure changes nothing.
#[cfg(target_os = "linux")]
pub fn leave(processor: Option<usize>) {
    use rustix::thread::{sched_getaffinity, sched_setaffinity};
    let (Some(processor), Ok(mut allowed)) = (processor, sched_getaffinity(None)) else {
        return;
    };
    if processor < rustix::thread::CpuSet::MAX_CPU && allowed.is_set(processor) && allowed.count() > 1 {
        allowed.unset(processor);
        let _ = sched_setaffinity(None, &allowed);
    }
}

/// The processor that the calling thread runs on at this moment.
#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_wraps)]
pub fn current() -> Option<usize> {
    Some(rustix::thread::sched_getcpu())
}

/// Not known elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn current() -> Option<usize> {
    None
}

/// Nothing to do elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn leave(_processor: Option<usize>) {}
