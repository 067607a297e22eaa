// SPDX-License-Identifier: MIT
//! User-space timings: systemd-analyze, the journal, bootchart.

pub mod bootchart;
pub mod duration;
pub mod journal;
mod journal_boot;
mod journal_verbose;
mod startup_time;
pub mod systemd_analyze;
mod systemd_blame;
mod systemd_lost;
mod systemd_pasted;
pub mod systemd_plot;
pub mod systemd_plot_json;
pub mod unit;
