// SPDX-License-Identifier: MIT
//! coreboot's account of its boot states: how long each worked and how long it printed.

use serde::{Deserialize, Serialize};

/// One line `BS: ... times (exec / console): 14 / 2072 ms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootState {
    /// Physical line.
    pub line: u32,
    /// `BS_DEV_RESOURCES run`, `romstage`.
    pub name: String,
    /// Time of work, in old versions with that of printing; absent where coreboot says that it does not know.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exec_ns: Option<i64>,
    /// Time of printing.
    pub console_ns: i64,
}

impl BootState {
    /// Reads a line.
    pub fn read(text: &str, line: u32) -> Option<Self> {
        let (_, rest) = text.split_once("BS: ")?;
        if let Some(state) = Self::read_old(rest, line) {
            return Some(state);
        }
        let (name, times) = rest.split_once(" times (exec / console): ")?;
        let (exec, console) = times.trim().strip_suffix(" ms")?.split_once(" / ")?;
        let ns = |text: &str| Some(text.trim().parse::<u32>().ok().map(i64::from)? * 1_000_000);
        Some(Self {
            line,
            name: name.to_owned(),
            exec_ns: ns(exec),
            console_ns: ns(console)?,
        })
    }

    /// `BS_DEV_ENUMERATE times (us): entry 0 run 4525821 exit 0` of 2013 to 2019, in microseconds or milliseconds, with the
    /// time of printing in it (src/lib/hardwaremain.c).
    fn read_old(rest: &str, line: u32) -> Option<Self> {
        let (name, times) = rest.split_once(" times (")?;
        let (unit, times) = times.split_once("): entry ")?;
        let unit = match unit {
            "us" => 1_000,
            "ms" => 1_000_000,
            _ => return None,
        };
        let (entry, rest) = times.split_once(" run ")?;
        let (run, exit) = rest.split_once(" exit ")?;
        let ns = |text: &str| Some(i64::from(text.trim().parse::<u32>().ok()?) * unit);
        let all = [ns(entry)?, ns(run)?, ns(exit)?];
        Some(Self {
            line,
            name: name.to_owned(),
            exec_ns: Some(all.iter().sum()),
            console_ns: 0,
        })
    }

    /// Both together.
    pub fn ns(&self) -> i64 {
        self.exec_ns.unwrap_or(0).saturating_add(self.console_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms() {
        let state = BootState::read("BS: BS_DEV_INIT run times (exec / console): 209 / 1047 ms", 7).unwrap();
        assert_eq!((state.exec_ns, state.console_ns), (Some(209_000_000), 1_047_000_000));
        let state = BootState::read(
            "[DEBUG]  BS: romstage times (exec / console): total (unknown) / 346 ms",
            7,
        )
        .unwrap();
        assert_eq!(
            (state.name.as_str(), state.exec_ns, state.ns()),
            ("romstage", None, 346_000_000)
        );
        let state = BootState::read("BS: BS_DEV_ENABLE times (ms): entry 1 run 20 exit 0", 1).unwrap();
        assert_eq!((state.exec_ns, state.console_ns), (Some(21_000_000), 0));
        let state = BootState::read("BS: BS_DEV_ENUMERATE times (us): entry 0 run 4525821 exit 0", 1).unwrap();
        assert_eq!(state.ns(), 4_525_821_000);
        assert_eq!(BootState::read("BS: BS_X times (s): entry 1 run 2 exit 3", 1), None);
    }
}
