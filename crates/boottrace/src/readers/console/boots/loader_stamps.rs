// SPDX-License-Identifier: MIT
//! Stamps in the kernel's form that a boot loader printed.

use super::Splitter;
use crate::log::banner::banner;
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;

impl Splitter<'_> {
    /// Has the line a boot loader's stamp in the kernel's form (U-Boot's BOOTSTAGE_PRINTF_TIMESTAMP of Rockchip and
    /// others, PolarFire's Hart Software Services)? Its name begins them; the kernel's banner ends them, and so do stamps
    /// that fall.
    pub(super) fn is_stamped_by_loader(&mut self, line: &Line) -> bool {
        let Some(ns) = line.printk_ns.filter(|_| line.kind == LineKind::Kernel) else {
            return false;
        };
        let services = ["HSS_", "DDR-Lo size is", "PolarFire(H) SoC Hart"];
        let named = line.text.starts_with("U-Boot ") && banner(&line.text).is_some()
            || services.iter().any(|words| line.text.starts_with(words));
        let goes_on = |last: i64| {
            let kernel = matches!(
                milestone::of(&line.text),
                Some(Milestone::KernelBanner | Milestone::BootingLinux)
            );
            !kernel && ns >= last && line.caller.is_none() && line.level.is_none()
        };
        let by_loader = named || self.loader_ns.is_some_and(goes_on);
        self.loader_ns = by_loader.then_some(ns);
        by_loader
    }
}
