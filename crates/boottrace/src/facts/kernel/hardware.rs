// SPDX-License-Identifier: MIT
//! What a kernel says of the machine that it runs on: its name, memory, processors, consoles, clock.

use serde::{Deserialize, Serialize};

/// A statement that is kept as it was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    /// Physical line.
    pub line: u32,
    /// The message.
    pub text: String,
}

/// `Memory: 212796K/261624K available (…)` and its older forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memory {
    /// Physical line.
    pub line: u32,
    /// All of it, without what the firmware keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_kib: Option<u64>,
    /// What is left of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_kib: Option<u64>,
}

/// `smp: Brought up 1 node, 4 CPUs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Processors {
    /// Physical line.
    pub line: u32,
    /// How many run.
    pub count: u32,
}

/// `printk: legacy console [ttyS0] enabled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Console {
    /// Physical line with which it was enabled first.
    pub line: u32,
    /// `ttyS0`.
    pub name: String,
    /// It only serves until the real ones are there.
    pub boot: bool,
    /// False when the last line about it says that it was disabled.
    pub enabled: bool,
}

/// Everything of this kind that the lines of one kernel state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hardware {
    /// The first processor in the kernel's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<Statement>,
    /// The clock that time is counted with, in the kernel's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Statement>,
    /// How much memory there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// How many processors run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processors: Option<Processors>,
    /// Consoles, in the order in which they were enabled.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub consoles: Vec<Console>,
}

/// Consoles beyond this are not kept.
const MAX_CONSOLES: usize = 32;

impl Hardware {
    /// Takes what a message of the kernel states.
    pub(super) fn line(&mut self, text: &str, line: u32) {
        let statement = |text: &str| Statement {
            line,
            text: text.trim_end().to_owned(),
        };
        if self.processor.is_none() && is_processor(text) {
            self.processor = Some(statement(text));
        }
        if self.clock.is_none() && is_clock(text) {
            self.clock = Some(statement(text));
        }
        if self.memory.is_none() {
            self.memory = memory(text, line);
        }
        if self.processors.is_none() {
            self.processors = processors(text).map(|count| Processors { line, count });
        }
        self.console(text, line);
    }

    /// True when nothing was stated.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn console(&mut self, text: &str, line: u32) {
        let Some((name, boot, enabled)) = console(text) else {
            return;
        };
        if let Some(known) = self.consoles.iter_mut().find(|known| known.name == name) {
            known.enabled = enabled;
        } else if self.consoles.len() < MAX_CONSOLES {
            self.consoles.push(Console {
                line,
                name: name.to_owned(),
                boot,
                enabled,
            });
        }
    }
}

/// `Machine model: ARM Versatile PB`; of DMI not what it says of the memory's slots.
pub(super) fn machine(text: &str) -> Option<&str> {
    const MODELS: [&str; 4] = [
        "Machine model: ",
        "OF: fdt: Machine model: ",
        "OF: fdt:Machine model: ",
        "Machine: ",
    ];
    let name = MODELS.iter().find_map(|start| text.strip_prefix(start));
    name.or_else(|| {
        text.strip_prefix("DMI: ")
            .filter(|name| !name.starts_with("Memory slots "))
    })
    .map(str::trim)
    .filter(|name| !name.is_empty())
}

fn is_processor(text: &str) -> bool {
    let text = text.strip_prefix("smpboot: ").unwrap_or(text);
    if let Some(rest) = text.strip_prefix("CPU") {
        let rest = rest.strip_prefix(|c: char| c.is_ascii_digit()).unwrap_or(rest);
        return rest.starts_with(": ") && (has_word(rest, "revision") || has_word(rest, "stepping"))
            || rest.starts_with(" revision is: ");
    }
    text.starts_with("Boot CPU: ")
        || text.strip_prefix("Booting Linux on physical CPU ").is_some_and(|rest| {
            rest.split_once(' ')
                .is_some_and(|(_, id)| id.starts_with('[') && id.trim_end().ends_with(']'))
        })
}

/// `Testing write buffer coherency` and `division code` are no words like `revision`.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|one| one == word)
}

fn is_clock(text: &str) -> bool {
    (text.starts_with("sched_clock: ") && text.contains(" at "))
        || text.starts_with("tsc: Detected ")
        || (text.starts_with("clocksource: ") && text.contains("mult: "))
}

fn memory(text: &str, line: u32) -> Option<Memory> {
    let rest = text.strip_prefix("Memory: ")?;
    let rest = rest.split('(').next()?.trim_end();
    // arm up to 3.9: `Memory: 128MB 128MB = 256MB total`, `Memory: 32088KB available`.
    if let Some(total) = rest.strip_suffix(" total") {
        return Some(Memory {
            line,
            total_kib: Some(size_kib(total.rsplit("= ").next()?)?),
            available_kib: None,
        });
    }
    let sizes = rest.split(" available").next()?;
    let (available, total) = match sizes.split_once('/') {
        Some((available, total)) => (available, Some(size_kib(total)?)),
        None if rest.ends_with(" available") => (sizes, None),
        None => return None,
    };
    Some(Memory {
        line,
        total_kib: total,
        available_kib: Some(size_kib(available)?),
    })
}

/// `261624K`, `130240k`, `32MB`.
fn size_kib(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..end].parse().ok()?;
    match &text[end..] {
        "K" | "k" | "KB" | "kB" => Some(number),
        "M" | "MB" => number.checked_mul(1024),
        _ => None,
    }
}

fn processors(text: &str) -> Option<u32> {
    let text = text.strip_prefix("smp: ").unwrap_or(text);
    let rest = text.strip_prefix("Brought up ")?;
    let count = rest.rsplit_once(", ").map_or(rest, |(_, count)| count).trim_end();
    count
        .strip_suffix(" CPUs")
        .or_else(|| count.strip_suffix(" CPU"))?
        .parse()
        .ok()
}

/// Name, whether it is one of the boot, and whether it is on now.
fn console(text: &str) -> Option<(&str, bool, bool)> {
    let text = text.strip_prefix("printk: ").unwrap_or(text);
    let text = text.strip_prefix("legacy ").unwrap_or(text);
    let (boot, rest) = match text.strip_prefix("bootconsole [") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("console [")?),
    };
    let (name, state) = rest.split_once("] ")?;
    let enabled = match state.split([',', ' ']).next()? {
        "enabled" => true,
        "disabled" => false,
        _ => return None,
    };
    (!name.is_empty() && name.len() <= 32).then_some((name, boot, enabled))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Hardware {
        let mut found = Hardware::default();
        for (number, text) in (1..).zip(lines) {
            found.line(text, number);
        }
        found
    }

    #[test]
    fn memory_in_all_its_forms() {
        for (text, total, available) in [
            (
                "Memory: 212796K/261624K available (14343K kernel code, 2327K rwdata)",
                Some(261_624),
                Some(212_796),
            ),
            (
                "Memory: 125076k/130240k available (2002k kernel code)",
                Some(130_240),
                Some(125_076),
            ),
            ("Memory: 32MB = 32MB total", Some(32 << 10), None),
            ("Memory: 128MB 128MB = 256MB total", Some(256 << 10), None),
            ("Memory: 32088KB available (1405K code, 274K data)", None, Some(32_088)),
        ] {
            let found = of(&[text]).memory.expect(text);
            assert_eq!((found.total_kib, found.available_kib), (total, available), "{text}");
        }
        for text in [
            "Memory: 1K",
            "Memory: x/yK available",
            "Memory: 18446744073709551615M/1M available",
        ] {
            assert_eq!(of(&[text]).memory, None, "{text}");
        }
    }

    #[test]
    fn consoles_that_come_and_go() {
        let found = of(&[
            "printk: bootconsole [uart8250] enabled",
            "printk: legacy console [ttyS0] enabled",
            "bootconsole [uart8250] disabled",
            "printk: console [ttyS0] printing thread started",
        ]);
        let told: Vec<_> = found
            .consoles
            .iter()
            .map(|c| (c.name.as_str(), c.boot, c.enabled))
            .collect();
        assert_eq!(told, [("uart8250", true, false), ("ttyS0", false, true)]);
    }

    #[test]
    fn the_line_that_names_the_machine() {
        assert_eq!(machine("DMI: Memory slots populated: 1/1"), None);
        assert_eq!(
            machine("DMI: Bochs Bochs, BIOS Bochs 01/01/2011"),
            Some("Bochs Bochs, BIOS Bochs 01/01/2011")
        );
        assert_eq!(
            machine("OF: fdt: Machine model: ARM Versatile PB"),
            Some("ARM Versatile PB")
        );
        let found = of(&[
            "CPU: div instructions available: patching division code",
            "CPU0: AMD stepping 01",
        ]);
        assert_eq!(found.processor.map(|processor| processor.line), Some(2));
    }

    #[test]
    fn processors_that_run() {
        for (text, count) in [
            ("smp: Brought up 1 node, 4 CPUs", Some(4)),
            ("Brought up 2 CPUs", Some(2)),
            ("Brought up some", None),
        ] {
            assert_eq!(of(&[text]).processors.map(|found| found.count), count, "{text}");
        }
    }
}
