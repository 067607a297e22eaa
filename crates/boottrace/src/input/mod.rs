// SPDX-License-Identifier: MIT
//! Where bytes come from: files, pipes, packed inputs, and what was noticed on the way.

pub mod archive;
pub mod notes;
pub mod packing;
pub(crate) mod source;
pub mod stream;
mod unpacking;
