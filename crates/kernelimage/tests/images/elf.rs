// SPDX-License-Identifier: MIT
//! ELF kernels of both classes and byte orders.

use kernelimage::{elf, ByteOrder, Error};

use crate::builder::Shape;

#[test]
fn reads_header_segment_and_pvh_note() {
    for (byte_order, word_bytes, arch) in [
        (ByteOrder::Little, 8, "x86_64"),
        (ByteOrder::Little, 4, "arm"),
        (ByteOrder::Big, 4, "mips"),
        (ByteOrder::Big, 8, "s390"),
    ] {
        let shape = Shape {
            byte_order,
            word_bytes,
            ..Shape::v6_1()
        };
        let info = elf::read(&shape.elf(Some(0x0100_0a10))).unwrap();
        assert_eq!(info.arch.as_deref(), Some(arch));
        assert_eq!(usize::from(info.bits), word_bytes * 8);
        assert_eq!(info.entry, 0x0100_0000);
        assert_eq!(info.pvh_entry, Some(0x0100_0a10));
        assert!(!info.has_symtab);
        let [segment] = info.segments.as_slice() else {
            panic!("{:?}", info.segments);
        };
        assert_eq!(segment.rights, "r-x");
        assert_eq!(segment.memory_size_bytes, segment.file_size_bytes + 512);
        assert_eq!(info.virtual_address_of(4096 + 8), Some(shape.base() + 8));
        assert_eq!(info.file_offset_of(shape.base() + 8), Some(4096 + 8));
        assert_eq!(info.virtual_address_of(8), None);
        assert_eq!(info.file_offset_of(shape.base() - 1), None);
    }
}

#[test]
fn another_xen_note_is_no_pvh_entry() {
    assert_eq!(elf::read(&Shape::v6_1().elf(None)).unwrap().pvh_entry, None);
}

#[test]
fn says_what_is_no_elf_file() {
    assert!(matches!(elf::read(b"MZ something"), Err(Error::NotAKernel { .. })));
    assert!(matches!(
        elf::read(&Shape::v6_1().elf(None)[..40]),
        Err(Error::Corrupt { .. })
    ));
}

#[test]
fn a_stripped_file_has_no_symbol_table() {
    let error = elf::symbols(&Shape::v6_1().elf(None), &kernelimage::Limits::default()).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

/// The test program itself is an ELF file with a symbol table.
#[test]
fn reads_the_symbol_table_of_a_file_that_has_one() {
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let symbols = elf::symbols(&own, &kernelimage::Limits::default()).unwrap();
    let main = symbols.iter().find(|symbol| symbol.name == "main").expect("main");
    assert_eq!(main.kind, 'T');
    assert!(symbols.windows(2).all(|pair| pair[0].address <= pair[1].address));
}
