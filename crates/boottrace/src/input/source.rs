// SPDX-License-Identifier: MIT
//! Where the bytes of an input come from, looked at before it is known whether they fit into memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::archive::HARMLESS_BYTES;
use super::packing::Packing;
use super::unpacking;
use crate::error::Error;
use crate::input::stream::{in_memory, SeekableRead, Stream};
use crate::options::Limits;

/// Bytes from the begin of an input that the detectors of formats get.
pub const HEAD_BYTES: usize = 64 << 10;

/// An input that was opened but not read.
pub enum Source<'a> {
    /// All of it, in memory.
    Bytes(&'a [u8]),
    /// A file.
    File(File),
    /// Standard input, or another thing that cannot be read twice.
    Pipe(Box<dyn Read + Send + 'a>),
}

impl Source<'_> {
    /// Opens a file, or standard input when the path is `-`.
    ///
    /// # Errors
    /// [`Error::Read`] with the operating system's reason. Devices are refused: they never end.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        if path.as_os_str() == "-" {
            return Ok(Self::Pipe(Box::new(io::stdin())));
        }
        let file = File::open(path).map_err(failed)?;
        let kind = file.metadata().map_err(failed)?.file_type();
        if kind.is_dir() {
            return Err(failed(io::Error::other("it is a directory; name the files in it")));
        }
        if is_device(kind) {
            let text = "it is a device and never ends; capture it into a file first, for example with grabserial";
            return Err(failed(io::Error::other(text)));
        }
        if kind.is_file() {
            Ok(Self::File(file))
        } else {
            Ok(Self::Pipe(Box::new(file)))
        }
    }

    /// The first bytes; they are still part of what follows when given to [`Source::stream`] or [`Source::unpacked`].
    ///
    /// # Errors
    /// Those of reading.
    pub fn head(&mut self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        match self {
            Self::Bytes(bytes) => head.extend_from_slice(&bytes[..bytes.len().min(HEAD_BYTES)]),
            Self::File(file) => {
                file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
                file.rewind()?;
            }
            Self::Pipe(pipe) => {
                pipe.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
                let rest = std::mem::replace(pipe, Box::new(io::empty()));
                *pipe = Box::new(Cursor::new(head.clone()).chain(rest));
            }
        }
        Ok(head)
    }
}

impl<'a> Source<'a> {
    /// The bytes one after the other, counted in `seen`.
    pub fn stream(self, seen: &Arc<Seen>, limits: &Limits) -> Counted<'a> {
        let (inner, file): (Box<dyn Read + Send + 'a>, _) = match self {
            Self::Bytes(bytes) => (Box::new(bytes), None),
            Self::File(file) => (Box::new(io::empty()), Some(file)),
            Self::Pipe(pipe) => (pipe, None),
        };
        Counted {
            file,
            ..Counted::new(inner, seen, limits)
        }
    }

    /// The unpacked bytes, with as much of their begin as [`Source::head`] gives, and why that was not more. What
    /// unpacks to more than `limits.archive_ratio` times its size is ended as a bomb.
    pub fn unpacked(
        self,
        packing: Packing,
        seen: &Arc<Seen>,
        limits: &Limits,
    ) -> (Vec<u8>, Option<io::Error>, Counted<'a>) {
        let packed: Box<dyn Read + Send + 'a> = match self {
            Self::Bytes(bytes) => Box::new(bytes),
            Self::File(file) => Box::new(file),
            Self::Pipe(pipe) => pipe,
        };
        let packed = Packed {
            inner: packed,
            seen: Arc::clone(seen),
        };
        let mut unpacked = unpacking::stream(packed, packing);
        let mut head = Vec::new();
        let error = unpacked.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).err();
        // A decoder that failed is not asked again.
        let rest = match &error {
            Some(error) => Box::new(Failed(error.kind(), error.to_string())),
            None => unpacked,
        };
        let stream = Counted {
            ratio: Some(limits.archive_ratio),
            ..Counted::new(Box::new(Cursor::new(head.clone()).chain(rest)), seen, limits)
        };
        (head, error, stream)
    }
}

/// Gives the error that was met.
struct Failed(io::ErrorKind, String);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(self.0, self.1.clone()))
    }
}

/// Counts packed bytes.
struct Packed<'a> {
    inner: Box<dyn Read + Send + 'a>,
    seen: Arc<Seen>,
}

impl Read for Packed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(out)?;
        self.seen.packed_bytes.fetch_add(got as u64, Ordering::AcqRel);
        Ok(got)
    }
}

#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

/// What went through a [`Counted`].
#[derive(Debug, Default)]
pub struct Seen {
    packed_bytes: AtomicU64,
    bytes: AtomicU64,
    newlines: AtomicU64,
    ends_with_newline: AtomicBool,
    problem: Mutex<Option<String>>,
}

impl Seen {
    /// Bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    /// Bytes as given: before unpacking, when they were packed.
    pub fn given_bytes(&self, packed: bool) -> u64 {
        if packed {
            self.packed_bytes.load(Ordering::Acquire)
        } else {
            self.bytes()
        }
    }

    /// Lines, a last one without an end among them.
    pub fn lines(&self) -> u64 {
        let open = self.bytes() > 0 && !self.ends_with_newline.load(Ordering::Acquire);
        self.newlines.load(Ordering::Acquire) + u64::from(open)
    }

    /// Why it ended early.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().map_or(None, |problem| problem.clone())
    }

    fn stop(&self, why: String) {
        if let Ok(mut problem) = self.problem.lock() {
            problem.get_or_insert(why);
        }
    }
}

/// A stream that counts, and that ends at an error instead of failing: what came before it is still worth reading.
pub struct Counted<'a> {
    inner: Box<dyn Read + Send + 'a>,
    file: Option<File>,
    seen: Arc<Seen>,
    /// Unpacked bytes that one packed byte may give.
    ratio: Option<u64>,
    most_bytes: u64,
    memory_bytes: u64,
}

impl<'a> Counted<'a> {
    fn new(inner: Box<dyn Read + Send + 'a>, seen: &Arc<Seen>, limits: &Limits) -> Self {
        Self {
            inner,
            file: None,
            seen: Arc::clone(seen),
            ratio: None,
            most_bytes: u64::MAX,
            memory_bytes: limits.input_bytes,
        }
    }

    /// Ends after this many bytes, and says so if there are more.
    pub fn at_most(mut self, bytes: u64) -> Self {
        self.most_bytes = bytes;
        self
    }

    fn is_bomb(&self, before: u64) -> bool {
        self.ratio.is_some_and(|ratio| {
            let packed = self.seen.packed_bytes.load(Ordering::Acquire);
            before >= packed.saturating_mul(ratio).max(HARMLESS_BYTES)
        })
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let before = self.seen.bytes();
        if self.is_bomb(before) {
            self.seen.stop(format!(
                "it unpacks to more than {before} bytes, which looks like an archive bomb"
            ));
            return Ok(0);
        }
        let room = self.most_bytes.saturating_sub(before);
        if room == 0 && !out.is_empty() {
            if self.inner_read(&mut [0]).is_ok_and(|got| got > 0) {
                self.seen.stop(format!("only the first {before} bytes were read"));
            }
            return Ok(0);
        }
        let length = out.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let out = &mut out[..length];
        let got = match self.inner_read(out) {
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => {
                self.seen.stop(format!(
                    "it is cut off or damaged ({error}); took the {before} bytes before"
                ));
                0
            }
        };
        if let Some(last) = out[..got].last() {
            let newlines = memchr::memchr_iter(b'\n', &out[..got]).count() as u64;
            self.seen.newlines.fetch_add(newlines, Ordering::AcqRel);
            self.seen.ends_with_newline.store(*last == b'\n', Ordering::Release);
            self.seen.bytes.fetch_add(got as u64, Ordering::AcqRel);
        }
        Ok(got)
    }
}

impl Counted<'_> {
    fn inner_read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.read(out),
            None => self.inner.read(out),
        }
    }
}

impl Stream for Counted<'_> {
    fn seekable(self: Box<Self>) -> io::Result<Box<dyn SeekableRead>> {
        if let Some(file) = self.file {
            self.seen.bytes.store(file.metadata()?.len(), Ordering::Release);
            return Ok(Box::new(file));
        }
        let limit = self.memory_bytes;
        Ok(Box::new(in_memory(self, limit)?))
    }
}
