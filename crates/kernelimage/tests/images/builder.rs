// SPDX-License-Identifier: MIT
//! Builds small kernels: ELF files and flat images with kallsyms tables of any age.

use kernelimage::kallsyms::{AddressForm, TableOrder};
use kernelimage::ByteOrder;

/// Byte pairs that the test kernels' names compress, at token 0x80 and up.
const PAIRS: [&str; 8] = ["sy", "s_", "_i", "ni", "t_", "ke", "rn", "el"];

/// Where 64-bit kernels are linked.
const LINKED_AT: u64 = 0xffff_ffff_8100_0000;

/// The form of the tables of one test kernel.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub form: AddressForm,
    pub order: TableOrder,
    pub byte_order: ByteOrder,
    pub word_bytes: usize,
    /// 32 bits since 4.20, a machine word before.
    pub wide_markers: bool,
    /// `kallsyms_seqs_of_names`, 6.2 and later.
    pub sequence: bool,
    pub symbols: usize,
    /// The base stands in a RELA entry, not in its word.
    pub base_in_rela: bool,
}

impl Shape {
    /// A kernel of 6.1 for x86-64.
    pub fn v6_1() -> Self {
        Self {
            form: AddressForm::RelativePercpu,
            order: TableOrder::AddressesFirst,
            byte_order: ByteOrder::Little,
            word_bytes: 8,
            wide_markers: false,
            sequence: false,
            symbols: 701,
            base_in_rela: false,
        }
    }

    pub fn base(&self) -> u64 {
        if self.base_in_rela {
            // The first symbol of an arm64 kernel without CONFIG_KALLSYMS_ALL is _stext.
            LINKED_AT + 0x1_0000
        } else if self.word_bytes == 8 {
            LINKED_AT
        } else {
            0xc000_8000
        }
    }

    /// Address, type and name of every symbol, in the order of the table.
    pub fn expected(&self) -> Vec<(u64, char, String)> {
        let percpu = if self.form == AddressForm::RelativePercpu { 5 } else { 0 };
        (0..self.symbols)
            .map(|index| {
                // A name of more than 127 compressed bytes shows the two-byte length.
                let tail = if index == 300 && !self.wide_markers {
                    "x".repeat(200)
                } else {
                    String::new()
                };
                let name = format!("sys_init_kernel_{index}{tail}");
                if index < percpu {
                    (index as u64 * 64, 'A', name)
                } else {
                    let into = (index - percpu) as u64;
                    (self.base() + into * 16 + into % 3 * 4, 'T', name)
                }
            })
            .collect()
    }

    fn put(&self, out: &mut Vec<u8>, value: u64, bytes: usize) {
        match self.byte_order {
            ByteOrder::Little => out.extend_from_slice(&value.to_le_bytes()[..bytes]),
            ByteOrder::Big => out.extend_from_slice(&value.to_be_bytes()[8 - bytes..]),
        }
    }

    fn align(&self, out: &mut Vec<u8>) {
        while out.len() % self.word_bytes != 0 {
            out.push(0);
        }
    }

    /// The tables as `.rodata` has them, when they start at byte `start` of an image that is linked at `base()`.
    pub fn rodata(&self, start: usize) -> Vec<u8> {
        // Padding before the tables keeps alignment independent of where they start.
        let mut out = vec![0x5a; start];
        self.align(&mut out);
        if self.order == TableOrder::AddressesFirst {
            self.addresses(&mut out);
        }
        self.align(&mut out);
        let count_bytes = if self.wide_markers { self.word_bytes } else { 4 };
        self.put(&mut out, self.symbols as u64, count_bytes);
        self.align(&mut out);
        let markers = self.names(&mut out);
        self.align(&mut out);
        let marker_bytes = if self.wide_markers { self.word_bytes } else { 4 };
        for marker in markers {
            self.put(&mut out, marker, marker_bytes);
        }
        self.align(&mut out);
        if self.sequence && self.order == TableOrder::AddressesFirst {
            self.sequence(&mut out);
        }
        self.tokens(&mut out);
        if self.order == TableOrder::AddressesLast {
            if self.form == AddressForm::PlaceRelative {
                while out.len() % 4 != 0 {
                    out.push(0);
                }
            } else {
                self.align(&mut out);
            }
            self.addresses(&mut out);
            if self.sequence {
                self.sequence(&mut out);
            }
        }
        out.split_off(start)
    }

    fn addresses(&self, out: &mut Vec<u8>) {
        let start = out.len() as u64;
        for (index, (address, kind, _)) in self.expected().into_iter().enumerate() {
            match self.form {
                AddressForm::Absolute => self.put(out, address, self.word_bytes),
                AddressForm::Relative => self.put(out, address - self.base(), 4),
                AddressForm::RelativePercpu if kind == 'A' => self.put(out, address, 4),
                AddressForm::RelativePercpu => {
                    let offset = self.base().wrapping_sub(address).wrapping_sub(1);
                    self.put(out, offset & 0xffff_ffff, 4);
                }
                AddressForm::PlaceRelative => {
                    let place = self.base() + start + 4 * index as u64;
                    self.put(out, address.wrapping_sub(place) & 0xffff_ffff, 4);
                }
            }
        }
        if self.form != AddressForm::PlaceRelative {
            self.align(out);
        }
        if matches!(self.form, AddressForm::Relative | AddressForm::RelativePercpu) {
            let place = out.len() as u64;
            let base = if self.base_in_rela { 0 } else { self.base() };
            self.put(out, base, self.word_bytes);
            if self.base_in_rela && self.order == TableOrder::AddressesLast {
                // Far from the tables in a kernel; here it only must not stand between them.
                for word in [LINKED_AT + place, 1027, self.base()] {
                    self.put(out, word, 8);
                }
            }
        }
    }

    fn names(&self, out: &mut Vec<u8>) -> Vec<u64> {
        let start = out.len();
        let mut markers = Vec::new();
        for (index, (_, kind, name)) in self.expected().into_iter().enumerate() {
            if index % 256 == 0 {
                markers.push((out.len() - start) as u64);
            }
            let packed = pack(&format!("{kind}{name}"));
            if packed.len() > 0x7f {
                out.push(packed.len() as u8 & 0x7f | 0x80);
                out.push((packed.len() >> 7) as u8);
            } else {
                out.push(packed.len() as u8);
            }
            out.extend_from_slice(&packed);
        }
        markers
    }

    fn sequence(&self, out: &mut Vec<u8>) {
        let mut by_name: Vec<_> = self
            .expected()
            .into_iter()
            .map(|(_, _, name)| name)
            .enumerate()
            .collect();
        by_name.sort_by(|(_, one), (_, other)| one.cmp(other));
        for (index, _) in by_name {
            out.extend_from_slice(&(index as u32).to_be_bytes()[1..]);
        }
        self.align(out);
    }

    fn tokens(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let mut places = Vec::new();
        for token in 0..=255_u8 {
            places.push((out.len() - start) as u64);
            match token {
                0x80..=0x87 => out.extend_from_slice(PAIRS[token as usize - 0x80].as_bytes()),
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => out.push(token),
                // No name uses the rest: their texts are empty.
                _ => {}
            }
            out.push(0);
        }
        self.align(out);
        for place in places {
            self.put(out, place, 2);
        }
    }

    /// A flat image: some code, then the tables.
    pub fn flat(&self) -> Vec<u8> {
        let mut image = code(4096);
        image.extend(self.rodata(4096));
        image.extend_from_slice(b"Linux version 6.1.0-test (tests@bootlab) #1\n\0");
        image
    }

    /// An ELF file with one segment at `base()`, and a PVH note when `pvh` is given.
    pub fn elf(&self, pvh: Option<u32>) -> Vec<u8> {
        let flat = self.flat();
        let mut file = self.elf_headers(flat.len(), pvh);
        file.extend(flat);
        file
    }

    fn elf_headers(&self, segment_bytes: usize, pvh: Option<u32>) -> Vec<u8> {
        const START: u64 = 4096;
        let wide = self.word_bytes == 8;
        let order = if self.byte_order == ByteOrder::Little { 1 } else { 2 };
        let (header, entry) = if wide { (64, 56) } else { (52, 32) };
        let machine = match (wide, self.byte_order) {
            (true, ByteOrder::Little) => 62,
            (false, ByteOrder::Little) => 40,
            (true, ByteOrder::Big) => 22,
            (false, ByteOrder::Big) => 8,
        };
        let word = self.word_bytes;
        let mut out = b"\x7fELF".to_vec();
        out.extend_from_slice(&[if wide { 2 } else { 1 }, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for (value, bytes) in [
            (2, 2),
            (machine, 2),
            (1, 4),
            (0x0100_0000, word),
            (header, word),
            (0, word),
        ] {
            self.put(&mut out, value, bytes);
        }
        for (value, bytes) in [(0, 4), (header, 2), (entry, 2), (2, 2), (0, 2), (0, 2), (0, 2)] {
            self.put(&mut out, value, bytes);
        }
        let note_at = header + 2 * entry;
        let load = [
            START,
            self.base(),
            0x0100_0000,
            segment_bytes as u64,
            segment_bytes as u64 + 512,
        ];
        let note = [note_at, 0, 0, 20, 20];
        for (kind, flags, [offset, virt, phys, file, memory]) in [(1, 5, load), (4, 4, note)] {
            self.put(&mut out, kind, 4);
            if wide {
                self.put(&mut out, flags, 4);
            }
            for value in [offset, virt, phys, file, memory] {
                self.put(&mut out, value, word);
            }
            if !wide {
                self.put(&mut out, flags, 4);
            }
            self.put(&mut out, 4, word);
        }
        for value in [4, 4, if pvh.is_some() { 18 } else { 2 }] {
            self.put(&mut out, value, 4);
        }
        out.extend_from_slice(b"Xen\0");
        self.put(&mut out, pvh.unwrap_or(0).into(), 4);
        out.resize(START as usize, 0);
        out
    }
}

/// Compresses a name with [`PAIRS`].
fn pack(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut packed = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let pair = PAIRS.iter().position(|pair| bytes[at..].starts_with(pair.as_bytes()));
        packed.push(pair.map_or(bytes[at], |token| 0x80 + token as u8));
        at += if pair.is_some() { 2 } else { 1 };
    }
    packed
}

/// Bytes that compress neither to nothing nor not at all, without any magic.
pub fn code(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    (0..length)
        .map(|index| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if index % 3 == 0 {
                0xe8
            } else {
                (state >> 24) as u8 | 0x80
            }
        })
        .collect()
}

/// A bzImage of protocol 2.15 around a packed payload.
pub fn bzimage(payload: &[u8]) -> Vec<u8> {
    const SECTORS: u8 = 3;
    const PAYLOAD_AT: u32 = 0x2c0;
    let start = (SECTORS as usize + 1) * 512;
    let mut image = vec![0; start + PAYLOAD_AT as usize];
    image[0x1f1] = SECTORS;
    image[0x1fe..0x200].copy_from_slice(&[0x55, 0xaa]);
    image[0x202..0x206].copy_from_slice(b"HdrS");
    image[0x206..0x208].copy_from_slice(&0x020f_u16.to_le_bytes());
    image[0x20e..0x210].copy_from_slice(&0x100_u16.to_le_bytes());
    image[0x300..0x30b].copy_from_slice(b"6.1.0-test\0");
    image[0x211] = 1;
    image[0x230..0x234].copy_from_slice(&0x0020_0000_u32.to_le_bytes());
    image[0x234] = 1;
    image[0x236..0x238].copy_from_slice(&0x003f_u16.to_le_bytes());
    image[0x238..0x23c].copy_from_slice(&2047_u32.to_le_bytes());
    image[0x248..0x24c].copy_from_slice(&PAYLOAD_AT.to_le_bytes());
    image[0x24c..0x250].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    image[0x258..0x260].copy_from_slice(&0x0100_0000_u64.to_le_bytes());
    image[0x260..0x264].copy_from_slice(&0x0300_0000_u32.to_le_bytes());
    image[0x264..0x268].copy_from_slice(&0x190_u32.to_le_bytes());
    image.extend_from_slice(payload);
    image
}
