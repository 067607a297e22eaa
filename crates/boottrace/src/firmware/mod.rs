//! What runs before the kernel: banners, stamps and time tables of firmware and boot loaders.

pub(crate) mod banner;
mod bootstage;
mod facts;
mod own_time;
mod rows;
mod table;

pub use banner::programs;
pub(crate) use own_time::own_time;
pub(crate) use rows::is_table_row;

pub use facts::{collect, FirmwareFacts, FirmwareStep, Program, StepLine};
pub use table::{Accumulated, TableMark, TableSource, TimeTable};
