//! Unpacking as a stream, for traces that are larger than memory. What is wrong with an archive ends the stream.

use std::io::{self, Read};

use crate::archive::Packing;

/// The dictionary that is set up before the header is read; a larger one is made when it asks for it.
const XZ_FIRST_BYTES: usize = 64 << 10;
/// Larger dictionaries are refused: no tool makes them by default and they cost memory up front.
const XZ_DICTIONARY_BYTES: usize = 64 << 20;

/// The unpacked bytes of `packed`.
pub fn stream(packed: &[u8], packing: Packing) -> Box<dyn Read + Send + '_> {
    match packing {
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        Packing::Xz => Box::new(Xz {
            packed,
            decoder: xz4rust::XzDecoder::in_heap_with_alloc_dict_size(XZ_FIRST_BYTES, XZ_DICTIONARY_BYTES),
            done: packed.is_empty(),
        }),
        Packing::Zstd => Box::new(Zstd { packed, frame: None }),
    }
}

struct Xz<'a> {
    packed: &'a [u8],
    decoder: Box<xz4rust::XzDecoder<'static>>,
    done: bool,
}

impl Read for Xz<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !self.done && !out.is_empty() {
            let step = self
                .decoder
                .decode(self.packed, out)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.packed = &self.packed[step.input_consumed()..];
            let produced = step.output_produced();
            if step.is_end_of_stream() {
                // Parallel tools write many streams, with zero padding allowed between them.
                let padding = self.packed.iter().take_while(|b| **b == 0).count();
                self.packed = &self.packed[padding..];
                self.done = self.packed.is_empty();
                self.decoder.reset();
            } else if !step.made_progress() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if produced > 0 {
                return Ok(produced);
            }
        }
        Ok(0)
    }
}

type Frame<'a> = ruzstd::decoding::StreamingDecoder<&'a [u8], ruzstd::decoding::FrameDecoder>;

/// The decoder reads one frame; parallel tools write many, and skippable ones between them.
struct Zstd<'a> {
    packed: &'a [u8],
    frame: Option<Box<Frame<'a>>>,
}

impl Read for Zstd<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(mut frame) = self.frame.take() {
                let got = frame.read(out)?;
                if got > 0 {
                    self.frame = Some(frame);
                    return Ok(got);
                }
                self.packed = (*frame).into_inner();
            }
            match self.packed {
                [] => return Ok(0),
                [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] => {
                    let size = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                    self.packed = rest.get(size..).unwrap_or(&[]);
                }
                packed => {
                    let frame =
                        Frame::new(packed).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?;
                    self.frame = Some(Box::new(frame));
                }
            }
        }
    }
}
