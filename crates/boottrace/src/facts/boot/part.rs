// SPDX-License-Identifier: MIT
//! The parts of a boot.

use serde::{Deserialize, Serialize};

/// In which part of a boot something lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BootPart {
    /// Firmware and boot loaders.
    Firmware,
    /// From the kernel's first line to init.
    Kernel,
    /// After that.
    UserSpace,
    /// Behind the loader's last words, where neither the kernel nor init says its name.
    Unclaimed,
}
