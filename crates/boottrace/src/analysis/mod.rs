//! What a boot's log means: stages, waits, costs, failures, comparisons.

mod axis;
mod blind_spot;
mod budget;
mod comparison;
mod cost;
mod critical_path;
mod deferred;
mod end;
mod failure;
mod gap;
mod quantity;
mod stage;
mod threshold;

pub(crate) use axis::JIFFIES_START_NS;
pub use axis::{Alignment, Axis, Fit};
pub use blind_spot::{blind_spots, BlindSpot, BlindSpotKind};
pub use budget::Budget;
pub use comparison::{compare, BudgetResult, Change, Comparison, Row, Sample};
pub use cost::{costs, Basis, Cost};
pub use critical_path::{critical_path, Beside, CriticalPath, PathSegment, SegmentKind};
pub use deferred::{deferred, DeferredDevice, DeferredProbes};
pub use end::{end, BootEnd, EndKind};
pub use failure::{boot_loop, failures, last_words, outcome, Failure, FailureKind, Outcome};
pub use gap::{gaps, LargeGap};
pub use quantity::{quantities, runs, Run};
pub use stage::{intervals, shorten, stages, Interval, Stage, StageEvent};
pub use threshold::{Threshold, Thresholds, KINDS};
