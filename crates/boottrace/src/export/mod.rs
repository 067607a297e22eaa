// SPDX-License-Identifier: MIT
//! Writers: one neutral input ([`crate::timeline`]), one file for each output format.
//!
//! Every writer treats names as hostile: control bytes, markup, quotes and line ends cannot leave the field they stand in.

mod boot;
pub mod bootgraph_svg;
pub mod chrome;
pub mod csv;
pub mod folded;
pub mod lanes;
pub mod perfetto;
pub mod plot;
pub mod speedscope;
