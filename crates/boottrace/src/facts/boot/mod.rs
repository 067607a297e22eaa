// SPDX-License-Identifier: MIT
//! The course of a boot: axis, stages, silences, failures, the way to init.

pub mod alignment;
pub mod axis;
mod background;
pub mod blind_spot;
pub mod by_account;
pub(crate) mod clock_set;
pub mod critical_path;
mod dated;
pub(crate) mod dates;
pub mod deferred;
pub mod end;
pub mod failure;
pub mod first_boot;
pub(crate) mod first_use;
pub mod gap;
mod host_stamps;
pub(crate) mod idle;
mod initramfs;
pub(crate) mod inside;
pub mod interval;
mod loader_time;
mod meeting;
mod order;
pub(crate) mod over;
mod part;
pub mod stage;
pub mod startup;
mod unclaimed;

pub use alignment::{Alignment, Fit};
pub use axis::Axis;
pub use blind_spot::{blind_spots, BlindSpot, BlindSpotKind};
pub use by_account::by_account;
pub use critical_path::{critical_path, Beside, CriticalPath, PathSegment, SegmentKind};
pub use deferred::{deferred, DeferredDevice, DeferredProbes};
pub use end::{end, BootEnd, EndKind};
pub use failure::{boot_loop, failures, last_words, outcome, BootLoop, Failure, FailureKind, Outcome};
pub use first_boot::{first_boot, FirstBoot};
pub use gap::{gaps, BootPart, LargeGap};
pub use interval::{intervals, Interval};
pub use order::in_order;
pub use stage::{stages, Stage, StageEvent, UseSign};
pub use startup::{startup, StartupAccount};
