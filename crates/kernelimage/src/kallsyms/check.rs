// SPDX-License-Identifier: MIT
//! Whether what was read can be a kernel's symbols.

use crate::error::{Error, Result};
use crate::symbol::Symbol;

const WHAT: &str = "kallsyms table";

/// Symbols of the linker script (`include/asm-generic/vmlinux.lds.h`, `arch/*/kernel/vmlinux.lds.S`): in any kernel that has
/// both, the first does not lie behind the second.
const IN_ORDER: [(&str, &str); 8] = [
    ("_text", "_stext"),
    ("_stext", "_etext"),
    ("_etext", "_end"),
    ("__start_rodata", "__end_rodata"),
    ("__init_begin", "__init_end"),
    ("_sinittext", "_einittext"),
    ("_sdata", "_edata"),
    ("__bss_start", "__bss_stop"),
];
/// It begins a page, on every architecture.
const ON_A_PAGE: &str = "__init_begin";
const PAGE_BYTES: u64 = 4096;
/// Names differ from what they are sorted by where a compiler's suffix was cut off.
const MAX_FALLS_PERCENT: usize = 1;

/// `by_name` sorts the names.
pub(super) fn order_of_names(names: &[(char, String)], by_name: &[u32]) -> Result<()> {
    let name = |number: u32| names.get(number as usize).map_or("", |(_, name)| name.as_str());
    let falls = by_name.windows(2).filter(|pair| name(pair[0]) > name(pair[1])).count();
    if falls * 100 > by_name.len() * MAX_FALLS_PERCENT {
        return Err(Error::corrupt(WHAT, format!("its order of names falls {falls} times")));
    }
    Ok(())
}

/// The symbols that the linker script makes lie in its order.
pub(super) fn layout(symbols: &[Symbol]) -> Result<()> {
    let address = |name: &str| {
        let found = symbols.iter().find(|symbol| symbol.name == name)?;
        Some(found.address)
    };
    for (first, second) in IN_ORDER {
        if let (Some(low), Some(high)) = (address(first), address(second)) {
            if low > high {
                return Err(Error::corrupt(WHAT, format!("{first} lies behind {second}")));
            }
        }
    }
    if let Some(at) = address(ON_A_PAGE).filter(|at| at % PAGE_BYTES != 0) {
        return Err(Error::corrupt(
            WHAT,
            format!("{ON_A_PAGE} is no page's beginning ({at:#x})"),
        ));
    }
    Ok(())
}
