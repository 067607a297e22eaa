// SPDX-License-Identifier: MIT
//! A tar archive read in 512-byte blocks, entry after entry, nothing unpacked to disk.
//!
//! Format: POSIX ustar; old GNU archives differ in nothing that matters here.

use std::io::{self, Read};

const BLOCK: usize = 512;

/// An entry's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path as stored.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// A regular file.
    pub file: bool,
}

/// An archive. After [`Archive::next_entry`], read the entry's bytes through [`Archive::data`].
pub struct Archive<R> {
    reader: R,
    left: u64,
    padding: u64,
    /// The archive ended in the middle of an entry.
    pub truncated: bool,
}

fn text(field: &[u8]) -> String {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn octal(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        // GNU's base-256 for large numbers.
        return field[1..]
            .iter()
            .try_fold(0_u64, |value, &b| value.checked_mul(256)?.checked_add(u64::from(b)));
    }
    let digits = field
        .iter()
        .copied()
        .skip_while(|b| *b == b' ')
        .take_while(|b| matches!(b, b'0'..=b'7'));
    digits
        .into_iter()
        .try_fold(0_u64, |value, b| value.checked_mul(8)?.checked_add(u64::from(b - b'0')))
}

/// True when the block's checksum fits: what tells a tar archive from anything else.
pub fn is_header(block: &[u8]) -> bool {
    if block.len() < BLOCK || block[0] == 0 {
        return false;
    }
    let sum: u64 = block[..BLOCK]
        .iter()
        .enumerate()
        .map(|(i, &b)| u64::from(if (148..156).contains(&i) { b' ' } else { b }))
        .sum();
    octal(&block[148..156]) == Some(sum)
}

impl<R: Read> Archive<R> {
    /// An archive at its start.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            left: 0,
            padding: 0,
            truncated: false,
        }
    }

    /// Goes to the next entry, over what is left of this one; `None` at the end.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        let over = self.left.saturating_add(self.padding);
        if io::copy(&mut self.reader.by_ref().take(over), &mut io::sink())? < over {
            self.truncated = true;
            return Ok(None);
        }
        self.left = 0;
        self.padding = 0;
        let mut block = Vec::with_capacity(BLOCK);
        self.reader.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        if block.iter().all(|&b| b == 0) {
            return Ok(None);
        }
        if !is_header(&block) {
            self.truncated = true;
            return Ok(None);
        }
        let prefix = if &block[257..262] == b"ustar" {
            text(&block[345..500])
        } else {
            String::new()
        };
        let name = text(&block[..100]);
        let name = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}/{name}")
        };
        let size = octal(&block[124..136]).unwrap_or(0);
        self.left = size;
        self.padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        Ok(Some(Entry {
            name,
            size,
            file: matches!(block[156], b'0' | 0 | b'7'),
        }))
    }

    /// The bytes of the current entry.
    pub fn data(&mut self) -> Data<'_, R> {
        Data { archive: self }
    }
}

/// Reader of one entry.
pub struct Data<'a, R> {
    archive: &'a mut Archive<R>,
}

impl<R: Read> Read for Data<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer
            .len()
            .min(usize::try_from(self.archive.left).unwrap_or(usize::MAX));
        let got = self.archive.reader.read(&mut buffer[..room])?;
        self.archive.left -= got as u64;
        Ok(got)
    }
}
