// SPDX-License-Identifier: MIT
//! Every generation of the kallsyms tables.

use kernelimage::kallsyms::{self, AddressForm, TableOrder};
use kernelimage::{ByteOrder, Error, Limits};

use crate::builder::Shape;

fn check(shape: Shape, kernel: &[u8]) -> kallsyms::Kallsyms {
    let elf = kernelimage::elf::read(kernel).ok();
    let table =
        kallsyms::read(kernel, elf.as_ref(), &Limits::default()).unwrap_or_else(|error| panic!("{shape:?}: {error}"));
    let found: Vec<_> = table
        .symbols
        .iter()
        .map(|symbol| (symbol.address, symbol.kind, symbol.name.clone()))
        .collect();
    assert!(found == shape.expected(), "{shape:?}: {:x?}", &table.layout);
    assert_eq!(table.layout.symbol_count, shape.symbols);
    assert_eq!(table.layout.form, shape.form, "{shape:?}");
    assert_eq!(table.layout.order, shape.order, "{shape:?}");
    assert_eq!(table.layout.byte_order, shape.byte_order, "{shape:?}");
    assert_eq!(table.layout.word_bytes, shape.word_bytes, "{shape:?}");
    table
}

fn every(form: AddressForm, change: impl Fn(&mut Shape)) {
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        for word_bytes in [8, 4] {
            // Odd and even counts differ in padding; 512 and 513 in markers.
            for symbols in [512, 513, 700, 701] {
                let mut shape = Shape {
                    form,
                    byte_order,
                    word_bytes,
                    symbols,
                    ..Shape::v6_1()
                };
                change(&mut shape);
                check(shape, &shape.elf(None));
                if form != AddressForm::PlaceRelative {
                    check(shape, &shape.flat());
                }
            }
        }
    }
}

#[test]
fn reads_4_6_with_word_markers() {
    every(AddressForm::Relative, |shape| shape.wide_markers = true);
    every(AddressForm::Absolute, |shape| shape.wide_markers = true);
}

#[test]
fn reads_4_20_to_6_1() {
    every(AddressForm::Relative, |_| ());
    every(AddressForm::Absolute, |_| ());
    every(AddressForm::RelativePercpu, |_| ());
}

#[test]
fn reads_6_2_with_the_order_of_names_in_between() {
    every(AddressForm::Relative, |shape| shape.sequence = true);
    every(AddressForm::RelativePercpu, |shape| shape.sequence = true);
}

#[test]
fn reads_6_4_with_addresses_last() {
    for form in [
        AddressForm::Relative,
        AddressForm::RelativePercpu,
        AddressForm::Absolute,
    ] {
        every(form, |shape| {
            shape.sequence = true;
            shape.order = TableOrder::AddressesLast;
        });
    }
}

#[test]
fn reads_offsets_from_their_own_place() {
    every(AddressForm::PlaceRelative, |shape| {
        shape.sequence = true;
        shape.order = TableOrder::AddressesLast;
    });
}

#[test]
fn offsets_from_their_own_place_in_a_flat_image_count_from_the_first_symbol() {
    for word_bytes in [8, 4] {
        let shape = Shape {
            form: AddressForm::PlaceRelative,
            order: TableOrder::AddressesLast,
            sequence: true,
            word_bytes,
            ..Shape::v6_1()
        };
        let table = kallsyms::read(&shape.flat(), None, &Limits::default()).unwrap();
        assert_eq!((table.layout.form, table.layout.relative_base), (shape.form, None));
        for (symbol, (address, ..)) in table.symbols.iter().zip(shape.expected()) {
            assert_eq!(symbol.address, address - shape.base());
        }
    }
}

#[test]
fn pointers_to_its_symbols_tell_where_a_flat_image_is_linked() {
    let shape = Shape {
        form: AddressForm::PlaceRelative,
        order: TableOrder::AddressesLast,
        sequence: true,
        ..Shape::v6_1()
    };
    let mut image = shape.flat();
    image.resize(image.len().next_multiple_of(8), 0);
    for (address, ..) in shape.expected().iter().take(64) {
        image.extend_from_slice(&address.to_le_bytes());
    }
    check(shape, &image);
}

#[test]
fn offsets_from_their_own_place_need_an_order_of_all_names_behind_them() {
    let shape = Shape {
        form: AddressForm::PlaceRelative,
        order: TableOrder::AddressesLast,
        sequence: true,
        ..Shape::v6_1()
    };
    let whole = shape.elf(None);
    let elf = kernelimage::elf::read(&whole).ok();
    let table = kallsyms::read(&whole, elf.as_ref(), &Limits::default()).unwrap();
    let order_at = table.layout.addresses_offset_bytes + 4 * shape.symbols;
    // One symbol twice and another never; two symbols in each other's place do not stand out among so many.
    let mut twice = whole.clone();
    twice.copy_within(order_at..order_at + 3, order_at + 3);
    let error = kallsyms::read(&twice, elf.as_ref(), &Limits::default()).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
    let mut reversed = whole.clone();
    for index in 0..shape.symbols {
        let from = order_at + 3 * (shape.symbols - 1 - index);
        reversed[order_at + 3 * index..][..3].copy_from_slice(&whole[from..from + 3]);
    }
    let error = kallsyms::read(&reversed, elf.as_ref(), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("order of names falls"), "{error}");
}

#[test]
fn finds_the_base_that_only_a_relocation_holds() {
    let shape = Shape {
        form: AddressForm::Relative,
        order: TableOrder::AddressesLast,
        base_in_rela: true,
        ..Shape::v6_1()
    };
    let table = check(shape, &shape.flat());
    assert_eq!(table.layout.relative_base, Some(shape.base()));
}

#[test]
fn says_so_when_no_base_is_to_be_found() {
    let shape = Shape {
        form: AddressForm::Relative,
        base_in_rela: true,
        ..Shape::v6_1()
    };
    let table = kallsyms::read(&shape.flat(), None, &Limits::default()).unwrap();
    assert_eq!(table.layout.relative_base, None);
    assert_eq!(table.symbols[0].address, 0);
}

#[test]
fn a_kernel_without_tables_is_not_found() {
    let error = kallsyms::read(&crate::builder::code(1 << 16), None, &Limits::default()).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

#[test]
fn the_symbol_limit_holds() {
    let limits = Limits {
        symbols: 700,
        ..Limits::default()
    };
    let error = kallsyms::read(&Shape::v6_1().flat(), None, &limits).unwrap_err();
    assert!(matches!(error, Error::TooBig { limit: 700, .. }), "{error}");
}
