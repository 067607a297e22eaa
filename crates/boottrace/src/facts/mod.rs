// SPDX-License-Identifier: MIT
//! What a boot's log says: the kernel, the firmware, and the course of the boot.

pub mod boot;
pub mod firmware;
pub mod kernel;
pub mod services;
pub mod user;
