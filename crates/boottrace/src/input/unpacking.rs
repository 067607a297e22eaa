// SPDX-License-Identifier: MIT
//! Unpacking as a stream: neither the packed nor the unpacked bytes are held. What is wrong with an archive ends the
//! stream.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use super::packing::Packing;
use crate::text::utf16::Utf16;

/// The dictionary that is set up before the header is read; a larger one is made when it asks for it.
const XZ_FIRST_BYTES: usize = 64 << 10;
/// Larger dictionaries are refused: no tool makes them by default and they cost memory up front.
const XZ_DICTIONARY_BYTES: usize = 64 << 20;
const BUFFER_BYTES: usize = 64 << 10;

/// The unpacked bytes of `packed`.
pub fn stream<'a>(packed: impl Read + Send + 'a, packing: Packing) -> Box<dyn Read + Send + 'a> {
    let packed = BufReader::with_capacity(BUFFER_BYTES, packed);
    match packing {
        Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
        Packing::Xz => Box::new(Xz {
            packed,
            decoder: xz4rust::XzDecoder::in_heap_with_alloc_dict_size(XZ_FIRST_BYTES, XZ_DICTIONARY_BYTES),
            done: false,
        }),
        Packing::Zstd => Box::new(Zstd::Between(packed)),
        Packing::Utf16 => Box::new(Utf16::new(packed)),
    }
}

struct Xz<R> {
    packed: R,
    decoder: Box<xz4rust::XzDecoder<'static>>,
    done: bool,
}

impl<R: BufRead> Xz<R> {
    /// Parallel tools write many streams, with zero padding allowed between them.
    fn next_stream(&mut self) -> io::Result<()> {
        loop {
            let packed = self.packed.fill_buf()?;
            let padding = packed.iter().take_while(|b| **b == 0).count();
            if padding == 0 {
                self.done = packed.is_empty();
                self.decoder.reset();
                return Ok(());
            }
            self.packed.consume(padding);
        }
    }
}

impl<R: BufRead> Read for Xz<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.done && !out.is_empty() {
            let step = self.decoder.decode(self.packed.fill_buf()?, out).map_err(of_xz)?;
            self.packed.consume(step.input_consumed());
            if step.is_end_of_stream() {
                self.next_stream()?;
            } else if !step.made_progress() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if step.output_produced() > 0 {
                return Ok(step.output_produced());
            }
        }
        Ok(0)
    }
}

/// The decoder's errors print the names of its own types.
fn of_xz(error: xz4rust::XzError) -> io::Error {
    match error {
        xz4rust::XzError::NeedsLargerInputBuffer => cut_off(),
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    }
}

fn of_zstd(error: &str) -> io::Error {
    if error.contains("UnexpectedEof") {
        return cut_off();
    }
    io::Error::new(io::ErrorKind::InvalidData, error)
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the packed data end too early")
}

/// Magic number and size of a skippable frame.
const FRAME_HEAD_BYTES: u64 = 8;
type Frame<R> = ruzstd::decoding::StreamingDecoder<Chain<Cursor<Vec<u8>>, R>, ruzstd::decoding::FrameDecoder>;

/// The decoder reads one frame; parallel tools write many, and skippable ones between them.
enum Zstd<R: Read> {
    Between(R),
    Inside(Box<Frame<R>>),
    Ended,
}

impl<R: Read> Zstd<R> {
    /// Goes to the next frame with data.
    fn open(mut packed: R) -> io::Result<Self> {
        loop {
            let mut head = Vec::new();
            packed.by_ref().take(FRAME_HEAD_BYTES).read_to_end(&mut head)?;
            match head[..] {
                [] => return Ok(Self::Ended),
                [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d] => {
                    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
                    io::copy(&mut packed.by_ref().take(size), &mut io::sink())?;
                }
                _ => {
                    let frame =
                        Frame::new(Cursor::new(head).chain(packed)).map_err(|error| of_zstd(&error.to_string()))?;
                    return Ok(Self::Inside(Box::new(frame)));
                }
            }
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            *self = match std::mem::replace(self, Self::Ended) {
                Self::Ended => return Ok(0),
                Self::Between(packed) => Self::open(packed)?,
                Self::Inside(mut frame) => {
                    let got = frame.read(out)?;
                    if got > 0 {
                        *self = Self::Inside(frame);
                        return Ok(got);
                    }
                    // A frame is longer than its head, so nothing of the head is left.
                    Self::Between((*frame).into_inner().into_inner().1)
                }
            };
        }
    }
}
