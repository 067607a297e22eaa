//! `kallsyms_addresses`, or `kallsyms_offsets` with `kallsyms_relative_base`.

use super::names::Names;
use super::tokens::Tokens;
use super::{AddressForm, TableOrder};
use crate::bytes::ByteOrder;
use crate::elf::ElfInfo;

/// RELA entries that only add the load address, by machine (psABI): arm64, riscv, x86-64.
const RELATIVE_RELOCATIONS: [u64; 3] = [1027, 3, 8];

/// The addresses of one image.
pub(super) struct Addresses {
    pub at: usize,
    pub form: AddressForm,
    pub order: TableOrder,
    pub word_bytes: usize,
    pub base: Option<u64>,
    pub values: Vec<u64>,
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
    // Of a table of offsets, a reading with the wrong width or one entry off makes sense, too, but its base is no
    // round number and its first entries fall.
    first()
        .filter_map(|reader| reader.offsets_before(count_at))
        .chain(last().filter_map(|reader| reader.offsets_after(index_end)))
        .min_by_key(|found| {
            let roundness = found.base.map_or(0, u64::trailing_zeros);
            (falls(&found.values), std::cmp::Reverse(roundness))
        })
        .or_else(|| first().find_map(|reader| reader.absolute_before(count_at)))
        .or_else(|| last().find_map(|reader| reader.absolute(reader.after(index_end)?)))
        .or_else(|| last().find_map(|reader| reader.place_relative(reader.after(index_end)?)))
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

    /// Where a table behind the token index starts: only zeros fill the space to the next word.
    fn after(&self, index_end: usize) -> Option<usize> {
        let at = align_up(index_end, self.word_bytes);
        let padding = self.kernel.get(index_end..at)?;
        padding.iter().all(|&b| b == 0).then_some(at)
    }

    fn offsets_after(&self, index_end: usize) -> Option<Addresses> {
        let at = self.after(index_end)?;
        self.offsets(at, align_up(at + 4 * self.count, self.word_bytes))
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

    fn place_relative(&self, at: usize) -> Option<Addresses> {
        let offsets = self.offset_table(at)?;
        let from_table = |(index, &offset): (usize, &i32)| (i64::from(offset) as u64).wrapping_add(4 * index as u64);
        let lowest = from_table((0, offsets.first()?));
        let table_address = self.elf.and_then(|elf| elf.virtual_address_of(at as u64));
        let from = table_address.unwrap_or(lowest.wrapping_neg());
        let mask = if self.word_bytes == 4 { 0xffff_ffff } else { u64::MAX };
        let values = offsets
            .iter()
            .enumerate()
            .map(|entry| from.wrapping_add(from_table(entry)) & mask)
            .collect();
        self.accept(at, AddressForm::PlaceRelative, table_address, values)
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
        })
    }

    /// The base when the word itself is zero and a RELA entry holds it, as in an arm64 `Image` with
    /// `CONFIG_RELOCATABLE` (linked with `--no-apply-dynamic-relocs`). A raw image starts at `_text`, which is the
    /// base, so address minus base of the entry is the word's place in the file.
    fn relocated_base(&self, base_at: usize) -> Option<u64> {
        if self.word_bytes != 8 {
            return None;
        }
        let order = self.byte_order;
        let linked_at = self.elf.and_then(|elf| elf.virtual_address_of(base_at as u64));
        RELATIVE_RELOCATIONS.iter().find_map(|&kind| {
            let needle = match order {
                ByteOrder::Little => kind.to_le_bytes(),
                ByteOrder::Big => kind.to_be_bytes(),
            };
            memchr::memmem::find_iter(self.kernel, &needle).find_map(|at| {
                let place = order.u64(self.kernel, at.checked_sub(8)?)?;
                let base = order.u64(self.kernel, at + 8)?;
                let fits = match linked_at {
                    Some(address) => place == address,
                    None => place.wrapping_sub(base) == base_at as u64,
                };
                (fits && base >> 63 == 1).then_some(base)
            })
        })
    }
}
