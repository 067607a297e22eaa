//! Which reader an input is for. Every reader registers one detector here.

use serde::{Deserialize, Serialize};

/// How sure a detector is. The highest wins; equal ones go by the order of [`DETECTORS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// It could be read as this.
    Possible,
    /// Several lines have its shape.
    Likely,
    /// A magic number or an unmistakable header.
    Certain,
}

/// The formats that are told apart by their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// dmesg, serial captures, LAVA job logs, firmware tables: everything that `console` reads.
    BootLog,
}

/// A format and how to recognise it from the (unpacked) bytes.
pub struct Detector {
    /// What is detected.
    pub format: Format,
    /// Looks at the bytes; must not read more than it needs.
    pub detect: fn(&[u8]) -> Option<Confidence>,
}

/// All detectors. Boot logs come last: any text can be one.
pub const DETECTORS: &[Detector] = &[Detector {
    format: Format::BootLog,
    detect: boot_log,
}];

/// The format with the highest confidence.
pub fn detect(bytes: &[u8]) -> Option<(Format, Confidence)> {
    let mut best: Option<(Format, Confidence)> = None;
    for detector in DETECTORS {
        if let Some(confidence) = (detector.detect)(bytes) {
            if best.is_none_or(|(_, other)| confidence > other) {
                best = Some((detector.format, confidence));
            }
        }
    }
    best
}

#[allow(clippy::unnecessary_wraps)] // the shape all detectors have
fn boot_log(_bytes: &[u8]) -> Option<Confidence> {
    Some(Confidence::Possible)
}
