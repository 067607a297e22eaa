//! User-space timings: systemd-analyze, the journal, bootchart.

pub mod bootchart;
pub mod duration;
pub mod journal;
mod journal_boot;
pub mod systemd_analyze;
pub mod systemd_plot;
pub mod systemd_plot_json;
pub mod unit;
