//! Looks inside a Linux kernel image: version, compression, payload, symbols, configuration.
