// SPDX-License-Identifier: MIT
//! Services that an init other than systemd starts, by what it prints: OpenRC, start scripts of System V, Debian and
//! BusyBox, runit, s6, dinit, Finit, upstart, Android.

pub mod manager;
mod named;
pub mod of_boot;
pub mod rows;
pub mod words;

pub use manager::Manager;
pub use of_boot::of_boot;
pub use rows::{Service, ServiceLog};
