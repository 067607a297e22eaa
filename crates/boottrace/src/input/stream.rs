// SPDX-License-Identifier: MIT
//! Bytes that come as a stream, or that can be sought in when a format needs it.

use std::io::{self, Cursor, Read, Seek};

/// Bytes of an input that can be read as a stream, or sought in when the format needs it.
pub trait Stream: Read + Send {
    /// Goes on as something seekable, read into memory when there is no other way.
    ///
    /// # Errors
    /// Those of reading.
    fn seekable(self: Box<Self>) -> io::Result<Box<dyn SeekableRead>>;
}

/// Read and seek together, as a trait object.
pub trait SeekableRead: Read + Seek + Send {}
impl<T: Read + Seek + Send> SeekableRead for T {}

/// Reads all into memory, up to `limit_bytes`.
///
/// # Errors
/// Those of reading.
pub fn in_memory(reader: impl Read, limit_bytes: u64) -> io::Result<Cursor<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(limit_bytes).read_to_end(&mut bytes)?;
    Ok(Cursor::new(bytes))
}
