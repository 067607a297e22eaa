//! What runs before the kernel: banners, stamps and time tables of firmware and boot loaders.

pub(crate) mod banner;
