//! What runs before the kernel: programs, steps and time tables of firmware and boot loaders.

pub mod facts;

pub use facts::{collect, FirmwareFacts, FirmwareStep, Program, StepLine};
