// SPDX-License-Identifier: MIT
//! Stamps in the kernel's form that a boot loader printed.

use super::Splitter;
use crate::log::banner::banner;
use crate::log::boot_log::BootStart;
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;

impl Splitter<'_> {
    /// Has the line a boot loader's stamp in the kernel's form (U-Boot's BOOTSTAGE_PRINTF_TIMESTAMP of Rockchip and
    /// others, PolarFire's Hart Software Services)? Its name begins them; the kernel's banner ends them, and so do stamps
    /// that fall.
    pub(super) fn is_stamped_by_loader(&mut self, line: &Line, next: Option<&Line>) -> bool {
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
        by_loader || self.is_of_another_processor(line, ns, next)
    }

    /// Is it a line of a co-processor's firmware, which counts as the kernel does? It stands alone among lines of the boot
    /// loader's without a stamp, and no kernel was started.
    fn is_of_another_processor(&self, line: &Line, ns: i64, next: Option<&Line>) -> bool {
        const EARLY_NS: i64 = 1_000_000_000;
        let alone = next.is_some_and(|next| next.kind == LineKind::Outside && !next.has_kernel_prefix());
        let named = line.text.split(' ').next().is_some_and(|name| name.ends_with("-FW"));
        let in_loader = self.state.boot.as_ref().is_some_and(|boot| {
            boot.start == BootStart::Firmware
                && boot.kernel_from.is_none()
                && boot.lines.last().is_some_and(|last| last.kind == LineKind::Firmware)
        });
        let plain = line.caller.is_none() && line.level.is_none() && milestone::of(&line.text).is_none();
        in_loader && named && alone && plain && ns >= EARLY_NS && !self.state.handed_over
    }
}
