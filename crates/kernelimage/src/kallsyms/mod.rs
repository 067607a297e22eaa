// SPDX-License-Identifier: MIT
//! The symbol table that a kernel carries for itself (`CONFIG_KALLSYMS`), read out of a stripped image.
//!
//! The tables have no header and no magic; they are found by their shape, from the token table outwards (kernel:
//! `scripts/kallsyms.c`, `kernel/kallsyms.c`). Their order has changed:
//!
//! * to 6.3: addresses, count, names, markers, (6.2: order of names,) tokens, token index;
//! * since 6.4: count, names, markers, tokens, token index, addresses, order of names. In 7.x the addresses are offsets from
//!   their own place.
//!
//! What was read is checked: that each symbol stands once in the order of names (where the addresses prove themselves by
//! nothing else), that this order is one of names, and that symbols which every kernel has lie as kernels are laid out.

mod addresses;
mod check;
mod linked;
mod names;
mod tokens;

use serde::{Deserialize, Serialize};

use crate::bytes::ByteOrder;
use crate::elf::ElfInfo;
use crate::error::{Error, Limits, Result};
use crate::symbol::Symbol;

/// How the table writes addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressForm {
    /// Whole addresses (`kallsyms_addresses`).
    Absolute,
    /// Unsigned 32-bit offsets from a base (`CONFIG_KALLSYMS_BASE_RELATIVE`, 4.6).
    Relative,
    /// The same, negative ones relative to the base and the others absolute (`CONFIG_KALLSYMS_ABSOLUTE_PERCPU`).
    RelativePercpu,
    /// Signed offsets from the place of each entry.
    PlaceRelative,
}

/// Where the addresses stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableOrder {
    /// Before the names: kernels to 6.3.
    AddressesFirst,
    /// After the token index: kernels since 6.4.
    AddressesLast,
}

/// Where the tables were found and what they look like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KallsymsLayout {
    /// Number of symbols.
    pub symbol_count: usize,
    /// How addresses are written.
    pub form: AddressForm,
    /// Where the addresses stand.
    pub order: TableOrder,
    /// Byte order of the tables.
    pub byte_order: ByteOrder,
    /// Bytes of a pointer: 4 or 8.
    pub word_bytes: usize,
    /// The address that offsets count from; `None` when the image does not tell (an arm64 `Image` with relocations
    /// that name another base), and then symbol addresses count from the first symbol.
    pub relative_base: Option<u64>,
    /// File offset of the addresses.
    pub addresses_offset_bytes: usize,
    /// File offset of the names.
    pub names_offset_bytes: usize,
    /// File offset of the tokens.
    pub tokens_offset_bytes: usize,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kallsyms {
    /// Symbols in the order of the table: by address, as far as the build sorted them.
    pub symbols: Vec<Symbol>,
    /// Layout.
    pub layout: KallsymsLayout,
}

const NOT_FOUND: Error = Error::NotFound {
    what: "kallsyms table",
    hint: "the kernel was built without CONFIG_KALLSYMS, or the bytes are still compressed; use its System.map",
};

/// The tables of one image, found but not decoded.
struct Tables<'a> {
    tokens: tokens::Tokens<'a>,
    names: names::Names,
    addresses: addresses::Addresses,
}

/// Recovers the table from an unpacked kernel. `elf` is what [`crate::elf::read`] says of the same bytes, if they are ELF.
///
/// # Errors
/// [`Error::NotFound`] when there is none, [`Error::TooBig`] when it is beyond the limits.
pub fn read(kernel: &[u8], elf: Option<&ElfInfo>, limits: &Limits) -> Result<Kallsyms> {
    let tables = locate(kernel, elf, limits)?;
    let names = tables.names.decode(kernel, &tables.tokens)?;
    if let Some(by_name) = &tables.addresses.by_name {
        check::order_of_names(&names, by_name)?;
    }
    let symbols: Vec<Symbol> = names
        .into_iter()
        .zip(&tables.addresses.values)
        .map(|((kind, name), &address)| Symbol {
            address,
            kind,
            name,
            module: None,
        })
        .collect();
    check::layout(&symbols)?;
    Ok(Kallsyms {
        symbols,
        layout: layout(&tables),
    })
}

/// Finds the tables without decoding the names.
///
/// # Errors
/// As [`read`].
pub fn read_layout(kernel: &[u8], elf: Option<&ElfInfo>, limits: &Limits) -> Result<KallsymsLayout> {
    locate(kernel, elf, limits).map(|tables| layout(&tables))
}

fn locate<'a>(kernel: &'a [u8], elf: Option<&ElfInfo>, limits: &Limits) -> Result<Tables<'a>> {
    let mut budget = names::Budget::default();
    for tokens in tokens::find(kernel) {
        let Some(names) = names::find(kernel, &tokens, &mut budget) else {
            continue;
        };
        if names.count > limits.symbols {
            return Err(Error::TooBig {
                what: "kallsyms table",
                limit: limits.symbols as u64,
                unit: "symbols",
            });
        }
        if let Some(addresses) = addresses::find(kernel, &tokens, &names, elf) {
            return Ok(Tables {
                tokens,
                names,
                addresses,
            });
        }
    }
    Err(NOT_FOUND)
}

fn layout(tables: &Tables<'_>) -> KallsymsLayout {
    KallsymsLayout {
        symbol_count: tables.names.count,
        form: tables.addresses.form,
        order: tables.addresses.order,
        byte_order: tables.tokens.byte_order,
        word_bytes: tables.addresses.word_bytes,
        relative_base: tables.addresses.base,
        addresses_offset_bytes: tables.addresses.at,
        names_offset_bytes: tables.names.at,
        tokens_offset_bytes: tables.tokens.at,
    }
}
