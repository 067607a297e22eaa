// SPDX-License-Identifier: MIT
//! Bytes of the file by offset, in the file's byte order, with every size checked before memory is taken.

use std::io::{Read, Seek, SeekFrom};

use super::error::Error;

/// Byte order of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// Big endian.
    pub big: bool,
}

impl Order {
    /// An unsigned number of 1 to 8 bytes at the front of `bytes`; `None` when there are fewer.
    #[inline]
    pub fn number(self, bytes: &[u8], size: usize) -> Option<u64> {
        let bytes = bytes.get(..size).filter(|_| size <= 8)?;
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if self.big {
            bytes.iter().fold(0, fold)
        } else {
            bytes.iter().rev().fold(0, fold)
        })
    }
}

/// A place in a file.
pub struct Source<R> {
    reader: R,
    /// Offset of the next byte.
    pub at: u64,
    /// Size of the file.
    pub size: u64,
    /// Its byte order.
    pub order: Order,
}

impl<R: Read + Seek> Source<R> {
    /// The whole file.
    pub fn new(mut reader: R) -> Result<Self, Error> {
        let size = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(0))?;
        Ok(Self {
            reader,
            at: 0,
            size,
            order: Order::default(),
        })
    }

    /// Goes to an offset.
    pub fn seek(&mut self, offset: u64, what: &'static str) -> Result<(), Error> {
        if offset > self.size {
            return Err(Error::Truncated { what, offset });
        }
        self.reader.seek(SeekFrom::Start(offset))?;
        self.at = offset;
        Ok(())
    }

    /// The next `size` bytes; never takes more memory than the file is long.
    pub fn bytes(&mut self, size: u64, what: &'static str) -> Result<Vec<u8>, Error> {
        let fits = self.at.checked_add(size).is_some_and(|end| end <= self.size);
        if !fits {
            return Err(Error::Truncated { what, offset: self.at });
        }
        let mut bytes = vec![0; size as usize];
        self.reader.read_exact(&mut bytes)?;
        self.at += size;
        Ok(bytes)
    }

    /// A number of `size` bytes.
    pub fn number(&mut self, size: usize, what: &'static str) -> Result<u64, Error> {
        let bytes = self.bytes(size as u64, what)?;
        self.order.number(&bytes, size).ok_or(Error::Damaged { what })
    }
}

/// A part of the file that is in memory.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    order: Order,
}

impl<'a> Cursor<'a> {
    /// All of `bytes`.
    pub fn new(bytes: &'a [u8], order: Order) -> Self {
        Self { bytes, order }
    }

    /// The next `size` bytes.
    pub fn bytes(&mut self, size: u64, what: &'static str) -> Result<&'a [u8], Error> {
        let size = usize::try_from(size).ok().filter(|&size| size <= self.bytes.len());
        let (head, rest) = self.bytes.split_at(size.ok_or(Error::Damaged { what })?);
        self.bytes = rest;
        Ok(head)
    }

    /// A number.
    pub fn number(&mut self, size: usize, what: &'static str) -> Result<u64, Error> {
        let order = self.order;
        order
            .number(self.bytes(size as u64, what)?, size)
            .ok_or(Error::Damaged { what })
    }

    /// Text up to a NUL, which is taken too.
    pub fn text(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        let end = memchr::memchr(0, self.bytes).ok_or(Error::Damaged { what })?;
        let text = &self.bytes[..end];
        self.bytes = &self.bytes[end + 1..];
        Ok(text)
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len()
    }
}
