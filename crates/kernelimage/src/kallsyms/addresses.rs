// SPDX-License-Identifier: MIT
//! `kallsyms_addresses`, or `kallsyms_offsets` with `kallsyms_relative_base`.

use super::names::Names;
use super::tokens::Tokens;
use super::{linked, AddressForm, TableOrder};
use crate::bytes::ByteOrder;
use crate::elf::ElfInfo;
use crate::foreign::FlatImage;

/// RELA entries that only add the load address, by machine (psABI): arm64, riscv, x86-64.
const RELATIVE_RELOCATIONS: [u64; 3] = [1027, 3, 8];

/// arm64 and riscv place the kernel on such a boundary.
const TEXT_ALIGN_BYTES: u64 = 2 << 20;
/// The first symbol (`_text`, or `_stext` without `CONFIG_KALLSYMS_ALL`) lies no farther from the image's start.
const FIRST_SYMBOL_BYTES: u64 = 1 << 20;

/// The addresses of one image.
pub(super) struct Addresses {
    pub at: usize,
    pub form: AddressForm,
    pub order: TableOrder,
    pub word_bytes: usize,
    pub base: Option<u64>,
    pub values: Vec<u64>,
    /// `kallsyms_seqs_of_names`: the symbols in the order of their names. Read where it proves the table before it.
    pub by_name: Option<Vec<u32>>,
}

/// Reads tables at a place that is being tried.
struct Reader<'a> {
    kernel: &'a [u8],
    byte_order: ByteOrder,
    elf: Option<&'a ElfInfo>,
    count: usize,
    order: TableOrder,
    word_bytes: usize,
}

/// Tries both places and every form, and takes the first that makes sense.
pub(super) fn find(kernel: &[u8], tokens: &Tokens<'_>, names: &Names, elf: Option<&ElfInfo>) -> Option<Addresses> {
    let widths: &[usize] = match elf.map(|elf| elf.bits) {
        Some(64) => &[8],
        Some(_) => &[4],
        // Only kernels of 64 bits have that header (and of riscv32, which nobody has asked for yet).
        None if FlatImage::read(kernel).is_some() => &[8],
        None => &[8, 4],
    };
    let readers = |order| {
        widths.iter().map(move |&word_bytes| Reader {
            kernel,
            byte_order: tokens.byte_order,
            elf,
            count: names.count,
            order,
            word_bytes,
        })
    };
    let first = || readers(TableOrder::AddressesFirst);
    let last = || readers(TableOrder::AddressesLast);
    let (count_at, index_end) = (names.count_at, tokens.index_end);
    // Of a table of offsets, a reading with the wrong width or one entry off makes sense, too, but what follows it is no
    // order of names (6.4 and later), its base is no round number and its first entries fall.
    first()
        .filter_map(|reader| reader.offsets_before(count_at))
        .chain(last().filter_map(|reader| reader.offsets_after(index_end)))
        .min_by_key(|found| {
            let roundness = found.base.map_or(0, u64::trailing_zeros);
            (
                found.by_name.is_none(),
                falls(&found.values),
                std::cmp::Reverse(roundness),
            )
        })
        .or_else(|| first().find_map(|reader| reader.absolute_before(count_at)))
        .or_else(|| last().find_map(|reader| reader.absolute(reader.after(index_end, reader.word_bytes)?)))
        // These are aligned to their own four bytes, on every machine.
        .or_else(|| last().find_map(|reader| reader.place_relative(reader.after(index_end, 4)?)))
}

/// How often the addresses fall where they should rise.
fn falls(values: &[u64]) -> usize {
    values.windows(2).filter(|pair| pair[1] < pair[0]).count()
}

fn align_up(at: usize, to: usize) -> usize {
    at.next_multiple_of(to)
}

impl Reader<'_> {
    /// Offsets, base and count one after the other, each aligned to a word.
    fn offsets_before(&self, count_at: usize) -> Option<Addresses> {
        let base_at = count_at.checked_sub(self.word_bytes)?;
        let at = base_at.checked_sub(4 * self.count)?;
        let aligned = at / self.word_bytes * self.word_bytes;
        self.offsets(aligned, base_at).or_else(|| self.offsets(at, base_at))
    }

    /// Where a table behind the token index starts: only zeros fill the space to its alignment.
    fn after(&self, index_end: usize, align_bytes: usize) -> Option<usize> {
        let at = align_up(index_end, align_bytes);
        let padding = self.kernel.get(index_end..at)?;
        padding.iter().all(|&b| b == 0).then_some(at)
    }

    fn offsets_after(&self, index_end: usize) -> Option<Addresses> {
        let at = self.after(index_end, self.word_bytes)?;
        let base_at = align_up(at + 4 * self.count, self.word_bytes);
        let found = self.offsets(at, base_at)?;
        let by_name = self.permutation(base_at + self.word_bytes);
        Some(Addresses { by_name, ..found })
    }

    fn absolute_before(&self, count_at: usize) -> Option<Addresses> {
        self.absolute(count_at.checked_sub(self.word_bytes * self.count)?)
    }

    fn offsets(&self, at: usize, base_at: usize) -> Option<Addresses> {
        let offsets = self.offset_table(at)?;
        let stored = self.byte_order.word(self.kernel, base_at, self.word_bytes)?;
        let base = match stored {
            0 => self.relocated_base(base_at),
            // Kernels of 64 bits run in the upper half of the addresses, or (s390, sparc) in the first 4 GiB.
            base if self.word_bytes == 8 && base >> 63 == 0 && (base >> 32 != 0 || base & 0xfff != 0) => return None,
            base => Some(base),
        };
        let from = base.unwrap_or(0);
        // The base is the lowest address that is not absolute, so some symbol has the offset zero (written as -1
        // where negative numbers mark the relative ones).
        let negative = offsets.iter().filter(|&&offset| offset < 0).count();
        let (form, values): (_, Vec<u64>) = if negative * 2 > self.count {
            if !offsets.contains(&-1) {
                return None;
            }
            let address = |&offset: &i32| match u64::try_from(offset) {
                Ok(absolute) => absolute,
                Err(_) => from.wrapping_add(u64::from(offset.unsigned_abs()) - 1),
            };
            (AddressForm::RelativePercpu, offsets.iter().map(address).collect())
        } else {
            if offsets.first() != Some(&0) {
                return None;
            }
            let address = |&offset: &i32| from.wrapping_add(u64::from(offset as u32));
            (AddressForm::Relative, offsets.iter().map(address).collect())
        };
        self.accept(at, form, base, values)
    }

    fn absolute(&self, at: usize) -> Option<Addresses> {
        let end = at.checked_add(self.word_bytes.checked_mul(self.count)?)?;
        let table = self.kernel.get(at..end)?;
        let values: Vec<u64> = (0..self.count)
            .map_while(|index| self.byte_order.word(table, index * self.word_bytes, self.word_bytes))
            .collect();
        // Per-CPU symbols come first and are low; the rest lies where kernels run. The top of 32 bits is left out:
        // there, small negative numbers would pass for addresses.
        let range = if self.word_bytes == 8 {
            1 << 63..=u64::MAX
        } else {
            1 << 16..=0xefff_ffff
        };
        let high = values.iter().filter(|value| range.contains(value)).count();
        if high * 2 < self.count {
            return None;
        }
        self.accept(at, AddressForm::Absolute, None, values)
    }

    /// Offsets from their own place. Whatever bytes stand there make some address, so the table is believed only when
    /// what follows it is an order of all symbols.
    fn place_relative(&self, at: usize) -> Option<Addresses> {
        let offsets = self.offset_table(at)?;
        let by_name = self.permutation(at + 4 * self.count)?;
        let from_table = |(index, &offset): (usize, &i32)| (i64::from(offset) as u64).wrapping_add(4 * index as u64);
        let lowest = from_table((0, offsets.first()?));
        let table_address = match self.elf {
            Some(elf) => elf.virtual_address_of(at as u64),
            None => self.table_in_flat_image(at, &offsets),
        };
        let from = table_address.unwrap_or(lowest.wrapping_neg());
        let mask = if self.word_bytes == 4 { 0xffff_ffff } else { u64::MAX };
        let values = offsets
            .iter()
            .enumerate()
            .map(|entry| from.wrapping_add(from_table(entry)) & mask)
            .collect();
        let found = self.accept(at, AddressForm::PlaceRelative, table_address, values)?;
        Some(Addresses {
            by_name: Some(by_name),
            ..found
        })
    }

    /// The address of a table at byte `at` of a flat image, whose bytes lie in memory as they do in the file.
    fn table_in_flat_image(&self, at: usize, offsets: &[i32]) -> Option<u64> {
        if self.word_bytes != 8 {
            return None;
        }
        let place = |(index, &offset): (usize, &i32)| (i64::from(offset) as u64).wrapping_add((at + 4 * index) as u64);
        let places: Vec<u64> = offsets.iter().enumerate().map(place).collect();
        let text_offset = FlatImage::read(self.kernel).map_or(0, |flat| flat.text_offset_bytes);
        linked::first_byte(self.kernel, self.byte_order, text_offset, &places).map(|first| first + at as u64)
    }

    /// The `count` numbers of three bytes (always big-endian) at byte `at`, if each symbol's is there once.
    fn permutation(&self, at: usize) -> Option<Vec<u32>> {
        let table = self.kernel.get(at..at.checked_add(3 * self.count)?)?;
        let mut seen = vec![false; self.count];
        let mut numbers = Vec::with_capacity(self.count);
        for number in table.chunks_exact(3) {
            let number = u32::from_be_bytes([0, number[0], number[1], number[2]]);
            if std::mem::replace(seen.get_mut(number as usize)?, true) {
                return None;
            }
            numbers.push(number);
        }
        Some(numbers)
    }

    fn offset_table(&self, at: usize) -> Option<Vec<i32>> {
        let table = self.kernel.get(at..at.checked_add(4 * self.count)?)?;
        Some(
            (0..self.count)
                .map_while(|index| self.byte_order.u32(table, 4 * index))
                .map(|word| i32::from_ne_bytes(word.to_ne_bytes()))
                .collect(),
        )
    }

    /// The build sorts symbols by address: a table that does not rise is none.
    fn accept(&self, at: usize, form: AddressForm, base: Option<u64>, values: Vec<u64>) -> Option<Addresses> {
        let rises = values.windows(2).filter(|pair| pair[1] > pair[0]).count();
        // Before 4.6 a few absolute symbols may stand out of order; aliases share an address.
        if falls(&values) * 100 > values.len() || rises * 4 < values.len() {
            return None;
        }
        Some(Addresses {
            at,
            form,
            order: self.order,
            word_bytes: self.word_bytes,
            base,
            values,
            by_name: None,
        })
    }

    /// The base when the word itself is zero and a RELA entry holds it, as in an arm64 `Image` with
    /// `CONFIG_RELOCATABLE` (linked with `--no-apply-dynamic-relocs`). Such an image starts at `_text`, on a boundary of
    /// 2 MiB plus the header's text offset; so the entry's place tells `_text`, and the base, the first symbol, must
    /// lie near it. Two different answers are none.
    fn relocated_base(&self, base_at: usize) -> Option<u64> {
        if self.word_bytes != 8 {
            return None;
        }
        let order = self.byte_order;
        let linked_at = self.elf.and_then(|elf| elf.virtual_address_of(base_at as u64));
        let text_offset = FlatImage::read(self.kernel).map_or(0, |flat| flat.text_offset_bytes);
        let fits = |place: u64, base: u64| {
            let text = place.wrapping_sub(base_at as u64);
            linked_at.map_or_else(
                || {
                    text.wrapping_sub(text_offset) % TEXT_ALIGN_BYTES == 0
                        && base.wrapping_sub(text) < FIRST_SYMBOL_BYTES
                },
                |address| place == address,
            )
        };
        let mut bases = RELATIVE_RELOCATIONS.iter().flat_map(|kind| {
            let needle = match order {
                ByteOrder::Little => kind.to_le_bytes(),
                ByteOrder::Big => kind.to_be_bytes(),
            };
            let places: Vec<usize> = memchr::memmem::find_iter(self.kernel, &needle).collect();
            places.into_iter().filter_map(|at| {
                let place = order.u64(self.kernel, at.checked_sub(8)?)?;
                let base = order.u64(self.kernel, at + 8)?;
                (base >> 63 == 1 && fits(place, base)).then_some(base)
            })
        });
        let base = bases.next()?;
        bases.all(|other| other == base).then_some(base)
    }
}
