// SPDX-License-Identifier: MIT
//! Images that the tests build, every form of every table, and hostile bytes.

mod builder;
mod debian;
mod elf;
mod hostile;
mod kallsyms;
mod kinds;
mod payloads;
