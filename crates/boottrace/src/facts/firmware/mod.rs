// SPDX-License-Identifier: MIT
//! What runs before the kernel: programs, steps and time tables of firmware and boot loaders.

pub mod coreboot_states;
pub mod countdown;
pub mod facts;
pub mod reads;

pub use facts::{collect, FirmwareFacts, FirmwareStep, Program, StepLine};
