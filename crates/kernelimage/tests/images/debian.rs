// SPDX-License-Identifier: MIT
//! The Debian cloud kernel, or any x86-64 bzImage of a distribution: set `BOOTLAB_KERNEL` to its path.

use kernelimage::{extract_vmlinux, inspect, symbols, ImageKind, Limits};

fn image() -> Option<Vec<u8>> {
    let Some(path) = std::env::var_os("BOOTLAB_KERNEL").map(std::path::PathBuf::from) else {
        eprintln!("skipped: set BOOTLAB_KERNEL=/boot/vmlinuz-… to run this test");
        return None;
    };
    // The Makefile names the place before anything is there: `make kernel` fetches it.
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(std::fs::read(path).expect("BOOTLAB_KERNEL must name a readable file"))
}

#[test]
fn a_distribution_kernel_opens_up() {
    let Some(image) = image() else { return };
    let info = inspect(&image, &Limits::default());
    assert_eq!(info.kind, ImageKind::BzImage);
    assert_eq!(info.notes, [""; 0]);
    assert_eq!(info.arch.as_deref(), Some("x86_64"));
    let release = info.linux.unwrap().release;
    assert!(info.setup.unwrap().kernel_version.unwrap().starts_with(&release));
    assert!(info.elf.unwrap().pvh_entry.is_some());
    let kernel = extract_vmlinux(&image, &Limits::default()).unwrap();
    assert_eq!(kernel.len() as u64, info.kernel_bytes);
}

#[test]
fn its_symbols_lie_where_a_kernel_lies() {
    let Some(image) = image() else { return };
    let symbols = symbols(&image, &Limits::default()).unwrap();
    assert!(symbols.len() > 80_000, "{}", symbols.len());
    let address = |name: &str| {
        let found = symbols.iter().find(|symbol| symbol.name == name);
        found.unwrap_or_else(|| panic!("{name}")).address
    };
    // The kernel's text mapping: Documentation/arch/x86/x86_64/mm.rst.
    assert_eq!(address("_text"), 0xffff_ffff_8100_0000);
    for name in [
        "startup_64",
        "start_kernel",
        "rest_init",
        "run_init_process",
        "cryptomgr_init",
    ] {
        assert!((address("_text")..address("_end")).contains(&address(name)), "{name}");
    }
    assert!((address("_sinittext")..address("_einittext")).contains(&address("start_kernel")));
    assert!((address("_stext")..address("_etext")).contains(&address("rest_init")));
    // Since 6.15 per-CPU data are linked like the rest.
    assert!(address("__per_cpu_start") == 0 || address("__per_cpu_start") > address("_text"));
}

/// Kernels of any age and architecture: `BOOTLAB_KERNELS=FILE:FILE…`.
#[test]
fn each_named_kernel_shows_where_its_functions_are_linked() {
    let named = std::env::var("BOOTLAB_KERNELS").unwrap_or_default();
    for path in named.split(':').filter(|path| !path.is_empty()) {
        let image = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let symbols = symbols(&image, &Limits::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
        let address = |name: &str| {
            let found = symbols.iter().find(|symbol| symbol.name == name);
            found.unwrap_or_else(|| panic!("{path}: {name}")).address
        };
        eprintln!(
            "{path}: {} symbols, start_kernel {:#x}",
            symbols.len(),
            address("start_kernel")
        );
        // 32-bit ARM lies from 3 GiB on, the others in the upper half of 64 bits: no address counts from zero.
        assert!(address("_stext") >= 0xc000_0000, "{path}: {:#x}", address("_stext"));
        for name in ["start_kernel", "vfs_read", "rest_init"] {
            assert!(
                (address("_stext")..symbols.iter().map(|symbol| symbol.address).max().unwrap())
                    .contains(&address(name))
            );
        }
    }
}
