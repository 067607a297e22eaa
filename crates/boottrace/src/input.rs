//! Bytes from a file, standard input or memory, unpacked when they are compressed.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::archive::{self, Packing};
use crate::{Error, Limits};

/// What is known about the bytes themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputNotes {
    /// Size as given, in bytes.
    pub given_bytes: u64,
    /// Size after unpacking, in bytes.
    pub read_bytes: u64,
    /// How the bytes were packed, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// Everything that kept part of the input from being read.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub problems: Vec<String>,
}

/// Plain bytes with what had to be done to get them.
#[derive(Debug)]
pub struct Input<'a> {
    /// The unpacked bytes.
    pub bytes: Cow<'a, [u8]>,
    /// What happened on the way.
    pub notes: InputNotes,
}

impl<'a> Input<'a> {
    /// Unpacks `bytes` if they are gzip, xz or zstd data; anything else is taken as it is.
    ///
    /// # Errors
    /// [`Error::Empty`] when there is nothing, [`Error::Unpack`] when an archive gives not one byte.
    pub fn from_bytes(name: &str, bytes: &'a [u8], limits: &Limits) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Err(Error::Empty { name: name.to_owned() });
        }
        let mut notes = InputNotes {
            given_bytes: bytes.len() as u64,
            read_bytes: bytes.len() as u64,
            packing: None,
            problems: Vec::new(),
        };
        let Some(packing) = Packing::detect(bytes) else {
            return Ok(Self {
                bytes: Cow::Borrowed(bytes),
                notes,
            });
        };
        let unpacked = archive::unpack(bytes, packing, limits);
        if unpacked.bytes.is_empty() {
            return Err(Error::Unpack {
                name: name.to_owned(),
                format: packing.name(),
                why: unpacked.problem.unwrap_or_else(|| "it holds no data".to_owned()),
            });
        }
        notes.packing = Some(packing);
        notes.read_bytes = unpacked.bytes.len() as u64;
        notes.problems.extend(unpacked.problem);
        Ok(Self {
            bytes: Cow::Owned(unpacked.bytes),
            notes,
        })
    }
}

/// Reads a file, or standard input when the path is `-`, up to `limits.input_bytes`.
///
/// # Errors
/// [`Error::Read`] with the operating system's reason.
pub fn read_path(path: &Path, limits: &Limits) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(limits.input_bytes)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    } else {
        let file = File::open(path).map_err(failed)?;
        file.take(limits.input_bytes).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}
