// SPDX-License-Identifier: MIT
//! Bytes, lines and numbers: what every reader and writer needs, and nothing of any format.

pub(crate) mod languages;
pub mod lines;
pub(crate) mod named;
pub mod number;
pub(crate) mod physical;
pub mod printable;
pub(crate) mod shorten;
pub(crate) mod spoken_time;
pub(crate) mod utf16;
pub(crate) mod words;
