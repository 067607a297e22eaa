//! Reads Linux boot logs and traces of every kind into events, spans and call trees.

pub mod calls;
mod clock;
pub mod export;
pub mod userspace;

pub use clock::{Clock, Stamp};
