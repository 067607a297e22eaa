// SPDX-License-Identifier: MIT
//! The kernel command line as printed.

use serde::{Deserialize, Serialize};

/// Parameters in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandLine {
    /// Physical line.
    pub line: u32,
    /// As printed.
    pub text: String,
    /// Split at blanks outside quotes.
    #[serde(skip)]
    pub parameters: Vec<String>,
}

impl CommandLine {
    /// Reads `Kernel command line: ...` or x86's `Command line: ...`.
    pub fn read(text: &str, line: u32) -> Option<Self> {
        let text = text.trim_start();
        let rest = text
            .strip_prefix("Kernel command line:")
            .or_else(|| text.strip_prefix("Command line:"))?
            .trim();
        let mut parameters = vec![String::new()];
        let mut quoted = false;
        for c in rest.chars() {
            match c {
                '"' => quoted = !quoted,
                c if c.is_whitespace() && !quoted => parameters.push(String::new()),
                c => {
                    if let Some(parameter) = parameters.last_mut() {
                        parameter.push(c);
                    }
                }
            }
        }
        parameters.retain(|p| !p.is_empty());
        Some(Self {
            line,
            text: rest.to_owned(),
            parameters,
        })
    }

    /// The last value of `name=value`.
    pub fn value<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.values(name).last()
    }

    /// All values of `name=value`.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.parameters
            .iter()
            .filter_map(move |p| p.strip_prefix(name)?.strip_prefix('='))
    }

    /// True when `name` stands there, with or without a value.
    pub fn has(&self, name: &str) -> bool {
        self.parameters
            .iter()
            .any(|p| p == name || p.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
    }

    /// Baud rate of the last serial console: `console=ttyS0,115200n8`.
    pub fn baud(&self) -> Option<u32> {
        let speed = |value: &str| -> Option<u32> {
            let (port, options) = value.split_once(',')?;
            if !port.starts_with("tty") {
                return None;
            }
            let end = options.find(|c: char| !c.is_ascii_digit()).unwrap_or(options.len());
            options[..end]
                .parse()
                .ok()
                .filter(|baud| (300..=12_000_000).contains(baud))
        };
        self.values("console").filter_map(speed).last()
    }

    /// True when one of the consoles is a serial port.
    pub fn serial_console(&self) -> bool {
        self.values("console").any(|v| {
            v.strip_prefix("tty")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parameters() {
        let line = CommandLine::read(
            "Kernel command line: console=tty1 console=ttyO2,115200n8 quiet a=\"b c\"",
            1,
        )
        .unwrap();
        assert_eq!(
            (line.baud(), line.has("quiet"), line.value("a")),
            (Some(115_200), true, Some("b c"))
        );
        assert!(line.serial_console());
    }
}
